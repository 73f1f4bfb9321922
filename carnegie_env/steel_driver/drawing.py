"""Steel Driver as a picture: what is being decided, the map, the companies in their order, the players."""

from __future__ import annotations

from typing import Any

from carnegie_env.core.facts import members
from carnegie_env.core.lazy import lazily_compiled
from carnegie_env.render.svg import Drawing, contrast, fitting, theme
from carnegie_env.render.text import victory
from carnegie_env.steel_driver import actions, names, outlook
from carnegie_env.steel_driver import map as plans
from carnegie_env.steel_driver import tables as t
from carnegie_env.steel_driver.rules import goods, rounds
from carnegie_env.steel_driver.state import BID, BUILD, GOODS, NONE, OPEN, OVER

WIDTH, EDGE, GAP = 1280, 16, 8
_INNER = WIDTH - 2 * EDGE
_TITLE, _STRIP, _COMPANY, _PLAYER = 58, 28, 134, 122  # heights
_MAP_TOP = EDGE + _TITLE + GAP
_STRIP_TOP = _MAP_TOP + plans.HEIGHT + GAP
_COMPANIES_TOP = _STRIP_TOP + _STRIP + GAP
_PLAYERS_TOP = _COMPANIES_TOP + _COMPANY + GAP
HEIGHT = _PLAYERS_TOP + _PLAYER + EDGE
_TH = ("", "first", "second", "third", "fourth", "fifth", "sixth")
_SCENES = {OPEN: "auctions", BID: "auctions", BUILD: "building", GOODS: "final_scoring", OVER: "game_over"}

_final_controller, _supply = lazily_compiled(goods.final_controller), lazily_compiled(rounds.supply)
_link_of = lazily_compiled(outlook.link_of)


def draw(position: Any, seat: int | None, theme: str) -> str:
    """The board as SVG, see ``Presentation.draw``. Nothing is hidden: all seats see the same.

    Args:
        position: a game.
        seat: the viewer: legal actions are marked if it is this seat's turn; None: in any case.
        theme: "light" or "dark".
    """
    return _Picture(position, seat, theme).svg()


class _Picture:
    def __init__(self, position: Any, seat: int | None, colours: str) -> None:
        self.position, self.seat, self.game = position, seat, position.record
        game = self.game
        title = f"Steel Driver, {position.num_players} players, round {position.round}"
        self.pencil = Drawing(WIDTH, HEIGHT, theme(colours), title)
        self.theme = self.pencil.theme
        self.scores = position.score_breakdown()
        self.places = position.places()
        self.phase, self.to_play = int(game.phase), int(game.to_play)
        self.order, self.controller = game.order.tolist(), game.controller.tolist()
        self.passed = game.passed[: game.num_passed].tolist()
        self.links = [game.links[k, : game.num_links[k]].tolist() for k in range(t.NUM_COMPANIES)]
        mine = seat is None or seat == self.to_play
        self.legal = position.legal_numbers().tolist() if mine and not position.is_over else []

    def svg(self) -> str:
        self._decision()
        with self.pencil.panel(EDGE, _MAP_TOP, _INNER, plans.HEIGHT):
            self._map()
        self._strip()
        for place, company in enumerate(self.order):
            self._company(place, company)
        for player in range(self.position.num_players):
            self._player(player)
        return self.pencil.svg()

    # ---- what is being decided
    def _decision(self) -> None:
        """The decision at hand, with the button for passing."""
        pencil, words = self.pencil, self._words()
        passing = [number for number in self.legal if number == actions.PASS]
        what = "pass the active-player marker on" if self.phase == OPEN else "pass: bid no more for this company"
        with (
            pencil.panel(EDGE, EDGE, _INNER, _TITLE),
            pencil.part("decision", words, passing, _SCENES[self.phase], what if passing else ""),
        ):
            pencil.rect(EDGE, EDGE, _INNER, _TITLE, self.theme.panel, self.theme.line, 1, 8)
            pencil.text(EDGE + 14, EDGE + 24, "Steel Driver", 18, bold=True)
            of = f"round {self.position.round} of {t.ROUNDS}, {_SCENES[self.phase].replace('_', ' ')}"
            pencil.text(EDGE + 150, EDGE + 24, of, 14, self.theme.faint)
            start = EDGE + 14
            if self.to_play >= 0:
                self._badge(start + 10, EDGE + 42, self.to_play, 10)
                start += 28
            pencil.text(start, EDGE + 47, fitting(words, 1060, 15), 15, bold=True)
            if passing:
                pencil.rect(1120, EDGE + 10, 130, _TITLE - 20, self.theme.ground, self.theme.legal, 3, 8)
                pencil.text(1185, EDGE + 34, "pass", 15, anchor="middle", bold=True)

    def _words(self) -> str:
        game, who = self.game, f"player_{self.to_play}"
        if self.phase == OVER:
            return self._result()
        if self.phase == OPEN:
            return f"{who} has the active-player marker: put a company up for auction, or pass"
        if self.phase == BID:
            name, bidder = t.COMPANIES[game.auction], f"player_{game.bidder}"
            return f"{name} is up for auction: {bidder} bids {game.bid}; {who} may bid more or pass"
        name = t.COMPANIES[self.order[game.place]]
        if self.phase == GOODS:
            return f"{name} takes a goods cube: {who} decides which"
        return f"{name} builds a link: {who} decides where"

    def _result(self) -> str:
        places = self.places
        winners = [f"player_{seat}" for seat, place in enumerate(places) if place == 0]
        return f"the game is over: {victory(winners)}"

    # ---- the map
    def _map(self) -> None:
        where = plans.plan(EDGE, _MAP_TOP)
        self.pencil.rect(EDGE, _MAP_TOP, _INNER, plans.HEIGHT, self.theme.panel, self.theme.line, 1, 8)
        builders = {route: company for company, routes in enumerate(self.links) for route in routes}
        chosen: dict[int, list[int]] = {}
        for number in self.legal:
            if actions.BUILD <= number < actions.TAKE:
                back = number >= actions.BUILD_BACK
                route = int(t.BACKWARD[number - actions.BUILD_BACK]) if back else number - actions.BUILD
                chosen.setdefault(route, []).append(number)
        for route in range(t.NUM_ROUTES):
            numbers, company = chosen.get(route, []), builders.get(route)
            name = f"route_{t.ROUTES[route].replace(' ', '_')}"
            words = f"{names.CITIES[t.ROUTE_FROM[route]]} to {names.CITIES[t.ROUTE_TO[route]]}: "
            words += f"{t.ROUTE_COST[route]} cubes" if company is None else f"a link of {t.COMPANIES[company]}"
            with self.pencil.part(name, words, numbers, "route", self._route_offer(numbers)):
                plans.draw_route(self.pencil, where, route, company, bool(numbers))
        left, networks = int(self.game.goods_left), self.game.network.tolist()
        for city in range(t.NUM_CITIES):
            cube, take = bool(left >> city & 1), actions.TAKE + city
            numbers = [take] if take in self.legal else []
            words = self._city_words(city, networks, cube)
            with self.pencil.part(f"city_{t.CITIES[city]}", words, numbers, "city"):
                plans.draw_city(self.pencil, where, city, cube, bool(numbers))

    def _route_offer(self, numbers: list[int]) -> str:
        """What the link earns, for each action that builds it."""
        words = []
        for number in numbers:
            _, earned, bonus = _link_of(self.game, number)
            more = f" and ${bonus} by the transcontinental link" if bonus else ""
            words.append(f"{names.action(self.game, number)} earns ${earned}{more}")
        return "; ".join(words)

    def _city_words(self, city: int, networks: list[int], cube: bool) -> str:
        colour = t.GOODS[t.CITY_GOODS[city]]
        words = [f"{names.CITIES[city]}: ${t.CITY_VALUE[city]}, {colour} goods"]
        words += ["start city"] if t.START_CITIES >> city & 1 else []
        companies = [t.COMPANIES[k] for k in range(t.NUM_COMPANIES) if networks[k] >> city & 1]
        words += [f"connected by {', '.join(companies)}"] if companies else []
        words += [f"a {colour} goods cube lies there"] if cube else []
        return "; ".join(words)

    # ---- between map and companies
    def _strip(self) -> None:
        """The supply, the transcontinental link, the value of sets."""
        cubes = int(_supply(self.game))
        self._cell("supply", f"supply: {cubes} investment cubes", EDGE, 234)
        linked, builder = members(int(self.game.transcontinental)), int(self.game.link_builder)
        others = [plans.sign(k) for k in linked if k != builder]
        state = f"{names.CITIES[t.EAST]} to {names.CITIES[t.WEST]}, not yet"
        if linked:
            state = f"completed by {t.COMPANIES[builder]}{', with ' if others else ''}{', '.join(others)}"
        self._cell("transcontinental", f"transcontinental link: {state}", EDGE + 234 + GAP, 540)
        x, values = EDGE + 774 + 2 * GAP, t.SET_VALUE[1:].tolist()
        words = f"sets of 1 to {len(values)} goods: {', '.join(f'${value}' for value in values)}"
        self._cell("sets", words, x, WIDTH - EDGE - x)

    def _cell(self, name: str, words: str, x: float, width: float) -> None:
        with self.pencil.panel(x, _STRIP_TOP, width, _STRIP), self.pencil.part(name, words, help=name):
            self.pencil.rect(x, _STRIP_TOP, width, _STRIP, self.theme.panel, self.theme.line, 1, 6)
            self.pencil.text(x + 10, _STRIP_TOP + 19, fitting(words, width - 16, 13), 13)

    # ---- companies
    def _company(self, place: int, company: int) -> None:
        """A company's panel: order, sign, control; cubes, profit, links, shares; goods; its state."""
        pencil, game, name = self.pencil, self.game, t.COMPANIES[company]
        x, y, width = EDGE + place * (_INNER + GAP) / t.NUM_COMPANIES, _COMPANIES_TOP, self._column(t.NUM_COMPANIES)
        numbers = self._offers(company)
        state, lines = self._state(company), self._figures(company)
        holder = self.controller[company]
        control = "nobody controls it" if holder == NONE else f"player_{holder} controls it"
        cubes = ", ".join(f"{number} {goods}" for goods, number in zip(t.GOODS, game.goods[company], strict=True))
        final = self.phase >= GOODS
        words = [f"{name}, {_TH[place + 1]} of the round", control, *lines, *([f"goods: {cubes}"] if final else [])]
        active = self.phase in (BUILD, GOODS) and game.place == place or game.auction == company
        title = "; ".join([*words, *([state] if state else [])])
        with (
            pencil.panel(x, y, width, _COMPANY),
            pencil.part(f"company_{name}", title, numbers, "company"),
        ):
            fill = plans.COMPANY_FILLS[name]
            edge = self.theme.legal if numbers else self.theme.ink if active else self.theme.line
            pencil.rect(x, y, width, _COMPANY, self.theme.panel, edge, 3 if numbers or active else 1, 8)
            pencil.rect(x + 3, y + 3, width - 6, 26, fill, "none", 0, 6)
            pencil.text(x + 12, y + 21, f"{place + 1}  {name} ({plans.sign(company)})", 14, contrast(fill), bold=True)
            if holder != NONE:
                self._badge(x + width - 18, y + 16, holder, 11)
            for k, line in enumerate(lines):
                pencil.text(x + 12, y + 47 + 18 * k, fitting(line, width - 16, 13), 13)
            if final:
                self._goods(company, x + 19, y + 91)
            if state:
                pencil.text(x + 12, y + 123, fitting(state, width - 16, 13), 13, bold=True)

    def _offers(self, company: int) -> list[int]:
        """The legal actions that put a company up for auction, or bid for it."""
        first, last = actions.OPEN + company * t.CUBES, actions.OPEN + (company + 1) * t.CUBES
        if self.game.auction == company:
            first, last = actions.BID, actions.OPEN
        return [number for number in self.legal if first <= number < last]

    def _figures(self, company: int) -> list[str]:
        game = self.game
        links, shares = len(self.links[company]), int(game.shares[:, company].sum())
        worth = "sets" if self.phase >= GOODS else "profit"
        cubes = [] if self.phase >= GOODS else [f"cubes {game.company_cubes[company]}"]
        lines = [", ".join([*cubes, f"{worth} ${game.profit[company]}"])]
        lines.append(f"{links}/{t.LINKS} links, {shares}/{t.SHARES} shares")
        leader = int(_final_controller(game, company))
        if self.phase < GOODS and leader != NONE:
            lines.append(f"most shares: player_{leader}")
        return lines

    def _state(self, company: int) -> str:
        game = self.game
        if game.auction == company:
            return f"player_{game.bidder} bids {game.bid}"
        if company in self.passed:
            return f"has passed {_TH[self.passed.index(company) + 1]}"
        if self.phase in (BUILD, GOODS) and self.order[game.place] == company:
            return "builds now" if self.phase == BUILD else "takes goods now"
        if self.phase in (OPEN, BID):
            return "sold" if game.sold >> company & 1 else "for sale"
        return ""

    def _goods(self, company: int, x: float, y: float) -> None:
        for k, (colour, number) in enumerate(zip(t.GOODS, self.game.goods[company].tolist(), strict=True)):
            plans.draw_cube(self.pencil, x + 37 * k, y, colour)
            self.pencil.text(x + 37 * k + 11, y + 5, number, 13, bold=number > 0)

    # ---- players
    def _player(self, player: int) -> None:
        """A player's panel: money, cubes, shares by company, signs."""
        pencil, game = self.pencil, self.game
        width = self._column(self.position.num_players)
        x, y = EDGE + player * (width + GAP), _PLAYERS_TOP
        shares = game.shares[player].tolist()
        signs, has = self._signs(player), self._money(player)
        owned = ", ".join(f"{number} of {name}" for name, number in zip(t.COMPANIES, shares, strict=True) if number)
        words = "; ".join([f"player_{player}", *has, f"shares: {owned or 'none'}", *signs])
        decides = player == self.to_play
        with pencil.panel(x, y, width, _PLAYER), pencil.part(f"player_{player}", words, help="player"):
            edge = self.theme.ink if decides else self.theme.line
            pencil.rect(x, y, width, _PLAYER, self.theme.panel, edge, 3 if decides else 1, 8)
            self._badge(x + 22, y + 21, player, 13)
            you = " (you)" if player == self.seat else ""
            pencil.text(x + 42, y + 26, f"player_{player}{you}", 15, bold=True)
            pencil.text(x + 12, y + 52, fitting(", ".join(has), width - 20, 13), 13, bold=True)
            for company, number in enumerate(shares):
                self._share(x + 12 + 31 * company, y + 60, company, number)
            pencil.text(x + 12, y + 113, fitting(", ".join(signs), width - 16, 12), 12, bold=decides)

    def _money(self, player: int) -> list[str]:
        if self.phase < GOODS:
            return [f"${self.game.cash[player]}", f"cubes {self.game.cubes[player]}"]
        scores = self.scores[player]
        return [f"${scores['cash']} + ${scores['shares']} = ${scores['total']}"]

    def _signs(self, player: int) -> list[str]:
        game, signs = self.game, []
        signs += ["decides"] if player == self.to_play else []
        signs += ["has the marker"] if player == game.marker and self.phase <= BUILD else []
        signs += [f"bids {game.bid}"] if player == game.bidder else []
        signs += ["passed"] if game.passed_bidders >> player & 1 else []
        signs += [f"{_TH[self.places[player] + 1]} place"] if self.position.is_over else []
        signs += [f"{self.scores[player]['goods']} goods"] if self.phase >= GOODS else []
        return signs

    def _share(self, x: float, y: float, company: int, number: int) -> None:
        """A company's sign with the number of shares below it."""
        fill = plans.COMPANY_FILLS[t.COMPANIES[company]]
        self.pencil.rect(x, y, 28, 18, fill, "none", 0, 3)
        self.pencil.text(x + 14, y + 13, plans.sign(company), 11, contrast(fill), "middle", bold=True)
        colour = self.theme.ink if number else self.theme.faint
        self.pencil.text(x + 14, y + 33, number, 13, colour, "middle", bold=number > 0)

    # ---- parts of panels
    def _column(self, number: int) -> float:
        """The width of each of ``number`` panels side by side."""
        return (_INNER - (number - 1) * GAP) / number

    def _badge(self, x: float, y: float, seat: int, radius: float) -> None:
        self.pencil.badge(x, y, radius, seat, self.theme.seats[seat])
