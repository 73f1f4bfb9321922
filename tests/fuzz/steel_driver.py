"""Steel Driver's positions and records, and ways to move its pieces to other valid places."""

import copy
import functools
import random

from carnegie_env.steel_driver.game import STEEL_DRIVER, Batch, GameRecord, Position
from carnegie_env.steel_driver.invariants import INVARIANTS
from tests.fuzz import positions
from tests.soak import STEEL_STYLES, steel_weights
from tests.steel_driver.pieces import cities_of, sets_of
from tests.steel_driver.referee import Referee, play
from tests.steel_driver.referee.components import CITIES, COMPANIES, ROUTES

TABLES = [(num_players, style) for num_players in (3, 4, 5, 6) for style in play.STYLES]


@functools.cache
def game(k: int, style: str, show_forced: bool) -> tuple[list[dict], GameRecord]:
    """The positions of a whole game as dictionaries, and its record."""
    position, chance = Position.new({"num_players": k, "show_forced": show_forced}, k), random.Random(k)
    found = [position.to_dict()]
    while not position.is_over:
        position.apply(play.choose(chance, found[-1], set(position.legal_actions()), style))
        found.append(position.to_dict())
    return found, GameRecord.of(position)


def some_position(rng: random.Random) -> dict:
    """A position of a game with any number of players and style."""
    return copy.deepcopy(rng.choice(game(*rng.choice(TABLES), rng.random() < 0.2)[0]))


def some_records() -> list[GameRecord]:
    """Beginnings of games with all numbers of players, and whole ones."""
    whole = [game(num_players, style, False)[1] for num_players, style in TABLES[::3]]
    return [GameRecord(r.options, r.seed, r.actions[:length]) for r in whole for length in (1, 12, 45)] + whole


def warm() -> None:
    """Load all compiled code: loading it later would count as an execution."""
    position = Position.from_json(some_records()[0].replay().to_json())
    position.apply(position.legal_actions()[0])
    batch = Batch(2, num_threads=1, **position.options.to_dict())
    batch.load(position)
    batch.step(batch.games["to_play"] * 0)
    batch.game.rules.verify(batch.games[0])
    INVARIANTS.inspect(batch.games[0])


# ---- pieces moved to other valid places: many of the results are valid, but seldom occur in games
def bend_cubes(d: dict, rng: random.Random) -> None:
    """Investment cubes move from one place to another."""
    places = [(d, "supply"), *((holder, "cubes") for holder in [*d["players"], *d["companies"].values()])]
    (here, key), (there, other) = rng.choice(places), rng.choice(places)
    number = rng.randrange(min(here[key], 9) + 1)
    here[key] -= number
    there[other] += number


def bend_cash(d: dict, rng: random.Random) -> None:
    one, other = rng.choice(d["players"]), rng.choice(d["players"])
    amount = 10 * rng.randrange(one["cash"] // 10 + 1)
    one["cash"] -= amount
    other["cash"] += amount + rng.choice((0, 0, 0, 10, 30))


def bend_shares(d: dict, rng: random.Random) -> None:
    """A share changes hands, or one more appears."""
    name, one, other = rng.choice(COMPANIES), rng.choice(d["players"]), rng.choice(d["players"])
    if one["shares"][name] and rng.random() < 0.8:
        one["shares"][name] -= 1
    other["shares"][name] += 1


def bend_control(d: dict, rng: random.Random) -> None:
    company, seat = rng.choice(list(d["companies"].values())), rng.choice((None, *range(len(d["players"]))))
    match rng.randrange(4):
        case 0:
            company["controller"] = company["last_controller"] = seat
        case 1:
            company["last_controller"] = seat
        case 2:
            company["controller"] = seat
        case 3:
            company["sold"] = not company["sold"]


def bend_links(d: dict, rng: random.Random) -> None:
    """A company gains a link, perhaps with its earnings, or loses one; or its links are reordered."""
    name = rng.choice(COMPANIES)
    company, built = d["companies"][name], {link for c in d["companies"].values() for link in c["links"]}
    match rng.randrange(4):
        case 0 if company["links"]:
            company["links"].pop()
        case 1 if company["links"]:
            rng.shuffle(company["links"])
        case _:
            own = cities_of(company)
            near = [link for link, route in ROUTES.items() if own & set(route.ends) and link not in built]
            link = rng.choice(near or list(ROUTES))
            value = sum(CITIES[city].value for city in ROUTES[link].ends if city not in own)
            company["links"].append(link)
            company["start"] = company["start"] or rng.choice(ROUTES[link].ends)
            if rng.random() < 0.5 and d["phase"] == "build":
                company["profit"] += value
            else:
                rng.choice(d["players"])["cash"] += value


def bend_order(d: dict, rng: random.Random) -> None:
    match rng.randrange(4):
        case 0:
            rng.shuffle(d["order"])
        case 1:
            rng.shuffle(d["passed"])
        case 2 if d["passed"]:
            d["passed"].pop(rng.randrange(len(d["passed"])))
        case _:
            d["passed"].append(rng.choice(COMPANIES))


def bend_turn(d: dict, rng: random.Random) -> None:
    """Another player to move, phase or round."""
    seat = rng.randrange(len(d["players"]))
    match rng.randrange(7):
        case 0:
            d["to_play"] = seat
        case 1:
            d["marker"] = seat
            if d["phase"] == "open":
                d["to_play"] = seat
        case 2:
            d["marker_passes"] = rng.randrange(7)
        case 3:
            d["round"] = rng.randrange(1, 6)
        case 4:
            d["phase"] = rng.choice(("open", "bid", "build", "goods", "over"))
        case 5:
            d["active"] = rng.choice((None, *COMPANIES))
        case 6:
            d["active"] = rng.choice(COMPANIES)
            d["to_play"] = d["companies"][d["active"]]["controller"]


def bend_auction(d: dict, rng: random.Random) -> None:
    seats = range(len(d["players"]))
    if d["auction"] is None:
        d["auction"] = {"company": rng.choice(COMPANIES), "bid": 1, "bidder": rng.choice(seats), "passed": []}
        if rng.random() < 0.7:
            d["phase"], d["marker_passes"] = "bid", 0
        return
    match rng.randrange(4):
        case 0:
            d["auction"]["bid"] = max(1, d["auction"]["bid"] + rng.choice((-1, 1, 5)))
        case 1:
            d["auction"]["bidder"] = rng.choice(seats)
        case 2:
            d["auction"]["passed"] = sorted(rng.sample(seats, rng.randrange(len(seats))))
        case 3:
            d["auction"]["company"] = rng.choice(COMPANIES)


def bend_goods(d: dict, rng: random.Random) -> None:
    """A goods cube is taken, returned or given to another company."""
    company, other = (rng.choice(list(d["companies"].values())) for _ in range(2))
    colour = rng.choice(list(company["goods"]))
    if d["goods"] and rng.random() < 0.5:
        colour = d["goods"].pop(rng.choice(list(d["goods"])))
    elif company["goods"][colour]:
        company["goods"][colour] -= 1
    other["goods"][colour] += 1
    if rng.random() < 0.7:
        for each in (company, other):
            each["profit"] = sets_of(each)


def bend_line(d: dict, rng: random.Random) -> None:
    """Other companies take part in the transcontinental link."""
    if d["transcontinental"] is None or rng.random() < 0.2:
        d["transcontinental"] = {"builder": rng.choice(COMPANIES), "companies": [*rng.sample(COMPANIES, 2)]}
    elif rng.random() < 0.5:
        d["transcontinental"]["builder"] = rng.choice(COMPANIES)
    else:
        chosen = rng.sample(COMPANIES, rng.randrange(1, 7))
        d["transcontinental"]["companies"] = sorted(chosen, key=COMPANIES.index)


def bend_switches(d: dict, rng: random.Random) -> None:
    if rng.random() < 0.5:
        d["options"]["show_forced"] = not d["options"]["show_forced"]
    else:
        d["rng"], d["decisions"] = rng.getrandbits(64), rng.randrange(2**30)


POSITIONS = positions.Subject(
    game=STEEL_DRIVER,
    referee=Referee,
    some=some_position,
    bends=(
        bend_cubes, bend_cubes, bend_cash, bend_shares, bend_control, bend_links, bend_links, bend_order, bend_turn,
        bend_turn, bend_auction, bend_goods, bend_line, bend_switches,
    ),
    weights=lambda rng: steel_weights(rng.choice(STEEL_STYLES), 1),
)  # fmt: skip
