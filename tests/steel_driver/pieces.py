"""What holds in every position of Steel Driver, counted from its dictionary: nothing is lost or made."""

from __future__ import annotations

from collections import Counter

from tests.steel_driver.referee.components import CITIES, COLOURS, COMPANIES, INVESTMENT_CUBES, LINKS, ROUTES

ROUNDS = 5


def cities_of(company: dict) -> set[str]:
    """The cities a company is connected to."""
    return {city for link in company["links"] for city in ROUTES[link].ends}


def earnings_of(company: dict) -> list[int]:
    """What each of its links has earned when it was built, in $; links that do not hang together are refused."""
    connected, earned = {company["start"]}, []
    for link in company["links"]:
        new = [city for city in ROUTES[link].ends if city not in connected]
        assert len(new) < 2, f"{link} is not connected with {sorted(filter(None, connected))}"
        earned.append(sum(CITIES[city].value for city in new))
        connected.update(new)
    return earned


def bonuses(d: dict) -> dict[str, int]:
    """What the transcontinental link has brought each company, in $."""
    link = d["transcontinental"]
    return {} if link is None else {name: 50 if name == link["builder"] else 30 for name in link["companies"]}


def sets_of(company: dict) -> int:
    """$ for its goods cubes: the k-th cube of every colour goes into the k-th set."""
    numbers = company["goods"].values()
    sizes = [sum(number > k for number in numbers) for k in range(max(numbers))]
    return sum((0, 10, 30, 60, 100, 150)[size] for size in sizes)


def check(d: dict) -> None:
    """All of it, in one position."""
    players, companies = d["players"], d["companies"]
    assert list(companies) == list(COMPANIES) == sorted(d["order"], key=COMPANIES.index)
    holders = [*players, *companies.values()]
    assert min(holder["cubes"] for holder in holders) >= 0 <= d["supply"]
    assert d["supply"] + sum(holder["cubes"] for holder in holders) == INVESTMENT_CUBES
    links = [link for company in companies.values() for link in company["links"]]
    assert len(set(links)) == len(links)
    assert len(set(d["passed"])) == len(d["passed"])
    for name, company in companies.items():
        check_company(d, name, company)
    check_money(d)
    check_goods(d)


def check_company(d: dict, name: str, company: dict) -> None:
    issued = sum(player["shares"][name] for player in d["players"])
    assert issued <= d["round"] and len(company["links"]) <= LINKS
    assert (company["last_controller"] is None) == (issued == 0)
    if d["phase"] in ("open", "bid", "build"):
        assert company["controller"] == (company["last_controller"] if company["sold"] else None)
    else:
        assert company["cubes"] == 0
        most = max(player["shares"][name] for player in d["players"])
        assert company["controller"] is None or d["players"][company["controller"]]["shares"][name] == most
    assert (company["start"] is None) == (not company["links"])
    if company["start"]:
        assert CITIES[company["start"]].start and company["start"] in ROUTES[company["links"][0]].ends
        earnings_of(company)


def check_money(d: dict) -> None:
    """Profits and cash are what the links and the transcontinental link have brought; a bonus of a company that nobody
    controls is lost, so of others' bonuses there may be less."""
    earned = sum(sum(earnings_of(company)) for company in d["companies"].values())
    there = sum(player["cash"] for player in d["players"])
    if d["phase"] in ("open", "bid"):
        assert not any(company["profit"] for company in d["companies"].values())
    elif d["phase"] == "build":
        there += sum(company["profit"] for company in d["companies"].values())
    else:
        assert all(company["profit"] == sets_of(company) for company in d["companies"].values())
    brought = sum(bonuses(d).values())
    assert earned + min(brought, 50) <= there <= earned + brought and (there - earned - brought) % 30 == 0


def check_goods(d: dict) -> None:
    taken = Counter({colour: sum(c["goods"][colour] for c in d["companies"].values()) for colour in COLOURS})
    assert all(CITIES[city].goods == colour for city, colour in d["goods"].items())
    if d["phase"] in ("open", "bid", "build"):
        assert not taken.total() and not d["goods"]
        return
    connected = set().union(*(cities_of(company) for company in d["companies"].values()))
    assert d["goods"].keys() <= connected
    assert taken + Counter(d["goods"].values()) == Counter(CITIES[city].goods for city in connected)
    assert d["phase"] == "goods" or not d["goods"]
