"""The income event (rulebook part 2, chapter 2.1; rulings 9-12).

The phases: ``next_income``, ``recover``, (``lobby_recover``), (``research``), ``pay_tabs``, and for each choice
``tab_income``, (``lobby_tab``).
"""

from __future__ import annotations

from carnegie_env.carnegie import actions, state
from carnegie_env.carnegie import tables as t
from carnegie_env.carnegie.rules import company, event, lobby, research, transport
from carnegie_env.carnegie.state import Record, bit
from carnegie_env.core import masks
from carnegie_env.core.arrays import int64
from carnegie_env.core.jit import jit


@jit
def next_income(game: Record) -> None:
    """Find the next seat with an employee in the active region; after the last, donations."""
    region = event.region(game)
    if region != state.NONE:
        while True:
            if game.missions[game.to_play, region] > 0:
                game.phase = state.RECOVER
                return
            if not company.pass_clockwise(game):
                break
    game.phase = state.NEXT_DONATION
    game.to_play = game.first_player


@jit
def _end_income(game: Record) -> None:
    more = company.pass_clockwise(game)
    game.phase = state.NEXT_INCOME if more else state.NEXT_DONATION


@jit
def legal_recover(game: Record) -> None:
    """Recover any number of the region's employees (ruling 10)."""
    number = game.missions[game.to_play, event.region(game)]
    masks.put_bits(game.legal, actions.RECOVER, bit(number + 1) - 1)


@jit
def apply_recover(game: Record, number: int) -> None:
    """Transport income once per employee, then the employees enter the lobby."""
    seat = game.to_play
    if number == 0:
        _end_income(game)
        return
    region = event.region(game)
    game.missions[seat, region] -= number
    game.arrivals = number
    transport.income(game, seat, region)


@jit
def legal_research(game: Record) -> None:
    """Research points of an income are spent before the tab income or lost (rulings 10, 12)."""
    masks.put(game.legal, actions.PASS)
    research.legal_advance(game)


@jit
def end_research(game: Record) -> None:
    """Points left are lost; the tab income follows."""
    game.research = 0
    game.phase = state.PAY_TABS


@jit
def pay_tabs(game: Record) -> None:
    """The fixed incomes of all built projects, once (ruling 10)."""
    seat = game.to_play
    for project in range(t.NUM_PROJECT_TYPES):
        for section in range(game.tab_built[seat, project]):
            game.money[seat] += t.TAB_INCOME[project, section, t.MONEY]
            game.goods[seat] += t.TAB_INCOME[project, section, t.GOODS]
            game.vp[seat] += t.TAB_INCOME[project, section, t.VP]
    game.choice = state.NONE
    game.phase = state.NEXT_CHOICE


@jit
def next_choice(game: Record) -> None:
    """Find the next built section whose income is a choice; one choice at a time (ruling 11)."""
    seat = game.to_play
    choice = game.choice + 1
    while choice < t.TAB_CHOICE.size:
        project, section = choice // t.TAB_SECTIONS, choice % t.TAB_SECTIONS
        if section < game.tab_built[seat, project] and t.TAB_CHOICE[project, section] > 0:
            game.choice = choice
            game.phase = state.TAB_INCOME
            return
        choice += 1
    game.choice = state.NONE
    _end_income(game)


@jit
def legal_tab_income(game: Record) -> None:
    """The halves of the choice; without an employee in reserve only the other half (ruling 11)."""
    choice = t.TAB_CHOICE.flat[game.choice]
    masks.put(game.legal, actions.TAKE + actions.TAKE_MONEY)
    if choice == t.CHOICE_GOODS_OR_MONEY:
        masks.put(game.legal, actions.TAKE + actions.TAKE_GOODS)
    elif game.reserve[game.to_play] > 0:
        masks.put(game.legal, actions.TAKE + actions.TAKE_EMPLOYEE)


@jit
def apply_tab_income(game: Record, half: int) -> None:
    """Take one half."""
    seat = game.to_play
    game.phase = state.NEXT_CHOICE
    if half == actions.TAKE_MONEY:
        game.money[seat] += int64(t.TAB_CHOICE_MONEY.flat[game.choice])
    elif half == actions.TAKE_GOODS:
        game.goods[seat] += int64(t.TAB_CHOICE_GOODS.flat[game.choice])
    else:
        lobby.recruit(game, seat, 1)
        lobby.arrive(game, seat, state.LOBBY_TAB)
