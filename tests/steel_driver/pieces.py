"""Values counted from the dictionary of a position: cities, earnings and sets of a company."""

from tests.steel_driver.referee.components import CITIES, ROUTES


def cities_of(company: dict) -> set[str]:
    """The cities a company is connected to."""
    return {city for link in company["links"] for city in ROUTES[link].ends}


def earnings_of(company: dict) -> list[int]:
    """$ that each of its links earned when it was built; a link away from the network is an error."""
    connected, earned = {company["start"]}, []
    for link in company["links"]:
        new = [city for city in ROUTES[link].ends if city not in connected]
        assert len(new) < 2, f"{link} is not connected with {sorted(filter(None, connected))}"
        earned.append(sum(CITIES[city].value for city in new))
        connected.update(new)
    return earned


def sets_of(company: dict) -> int:
    """$ for its goods cubes: the k-th cube of every colour goes into the k-th set."""
    numbers = company["goods"].values()
    sizes = [sum(number > k for number in numbers) for k in range(max(numbers))]
    return sum((0, 10, 30, 60, 100, 150)[size] for size in sizes)
