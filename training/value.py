"""The main trainer: a value network learns by self-play and is evaluated. `make train`.

1. The baselines are evaluated: `random`, `greedy`, and a PPO network if one is given (`--ppo`).
2. The network learns by self-play on all cores until the time is up (value_trainer.py), in the solo game with search
   from half of the time on.
3. The value agent plays with the network; one table compares all agents.

Ctrl-C and SIGTERM save the run folder (:mod:`training.run_folder`) and print the command that continues.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from carnegie_env import collection
from carnegie_env.agents import inputs, network, registry, tensors, value
from carnegie_env.agents.base import Agent
from carnegie_env.agents.greedy import GreedyAgent
from carnegie_env.agents.learned import PPOAgent
from carnegie_env.agents.network import Weights
from carnegie_env.agents.random_agent import RandomAgent
from carnegie_env.agents.value import WEIGHTS_FILE, Network, ValueAgent
from carnegie_env.cli.common import add_ray
from carnegie_env.cli.parser import Parser
from carnegie_env.core.arguments import option_of
from carnegie_env.core.game import Game
from carnegie_env.core.versions import versions
from carnegie_env.workers import cluster
from training import STARTED, job, rivals, tables
from training.categories import picture
from training.job import Session
from training.rivals import Rival
from training.run_folder import RunFolder, check_settings
from training.tables import Table
from training.value_cluster import AHEAD, Nodes
from training.value_players import PART_GAMES, CannotContinue, Course, Players, Threads
from training.value_settings import Settings
from training.value_trainer import Trainer, transfer

GREEDY, POLICY, PPO = GreedyAgent.name, "ppo", "ppo:"  # as rivals; the run follows "ppo:"
STATE_FILE = "state.safetensors"  # network and optimizer in float32, for resuming
LARGEST_STATE = 2**30  # bytes: more than the largest network and its optimizer need
PICTURE_FILE = "categories.png"
WARM_UP = 0.25  # share of the training, by default
SEARCH = {"search": 25.0, "search_from": 0.5}  # in the solo game without --start
PLAYED_BY_LEARNER = 4  # threads whose games one thread learns from
SECONDS_A_GAME = 0.02  # of the value agent's evaluation, on one core: an estimate


def columns(game: Game) -> tuple[str, ...]:
    """The columns of the learning curve."""
    return (
        "seconds", "core_hours", "steps", "games", "own", "margin", "win_rate", "decisions_per_game",
        "games_per_second", "margin_error", "win_error", "search_gain", *game.score_columns,
    )  # fmt: skip


class ValueFolder(RunFolder):
    """The folder of a run of value learning."""

    saved = (WEIGHTS_FILE, STATE_FILE)

    def check_config(self, config: dict[str, Any]) -> None:
        game, options = game_of(config), options_of(config)
        self.columns = columns(game)
        check_settings(config, Settings)
        lean = config.get("lean")
        if not isinstance(lean, dict) or not all(
            type(each) in (int, float) and abs(each) < 1e6 for each in lean.values()
        ):
            raise ValueError("config.json: lean must be points by names of inputs")
        rivals = config.get("rivals", [])
        if not isinstance(rivals, list) or not all(isinstance(each, str) for each in rivals):
            raise ValueError(f"config.json: rivals must be files of networks, {GREEDY}, {POLICY} or ppo:RUN")
        share = config.get("warm_up", 0)
        if type(share) not in (int, float) or not 0 <= share <= 1 or (share > 0 and options[0].num_players > 1):
            raise ValueError("config.json: warm_up must be a share of the training, for the solo game")
        if len({value.meaning(game, each) for each in options} | {config.get("inputs")}) > 1:
            raise ValueError("config.json: its inputs differ from the present inputs of networks for these options")


def game_of(config: Mapping[str, Any]) -> Game:
    """The game of a run; early configurations name none and mean the default game."""
    name = config.get("game", collection.DEFAULT)
    if not isinstance(name, str):
        raise ValueError("config.json: game must be the name of a game")
    return collection.find(name)


def options_of(config: Mapping[str, Any]) -> list[Any]:
    """The options of a run's games; a ValueError if the configuration lacks them."""
    given = config.get("options")
    if not isinstance(given, list) or not given or not all(isinstance(each, dict) for each in given):
        raise ValueError("config.json: options must be a list of the games' options")
    return [game_of(config).options.from_dict(dict(each)) for each in given]


# ---------------------------------------------------------------- the job
def main(arguments: Sequence[str] | None = None, started: float | None = None) -> int:
    """Run the command; see :func:`training.job.run`. ``started``: see :class:`training.display.Display`.

    Returns:
        The exit status; it is also 1 if no player is left.
    """
    parser = make_parser()
    try:
        return job.run(parser, Job, arguments, started)
    except CannotContinue as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1


def make_parser() -> Parser:
    """The parser of the command line."""
    text = "Train a value network by self-play and evaluate it."
    parser = Parser(prog="python -m training.value", description=text)
    add = parser.add_argument
    add("--games", type=int, help="train for this number of games, not for a time: exactly repeatable")
    add("--game", choices=collection.names(), help=f"the game (default: {collection.DEFAULT})")
    text = "seats (default: the game's fewest; 1: against its automatic opponent)"
    add("--num-players", type=int, metavar="N", help=text)
    add("--difficulty", metavar="NAME", help="the automatic opponent's (default: all)")
    text = "play with the expansion: all its modules, or random sets of them (mixed)"
    add("--modules", choices=tables.MODULES, help=text)
    add(
        "--start",
        metavar="FILE",
        help="weights of a value network to start from, for any number of players; --hidden can widen it",
    )
    text = f"opponents in some games: files of value networks for the same table, `{GREEDY}`, `{POLICY}`, `ppo:RUN`"
    add("--rivals", nargs="+", metavar="NAME", help=text)
    text = (
        "reward shaping: points for each unit of an input at the end, which count beside the score early in training; "
        "without values: none (default: for Carnegie projects and links, see docs/training.md; with --start: none)"
    )
    add("--lean", nargs="*", metavar="NAME=POINTS", help=text)
    text = (
        "share of the training that is played with more players before the solo game (default: for Carnegie "
        f"{WARM_UP}, with 2 players; with --start and in other games 0)"
    )
    add("--warm-up", type=float, metavar="SHARE", help=text)
    add("--resume", metavar="RUN", help="continue the run in this folder")
    add("--ppo", metavar="PATH", help="a run folder of PPO, or its weights: another agent for the evaluation")
    nodes = parser.add_argument_group("on a Ray cluster, whose nodes play the games (docs/training.md)")
    add_ray(nodes.add_argument)
    text = f"games in a part, which one core plays (default: {PART_GAMES})"
    nodes.add_argument("--part-games", type=int, metavar="N", help=text)
    text = f"rounds played while the learner learns; more for many cores (default: {AHEAD})"
    nodes.add_argument("--ahead", type=int, metavar="N", help=text)
    job.add_arguments(parser, Settings, "value learning")
    return parser


class Job(job.Job):
    """A training of a value network; see :class:`training.job.Job`."""

    folder_type, model_file, trained_name = ValueFolder, WEIGHTS_FILE, "value"
    contents = f"the network, the learning curve, the score's categories over the training ({PICTURE_FILE})"

    def check(self) -> None:
        given = self.given
        fixed = ["game", "num_players", "difficulty", "modules", "start", "rivals", "lean", "warm_up"]
        least = {"eval_games": 2, "seed": 0} | dict.fromkeys(("games", "threads", "part_games", "ahead"), 1)
        job.check_ranges(given, least, fixed, Settings)
        for name in ("part_games", "ahead"):
            if getattr(given, name) is not None and given.ray is None:
                raise ValueError(f"{option_of(name)} is for training on a cluster and needs --ray")
        if given.rivals and players_of(given, collection.find(given.game or collection.DEFAULT)) == 1:
            raise ValueError(f"--rivals {given.rivals[0]}: the solo game has no rivals")
        if given.warm_up is not None and not 0 <= given.warm_up <= 0.9:
            raise ValueError(f"--warm-up must be 0 to 0.9, not {given.warm_up}")
        self.baselines = [RandomAgent(), GreedyAgent()]
        if given.ppo is not None:
            self.baselines.append(registry.make_agent(f"ppo:{given.ppo}"))
        self.start = None if given.start is None else value.read(Path(given.start))

    def run_name(self) -> str:
        game = collection.find(self.given.game or collection.DEFAULT)
        parts = ["value", *([] if game.name == collection.DEFAULT else [game.name]), str(players_of(self.given, game))]
        return "-".join([*parts, *([] if self.given.modules is None else [self.given.modules])])

    def new_config(self) -> dict[str, Any]:
        given, start = self.given, self.start
        game = collection.find(given.game or collection.DEFAULT)
        players = players_of(given, game)
        settings = (SEARCH if can_warm_up(given, game, players) else {}) | job.chosen(given, Settings)
        if start is not None:
            settings |= units_of(settings, start)
        dealt = tables.dealt(game, players, given.difficulty, given.modules, given.seed or 0)
        options = [game.options.from_dict(each) for each in dealt]
        return {
            "title": Table(game, players).title + ("" if given.modules is None else f", {given.modules} modules"),
            "game": game.name,
            "options": [each.to_dict() for each in options],
            "modules": None if given.modules is None else "all",
            "inputs": value.meaning(game, options[0]),
            "start": given.start,
            "rivals": given.rivals or [],
            "lean": lean_of(given, game),
            **warm_up_of(given, game, players),
            "seed": given.seed or 0,
            "settings": dataclasses.asdict(Settings(**settings)),
            "versions": versions("safetensors"),
        }

    def connect(self) -> None:
        self.game, self.options, self.seed = game_of(self.config), options_of(self.config), self.config["seed"]
        self.game_options = self.config["options"][0]
        self.rivals = rivals_of(self.config)
        units = tuple(self.config["settings"][layer] for layer in ("hidden", "middle"))
        start = self.start
        self.net = None if start is None else started_from(start, self.game, self.options[0], self.seed, units)
        self.cluster: cluster.Cluster | None = None  # whose nodes play; None: threads of this process do
        self.learners = (self.given.threads or 1) if self.given.ray else -(-self.threads // PLAYED_BY_LEARNER)
        if self.given.ray is not None:
            cpus = None if self.given.ray else max(self.threads - self.learners, 1)  # of a local Ray
            self.cluster = self.closing.enter_context(cluster.connect(self.given.ray or None, cpus, "games"))

    def prepare(self) -> None:
        self.table = Table(self.game, self.options[0].num_players, self.config["modules"])
        self.baselines = [agent for agent in self.baselines if agent.games is None or self.game.name in agent.games]
        state = read_state(self.folder / STATE_FILE) if self.progress.steps > 0 else None
        self.is_warming_up = self.progress.share < self.config.get("warm_up", 0)
        if state is not None and "warm_up" in self.config:  # saved just before or just after the end of the warm-up
            self.is_warming_up = len(state["net.first"]) != inputs.size(self.game, self.options[0])
        self.trainer = self._trainer(self.is_warming_up, self.net)
        self.closing.callback(lambda: self.trainer.close())
        if state is not None:
            self.trainer.load_state(state)

    def _trainer(self, warm_up: bool, net: Weights | None) -> Trainer:
        options, rivals = (warm_up_options(self.config), []) if warm_up else (self.options, self.rivals)
        settings = Settings(**self.config["settings"])
        return Trainer(
            self.game, options, settings, self.seed, self._players, net, self.config["lean"], rivals, self.learners
        )

    def _players(self, course: Course) -> Players:
        if self.cluster is None:
            return Threads(course, self.threads)
        return Nodes(self.cluster, course, self.given.part_games or PART_GAMES, self.given.ahead or AHEAD)

    def _net(self) -> Weights:
        """The network for the run's own table."""
        if not self.is_warming_up:
            return self.trainer.net
        return moved(self.trainer.net, self.game, self.trainer.options[0], self.options[0], self.seed)

    def _end_warm_up(self) -> None:
        """Continue the training at the run's own table."""
        self.trainer.close()
        following = self._trainer(False, self._net())
        following.games, following.rounds = self.trainer.games, self.trainer.rounds
        try:
            following.compile()
        except BaseException:  # the trainer of the warm-up is the one that is saved and closed
            following.close()
            raise
        self.trainer, self.is_warming_up = following, False

    # ---- training
    def train(self) -> None:
        if self.given.minutes == 0 and self.given.games is None:
            return
        self.display.say("compiling")
        self.trainer.compile()
        session = Session(self, self.given.games)
        games = len(self.table.against) * float(self.given.eval_games) * self.table.num_players
        evaluation = games * SECONDS_A_GAME / self.threads
        try:
            while (share := session.share(evaluation)) < 1:
                self.progress.share = session.total_share(share)
                if self.is_warming_up and self.progress.share >= self.config["warm_up"]:
                    self._end_warm_up()
                measured = self.trainer.round(self.progress.share, self._rounds_left())
                self.done += self.trainer.settings.round_games
                self.progress.seconds = session.total_seconds
                self._add_row(measured, None if self.cluster is not None else session.core_hours)
                session.save_if_due()
            self.progress.share = 1.0
        except CannotContinue as error:
            command = self.resume_command()
            raise CannotContinue(f"{error}. The training so far is saved. To continue later:\n  {command}") from error
        finally:
            self.times["training"] += session.seconds
            self.save()

    def _rounds_left(self) -> int | None:
        """The rounds left in this session, including the current one; None: it depends on the time."""
        if self.given.games is None:
            return None
        return -(-(int(self.given.games) - self.done) // self.trainer.settings.round_games)

    def _add_row(self, measured: dict[str, float], core_hours: float | None) -> None:
        """Add a row to the learning curve, and show it."""
        self.progress.steps = self.trainer.games
        row: dict[str, float | None] = {"seconds": self.progress.seconds, "core_hours": core_hours}
        row |= {"steps": self.trainer.games}
        row |= {name: number if np.isfinite(number) else None for name, number in measured.items()}
        self.curve.rows.append(row)
        margin = f", margin {measured['margin']:.1f}" if "margin" in measured else ""
        players = f" ({status})" if (status := self.trainer.players.status()) else ""
        self.display.say(
            f"training: {self.trainer.games:,} games, {measured['games_per_second']:,.0f}/s, "
            f"own score {measured['own']:.1f}{margin}{players}"
        )

    def evaluate_trained(self) -> None:
        """Measure the trained agent, unless the files that it is read from could not be written."""
        if self.saver.save_rest():
            super().evaluate_trained()

    def trained_agent(self) -> Agent:
        agent = ValueAgent(str(self.folder))
        agent.name = self.trained_name
        return agent

    # ---- the run folder and the report
    def pictures(self) -> dict[str, bytes]:
        point = self.game.presentation.point
        panels = [("own", f"own score ({point})"), ("margin_error", f"error ({point})")]
        panels.append(("games_per_second", "games/s"))
        if self.table.is_solo:
            panels.insert(1, ("margin", f"margin over {self.table.opponent} ({point})"))
        title = f"Value learning, {self.config['title']}: {self.progress.steps:,} games"
        columns = tables.categories(self.game)
        return {
            "learning_curve.png": self.curve.picture(title, panels, {}),
            PICTURE_FILE: picture(self.curve, columns, self.game.rank_by[0], title, point),
        }

    def save_in(self, folder: RunFolder) -> None:
        options = json.dumps(self.config["options"][0])
        metadata = {"game": self.game.name, "inputs": self.config["inputs"], "options": options}
        content = {WEIGHTS_FILE: to_bytes(self._net(), metadata), STATE_FILE: save(self.trainer.state())}
        folder.save(content, self.progress, self.curve)

    def resume_command(self) -> str:
        options = self.resume_options()
        if self.given.ray is None:
            return f'make train ARGS="{options}"'
        for name in ("part_games", "ahead"):
            if (number := getattr(self.given, name)) is not None:
                options += f" {option_of(name)} {number}"
        return f"python -m training.value {options} --ray {self.given.ray}".rstrip()

    def training_summary(self) -> str:
        return f"{self.done:,} games, {self.done / self.times['training']:,.0f}/s, {self.trainer.steps:,} steps"

    def report(self) -> None:
        super().report()
        if self.cluster is not None and self.cluster.work:
            self.display.print("\n" + self.cluster.text())

    def play_options(self) -> list[str]:
        others = ("" if self.table.is_solo else f" {self.table.against[-1]}") + self.table.flags
        return [f"value:{self.folder}{others}", f"search:network={self.folder},ms=20{others} --games 10"]


# ---------------------------------------------------------------- networks in files
def to_bytes(net: Weights, metadata: Mapping[str, str]) -> bytes:
    """A network as a safetensors file with this metadata; the two large layers are in float16."""
    arrays: dict[str, NDArray[Any]] = network.with_outputs(net, network.OUTPUTS)._asdict()
    small = {name: arrays[name].astype(np.float16) for name in ("first", "second")}
    content: bytes = save(arrays | small, dict(metadata))
    return content


def read_state(file: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a run's state; a ValueError if the file is missing or damaged."""
    try:
        return tensors.read(file, LARGEST_STATE)[0]
    except FileNotFoundError:
        raise ValueError(f"there is no {file}") from None


def units_of(chosen: dict[str, Any], start: Network) -> dict[str, int]:
    """The units of a run that starts from a network: the network's, or more; a ValueError for fewer."""
    middle, hidden = start.weights.second.shape
    units = {"hidden": hidden, "middle": middle}
    for name, least in units.items():
        units[name] = chosen.get(name, least)
        if units[name] < least:
            raise ValueError(f"--{name} must be {least} or more, as in the network of --start, not {units[name]}")
    return units


def started_from(start: Network, game: Game, options: Any, seed: int, units: tuple[int, int]) -> Weights:
    """The weights of another network, moved to games with these options; a ValueError for another game or inputs.

    ``units``: see :func:`~training.value_trainer.transfer`.
    """
    before = game.options.from_dict(dict(start.options)) if start.game == game.name else None
    if before is None or not start.serves(game, before):
        raise ValueError(f"--start needs a network for {game.name} with the present inputs")
    return moved(start.weights, game, before, options, seed, units)


def moved(
    net: Weights, game: Game, before: Any, options: Any, seed: int, units: tuple[int, int] | None = None
) -> Weights:
    """The network for games with other options; inputs of the same name keep their weights."""
    names_before, names = inputs.labels(game, before), inputs.labels(game, options)
    return transfer(net, names_before, names, inputs.size(game, options), np.random.default_rng(seed), units)


# ---------------------------------------------------------------- small parts
def players_of(given: argparse.Namespace, game: Game) -> int:
    """The number of seats of a new run."""
    return game.seats[0] if given.num_players is None else int(given.num_players)


def lean_of(given: argparse.Namespace, game: Game) -> dict[str, float]:
    """The shaping of a new run: from `--lean`, else the game's default unless the network starts from another one."""
    if given.lean is not None:
        return shaping(given.lean)
    return dict(tables.additions(game).shaping) if given.start is None else {}


def shaping(given: Iterable[str]) -> dict[str, float]:
    """Points by the names of inputs, from texts such as `tabs of own=1`; a ValueError for others."""
    found = {}
    for text in given:
        name, equals, points = text.rpartition("=")
        try:
            found[name] = float(points)
        except ValueError:
            equals = ""
        if not equals or not abs(found[name]) < 1e3:
            raise ValueError(f"--lean {text}: it must be a name of inputs and points, such as 'tabs of own=1'")
    return found


def rivals_of(config: Mapping[str, Any]) -> list[Rival]:
    """The rivals of a run; a ValueError if one does not play its games."""
    game, options = game_of(config), options_of(config)
    return [rival_of(name, game, options[0]) for name in config.get("rivals", [])]


def rival_of(name: str, game: Game, options: Any) -> Rival:
    """One rival, by its name; a ValueError if it does not play these games."""
    if name == GREEDY:
        GreedyAgent().check_plays(game, options)
        return Rival(rivals.GREEDY)
    if name == POLICY or name.startswith(PPO):
        ppo = cast(PPOAgent, registry.make_agent(name))
        return Rival(rivals.POLICY, ppo.actor(game.batch_class(1, **options.to_dict())).net)
    found = value.read(Path(name))
    if not found.serves(game, options):
        raise ValueError(f"--rivals {name}: it must be a network for {game.name} with {options.to_dict()}")
    return Rival(rivals.VALUE, found.weights)


def warm_up_of(given: argparse.Namespace, game: Game, players: int) -> dict[str, float]:
    """The entry of a new run's configuration for the share of the training that is a warm-up."""
    possible = can_warm_up(given, game, players)
    if given.warm_up and not possible:
        raise ValueError("--warm-up is for solo games without --start, and not for every game")
    share = given.warm_up if given.warm_up is not None else WARM_UP if possible else 0
    return {"warm_up": share} if share else {}


def can_warm_up(given: argparse.Namespace, game: Game, players: int) -> bool:
    """Whether a new run is for the solo game, from random weights, and its game has a warm-up."""
    return players == 1 and tables.additions(game).warm_up > 0 and given.start is None


def warm_up_options(config: Mapping[str, Any]) -> list[Any]:
    """The options of the warm-up's games, which have more players."""
    game = game_of(config)
    left_out, seats = game.options.SOLO_ONLY, tables.additions(game).warm_up
    found = []
    for each in options_of(config):
        kept = {name: value for name, value in each.to_dict().items() if name not in left_out}
        options = game.options.from_dict(kept | {"num_players": seats})
        if options not in found:
            found.append(options)
    return found


if __name__ == "__main__":
    sys.exit(main(started=STARTED))
