"""TorchRL: 2 to 4 players with its PettingZoo wrapper and masks. `pip install torchrl`"""

from torchrl.envs import PettingZooWrapper

from carnegie_env import carnegie_v0

env = PettingZooWrapper(carnegie_v0.env(num_players=3), use_mask=True, categorical_actions=True, group_map=None)
game = env.rollout(2000)  # random legal actions; ("player_0", "mask") marks the decisions of player_0
rewards = {name: game["next", name, "reward"].sum().item() for name in env.group_map}
print(len(game), "decisions, rewards", rewards)
