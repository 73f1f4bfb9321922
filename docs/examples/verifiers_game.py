"""verifiers: `vf-eval verifiers_game` in this file's folder plays one game after the other. `pip install verifiers uv`

Settings such as `--env.taskset.options '{"num_players": 3}'` are those of carnegie_env.text.TextGame.
"""

from carnegie_env.text.for_verifiers import GameEnv, GameTaskset

__all__ = ["GameEnv", "GameTaskset"]
