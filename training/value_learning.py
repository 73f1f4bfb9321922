"""The compiled loops of value learning: games of a network with itself, and gradient steps on them.

Learning uses temporal differences, TD(lambda), over the positions after a seat's own decisions (Sutton 1988, Tesauro
1995): the prediction after a decision moves towards the prediction after the next decision, and towards the result.

The positions of a seat in a game are a *chain*, stored as changes of the inputs: about ten of a hundred and fifty for
each position. Forwards, the first layer's sums are updated by the changes; backwards, the gradient of a change is the
sum over all later positions. So a whole game costs little more than a few positions, and its targets come from the
current network.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carnegie_env.agents import evaluation, network, search
from carnegie_env.agents.evaluation import MARGIN, Room
from carnegie_env.agents.network import Floats, Weights
from carnegie_env.core import kernels, masks, rng, rules
from carnegie_env.core.arrays import Records
from carnegie_env.core.jit import jit
from training.rivals import Seated, choose
from training.value_settings import MOST_TRIED

LONGEST = 512  # positions in a chain; longer ones are not learned from
TRIED_CHANGES = 64  # inputs that differ between a position and the one after an action: room for as many on average
PREFERRED = 0.06  # share of the groups of inputs that a game with a preference seeks or avoids


class Chains(NamedTuple):
    """The positions of seats in games, with room for ``C`` chains, ``P`` positions and ``Z`` changes of inputs."""

    position: NDArray[np.int64]  # (C + 1,): the first position of each chain
    change: NDArray[np.int64]  # (P + 1,): the first of the changes before each position
    index: NDArray[np.uint16]  # type: ignore[assignment]  # (Z,): the input; hides the method of tuples
    by: Floats  # (Z,): the change; all inputs are 0 before the first position
    now: Floats  # (P,): the margin if the game ended now, in the game's margin unit (agents/inputs.py)
    bonus_now: Floats  # (P,): the shaping bonus if the game ended now, in the same unit
    instead: Floats  # (P,): the final margin expected of the best next action if the seat explored another one; or NaN
    instead_bonus: Floats  # (P,): likewise the final bonus
    margin: Floats  # (C,): the final margin
    bonus: Floats  # (C,): the final bonus
    win: Floats  # (C,): the share of the victory
    tasted: NDArray[np.bool_]  # (C,): the game had a preference
    searched: NDArray[np.int64]  # (P, 2): the first group from a search after each position, and the end of its groups
    group: NDArray[np.int64]  # (G + 1,): the first of the tried actions of each group, which share a future
    tried: NDArray[np.int64]  # (N + 1,): the first of the changes from the position before to that after each action
    tried_index: NDArray[np.uint16]  # (Y,)
    tried_by: Floats  # (Y,)
    tried_now: Floats  # (N,): the margin if the game ended after the action
    goal: Floats  # (N,): the final margin that the future leads to
    used: NDArray[np.int64]  # (2,): the numbers of chains and groups


class Outcome(NamedTuple):
    """The results of the games of :func:`play`, one row for each game."""

    rows: NDArray[np.int64]  # (n, score rows, score columns): the final scores
    decisions: NDArray[np.int64]  # (n,)
    template: NDArray[np.int64]  # (n,): the template that the game was dealt from
    rival: NDArray[np.bool_]  # (n,): whether a rival had all seats but one


class Seats(NamedTuple):
    """The state of each seat during a game of :func:`play`; L is LONGEST."""

    before: NDArray[np.float32]  # (seats, F): the inputs of the last position
    sums: NDArray[np.float32]  # (seats, H): the sums of its first layer
    length: NDArray[np.int64]  # (seats,): positions so far; -1: no more are recorded
    change: NDArray[np.int64]  # (seats, L + 1)
    index: NDArray[np.uint16]  # type: ignore[assignment]  # (seats, Z)
    by: Floats  # (seats, Z)
    now: Floats  # (seats, L)
    bonus: Floats  # (seats, L)
    instead: Floats  # (seats, L)
    instead_bonus: Floats  # (seats, L)
    searched: NDArray[np.int64]  # (seats, L, 2)
    worths: Floats  # (A,): values of actions
    tried: NDArray[np.int64]  # (MOST_TRIED,): actions
    sums_tried: Floats  # (MOST_TRIED,): of the results of their futures


class Style(NamedTuple):
    """How games of self-play are played; F inputs."""

    noise: float  # in the values of actions, in points
    explore: float  # percentage of decisions that are random legal actions
    strength: Floats  # (F,): of the preferences of games with an odd seed, in points; all 0: no preferences
    group: NDArray[np.int64]  # (F,): inputs with the same number are preferred together
    shaping: Floats  # (F,): bonus points for each input at the end; all 0: the network needs no third output
    shaping_weight: float  # share of the bonus that decisions count beside the margin
    opening: int  # random decisions at the start of each game; nothing is learned from them
    draws: int  # samples of the hidden information for a decision
    rivals: float  # percentage of games in which a rival that does not learn has all seats but one
    search: float  # percentage of decisions that a search makes
    candidates: int  # actions that it tries
    futures: int  # of each action
    depth: int  # own decisions after which a future ends
    future_noise: float  # temperature of the other seats' decisions in futures, in points
    rival_futures: float  # percentage of futures in games against a rival in which it plays the other seats


def _zeros(dtype: Any, *shape: int) -> NDArray[Any]:
    return np.zeros(shape, dtype)


def chains(number: int, positions: int, changes: int, groups: int = 0, tried: int = 0) -> Chains:
    """Empty chains with room for these numbers of chains, positions and changes, and of groups and tried actions."""
    now, bonus, other_bonus = (_zeros(np.float32, positions) for _ in range(3))
    margin, final_bonus, win = (_zeros(np.float32, number) for _ in range(3))
    return Chains(
        _zeros(np.int64, number + 1), _zeros(np.int64, positions + 1), _zeros(np.uint16, changes),
        _zeros(np.float32, changes), now, bonus, np.full(positions, np.nan, np.float32), other_bonus, margin,
        final_bonus, win, _zeros(np.bool_, number), _zeros(np.int64, positions, 2), _zeros(np.int64, groups + 1),
        _zeros(np.int64, tried + 1), _zeros(np.uint16, TRIED_CHANGES * tried),
        _zeros(np.float32, TRIED_CHANGES * tried),
        _zeros(np.float32, tried), _zeros(np.float32, tried), _zeros(np.int64, 2),
    )  # fmt: skip


def outcome(game: Any, number: int) -> Outcome:
    """Arrays for the results of a number of games."""
    rows = _zeros(np.int64, number, game.score_rows, len(game.score_columns))
    return Outcome(rows, _zeros(np.int64, number), _zeros(np.int64, number), _zeros(np.bool_, number))


def seats(number: int, net: Weights, actions: int) -> Seats:
    """Arrays for a number of seats, and of actions."""
    inputs, hidden = net.first.shape
    most = LONGEST * 64
    now, bonus, instead, instead_bonus = (_zeros(np.float32, number, LONGEST) for _ in range(4))
    return Seats(
        _zeros(np.float32, number, inputs), _zeros(np.float32, number, hidden), _zeros(np.int64, number),
        _zeros(np.int64, number, LONGEST + 1), _zeros(np.uint16, number, most), _zeros(np.float32, number, most),
        now, bonus, instead, instead_bonus, _zeros(np.int64, number, LONGEST, 2),
        _zeros(np.float32, actions), _zeros(np.int64, MOST_TRIED), _zeros(np.float32, MOST_TRIED),
    )  # fmt: skip


# ---------------------------------------------------------------- games
@jit
def _uniform(source: np.uint64) -> float:
    """A uniform number between 0 and 1, both excluded."""
    return (float(rng.mix(source) >> np.uint64(11)) + 0.5) / 9007199254740992.0


@jit
def _normal(source: np.uint64) -> float:
    """An approximately normal number with variance 1: the sum of four uniform numbers."""
    total = -2.0
    for _ in range(4):
        source = rng.advance(source)
        total += _uniform(source)
    return 1.7320508 * total


@jit
def _draw_preference(source: np.uint64, strength: Floats, group: NDArray[np.int64], preference: Floats) -> None:
    """Draw a game's preference, float32 (F,): points for each input, added to the values of all actions of the game.

    A few groups of inputs, such as the four project tabs, are preferred or avoided. Such games show the results of a
    different plan that is otherwise played well.
    """
    for i in range(preference.shape[0]):
        preference[i] = 0
        of_group = rng.mix(source ^ np.uint64(2 * group[i] + 1))
        if _uniform(of_group) < PREFERRED:
            alone = _normal(rng.mix(source ^ np.uint64(2 * i)))
            preference[i] = strength[i] * (_normal(rng.mix(of_group)) + 0.5 * alone)


@jit(fastmath=True)
def _weighted(preference: Floats, inputs: Floats) -> float:
    total = np.float32(0)
    for i in range(preference.shape[0]):
        total += preference[i] * inputs[i]
    return float(total)


@jit
def _pick(
    game: Any, source: np.uint64, style: Style, preference: Floats, prefers: bool, trust: float, shaped: bool,
    net: Weights, room: Room, worths: Floats,
) -> tuple[int, float, float]:  # fmt: skip
    """The best action by values with noise, and the final margin and bonus that the network expects after it.

    Call :func:`_look` first. ``shaped``: the network has a third output. ``worths``: float32 (A,), receives the values
    of all actions, -inf for illegal ones.
    """
    seat, draws = game.to_play, style.draws
    evaluation.draw(game, seat, draws, source, room)
    best = action = masks.first(game.legal)  # the choice if all values are NaN
    best_value, best_margin, best_bonus = -np.inf, 0.0, 0.0
    worths[:] = -np.inf
    while action >= 0:
        margin = worth = evaluation.value_after(action, draws, seat, net, room)
        bonus = 0.0
        if prefers:
            worth += _weighted(preference, room.after)
            if trust > 0 and room.trials[draws].to_play >= 0:
                worth += trust * rules.guess(room.trials[draws], seat)
        if shaped:
            bonus = _weighted(style.shaping, room.after)
            if room.trials[draws].to_play >= 0:
                bonus += room.units[MARGIN] * network.output(net, 2, room.middle)
            worth += style.shaping_weight * bonus
        if style.noise > 0:
            source = rng.advance(source)
            worth -= style.noise * np.log(-np.log(_uniform(source)))  # Gumbel noise
        worths[action] = worth
        if worth > best_value:
            best, best_value, best_margin, best_bonus = action, worth, margin, bonus
        action = masks.after(game.legal, action)
    return best, best_margin, best_bonus


@jit
def _future_with(rival: Seated, seat: int, depth: int, source: np.uint64, net: Weights, deep: Room) -> float:
    """As :func:`carnegie_env.agents.search.future`, but the rival plays the other seats, as it does in the game."""
    game = deep.played[0]
    own, known = 0, False  # known: the seat's inputs are those of the current position
    while game.to_play >= 0:
        source = rng.advance(source)
        if game.to_play != seat:
            kernels.advance(game, choose(rival, game, 1, rng.mix(source)))
            known = False
            continue
        if own == depth:
            break
        own += 1
        if not known:
            evaluation.look(game, seat, net, deep)
        kernels.advance(game, evaluation.best_action(game, rng.mix(source), 0.0, net, deep))
        known = game.to_play == seat
        if known:
            evaluation.look_on(game, seat, net, deep)
    if not known:
        evaluation.look(game, seat, net, deep)
    return evaluation.value(game, seat, net, deep)


@jit
def _search(
    game: Any, source: np.uint64, style: Style, net: Weights, rival: Seated, against: bool, deep: Room, met: Seats,
    kept: Chains,
) -> int:  # fmt: skip
    """The best of the actions with the highest ``met.worths``, by futures; -1 if there is only one.

    ``against``: the rival has the other seats. The actions of each future are added to ``kept`` as a group, unless one
    ends the game or there is no room.
    """
    seat, before = game.to_play, met.before[game.to_play]
    last = met.length[seat] - 1
    candidates = 0
    while candidates < style.candidates:
        best = -1
        for action in range(met.worths.shape[0]):
            if met.worths[action] > -np.inf and (best < 0 or met.worths[action] > met.worths[best]):
                best = action
        if best < 0:
            break
        met.tried[candidates] = best
        met.sums_tried[candidates] = met.worths[best]
        met.worths[best] = -np.inf
        candidates += 1
    if candidates < 2:
        return -1
    ends = deep.used + (1 << 40)
    played = deep.played[0]
    share = style.rival_futures if against else 0.0
    met.searched[seat, last, 0] = kept.used[1]
    for _ in range(style.futures):
        source = rng.advance(source)
        with_rival = 100 * _uniform(rng.mix(source ^ np.uint64(0x41A1))) < share
        g = kept.used[1]
        n = kept.group[g]
        whole = g + 1 < kept.group.shape[0] and n + candidates < kept.tried.shape[0]
        whole = whole and kept.tried[n] + candidates * before.shape[0] <= kept.tried_by.shape[0]
        for k in range(candidates):
            deep.played[0] = game
            played.rng = rng.mix(source)
            rules.redraw_hidden(played, seat)
            number = kernels.advance(played, met.tried[k])
            now = result = evaluation.write(played, seat, deep, deep.after)
            whole = whole and played.to_play >= 0
            if whole:
                z = kept.tried[n]
                for i in range(before.shape[0]):
                    by = deep.after[i] - before[i]
                    if by != 0:
                        kept.tried_index[z] = i
                        kept.tried_by[z] = by
                        z += 1
                kept.tried[n + 1] = z
            if played.to_play >= 0:
                seed = rng.mix(source ^ np.uint64(0x5EED))
                if with_rival:
                    result = _future_with(rival, seat, style.depth, seed, net, deep)
                else:
                    result = search.future(seat, number, style.depth, style.future_noise, ends, seed, net, net, deep)
            if whole:
                kept.tried_now[n] = np.float32(now / deep.units[MARGIN])
                kept.goal[n] = np.float32(result / deep.units[MARGIN])
                n += 1
            met.sums_tried[k] += np.float32(result)
        if whole:
            kept.group[g + 1] = n
            kept.used[1] = g + 1
    met.searched[seat, last, 1] = kept.used[1]
    best = 0
    for k in range(1, candidates):
        if met.sums_tried[k] > met.sums_tried[best]:
            best = k
    return int(met.tried[best])


@jit
def _decide(
    game: Any, number: int, source: np.uint64, style: Style, preference: Floats, prefers: bool, trust: float,
    shaped: bool, net: Weights, rival: Seated, against: bool, room: Room, deep: Room, met: Seats, kept: Chains,
) -> int:  # fmt: skip
    """The best action, see :func:`_pick`, or one of the ``number`` legal actions at random, to explore."""
    action, margin, bonus = _pick(
        game, rng.mix(source), style, preference, prefers, trust, shaped, net, room, met.worths
    )
    if met.length[game.to_play] > 0 and 100 * _uniform(source ^ np.uint64(0x5EA2C4)) < style.search:
        found = _search(game, rng.mix(source ^ np.uint64(0xF07)), style, net, rival, against, deep, met, kept)
        if found >= 0 and not prefers and style.shaping_weight == 0:
            action = found
    if 100 * _uniform(source ^ np.uint64(0x7721)) >= style.explore:
        return action
    other = masks.pick(game.legal, rng.below(rng.mix(source ^ np.uint64(0xE8)), number))
    seat = game.to_play
    last = met.length[seat] - 1
    if other != action and last >= 0:
        met.instead[seat, last] = np.float32(margin / room.units[MARGIN])
        met.instead_bonus[seat, last] = np.float32(bonus / room.units[MARGIN])
    return other


@jit
def _look(game: Any, seat: int, net: Weights, room: Room, met: Seats) -> float:
    """Make a position the current one, from its differences to the seat's last position; returns the margin now."""
    now = evaluation.write(game, seat, room, room.before)
    if met.length[seat] == 0:
        network.begin(net, room.before, room.sums_before, room.places)
    else:
        network.change(net, met.before[seat], room.before, met.sums[seat], room.sums_before, room.places, room.by)
    return now


@jit
def _keep(seat: int, now: float, bonus: float, room: Room, met: Seats) -> None:
    """Add the current position to the chain of a seat."""
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
    met.searched[seat, length] = 0
    met.change[seat, length + 1] = z
    met.length[seat] = length + 1


@jit
def _close(
    seat: int, rows: NDArray[np.int64], bonus: float, tasted: bool, room: Room, met: Seats, kept: Chains
) -> None:
    """Append the chain of a seat to the stored ones, with the result of the game; the bonus is in points."""
    total = room.numbers[evaluation.RANKS]
    own = rows[room.sides[seat]]
    best, level, beaten = -(1 << 40), 1, False
    for k in range(room.sides.shape[0]):
        if k != seat:
            other = rows[room.sides[k]]
            best = max(best, other[total])
            ahead = 0
            for column in room.numbers[evaluation.RANKS :]:
                if ahead == 0:
                    ahead = own[column] - other[column]
            level += ahead == 0
            beaten |= ahead < 0
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
        kept.searched[p + k] = met.searched[seat, k]
        kept.change[p + k + 1] = z
    kept.position[c + 1] = p + length
    kept.margin[c] = np.float32((own[total] - best) / room.units[MARGIN])
    kept.bonus[c] = np.float32(bonus / room.units[MARGIN])
    kept.win[c] = np.float32(0.0 if beaten else 1.0 / level)
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
def _deal(seed: np.uint64, templates: Records, style: Style, room: Room, met: Seats) -> tuple[int, int, bool]:
    """Begin a game in ``room.played``. Returns the number of legal actions, the template, whether a rival plays.

    ``met.length`` is -1 for the seats of a rival, else 0.
    """
    source = rng.mix(seed)
    template = rng.below(rng.mix(source ^ np.uint64(0xABCD)), templates.shape[0])
    room.played[0] = templates[template]
    number = kernels.begin(room.played[0], rng.mix(source ^ np.uint64(0x1234)))
    met.length[:] = 0
    rival = 100 * _uniform(source ^ np.uint64(0x0717)) < style.rivals
    if rival:
        met.length[:] = -1
        met.length[rng.below(rng.mix(source ^ np.uint64(0x5EA7)), met.length.shape[0])] = 0
    return number, template, rival


@jit
def play(
    seeds: NDArray[np.uint64], templates: Records, net: Weights, room: Room, deep: Room, met: Seats, style: Style,
    rival: Seated, kept: Chains, results: Outcome,
) -> int:  # fmt: skip
    """Play games of the network with itself, and store the chains of positions to learn from.

    Args:
        seeds: uint64 (n,), one for each game.
        templates: (t,): each game is dealt from one of them, drawn with its seed.
        net, room: see agents/evaluation.py.
        deep: another room, for the futures of a search.
        met: working memory.
        style: how the network plays.
        rival: the player on the other seats of some games.
        kept: the chains are added to it.
        results: of the games, overwritten.

    Returns:
        The number of games played: fewer than n if ``kept`` was full.
    """
    preference = np.zeros(room.before.shape[0], np.float32)
    preferences, shaped = style.strength.max() > 0, np.abs(style.shaping).max() > 0
    game = room.played[0]
    for g in range(seeds.shape[0]):
        if not _has_room(met.length.shape[0], met, kept):
            return g
        number, results.template[g], results.rival[g] = _deal(seeds[g], templates, style, room, met)
        rival_seats = met.length < 0
        source = rng.mix(seeds[g])
        prefers = preferences and seeds[g] & np.uint64(1) != np.uint64(0)
        trust = 0.0  # the weight of the game's own guess of points to come
        if prefers:
            _draw_preference(rng.mix(source ^ np.uint64(0x7A57E)), style.strength, style.group, preference)
            trust = max(2 * _uniform(source ^ np.uint64(0x6E55)) - 1, 0.0)
        decisions = 0
        known = -1  # the seat that has the current position
        while number > 0:
            source = rng.advance(source)
            if decisions < style.opening:
                number = kernels.advance(game, masks.pick(game.legal, rng.below(rng.mix(source), number)))
                decisions += 1
                continue
            seat = game.to_play
            if rival_seats[seat]:
                action = choose(rival, game, style.draws, rng.mix(source))
            else:
                if seat != known:
                    _look(game, seat, net, room, met)
                action = _decide(
                    game, number, source, style, preference, prefers, trust, shaped, net, rival, results.rival[g], room,
                    deep, met, kept,
                )  # fmt: skip
            number = kernels.advance(game, action)
            decisions += 1
            known = -1
            if number > 0 and met.length[seat] >= 0:
                now = _look(game, seat, net, room, met)
                _keep(seat, now, _weighted(style.shaping, room.before) if shaped else 0.0, room, met)
                known = seat
        rules.score(game, results.rows[g])
        results.decisions[g] = decisions
        _close_all(results.rows[g], style.shaping, shaped, prefers, room, met, kept)
    return len(seeds)


@jit
def _close_all(
    rows: NDArray[np.int64], shaping: Floats, shaped: bool, prefers: bool, room: Room, met: Seats, kept: Chains
) -> None:
    """Append the chains of all seats to the stored ones; the game in ``room.played`` is over."""
    for seat in range(met.length.shape[0]):
        if met.length[seat] > 0:
            bonus = 0.0
            if shaped:
                evaluation.write(room.played[0], seat, room, room.before)
                bonus = _weighted(shaping, room.before)
            _close(seat, rows, bonus, prefers, room, met, kept)


# ---------------------------------------------------------------- learning
class Learner(NamedTuple):
    """A thread's gradients, and its working memory for one chain; L is LONGEST."""

    gradient: Weights
    sums: NDArray[np.float32]  # (L, H): first layer, before ReLU
    units: Floats  # (H,): first layer, after ReLU
    middle: NDArray[np.float32]  # (L, M): second layer, after ReLU
    outputs: NDArray[np.float32]  # (L, outputs)
    targets: NDArray[np.float32]  # (L, outputs)
    back: Floats  # (H,)
    later: Floats  # (H,): the sum of `back` from a position on
    tried_sums: NDArray[np.float32]  # (MOST_TRIED, H): first layer after tried actions, before ReLU
    tried_middle: NDArray[np.float32]  # (MOST_TRIED, M)
    chance: Floats  # (MOST_TRIED,): of tried actions to be chosen
    loss: NDArray[np.float64]  # (5,): squared errors of the margin and the win probability, number of positions;
    # how much the choice among tried actions is better than the mean, number of choices


def learner(net: Weights) -> Learner:
    hidden, middle = net.first.shape[1], net.second.shape[0]
    size = len(net.last)
    return Learner(
        Weights(*map(np.zeros_like, net)), _zeros(np.float32, LONGEST, hidden), _zeros(np.float32, hidden),
        _zeros(np.float32, LONGEST, middle), _zeros(np.float32, LONGEST, size), _zeros(np.float32, LONGEST, size),
        _zeros(np.float32, hidden), _zeros(np.float32, hidden), _zeros(np.float32, MOST_TRIED, hidden),
        _zeros(np.float32, MOST_TRIED, middle), _zeros(np.float32, MOST_TRIED), _zeros(np.float64, 5),
    )  # fmt: skip


@jit(fastmath=True)
def _forwards(first: int, length: int, kept: Chains, net: Weights, work: Learner) -> None:
    """The outputs for all positions of a chain; the second as a probability."""
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
            goal_win = next_win = float(
                work.outputs[t, 1]
            )  # the probability after the best action is unknown: nothing is learned
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
def _improve(
    group: int, sums: Floats, kept: Chains, net: Weights, temperature: float, scale: float, work: Learner
) -> None:
    """Add the gradients that make a choice among the tried actions of a group better.

    The choice is by probabilities proportional to exp(value / temperature), and the loss is minus the expected result
    of the futures. It is linear in the results, so their noise averages out, and only actions that compete for the
    choice matter. ``sums``: the first layer's sums of the position before.
    """
    grad = work.gradient
    hidden, middle = work.units.shape[0], work.middle.shape[1]
    begin, end = kept.group[group], kept.group[group + 1]
    highest = np.float32(-np.inf)
    for n in range(begin, end):
        own, layer = work.tried_sums[n - begin], work.tried_middle[n - begin]
        for k in range(hidden):
            own[k] = sums[k]
        for z in range(kept.tried[n], kept.tried[n + 1]):
            x = kept.tried_by[z]
            i = np.int64(kept.tried_index[z])
            for k in range(hidden):
                own[k] += x * net.first[i, k]
        value = kept.tried_now[n] + _margin_of(own, net, work.units, layer)
        work.chance[n - begin] = value
        highest = max(highest, value)
    total = expected = mean = np.float32(0)
    for n in range(begin, end):
        chance = np.exp((work.chance[n - begin] - highest) / np.float32(temperature))
        work.chance[n - begin] = chance
        total += chance
        expected += chance * kept.goal[n]
        mean += kept.goal[n]
    expected /= total
    work.loss[3] += expected - mean / np.float32(end - begin)
    work.loss[4] += 1
    for n in range(begin, end):
        own, layer = work.tried_sums[n - begin], work.tried_middle[n - begin]
        by_margin = np.float32(scale / temperature) * work.chance[n - begin] / total * (expected - kept.goal[n])
        for k in range(hidden):
            work.units[k] = max(own[k], np.float32(0))
            work.back[k] = 0
        for j in range(middle):
            if layer[j] > 0:
                grad.last[0, j] += by_margin * layer[j]
                back = by_margin * net.last[0, j]
                grad.second_bias[j] += back
                for k in range(hidden):
                    grad.second[j, k] += back * work.units[k]
                    work.back[k] += back * net.second[j, k]
        for k in range(hidden):
            if own[k] <= 0:
                work.back[k] = 0
            work.later[k] += work.back[k]
        for z in range(kept.tried[n], kept.tried[n + 1]):
            x = kept.tried_by[z]
            i = np.int64(kept.tried_index[z])
            for k in range(hidden):
                grad.first[i, k] += x * work.back[k]


@jit(fastmath=True)
def _margin_of(sums: Floats, net: Weights, units: Floats, middle: Floats) -> np.float32:
    """The first output; writes both layers after ReLU into ``units`` and ``middle``."""
    for k in range(units.shape[0]):
        units[k] = max(sums[k], np.float32(0))
    margin: np.float32 = net.last_bias[0]
    for j in range(middle.shape[0]):
        total = net.second_bias[j]
        for k in range(units.shape[0]):
            total += units[k] * net.second[j, k]
        total = max(total, np.float32(0))
        middle[j] = total
        margin += total * net.last[0, j]
    return margin


@jit(fastmath=True)
def _backwards(
    first: int, length: int, kept: Chains, net: Weights, win_weight: float, search_weight: float, temperature: float,
    scale: float, work: Learner,
) -> None:  # fmt: skip
    """Add the gradients of a chain: squared errors of margin and bonus, cross-entropy of the win probability."""
    grad = work.gradient
    shaped = work.outputs.shape[1] > network.OUTPUTS
    hidden, middle = work.units.shape[0], work.middle.shape[1]
    for k in range(hidden):
        work.later[k] = 0
    for t in range(length - 1, -1, -1):
        sums = work.sums[t]
        for group in range(kept.searched[first + t, 0], kept.searched[first + t, 1]):
            _improve(group, sums, kept, net, temperature, search_weight * scale, work)
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
        if shaped:
            by_bonus = np.float32(2 * scale) * (work.outputs[t, 2] - work.targets[t, 2])
            grad.last_bias[2] += by_bonus
        for j in range(middle):
            h = work.middle[t, j]
            if h > 0:
                grad.last[0, j] += by_margin * h
                grad.last[1, j] += by_win * h
                back = by_margin * net.last[0, j] + by_win * net.last[1, j]
                if shaped:
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
    which: NDArray[np.int64], kept: Chains, net: Weights, trace: float, tasted_trace: float, win_weight: float,
    search_weight: float, temperature: float, scale: float, work: Learner,
) -> None:  # fmt: skip
    """Add the gradients of the loss on some chains.

    Args:
        which: int64 (n,), the chains.
        kept, net: the chains and the network.
        trace: TD's lambda.
        tasted_trace: the same for games with a preference, whose results do not come from the network's own play.
        win_weight: weight of the loss of the win probability.
        search_weight: weight of the loss of the choice among tried actions, see :func:`_improve`.
        temperature: of this choice, in the game's margin unit.
        scale: factor of the loss of each position.
        work: the gradients and the loss are added to it.
    """
    for chain in which:
        first = kept.position[chain]
        length = kept.position[chain + 1] - first
        _forwards(first, length, kept, net, work)
        _targets(chain, first, length, tasted_trace if kept.tasted[chain] else trace, kept, work)
        _backwards(first, length, kept, net, win_weight, search_weight, temperature, scale, work)


@jit(fastmath=True)
def adam(
    weights: Floats, gradient: Floats, mean: Floats, square: Floats, rate: float, first: float, second: float
) -> None:
    """One step of Adam (Kingma and Ba 2015) on float32 (n,) arrays; sets the gradient to 0.

    ``rate`` includes the bias corrections.
    """
    for i in range(weights.shape[0]):
        g = gradient[i]
        mean[i] += np.float32(1 - first) * (g - mean[i])
        square[i] += np.float32(1 - second) * (g * g - square[i])
        weights[i] -= np.float32(rate) * mean[i] / (np.sqrt(square[i]) + np.float32(1e-7))
        gradient[i] = 0
