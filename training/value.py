"""The main job: a value network learns by playing with itself, then it is measured. `make train`.

1. The agents to beat are measured: random and greedy, and a PPO network if one is given (`--ppo`).
2. The network plays with itself and learns, on all cores, until the time is up (value_trainer.py).
3. The value agent plays with it; one table compares all.

Ctrl-C saves the run folder (:mod:`training.run_folder`) and prints the command that continues.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from carnegie_env import collection
from carnegie_env.agents import inputs, network, registry, tensors, value
from carnegie_env.agents.base import Agent
from carnegie_env.agents.greedy import GreedyAgent
from carnegie_env.agents.network import Weights
from carnegie_env.agents.random_agent import RandomAgent
from carnegie_env.agents.value import WEIGHTS_FILE, Network, ValueAgent
from carnegie_env.cli.common import add_ray
from carnegie_env.core.game import Game
from carnegie_env.core.versions import versions
from carnegie_env.workers import cluster
from training import STARTED, evaluate, job, rivals, tables
from training.categories import picture
from training.display import Display
from training.job import EVALUATION_SPARE
from training.rivals import Rival
from training.run_folder import LearningCurve, RunFolder, check_settings
from training.saving import Saver
from training.tables import Table
from training.value_cluster import AHEAD, PART_GAMES, Nodes
from training.value_players import CannotGoOn, Course, Players, Threads
from training.value_settings import Settings
from training.value_trainer import Trainer, transfer

if TYPE_CHECKING:
    from carnegie_env.agents.learned import PPOAgent

GREEDY, PPO = GreedyAgent.name, "ppo:"  # as rivals; what follows PPO is a run
STATE_FILE = "state.safetensors"  # network and optimizer in full, to resume from
PICTURE_FILE = "categories.png"
WARM_UP = 0.25  # of the training, if it begins at another table
SECONDS_A_GAME = 0.02  # of the value agent's evaluation, on one core; it is measured as soon as there is a game


def columns(game: Game) -> tuple[str, ...]:
    """The columns of the learning curve."""
    return (
        "seconds", "steps", "games", "own", "margin", "win_rate", "decisions_per_game", "games_per_second",
        "margin_error", "win_error", *game.score_columns,
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
            raise ValueError("config.json: lean must be points, by names of inputs")
        rivals = config.get("rivals", [])
        if not isinstance(rivals, list) or not all(isinstance(each, str) for each in rivals):
            raise ValueError(f"config.json: rivals must be files of networks, {GREEDY} or ppo:RUN")
        share = config.get("warm_up", 0)
        if type(share) not in (int, float) or not 0 <= share <= 1 or (share > 0 and options[0].num_players > 1):
            raise ValueError("config.json: warm_up must be a share of the training, at a table of one")
        if len({value.meaning(game, each) for each in options} | {config.get("inputs")}) > 1:
            raise ValueError("config.json: its inputs are not those that networks for these options have now")


def game_of(config: Mapping[str, Any]) -> Game:
    """The game of a run: the first game of the collection if the configuration names none."""
    name = config.get("game", collection.DEFAULT)
    if not isinstance(name, str):
        raise ValueError("config.json: game must be the name of a game")
    return collection.find(name)


def options_of(config: Mapping[str, Any]) -> list[Any]:
    """The options of the games that a run is dealt from; a ValueError if the configuration lacks them."""
    given = config.get("options")
    if not isinstance(given, list) or not given or not all(isinstance(each, dict) for each in given):
        raise ValueError("config.json: options must be a list of the games' options")
    return [game_of(config).options.from_dict(dict(each)) for each in given]


# ---------------------------------------------------------------- the job
def main(arguments: Sequence[str] | None = None, started: float | None = None) -> int:
    """Run the command; see :func:`training.job.run`. ``started``: see :class:`Display`.

    Returns:
        The exit status, also 1 if no player is left.
    """
    parser = make_parser()
    given = parser.parse_args(arguments)
    try:
        return job.run(parser, lambda: Job(given, started))
    except CannotGoOn as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1


def make_parser() -> argparse.ArgumentParser:
    """The options."""
    text = "Train a value network by self-play, then measure it."
    parser = argparse.ArgumentParser(prog="python -m training.value", description=text)
    add = parser.add_argument
    add("--games", type=int, help="train for this number of games, not for a time: exactly repeatable")
    add("--game", choices=collection.names(), help=f"which game (default: {collection.DEFAULT})")
    text = "seats (default: the smallest table of the game; 1: against its automatic opponent)"
    add("--num-players", type=int, metavar="N", help=text)
    add("--difficulty", metavar="NAME", help="the automatic opponent's (default: all, mixed)")
    text = "with the expansion: all its modules, or random sets of them"
    add("--modules", choices=tables.MODULES, help=text)
    add("--start", metavar="FILE", help="weights of another value network to start from, of any table")
    text = f"players at other seats in some games: files of value networks for the table, `{GREEDY}`, `ppo:RUN`"
    add("--rivals", nargs="+", metavar="NAME", help=text)
    text = (
        "points that decisions count beside the score at first, for each unit of inputs at the end; without any: none "
        "(default: for Carnegie projects and links, see docs/training.md; with --start none)"
    )
    add("--lean", nargs="*", metavar="NAME=POINTS", help=text)
    text = (
        "of the training, in which it plays at another table first (default: for Carnegie against Andrew "
        f"{WARM_UP}, with 2 players; with --start, and for all others 0)"
    )
    add("--warm-up", type=float, metavar="SHARE", help=text)
    add("--resume", metavar="RUN", help="continue the run in this folder")
    add("--ppo", metavar="PATH", help="a run folder of PPO, or its weights, to be in the table")
    nodes = parser.add_argument_group("on a Ray cluster, whose nodes play (docs/training.md)")
    add_ray(nodes.add_argument)
    text = f"games that a core plays at a time (default: {PART_GAMES})"
    nodes.add_argument("--part-games", type=int, metavar="N", help=text)
    text = f"rounds that are played while the learner learns: more for many cores (default: {AHEAD})"
    nodes.add_argument("--ahead", type=int, metavar="N", help=text)
    job.add_arguments(parser, Settings, "value learning")
    return parser


class Job(job.Job):
    """One run of the program.

    Args:
        given: the parsed options.
        started: when the job's time began to run, None: now.

    Raises:
        ValueError: options that do not go together, a folder that is not a run or is one already.
    """

    def __init__(self, given: argparse.Namespace, started: float | None = None) -> None:
        check(given)
        super().__init__(given)
        self._ending = contextlib.ExitStack()
        self.baselines = [RandomAgent(), GreedyAgent()]
        if given.ppo is not None:
            self.baselines.append(registry.make_agent(f"ppo:{given.ppo}"))
        start = None if given.start is None else value.read(Path(given.start))
        if given.resume is not None:
            self.folder = ValueFolder(given.resume)
            self.config, self.progress, self.curve = self.folder.open()
        else:
            self.folder = ValueFolder(given.run_dir or default_folder(given))
            self.config = new_config(given, start)
            self.curve = LearningCurve(columns(game_of(self.config)))
            rivals_of(self.config)  # what is wrong is refused before there is a folder
            if start is not None:
                started_from(start, game_of(self.config), options_of(self.config)[0], self.config["seed"])
        try:
            self.cluster = self._join()
            if given.resume is None:
                self.folder.create(self.config)
            self._prepare(start, started)
        except BaseException:
            self.close()
            raise

    def _join(self) -> cluster.Cluster | None:
        """The cluster whose nodes play; None: threads of this process do."""
        if self.given.ray is None:
            return None
        cpus = None if self.given.ray else max(self.threads - 1, 1)  # of a Ray of its own; one learns
        return self._ending.enter_context(cluster.connect(self.given.ray or None, cpus, "games"))

    def _prepare(self, start: Network | None, started: float | None) -> None:
        self.game, options = game_of(self.config), options_of(self.config)
        self.table = Table(self.game, options[0].num_players, self.config["modules"])
        net = None if start is None else started_from(start, self.game, options[0], self.config["seed"])
        state = read_state(self.folder / STATE_FILE) if self.progress.steps > 0 else None
        self.is_warming_up = self.progress.share < self.config.get("warm_up", 0)
        if state is not None and "warm_up" in self.config:  # it may have been saved just before or after the change
            self.is_warming_up = len(state["net.first"]) != inputs.size(self.game, options[0])
        self.trainer = self._trainer(warm_up_options(self.config) if self.is_warming_up else options, net)
        if state is not None:
            self.trainer.load_state(state)
        self.display = Display(60 * self.given.minutes, started)
        self.saver = Saver(self.folder, self._save_in, WEIGHTS_FILE, self.display.print)
        self.times = {"evaluation of the baselines": 0.0, "training": 0.0, "evaluation of the value agent": 0.0}
        self.session_games = 0

    def _trainer(self, options: list[Any], net: Weights | None) -> Trainer:
        settings, seed = Settings(**self.config["settings"]), self.config["seed"]
        met = rivals_of(self.config) if options == options_of(self.config) else []
        return Trainer(self.game, options, settings, seed, self._players, net, self.config["lean"], met)

    def _players(self, course: Course) -> Players:
        if self.cluster is None:
            return Threads(course, self.threads)
        return Nodes(self.cluster, course, self.given.part_games or PART_GAMES, self.given.ahead or AHEAD)

    def _net(self) -> Weights:
        """The network for the table that the run is for."""
        if not self.is_warming_up:
            return self.trainer.net
        options = options_of(self.config)[0]
        return moved(self.trainer.net, self.game, self.trainer.options[0], options, self.config["seed"])

    def _go_on_to_the_table(self) -> None:
        """End the warm-up: the network continues to train at the run's own table."""
        self.trainer.close()
        there = self._trainer(options_of(self.config), self._net())
        there.games, there.rounds = self.trainer.games, self.trainer.rounds
        try:
            there.compile()
        except BaseException:  # the one before is what is saved, and closed
            there.close()
            raise
        self.trainer, self.is_warming_up = there, False

    def close(self) -> None:
        """Release the run folder and the players."""
        if hasattr(self, "trainer"):
            self.trainer.close()
        self._ending.close()
        super().close()

    # ---- its parts
    def train(self) -> None:
        """Until the time is up, or the games are played."""
        if self.given.minutes == 0 and self.given.games is None:
            return
        self.display.say("compiling")
        self.trainer.compile()
        begun = saved = time.monotonic()
        share_before = 0.5 if self.progress.share >= 1 else self.progress.share
        seconds_before = self.progress.seconds
        try:
            while (share := self._share(begun)) < 1:
                self.progress.share = share_before + (1 - share_before) * share
                if self.is_warming_up and self.progress.share >= self.config["warm_up"]:
                    self._go_on_to_the_table()
                measured = self.trainer.round(self.progress.share, self._rounds_to_come())
                now = time.monotonic()
                self.session_games += self.trainer.settings.round_games
                self.progress.seconds = seconds_before + now - begun
                self._note(measured)
                if now - saved >= self.given.save_every:
                    self.save()
                    saved = time.monotonic()
            self.progress.share = 1.0
        except CannotGoOn as error:
            raise CannotGoOn(
                f"{error}. The training so far is saved. To continue later:\n  {self.how_to_go_on()}"
            ) from error
        finally:
            self.times["training"] += time.monotonic() - begun
            self.save()

    def _rounds_to_come(self) -> int | None:
        """The rounds left in this session, the current one included; None: it depends on the time."""
        if self.given.games is None:
            return None
        return -(-(int(self.given.games) - self.session_games) // self.trainer.settings.round_games)

    def _share(self, begun: float) -> float:
        """The share of this session's training that is done, 0 to 1."""
        if self.given.games is not None:
            return min(self.session_games / float(self.given.games), 1.0)
        before = begun - self.display.started
        each = len(self.table.against) * float(self.given.eval_games) * self.table.num_players
        to_come = EVALUATION_SPARE + each * SECONDS_A_GAME / self.threads
        planned = max(self.display.budget - before - to_come, self.display.budget / 2)
        return min((time.monotonic() - begun) / planned, 1.0)

    def _note(self, measured: dict[str, float]) -> None:
        """Add a row to the learning curve, and show it."""
        self.progress.steps = self.trainer.games
        row: dict[str, float | None] = {"seconds": self.progress.seconds, "steps": self.trainer.games}
        row |= {name: number if np.isfinite(number) else None for name, number in measured.items()}
        self.curve.rows.append(row)
        margin = f", margin {measured['margin']:.1f}" if "margin" in measured else ""
        self.display.say(
            f"training: {self.trainer.games:,} games, {measured['games_per_second']:,.0f}/s, "
            f"own score {measured['own']:.1f}{margin}{f' ({said})' if (said := self.trainer.players.said()) else ''}"
        )

    def evaluate_trained(self) -> None:
        """Measure the trained agent, if the files that it is read from could be written."""
        if self.saver.at_last():
            super().evaluate_trained()

    def trained(self) -> Agent:
        """The value agent with the network."""
        agent = ValueAgent(str(self.folder))
        agent.name = "value"
        return agent

    def game_options(self) -> dict[str, Any]:
        """Options of the game that is recorded."""
        found: dict[str, Any] = self.config["options"][0]
        return found

    # ---- what is left behind
    def save(self) -> bool:
        """Write everything that a resumed run needs, and the plots; whether that succeeded."""
        if not self.curve.rows:
            return True
        whole = self.saver.save()
        point = self.game.presentation.point
        panels = [("own", f"own score ({point})"), ("margin_error", f"error ({point})")]
        panels.append(("games_per_second", "games/s"))
        if self.table.is_solo:
            panels.insert(1, ("margin", f"margin over {self.table.opponent} ({point})"))
        title = f"Value learning, {self.config['title']}: {self.progress.steps:,} games"
        whole &= self.saver.write("learning_curve.png", self.curve.picture(title, panels, {}))
        stacked = picture(self.curve, tables.categories(self.game), self.game.rank_by[0], title, point)
        return self.saver.write(PICTURE_FILE, stacked) and whole

    def _save_in(self, folder: RunFolder) -> None:
        options = json.dumps(self.config["options"][0])
        said = {"game": self.game.name, "inputs": self.config["inputs"], "options": options}
        content = {WEIGHTS_FILE: to_bytes(self._net(), said), STATE_FILE: save(self.trainer.state())}
        folder.save(content, self.progress, self.curve)

    def how_to_go_on(self) -> str:
        """The command that continues this run with its remaining time."""
        arguments = self.arguments_to_go_on()
        if self.given.ray is None:
            return f'make train ARGS="{arguments}"'
        for name in ("part_games", "ahead"):
            if (number := getattr(self.given, name)) is not None:
                arguments += f" --{name.replace('_', '-')} {number}"
        return f"python -m training.value {arguments} --ray {self.given.ray}".rstrip()

    def report(self) -> None:
        """Print the table, whether training paid, and where the time went."""
        say = self.display.print
        say("\n" + evaluate.table(self.results) + "\n")
        say(evaluate.ladder(self.results, [*(agent.name for agent in self.baselines), "value"])[1])
        training = self.times["training"]
        lines = [f"{part}: {seconds:.0f} s" for part, seconds in self.times.items()]
        if self.session_games:
            rate = self.session_games / training
            lines[1] += f" ({self.session_games:,} games, {rate:,.0f}/s, {self.trainer.steps:,} steps)"
        say("\n" + "\n".join([*lines, f"the whole job: {self.display.elapsed:.0f} s"]))
        if self.cluster is not None and self.cluster.work:
            say("\n" + self.cluster.text())
        say(f"\n{self.folder} holds the network, the learning curve, the score's categories over the training "
            f"({PICTURE_FILE}), this table and one game:")  # fmt: skip
        say(f"  carnegie-env replay {self.folder}/game.txt")
        others = ("" if self.table.is_solo else " greedy") + self.table.flags
        say(f"  python -m carnegie_env.arena.play --agents value:{self.folder}{others}")
        say(f"  python -m carnegie_env.arena.play --agents search:network={self.folder},ms=20{others} --games 10")


# ---------------------------------------------------------------- networks in files
def to_bytes(net: Weights, said: Mapping[str, str]) -> bytes:
    """A network as a safetensors file with these metadata; the two large layers in float16, half the size."""
    arrays: dict[str, NDArray[Any]] = network.with_outputs(net, network.OUTPUTS)._asdict()
    small = {name: arrays[name].astype(np.float16) for name in ("first", "second")}
    content: bytes = save(arrays | small, dict(said))
    return content


def read_state(file: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a run's state; a ValueError if the file is missing or damaged."""
    try:
        return tensors.read(file)[0]
    except FileNotFoundError:
        raise ValueError(f"there is no {file}") from None


def started_from(start: Network, game: Game, options: Any, seed: int) -> Weights:
    """A network for games with these options that starts from another one; a ValueError if its game or inputs don't
    fit."""
    before = game.options.from_dict(dict(start.options)) if start.game == game.name else None
    if before is None or not start.serves(game, before):
        raise ValueError(f"--start needs a network for {game.name} with today's inputs")
    return moved(start.weights, game, before, options, seed)


def moved(net: Weights, game: Game, before: Any, options: Any, seed: int) -> Weights:
    """A network for games with other options, in which inputs of the same name keep their weights."""
    names_before, names = inputs.labels(game, before), inputs.labels(game, options)
    return transfer(net, names_before, names, inputs.size(game, options), np.random.default_rng(seed))


# ---------------------------------------------------------------- small parts
def check(given: argparse.Namespace) -> None:
    """Refuse, with a ValueError, options that make no sense or do not go together."""
    fixed = ["game", "num_players", "difficulty", "modules", "seed", "start", "rivals", "lean", "warm_up", "run_dir"]
    least = {"eval_games": 2, "seed": 0} | dict.fromkeys(("games", "threads", "part_games", "ahead"), 1)
    job.check(given, least, [*fixed, *(field.name for field in dataclasses.fields(Settings))])
    for name in ("part_games", "ahead"):
        if getattr(given, name) is not None and given.ray is None:
            raise ValueError(f"--{name.replace('_', '-')} is for training on a cluster: it needs --ray")
    if given.warm_up is not None and not 0 <= given.warm_up <= 0.9:
        raise ValueError(f"--warm-up must be 0 to 0.9, not {given.warm_up}")


def default_folder(given: argparse.Namespace) -> str:
    """Where a new run goes: named by the time, the game unless it is the default one, and the table."""
    game = collection.find(given.game or collection.DEFAULT)
    parts = [f"{datetime.now():%Y%m%d-%H%M%S}-value", *([] if game.name == collection.DEFAULT else [game.name])]
    parts += [str(players_of(given, game)), *([] if given.modules is None else [given.modules])]
    return f"runs/{'-'.join(parts)}"


def players_of(given: argparse.Namespace, game: Game) -> int:
    return game.seats[0] if given.num_players is None else int(given.num_players)


def lean_of(given: argparse.Namespace, game: Game, from_nothing: bool) -> dict[str, float]:
    """The shaping of a new run: as asked for, else the game's own if the network starts from nothing."""
    if given.lean is not None:
        return shaping(given.lean)
    return dict(tables.additions(game).shaping) if from_nothing else {}


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
            raise ValueError(f"--lean {text}: it must be like 'tabs of own=1', a name of inputs and points")
    return found


def rivals_of(config: Mapping[str, Any]) -> list[Rival]:
    """The rivals of a run; a ValueError if one does not play its games."""
    game, options = game_of(config), options_of(config)
    found = []
    for name in config.get("rivals", []):
        if options[0].num_players == 1:
            raise ValueError(f"--rivals {name}: at a table of one there are no rivals")
        found.append(rival_of(name, game, options[0]))
    return found


def rival_of(name: str, game: Game, options: Any) -> Rival:
    """One rival, by its name; a ValueError if it does not play these games."""
    if name == GREEDY:
        GreedyAgent().check_plays(game)
        return Rival(rivals.GREEDY)
    if name.startswith(PPO):
        ppo = cast("PPOAgent", registry.make_agent(name))
        ppo.check(game.batch_class(1, **options.to_dict()))
        return Rival(rivals.POLICY, ppo.numbers())
    found = value.read(Path(name))
    if not found.serves(game, options):
        raise ValueError(f"--rivals {name}: a network for {game.name} with {options.to_dict()} is needed")
    return Rival(rivals.VALUE, found.weights)


def warm_up_of(given: argparse.Namespace, game: Game, players: int, from_nothing: bool) -> dict[str, float]:
    """The share of a new run that is played at another table first, as an entry of its configuration."""
    there_is = players == 1 and tables.additions(game).warm_up > 0 and from_nothing
    if given.warm_up and not there_is:
        raise ValueError("--warm-up is for tables of one without --start, of games that are learned so")
    share = given.warm_up if given.warm_up is not None else WARM_UP if there_is else 0
    return {"warm_up": share} if share else {}


def warm_up_options(config: Mapping[str, Any]) -> list[Any]:
    """The options of the games that a run begins with, at a table of more players."""
    game = game_of(config)
    left_out, seats = game.options.SOLO_ONLY, tables.additions(game).warm_up
    found = []
    for each in options_of(config):
        kept = {name: value for name, value in each.to_dict().items() if name not in left_out}
        options = game.options.from_dict(kept | {"num_players": seats})
        if options not in found:
            found.append(options)
    return found


def new_config(given: argparse.Namespace, start: Network | None) -> dict[str, Any]:
    """The content of a run's config.json."""
    settings = job.chosen(given, Settings)
    if start is not None:
        settings |= {"hidden": start.weights.first.shape[1], "middle": start.weights.second.shape[0]}
    game = collection.find(given.game or collection.DEFAULT)
    players = players_of(given, game)
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
        "lean": lean_of(given, game, start is None),
        **warm_up_of(given, game, players, start is None),
        "seed": given.seed or 0,
        "settings": dataclasses.asdict(Settings(**settings)),
        "versions": versions("safetensors"),
    }


if __name__ == "__main__":
    sys.exit(main(started=STARTED))
