"""The value agent: takes the action with the best position according to a network. The package includes networks.

A network is for one game and number of players, with or without an expansion: for games whose inputs have the same
meaning. Its file's metadata says which; :class:`Networks` finds the network for a game.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents import evaluation, inputs, network, tensors
from carnegie_env.agents.arguments import Arguments
from carnegie_env.agents.base import Agent, Judgement
from carnegie_env.agents.network import Weights
from carnegie_env.core import rng
from carnegie_env.core.batch import Batch, in_slices
from carnegie_env.core.game import Game
from carnegie_env.core.validation import seed_of

FOLDER = Path(__file__).resolve().parent / "weights"
WEIGHTS_FILE = "weights.safetensors"  # in a run folder
DRAWS = 8  # samples of the hidden information
MOST_DRAWS = 1000
AT_ONCE = 256  # games whose values are in memory at a time, if the caller does not need them
LARGEST_UNITS = 4096  # in a layer
LARGEST_WEIGHT = 1e6  # so that all sums are finite


def meaning(game: Game, options: Any) -> str:
    """A digest of the meaning of the inputs of games with these options."""
    names = (game.name, *inputs.labels(game, options))
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


# ---------------------------------------------------------------- networks in files
class Network(NamedTuple):
    """A network and its metadata: the game, the :func:`meaning` of its inputs, the options of its training."""

    weights: Weights
    game: str
    inputs: str
    options: dict[str, Any]

    def serves(self, game: Game, options: Any) -> bool:
        """Whether the network is for games with these options."""
        same_inputs = self.game == game.name and self.inputs == meaning(game, options)
        return same_inputs and self.weights.first.shape[0] == inputs.size(game, options)


def read(file: Path) -> Network:
    """Read a network from a safetensors file; a ValueError if it is missing or malformed."""
    try:
        arrays, metadata = tensors.read(file)
    except FileNotFoundError:
        raise ValueError(f"there is no network at {file}") from None
    try:
        return Network(_weights_of(arrays), *_described(metadata))
    except ValueError as error:
        raise ValueError(f"{file} is not a network of the value agent: {error}") from None


def _weights_of(arrays: dict[str, NDArray[Any]]) -> Weights:
    if set(arrays) != set(Weights._fields):
        raise ValueError(f"its arrays must be {', '.join(Weights._fields)}, not {', '.join(arrays)[:200]}")
    with np.errstate(over="ignore"):  # values that are too large are refused below
        net = Weights(*(np.ascontiguousarray(arrays[name], np.float32) for name in Weights._fields))
    if net.first.ndim != 2 or net.second.ndim != 2 or net.first.shape[0] % network.BLOCK:
        raise ValueError(f"its layers have the wrong shapes: {[part.shape for part in net]}")
    size, hidden, middle = net.first.shape[0], net.first.shape[1], net.second.shape[0]
    fit = [part.shape for part in net] == list(network.shapes(size, hidden, middle))
    if not fit or min(size, hidden, middle) < 1 or max(hidden, middle) > LARGEST_UNITS:
        raise ValueError(f"its layers have inconsistent shapes or are too large: {[part.shape for part in net]}")
    if not all((np.abs(part) <= LARGEST_WEIGHT).all() for part in net):
        raise ValueError(f"it has values that are NaN or beyond {LARGEST_WEIGHT:g}")
    return net


def _described(metadata: dict[str, str]) -> tuple[str, str, dict[str, Any]]:
    if "game" not in metadata or "inputs" not in metadata:
        raise ValueError("its metadata must have game and inputs")
    try:
        options = json.loads(metadata.get("options", ""))
    except (ValueError, RecursionError):
        options = None
    if not isinstance(options, dict):
        raise ValueError("its metadata must have the options of its training, as a JSON object")
    return metadata["game"], metadata["inputs"], options


@functools.cache
def shipped(folder: Path | None = None) -> tuple[Network, ...]:
    """The package's networks, or those in another folder, read on first use."""
    return tuple(read(file) for file in sorted((folder or FOLDER).glob("*.safetensors")))


class Networks:
    """The networks of an agent: the package's networks, or one from a file.

    Args:
        path: a network's file, or the run folder of its training; None: all networks in the folder.
        folder: where networks are if there is no path; None: the package's.

    Raises:
        ValueError: there is no network.

    Attributes:
        version: a digest of all weights.
    """

    def __init__(self, path: str | None = None, folder: Path | None = None) -> None:
        self.path = path
        if path is None:
            self._all = shipped(folder)
        else:
            given = Path(path)
            self._all = (read(given / WEIGHTS_FILE if given.is_dir() else given),)
        self.version = digest(each.weights for each in self._all)
        self._found: dict[tuple[Game, Any], Weights | None] = {}

    def find(self, game: Game, options: Any) -> Weights | None:
        """The network for games with these options, or None."""
        key = game, options
        if key not in self._found:
            self._found[key] = next((each.weights for each in self._all if each.serves(game, options)), None)
        return self._found[key]

    def of(self, game: Game, options: Any) -> Weights:
        """The network for games with these options; a ValueError if there is none."""
        found = self.find(game, options)
        if found is not None:
            return found
        known = sorted({each.game for each in self._all})
        if game.name not in known:
            raise ValueError(
                f"there is no network{self._where()} for {game.name}, only for {', '.join(known) or 'no game at all'}"
            )
        trained = [each.options for each in self._all if each.game == game.name]
        raise ValueError(
            f"there is no network{self._where()} for {game.name} with {options.to_dict()}, only for games like "
            f"{str(trained)[:300]}: train one (`python -m training.value --help`)"
        )

    def _where(self) -> str:
        return "" if self.path is None else f" in {self.path}"


def digest(nets: Iterable[Weights]) -> str:
    """Twelve characters that identify the weights of some networks."""
    digest = hashlib.sha256()
    for net in nets:
        for part in net:
            digest.update(part.tobytes())
    return digest.hexdigest()[:12]


# ---------------------------------------------------------------- the agent
def seeds_of(batch: Batch[Any], seed: int) -> NDArray[np.uint64]:
    """A seed for each game, uint64 (N,), from the agent's seed and public information."""
    return rng.mixed(rng.stream(seed, 0, 1) ^ batch.games["decisions"].astype(np.uint64))


class ValueAgent(Agent):
    """Takes the action after which the network expects the best margin.

    Args:
        arguments: as in `value:draws=16`, or `value:PATH` for your own network; see :class:`Networks`.
        seed: of the samples of the hidden information.

    Raises:
        ValueError: an unknown argument, an invalid value, no usable network.
    """

    name = "value"
    side_by_side = True

    def __init__(self, arguments: str = "", seed: int = 0) -> None:
        given = Arguments("value", arguments)
        path = given.text("network")
        self.draws = given.whole("draws", MOST_DRAWS) or DRAWS
        given.check_all_known()
        self.networks = Networks(path)
        self.version = self.networks.version
        self.seed = seed_of(seed)
        self.name = f"value:{arguments}" if arguments else "value"

    def check_plays(self, game: Game, options: Any) -> None:
        """Raise a ValueError for a game without a network."""
        self.networks.of(game, options)

    def choose(self, batch: Batch[Any]) -> NDArray[np.int64]:
        return self._judge(batch)

    def judge(self, batch: Batch[Any]) -> Judgement:
        worth = np.empty((batch.num_games, batch.num_actions))
        return Judgement(self._judge(batch, worth), worth)

    def _judge(self, batch: Batch[Any], *worth: NDArray[np.float64]) -> NDArray[np.int64]:
        """The best actions. If ``worth``, float64 (N, A), is given, the values of all actions are written into it."""
        net = self.networks.of(batch.game, batch.options)
        draws = self.draws if batch.game.hides(batch.options) else 1
        actions = np.zeros(batch.num_games, np.int64)

        def choose(games: NDArray[Any], seeds: Any, out: Any, *given: NDArray[np.float64]) -> None:
            (room,) = evaluation.rooms(batch.game, batch.options, net, draws, 1)
            for first in range(0, len(games), AT_ONCE):
                part = slice(first, first + AT_ONCE)
                values = given[0][part] if given else np.empty((len(games[part]), batch.num_actions))
                evaluation.choose(games[part], draws, seeds[part], net, room, values, out[part])

        in_slices(choose, batch._games, seeds_of(batch, self.seed), actions, *worth, threads=batch.num_threads)
        return actions
