"""The compiled loops of value learning: games of a network with itself, and gradient steps on what they showed.

Learning by temporal differences, TD(lambda), over the positions after one's own decisions (Sutton 1988, Tesauro 1995):
what a seat expected after its decision is drawn towards what it expects after its next one, and towards the result.

The positions of a seat in a game are a *chain*. Of each only those inputs are kept that are different from the one
before it, some ten of a hundred and fifty: forwards, the sums of the first layer go along by these; backwards, what a
change of an input does to all positions from there on is the sum of what it does to each. So a whole game is learned
from in little more time than a few positions by themselves, and its targets are always those of the network as it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents import evaluation, network
from agents.evaluation import MARGIN, Room
from agents.greedy import loops as greedy
from agents.network import Floats, Weights
from carnegie_env.core import kernels, masks, rng, rules
from carnegie_env.core.arrays import Records
from carnegie_env.core.jit import jit
from training.rivals import choose

LONGEST = 512  # positions of a chain that are learned from; further ones are not
LIKED = 0.06  # share of the groups of inputs that a game with a taste likes or dislikes


class Chains(NamedTuple):
    """What seats met in games; room for ``C`` chains, ``P`` positions, ``Z`` changes of inputs."""

    position: NDArray[np.int64]  # (C + 1,): where the positions of each chain begin
    change: NDArray[np.int64]  # (P + 1,): where the changes before each position begin
    index: NDArray[np.uint16]  # type: ignore[assignment]  # (Z,): which input; not the method of tuples
    by: Floats  # (Z,): by how much; before the first position all are 0
    now: Floats  # (P,): the margin if the game ended at once, in the game's margin unit (agents/inputs.py)
    bonus_now: Floats  # (P,): what a training leans to, as far as it is there, in that unit
    instead: Floats  # (P,): the final margin that the seat's best next action promised, if it took another one to
    # explore, in that unit; else NaN
    instead_bonus: Floats  # (P,): likewise the final bonus
    margin: Floats  # (C,): the final margin, in it
    bonus: Floats  # (C,): what a training leans to, at the end, in it
    win: Floats  # (C,): the share of the victory
    tasted: NDArray[np.bool_]  # (C,): the game had a taste
    used: NDArray[np.int64]  # (1,): how many chains there are


class Outcome(NamedTuple):
    """What came of the games of :func:`play`, one row for each."""

    rows: NDArray[np.int64]  # (n, score rows, score columns): the final scores
    decisions: NDArray[np.int64]  # (n,)
    template: NDArray[np.int64]  # (n,): which of the templates it was dealt from
    rival: NDArray[np.bool_]  # (n,): a rival had all seats but one


class Seats(NamedTuple):
    """What :func:`play` keeps of each seat during a game; L is LONGEST."""

    before: NDArray[np.float32]  # (seats, F): the inputs of the last position
    sums: NDArray[np.float32]  # (seats, H): the sums of its first layer
    length: NDArray[np.int64]  # (seats,): positions so far; -1: no more are kept
    change: NDArray[np.int64]  # (seats, L + 1)
    index: NDArray[np.uint16]  # type: ignore[assignment]  # (seats, Z)
    by: Floats  # (seats, Z)
    now: Floats  # (seats, L)
    bonus: Floats  # (seats, L)
    instead: Floats  # (seats, L)
    instead_bonus: Floats  # (seats, L)


def chains(number: int, positions: int, changes: int) -> Chains:
    """Room for so much."""
    return Chains(
        np.zeros(number + 1, np.int64),
        np.zeros(positions + 1, np.int64),
        np.zeros(changes, np.uint16),
        np.zeros(changes, np.float32),
        np.zeros(positions, np.float32),
        np.zeros(positions, np.float32),
        np.full(positions, np.nan, np.float32),
        np.zeros(positions, np.float32),
        np.zeros(number, np.float32),
        np.zeros(number, np.float32),
        np.zeros(number, np.float32),
        np.zeros(number, np.bool_),
        np.zeros(1, np.int64),
    )


def outcome(game: Any, number: int) -> Outcome:
    """Room for the results of so many games."""
    rows = np.zeros((number, game.score_rows, len(game.score_columns)), np.int64)
    return Outcome(rows, np.zeros(number, np.int64), np.zeros(number, np.int64), np.zeros(number, np.bool_))


def seats(number: int, net: Weights) -> Seats:
    """Room for so many seats."""
    inputs, hidden = net.first.shape
    most = LONGEST * 64
    return Seats(
        np.zeros((number, inputs), np.float32),
        np.zeros((number, hidden), np.float32),
        np.zeros(number, np.int64),
        np.zeros((number, LONGEST + 1), np.int64),
        np.zeros((number, most), np.uint16),
        np.zeros((number, most), np.float32),
        np.zeros((number, LONGEST), np.float32),
        np.zeros((number, LONGEST), np.float32),
        np.zeros((number, LONGEST), np.float32),
        np.zeros((number, LONGEST), np.float32),
    )


# ---------------------------------------------------------------- games
@jit
def _uniform(source: np.uint64) -> float:
    """A number between 0 and 1, without the ends."""
    return (float(rng.mix(source) >> np.uint64(11)) + 0.5) / 9007199254740992.0


@jit
def _normal(source: np.uint64) -> float:
    """Close enough to a normal number: the sum of four uniform ones, with a variance of 1."""
    total = -2.0
    for _ in range(4):
        source = rng.advance(source)
        total += _uniform(source)
    return 1.7320508 * total


@jit
def _prefer(source: np.uint64, strength: Floats, group: NDArray[np.int64], taste: Floats) -> None:
    """Draw a game's taste, float32 (F,): points that it adds for each input, so that games differ from end to end.

    It likes or dislikes a few groups of inputs, such as the four project tabs, some more and some less; all other play
    is the network's. So games show what comes of another plan that is played well.
    """
    for i in range(taste.shape[0]):
        taste[i] = 0
        of_group = rng.mix(source ^ np.uint64(2 * group[i] + 1))
        if _uniform(of_group) < LIKED:
            alone = _normal(rng.mix(source ^ np.uint64(2 * i)))
            taste[i] = strength[i] * (_normal(rng.mix(of_group)) + 0.5 * alone)


@jit(fastmath=True)
def _liking(taste: Floats, inputs: Floats) -> float:
    total = np.float32(0)
    for i in range(taste.shape[0]):
        total += taste[i] * inputs[i]
    return float(total)


@jit
def _pick(
    game: Any, source: np.uint64, noise: float, taste: Floats, tasting: bool, trust: float, leaning: Floats,
    lean: float, draws: int, net: Weights, room: Room,
) -> tuple[int, float, float]:  # fmt: skip
    """The best action of the game at hand, ``look`` having been at it, by values with noise (in points).

    ``lean`` is -1 for a network without a third output.
    Also what the network expects after it: the final margin, and the final bonus.
    """
    seat = game.to_play
    evaluation.draw(game, seat, draws, source, room)
    best, best_value, best_margin, best_bonus = -1, -np.inf, 0.0, 0.0
    for action in range(room.numbers[2]):
        if masks.test(game.legal, action):
            margin = worth = evaluation.value_after(action, draws, seat, net, room)
            bonus = 0.0
            if tasting:
                worth += _liking(taste, room.after)
                if trust > 0 and room.trials[draws].to_play >= 0:
                    worth += trust * rules.guess(room.trials[draws], seat)
            if lean >= 0:
                bonus = _liking(leaning, room.after)
                if room.trials[draws].to_play >= 0:
                    bonus += room.units[MARGIN] * network.output(net, 2, room.middle)
                worth += lean * bonus
            if noise > 0:
                source = rng.advance(source)
                worth -= noise * np.log(-np.log(_uniform(source)))  # Gumbel's
            if worth > best_value:
                best, best_value, best_margin, best_bonus = action, worth, margin, bonus
    return best, best_margin, best_bonus


@jit
def _look(game: Any, seat: int, net: Weights, room: Room, met: Seats) -> float:
    """Take a position for the one at hand, by what is different from the seat's last one; the margin now."""
    now = evaluation.write(game, seat, room, room.before)
    if met.length[seat] == 0:
        network.begin(net, room.before, room.sums_before, room.places)
    else:
        network.change(net, met.before[seat], room.before, met.sums[seat], room.sums_before, room.places, room.by)
    return now


@jit
def _keep(seat: int, now: float, bonus: float, room: Room, met: Seats) -> None:
    """Add the position at hand to the chain of a seat."""
    length = met.length[seat]
    if length < 0:
        return
    if length == LONGEST:
        met.length[seat] = -1
        return
    before = met.before[seat]
    if length == 0:
        before[:] = 0
    z = met.change[seat, length]
    if z + before.shape[0] > met.index.shape[1]:
        met.length[seat] = -1
        return
    for i in range(before.shape[0]):
        by = room.before[i] - before[i]
        if by != 0:
            met.index[seat, z] = i
            met.by[seat, z] = by
            z += 1
    before[:] = room.before
    met.sums[seat, :] = room.sums_before
    met.now[seat, length] = np.float32(now / room.units[MARGIN])
    met.bonus[seat, length] = np.float32(bonus / room.units[MARGIN])
    met.instead[seat, length] = np.nan
    met.change[seat, length + 1] = z
    met.length[seat] = length + 1


@jit
def _close(
    seat: int, rows: NDArray[np.int64], bonus: float, tasted: bool, room: Room, met: Seats, kept: Chains
) -> None:
    """Put the chain of a seat behind those that are kept, with what came of the game; the bonus is in points."""
    total = room.numbers[1]
    own = rows[room.sides[seat], total]
    best, level = -(1 << 40), 1
    for k in range(room.sides.shape[0]):
        if k != seat:
            points = rows[room.sides[k], total]
            best = max(best, points)
            level += points == own
    c = kept.used[0]
    p = kept.position[c]
    length = met.length[seat]
    z = kept.change[p]
    for k in range(length):
        for j in range(met.change[seat, k], met.change[seat, k + 1]):
            kept.index[z] = met.index[seat, j]
            kept.by[z] = met.by[seat, j]
            z += 1
        kept.now[p + k] = met.now[seat, k]
        kept.bonus_now[p + k] = met.bonus[seat, k]
        kept.instead[p + k] = met.instead[seat, k]
        kept.instead_bonus[p + k] = met.instead_bonus[seat, k]
        kept.change[p + k + 1] = z
    kept.position[c + 1] = p + length
    kept.margin[c] = np.float32((own - best) / room.units[MARGIN])
    kept.bonus[c] = np.float32(bonus / room.units[MARGIN])
    kept.win[c] = np.float32(0.0 if best > own else 1.0 / level)
    kept.tasted[c] = tasted
    kept.used[0] = c + 1


@jit
def _has_room(players: int, met: Seats, kept: Chains) -> bool:
    c = kept.used[0]
    p = kept.position[c]
    return bool(
        c + players <= kept.margin.shape[0]
        and p + players * LONGEST <= kept.now.shape[0]
        and kept.change[p] + players * met.index.shape[1] <= kept.index.shape[0]
    )


@jit
def play(
    seeds: NDArray[np.uint64],
    templates: Records,
    net: Weights,
    room: Room,
    met: Seats,
    noise: float,
    explore: float,
    strength: Floats,
    group: NDArray[np.int64],
    leaning: Floats,
    lean: float,
    opening: int,
    draws: int,
    rivals: float,
    kind: int,
    rival: Weights,
    rival_room: Room,
    greedy_room: greedy.Room,
    kept: Chains,
    results: Outcome,
) -> int:
    """Play games of the network with itself, and keep what is to be learned from them.

    Args:
        seeds: uint64 (n,), one for each game.
        templates: (t,): each game is dealt from one of them, drawn by its seed.
        net, room: see agents/evaluation.py.
        met: room for as many seats as there are.
        noise: of the values that decide, in points.
        explore: at how many of a hundred decisions any legal action is taken, so that actions that are never the best
            are judged, too. What came of it is not held against the position before.
        strength: float32 (F,), of the taste of the games with an odd seed, in points; all 0: they have none.
        group: int64 (F,): inputs with the same number are liked together.
        leaning: float32 (F,): points that count as a bonus, for each input as it is at the end; all 0: none, and
            the network needs no third output.
        lean: how much of the bonus, a share of it, a decision counts beside the margin.
        opening: decisions at the beginning of each game that are drawn at random; nothing is learned from these.
        draws: how often what is hidden is drawn anew for a decision.
        rivals: in how many of a hundred games the network has one seat, and a rival that does not learn all others.
        kind, rival, rival_room, greedy_room: who that is: see :func:`training.rivals.choose`.
        kept: chains are added to it.
        results: of each game.

    Returns:
        How many games were played: fewer than n if ``kept`` was full.
    """
    taste = np.zeros(room.before.shape[0], np.float32)
    tastes, leans = strength.max() > 0, np.abs(leaning).max() > 0
    worths = np.empty(room.numbers[2])
    game = room.played[0]
    for g in range(seeds.shape[0]):
        if not _has_room(met.length.shape[0], met, kept):
            return g
        source = rng.mix(seeds[g])
        which = rng.below(rng.mix(source ^ np.uint64(0xABCD)), templates.shape[0])
        room.played[0] = templates[which]
        number = kernels.begin(game, rng.mix(source ^ np.uint64(0x1234)))
        tasting = tastes and seeds[g] & np.uint64(1) != np.uint64(0)
        trust = 0.0  # in the game's guess of what is to come
        if tasting:
            _prefer(rng.mix(source ^ np.uint64(0x7A57E)), strength, group, taste)
            trust = max(2 * _uniform(source ^ np.uint64(0x6E55)) - 1, 0.0)
        met.length[:] = 0
        results.rival[g] = 100 * _uniform(source ^ np.uint64(0x0717)) < rivals
        if results.rival[g]:
            met.length[:] = -1
            met.length[rng.below(rng.mix(source ^ np.uint64(0x5EA7)), met.length.shape[0])] = 0
        rival_seats = met.length < 0
        decisions = 0
        known = -1  # the seat from whose view the position is at hand
        while number > 0:
            source = rng.advance(source)
            if decisions < opening:
                number = kernels.advance(game, masks.pick(game.legal, rng.below(rng.mix(source), number)))
                decisions += 1
                continue
            seat = game.to_play
            if rival_seats[seat]:
                action = choose(kind, game, draws, rng.mix(source), rival, rival_room, greedy_room, worths)
            else:
                if seat != known:
                    _look(game, seat, net, room, met)
                action, margin, bonus = _pick(
                    game, rng.mix(source), noise, taste, tasting, trust, leaning, lean if leans else -1.0, draws, net,
                    room,
                )  # fmt: skip
                if 100 * _uniform(source ^ np.uint64(0x7721)) < explore:
                    other = masks.pick(game.legal, rng.below(rng.mix(source ^ np.uint64(0xE8)), number))
                    last = met.length[seat] - 1
                    if other != action and last >= 0:
                        met.instead[seat, last] = np.float32(margin / room.units[MARGIN])
                        met.instead_bonus[seat, last] = np.float32(bonus / room.units[MARGIN])
                    action = other
            number = kernels.advance(game, action)
            decisions += 1
            known = -1
            if number > 0 and met.length[seat] >= 0:
                now = _look(game, seat, net, room, met)
                _keep(seat, now, _liking(leaning, room.before) if leans else 0.0, room, met)
                known = seat
        rules.score(game, results.rows[g])
        results.decisions[g] = decisions
        results.template[g] = which
        for seat in range(met.length.shape[0]):
            if met.length[seat] > 0:
                bonus = 0.0
                if leans:
                    evaluation.write(game, seat, room, room.before)
                    bonus = _liking(leaning, room.before)
                _close(seat, results.rows[g], bonus, tasting, room, met, kept)
    return len(seeds)


# ---------------------------------------------------------------- learning
class Learner(NamedTuple):
    """Room for a thread's gradients: as the weights, and a chain's units at work; L is LONGEST."""

    gradient: Weights
    sums: NDArray[np.float32]  # (L, H): of the first layer, before ReLU
    units: Floats  # (H,): after it
    middle: NDArray[np.float32]  # (L, M): after ReLU
    outputs: NDArray[np.float32]  # (L, outputs)
    targets: NDArray[np.float32]  # (L, outputs)
    back: Floats  # (H,)
    later: Floats  # (H,): the sum of `back` from a position on
    loss: NDArray[np.float64]  # (3,): squared errors of margin and chance, positions


def learner(net: Weights) -> Learner:
    """Room for one thread."""
    hidden, middle = net.first.shape[1], net.second.shape[0]
    return Learner(
        Weights(*(np.zeros_like(part) for part in net)),
        np.zeros((LONGEST, hidden), np.float32),
        np.zeros(hidden, np.float32),
        np.zeros((LONGEST, middle), np.float32),
        np.zeros((LONGEST, len(net.last)), np.float32),
        np.zeros((LONGEST, len(net.last)), np.float32),
        np.zeros(hidden, np.float32),
        np.zeros(hidden, np.float32),
        np.zeros(3, np.float64),
    )


@jit(fastmath=True)
def _forwards(first: int, length: int, kept: Chains, net: Weights, work: Learner) -> None:
    """Outputs of all positions of a chain; the chance to win as a number from 0 to 1."""
    hidden, middle = work.units.shape[0], work.middle.shape[1]
    for t in range(length):
        sums = work.sums[t]
        if t == 0:
            for k in range(hidden):
                sums[k] = net.first_bias[k]
        else:
            last = work.sums[t - 1]
            for k in range(hidden):
                sums[k] = last[k]
        for z in range(kept.change[first + t], kept.change[first + t + 1]):
            x = kept.by[z]
            i = np.int64(kept.index[z])
            for k in range(hidden):
                sums[k] += x * net.first[i, k]
        for k in range(hidden):
            work.units[k] = max(sums[k], np.float32(0))
        margin, win = net.last_bias[0], net.last_bias[1]
        for j in range(middle):
            total = net.second_bias[j]
            for k in range(hidden):
                total += work.units[k] * net.second[j, k]
            total = max(total, np.float32(0))
            work.middle[t, j] = total
            margin += total * net.last[0, j]
            win += total * net.last[1, j]
        work.outputs[t, 0] = margin
        work.outputs[t, 1] = np.float32(1) / (np.float32(1) + np.exp(-win))
        if work.outputs.shape[1] > network.OUTPUTS:
            bonus = net.last_bias[2]
            for j in range(middle):
                bonus += work.middle[t, j] * net.last[2, j]
            work.outputs[t, 2] = bonus


@jit
def _targets(chain: int, first: int, length: int, trace: float, kept: Chains, work: Learner) -> None:
    """TD(lambda): the targets of all outputs, from the last position to the first."""
    goal_margin = next_margin = float(kept.margin[chain])
    goal_win = next_win = float(kept.win[chain])
    goal_bonus = next_bonus = float(kept.bonus[chain])
    for t in range(length - 1, -1, -1):
        instead = float(kept.instead[first + t])
        if not np.isnan(instead):
            goal_margin = next_margin = instead
            goal_bonus = next_bonus = float(kept.instead_bonus[first + t])
            goal_win = next_win = float(work.outputs[t, 1])  # nobody has asked for the chance: nothing is learned
        goal_margin = (1 - trace) * next_margin + trace * goal_margin
        goal_win = (1 - trace) * next_win + trace * goal_win
        work.targets[t, 0] = goal_margin - kept.now[first + t]
        work.targets[t, 1] = goal_win
        next_margin = float(work.outputs[t, 0] + kept.now[first + t])
        next_win = float(work.outputs[t, 1])
        if work.outputs.shape[1] > network.OUTPUTS:
            goal_bonus = (1 - trace) * next_bonus + trace * goal_bonus
            work.targets[t, 2] = goal_bonus - kept.bonus_now[first + t]
            next_bonus = float(work.outputs[t, 2] + kept.bonus_now[first + t])


@jit(fastmath=True)
def _backwards(
    first: int, length: int, kept: Chains, net: Weights, win_weight: float, scale: float, work: Learner
) -> None:
    """Add the gradients of a chain: of the squared errors of margin and bonus, of the cross-entropy of the chance."""
    grad = work.gradient
    leans = work.outputs.shape[1] > network.OUTPUTS
    hidden, middle = work.units.shape[0], work.middle.shape[1]
    for k in range(hidden):
        work.later[k] = 0
    for t in range(length - 1, -1, -1):
        sums = work.sums[t]
        for k in range(hidden):
            work.units[k] = max(sums[k], np.float32(0))
            work.back[k] = 0
        error = work.outputs[t, 0] - work.targets[t, 0]
        wrong = work.outputs[t, 1] - work.targets[t, 1]
        work.loss[0] += error * error
        work.loss[1] += wrong * wrong
        work.loss[2] += 1
        by_margin = np.float32(2 * scale) * error
        by_win = np.float32(win_weight * scale) * wrong
        by_bonus = np.float32(0)
        grad.last_bias[0] += by_margin
        grad.last_bias[1] += by_win
        if leans:
            by_bonus = np.float32(2 * scale) * (work.outputs[t, 2] - work.targets[t, 2])
            grad.last_bias[2] += by_bonus
        for j in range(middle):
            h = work.middle[t, j]
            if h > 0:
                grad.last[0, j] += by_margin * h
                grad.last[1, j] += by_win * h
                back = by_margin * net.last[0, j] + by_win * net.last[1, j]
                if leans:
                    grad.last[2, j] += by_bonus * h
                    back += by_bonus * net.last[2, j]
                grad.second_bias[j] += back
                for k in range(hidden):
                    grad.second[j, k] += back * work.units[k]
                    work.back[k] += back * net.second[j, k]
        for k in range(hidden):
            if sums[k] > 0:
                work.later[k] += work.back[k]
        for z in range(kept.change[first + t], kept.change[first + t + 1]):
            x = kept.by[z]
            i = np.int64(kept.index[z])
            for k in range(hidden):
                grad.first[i, k] += x * work.later[k]
    for k in range(hidden):
        grad.first_bias[k] += work.later[k]


@jit
def add_gradients(
    which: NDArray[np.int64],
    kept: Chains,
    net: Weights,
    trace: float,
    tasted_trace: float,
    win_weight: float,
    scale: float,
    work: Learner,
) -> None:
    """Add the gradients of the loss on some chains.

    Args:
        which: int64 (n,), the chains.
        kept, net: see there.
        trace: TD's lambda.
        tasted_trace: the same for games with a taste, whose results are not those of the network's own play.
        win_weight: of the chance's loss beside the margin's.
        scale: the loss of a position is multiplied by it.
        work: the gradients and the loss are added to what is there.
    """
    for chain in which:
        first = kept.position[chain]
        length = kept.position[chain + 1] - first
        _forwards(first, length, kept, net, work)
        _targets(chain, first, length, tasted_trace if kept.tasted[chain] else trace, kept, work)
        _backwards(first, length, kept, net, win_weight, scale, work)


@jit(fastmath=True)
def adam(
    weights: Floats, gradient: Floats, mean: Floats, square: Floats, rate: float, first: float, second: float
) -> None:
    """One step of Adam (Kingma and Ba 2015) for some numbers, all float32 (n,); the gradient is 0 afterwards.

    ``rate`` has the corrections of the first steps in it.
    """
    for i in range(weights.shape[0]):
        g = gradient[i]
        mean[i] += np.float32(1 - first) * (g - mean[i])
        square[i] += np.float32(1 - second) * (g * g - square[i])
        weights[i] -= np.float32(rate) * mean[i] / (np.sqrt(square[i]) + np.float32(1e-7))
        gradient[i] = 0
