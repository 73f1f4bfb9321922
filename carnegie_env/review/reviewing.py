"""Make a review."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from reprlib import repr as shown
from typing import Any

import msgspec
import numpy as np

from carnegie_env.agents import level
from carnegie_env.core import library, sources
from carnegie_env.core.files import write_whole
from carnegie_env.core.record import GameRecord
from carnegie_env.review.budget import QUICK, Budget
from carnegie_env.review.estimates import Estimator
from carnegie_env.review.line import Line
from carnegie_env.review.luck import Luck, luck
from carnegie_env.review.regret import Regret, explain, regrets
from carnegie_env.review.results import Decision, Review, Seat

KEPT = 200  # reviews in the cache
Progress = Callable[[int, int], None]  # called with the number of decisions played, and about the number of all


def review(
    source: Line | GameRecord[Any] | str | os.PathLike[str],
    budget: Budget = QUICK,
    *,
    seed: int = 0,
    cached: bool = True,
    progress: Progress = lambda done, total: None,
) -> Review:
    """Review a game.

    Args:
        source: a game record, the path of its file, or a line; a dataset's game is ``dataset.record(number)``.
        budget: what to spend.
        seed: of the futures.
        cached: whether to look for the review in the cache, and to keep it there.
        progress: called from time to time.

    Raises:
        ValueError: the source or the budget has another type, the file is not a record, or no agent can rate the
            game's actions.
        OSError: the file can't be read.
    """
    if not isinstance(budget, Budget):
        raise ValueError(f"budget must be a Budget, such as carnegie_env.review.QUICK, not {shown(budget)}")
    line = source if isinstance(source, Line) else Line.of(source)
    estimator = Estimator(line.game, line.options, seed)
    file = _file(line, estimator, budget) if cached else None
    if file is not None:
        with contextlib.suppress(OSError, ValueError):
            return Review.from_json(file.read_bytes())
    made = _review(line, estimator, budget, progress)
    found = Review.from_json(made.to_json())  # in JSON's types, as one from the cache
    if file is not None:
        _keep(file, found)
    return found


def _review(line: Line, estimator: Estimator, budget: Budget, progress: Progress) -> Review:
    planned = len(line.actions) * budget.candidates * budget.futures * budget.depth // 2
    done = 0

    def watch(played: int) -> None:
        nonlocal done
        done += played
        progress(min(done, planned), planned)

    estimator.watch = watch
    chance = luck(line, estimator, budget.draws)
    found = regrets(line, estimator, budget)
    decisions = [_decision(line, k, each, chance) for k, each in enumerate(found)]
    made = Review(
        game=line.game.name, options=line.options.to_dict(), over=line.is_over, point=line.game.presentation.point,
        estimates="network" if estimator.has_network else "greedy", budget=dataclasses.asdict(budget),
        seats=[_seat(line, seat, found, chance) for seat in range(estimator.seats)], decisions=decisions,
        expected=np.round(chance.expected, 3).tolist(), wins=np.round(chance.wins, 4).tolist(),
    )  # fmt: skip
    for each in made.worst(budget.explained[0]):
        k = each.number - 1
        why = explain(line, estimator, k, found[k].best, budget.explained[1])
        decisions[k] = msgspec.structs.replace(each, why=why)
    progress(planned, planned)
    return made


def _decision(line: Line, k: int, found: Regret, chance: Luck) -> Decision:
    mover, texts = int(line.movers[k]), line.game.texts
    if found.margin is None:
        margin, win = chance.expected[k + 1, mover] - chance.events[k, mover], chance.wins[k + 1, mover]
    else:
        margin, win = found.margin, found.win
    best_win = win if found.best_win is None else found.best_win
    gains = np.zeros(len(chance.par)) if found.gains is None else found.gains
    return Decision(
        number=k + 1, seat=mover, round=line.game.round(line.records[k]), action=texts[line.actions[k]],
        choices=found.choices, counts=found.counts, best=texts[found.best], loss=round(found.loss, 3),
        error=round(found.error, 3), margin=round(float(margin), 3), win=round(float(win), 4),
        best_margin=round(float(margin) + found.loss, 3), best_win=round(min(max(float(best_win), 0.0), 1.0), 4),
        difficulty=round(float(found.difficulty[level.MIDDLE - 1]), 3), gains=np.round(gains, 3).tolist(),
        luck=np.round(chance.events[k], 3).tolist(),
    )  # fmt: skip


def _seat(line: Line, seat: int, found: list[Regret], chance: Luck) -> Seat:
    own = [each for each, mover in zip(found, line.movers, strict=True) if mover == seat and each.counts]
    others = [each for each, mover in zip(found, line.movers, strict=True) if mover != seat and each.gains is not None]
    losses = np.array([each.loss for each in own])
    skill, gained = -float(losses.sum()), float(sum(each.gains[seat] for each in others))  # type: ignore[index]
    result, par, deal = (float(part[seat]) for part in (chance.expected[-1], chance.par, chance.deal))
    events = float(chance.events[:, seat].sum())
    error = float(losses.std(ddof=1) / np.sqrt(len(losses))) if len(losses) > 1 else 0.0
    difficulty = sum(float(each.difficulty[level.MIDDLE - 1]) for each in own)
    accuracy = rating = None
    if difficulty > 0 and len(losses) > 1:  # one loss has no spread
        share, spread = float(losses.sum()) / difficulty, 1.96 * error * len(losses) / difficulty
        accuracy = round(100 * 0.5 ** max(share / level.levels()[level.MIDDLE - 1].loss, 0.0), 1)
        rating = (round(performance(share)), round(performance(share + spread)), round(performance(share - spread)))
    return Seat(
        name=line.game.side_names(line.options)[seat], result=round(result, 3), par=round(par, 3), deal=round(deal, 3),
        luck=round(events, 3), skill=round(skill, 3), others=round(gained, 3),
        remainder=round(result - par - deal - events - skill - gained, 3), adjusted=round(result - deal - events, 3),
        decisions=len(own), loss=round(float(losses.mean()) if len(losses) else 0.0, 4), error=round(error, 4),
        accuracy=accuracy, rating=rating,
    )  # fmt: skip


def performance(share: float) -> float:
    """The rating of the level that loses this share of the reference level's expected loss.

    Between levels it is interpolated; beyond them it is the first or the last level's.
    """
    known = np.array(sorted((each.loss, each.rating) for each in level.levels()))
    return float(np.interp(share, known[:, 0], known[:, 1]))


# ---------------------------------------------------------------- the cache
def _folder() -> Path:
    base = os.environ.get("CARNEGIE_ENV_CACHE")
    if base:
        return Path(base, "reviews")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "carnegie_env", "reviews")


def _file(line: Line, estimator: Estimator, budget: Budget) -> Path:
    """The file of a review: named by a hash of everything that it depends on."""
    digest = hashlib.sha256()
    sources.hash_files(digest, sources.PACKAGE, sources.source_files(sources.PACKAGE / "review"))
    about = [
        library.rules_hash(), estimator.version, level.FILE.read_text(), line.game.name, line.options.to_dict(),
        line.game.codec.to_dict(line.records[0]), line.dealt, dataclasses.asdict(budget), estimator.seed,
    ]  # fmt: skip
    digest.update(json.dumps(about, sort_keys=True, default=str).encode())
    digest.update(line.actions.tobytes())
    return _folder() / f"{digest.hexdigest()[:32]}.json"


def _keep(file: Path, found: Review) -> None:
    with contextlib.suppress(OSError):  # a full disk, a folder that can't be written: the review is made again
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, found.to_json())
        kept = sorted(file.parent.glob("*.json"), key=lambda each: each.stat().st_mtime)
        for old in kept[:-KEPT]:
            old.unlink(missing_ok=True)
