"""Employees on their way into the company: the lobby, and a New Lobby beside it (rulings 11, 17).

They are counted in ``arrivals`` until they lie in a lobby. Where a company has a New Lobby the player says how many go
there, in one of three phases; :func:`phase_after` says how the game goes on then.
"""

from __future__ import annotations

from carnegie_env.carnegie import actions, events, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company
from carnegie_env.carnegie.state import Record, bit
from carnegie_env.core import masks
from carnegie_env.core.events import emit
from carnegie_env.core.jit import jit


@jit
def is_choice(phase: int) -> bool:
    """Whether a phase is a choice between the two lobbies."""
    return phase == state.LOBBY_RECOVER or phase == state.LOBBY_TAB or phase == state.LOBBY_TURN


@jit
def phase_after(phase: int) -> int:
    """Continue after a choice between the lobbies: with research, the next tab income, or the turn."""
    if phase == state.LOBBY_RECOVER:
        return state.RESEARCH
    return state.NEXT_CHOICE if phase == state.LOBBY_TAB else state.TURN


@jit
def recruit(game: Record, seat: int, number: int) -> None:
    """New employees arrive from the reserve, at most as many as it has."""
    number = min(number, game.reserve[seat])
    if number > 0:
        emit(events.RECRUITS, seat, number)
    game.reserve[seat] -= number
    game.arrivals += number


@jit
def arrive(game: Record, seat: int, phase: int) -> None:
    """The arrivals enter the lobby, or with a New Lobby the player chooses in ``phase`` (ruling 11)."""
    if game.arrivals > 0 and game.owned[seat] & bit(t.NEW_LOBBY):
        game.phase = phase
        return
    if game.arrivals > 0:
        company.add_inactive(game, seat, t.LOBBY_SPACE, game.arrivals)
        game.arrivals = 0
    game.phase = phase_after(phase)


@jit
def legal_lobby(game: Record) -> None:
    """Send any number of the arrivals to the New Lobby (ruling 11)."""
    masks.put_bits(game.legal, actions.NEW_LOBBY, bit(game.arrivals + 1) - 1)


@jit
def apply_lobby(game: Record, number: int) -> None:
    """``new lobby N``: N of the arrivals go to the New Lobby, the rest to the printed one."""
    seat = game.to_play
    company.add_inactive(game, seat, company.space_of(game, seat, t.NEW_LOBBY), number)
    company.add_inactive(game, seat, t.LOBBY_SPACE, game.arrivals - number)
    game.arrivals = 0
    game.phase = phase_after(game.phase)
