"""The settings of value learning."""

from __future__ import annotations

import dataclasses
from typing import Annotated

from carnegie_env.agents.value import LARGEST_UNITS
from training import settings
from training.settings import MOST, PERCENTAGE, SHARE

MOST_TRIED = 16  # actions that a search of the training tries


@dataclasses.dataclass(frozen=True)
class Settings(settings.Settings):
    """The settings of value learning, tuned by experiment."""

    hidden: Annotated[int, "units of the first layer", (1, LARGEST_UNITS)] = 128
    middle: Annotated[int, "units of the second layer", (1, LARGEST_UNITS)] = 32
    round_games: Annotated[int, "games in a round"] = 256
    reuse: Annotated[float, "number of times each game is learned from"] = 3.0
    rounds_kept: Annotated[int, "number of rounds from which games are drawn"] = 8
    chains: Annotated[int, "chains in one gradient step"] = 6
    learning_rate: Annotated[float, "learning rate at the start"] = 1e-3
    last_rate: Annotated[float, "share of the learning rate that is left at the end", SHARE] = 0.05
    trace: Annotated[float, "lambda of TD(lambda)", SHARE] = 0.95
    tasted_trace: Annotated[float, "lambda in games with a preference", SHARE] = 0.6
    noise: Annotated[float, "noise on values at the start, in hundredths of Game.dense_unit; falls to 0"] = 0.1
    explore: Annotated[float, "percentage of decisions that are random", PERCENTAGE] = 3.0
    rival_games: Annotated[float, "percentage of games against rivals, if there are any", PERCENTAGE] = 40.0
    taste: Annotated[float, "strength of preferences, in hundredths of Game.dense_unit"] = 2.0
    lean_until: Annotated[float, "share of the training after which shaping begins to fade", SHARE] = 0.4
    lean_ends: Annotated[float, "share of the training after which shaping has no effect", SHARE] = 0.8
    draws: Annotated[int, "samples of hidden information for each position"] = 4
    win_weight: Annotated[float, "weight of the loss of the win probability"] = 0.1
    search: Annotated[
        float, "percentage of decisions that a search makes and teaches (solo without --start: 25)", PERCENTAGE
    ] = 0.0
    search_from: Annotated[
        float, "share of the training before the first search (solo without --start: 0.5)", SHARE
    ] = 0.0
    candidates: Annotated[int, "actions that the search tries", (1, MOST_TRIED)] = 4
    futures: Annotated[int, "futures that it plays for each action"] = 2
    depth: Annotated[int, "own decisions after which a future ends"] = 3
    future_noise: Annotated[float, "temperature of the other seats in futures, in hundredths of Game.dense_unit"] = 0.0
    rival_futures: Annotated[
        float, "percentage of futures, in games against a rival, in which the rival plays its seats", PERCENTAGE
    ] = 0.0
    search_weight: Annotated[float, "weight of the loss of the choice among these actions"] = 4.0
    temperature: Annotated[
        float, "temperature of the softmax of this choice, in hundredths of Game.dense_unit", (1e-3, MOST)
    ] = 1.0
