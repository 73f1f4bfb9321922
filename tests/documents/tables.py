"""The tables of the documents that are generated from the code, by name.

In a page, a table is between the lines `<!-- NAME -->` and `<!-- end -->`. `python -m tests.test_readme` writes all of
them.
"""

import inspect
import itertools
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from benchmarks import chart
from carnegie_env import carnegie_v0, steel_driver_v0
from carnegie_env.carnegie import actions, envs, state
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.carnegie.observation import layout
from carnegie_env.cli.components import compact
from carnegie_env.core import rewards
from carnegie_env.core.facts import unprinted
from carnegie_env.core.game import Game
from carnegie_env.steel_driver import actions as steel_driver_actions
from carnegie_env.steel_driver import envs as steel_driver_envs
from carnegie_env.steel_driver import observation as steel_driver_observation
from carnegie_env.steel_driver import picture
from carnegie_env.steel_driver.game import STEEL_DRIVER
from tests.documents import ROOT
from tests.render import samples

WIDTH = 120


# ---------------------------------------------------------------- observations and actions
def expansion_table() -> str:
    """The features that modules add to the solo layout."""
    base = layout(1).markdown().splitlines()
    return "\n".join([*base[:2], *layout(1, True).markdown().splitlines()[len(base) :]])


def verb_table() -> str:
    """Every verb with its numbers and an example."""
    lines = ["| verb | numbers | example |", "|---|---|---|"]
    for verb, name in enumerate(actions.VERBS):
        numbers = [n for n in range(actions.NUM_ACTIONS) if actions.VERB[n] == verb]
        runs = [n for n in numbers if n - 1 not in numbers], [n for n in numbers if n + 1 not in numbers]
        spans = [f"{first}-{last}" if first < last else str(first) for first, last in zip(*runs, strict=True)]
        lines.append(f"| {name} | {', '.join(spans)} | `{actions.TEXTS[numbers[-1]]}` |")
    return "\n".join(lines)


def steel_driver_observation_table() -> str:
    """The layout up to the second company, and the first player's block."""
    whole = steel_driver_observation.layout(3).markdown().splitlines()
    return "\n".join([line for line in whole if re.match(r"\| (`(red\.|own\.)?[a-z_]+` |feature|-)|\|-", line)])


def steel_driver_action_table() -> str:
    """Every verb with its numbers and its first and last texts."""
    a = steel_driver_actions
    starts = {
        "pass": a.PASS, "bid": a.BID, "open": a.OPEN, "build": a.BUILD, "build, a first link only": a.BUILD_BACK,
        "take goods": a.TAKE,
    }  # fmt: skip
    lines = ["| verb | numbers | from | to |", "|---|---|---|---|"]
    for (verb, first), after in zip(starts.items(), [*starts.values(), a.NUM_ACTIONS][1:], strict=True):
        span = f"{first}-{after - 1}" if after > first + 1 else str(first)
        lines.append(f"| {verb} | {span} | `{a.TEXTS[first]}` | `{a.TEXTS[after - 1]}` |")
    return "\n".join(lines)


# ---------------------------------------------------------------- environments
def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    first, *others = [f"| {' | '.join(map(str, row))} |" for row in (head, *rows)]
    return "\n".join([first, "|" + "---|" * len(head), *others])


def spaces(game: Game, least: int, most: int, dictionary: bool) -> str:
    """The spaces of an environment by number of players, with and without modules."""
    modules = (None, "all") if "modules" in game.options.choices() else (None,)
    rows = []
    for players, chosen in itertools.product(range(least, most + 1), modules):
        options = game.options.from_dict({"num_players": players} | ({"modules": chosen} if chosen else {}))
        layout, number = game.layout(options), game.num_actions(options)
        space = f"Box(0, {layout.high.max():.6g}, ({layout.size},), float32)"
        if dictionary:
            space = f"Dict(observation={space}, action_mask=Box(0, 1, ({number},), int8))"
        rows.append([players, "on" if chosen else "off", f"`Discrete({number})`", f"`{space}`"])
    head = ["players", "modules", "actions", "observations"]
    return table(head, rows) if len(modules) > 1 else table(head[:1] + head[2:], [row[:1] + row[2:] for row in rows])


def plain(text: str) -> str:
    """A docstring as Markdown, with Sphinx roles as code."""
    return re.sub(r":[a-z]+:`~?([^`]*)`", r"`\1`", inspect.cleandoc(text))


def env_page(env: type[Any]) -> str:
    """The page of a Gymnasium environment: its docstring from the second paragraph on."""
    return plain(env.__doc__ or "").partition("\n\n")[2]


def aec_page(module: Any) -> str:
    """The page of a PettingZoo environment: its module's docstring from the third paragraph on."""
    return "## Arguments\n" + plain(module.__doc__ or "").partition("\n\n")[2].partition("\n\n")[2]


def rewards_table(game: Game) -> str:
    """The final rewards of a PettingZoo environment, with the reward for an illegal action."""
    said = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", rewards.__doc__ or "", re.MULTILINE))
    rows = [
        [f"`{name}`" + (" (default)" if name == rewards.FINAL[0] else ""), said[name], f"{rewards.loss(name, game):g}"]
        for name in rewards.FINAL
    ]
    end = f"at the end of the game; points are {game.presentation.point}"
    return table(["reward", end, "for an illegal action"], rows)


ENVIRONMENTS = (
    ("Carnegie/Solo-v0", "carnegie-solo.md", "Gymnasium", CARNEGIE, 1, 1),
    ("Carnegie/Versus-v0", "carnegie-versus.md", "Gymnasium", CARNEGIE, 2, 4),
    ("carnegie_v0", "carnegie-aec.md", "PettingZoo (AEC)", CARNEGIE, 2, 4),
    ("SteelDriver/Versus-v0", "steel-driver-versus.md", "Gymnasium", STEEL_DRIVER, 3, 6),
    ("steel_driver_v0", "steel-driver-aec.md", "PettingZoo (AEC)", STEEL_DRIVER, 3, 6),
)


def overview() -> str:
    """All environments, with the sizes of their spaces for the fewest players."""
    rows = []
    for name, page, interface, game, least, most in ENVIRONMENTS:
        options = game.options.from_dict({"num_players": least})
        players = f"{least} to {most}" if most > least else f"{least}, against {str(game.opponent).title()}"
        numbers = f"{game.num_actions(options)} actions, {game.layout(options).size} observed numbers"
        rows.append([f"[`{name}`]({page})", interface, game.title, players, numbers])
    return table(["id", "interface", "game", "players", "sizes with the fewest players"], rows)


# ---------------------------------------------------------------- rules, components
def topics(game: Game, keys: Callable[[str], bool]) -> str:
    """The rules in short: help texts with their sources."""
    parts = []
    for key, topic in game.presentation.topics().items():
        if keys(key):
            text = textwrap.fill(f"{topic.text} *({topic.source})*", WIDTH)
            parts.append(f"### {topic.title}\n{text}")
    return "\n\n".join(parts)


def topic_table(game: Game, prefix: str, title: str) -> str:
    """Help texts of one kind as a table."""
    chosen = [topic for key, topic in game.presentation.topics().items() if key.startswith(prefix)]
    rows = [[topic.title, topic.text, topic.source] for topic in chosen]
    return table([title, "what it does", "where"], rows)


def fidelity_table(game: Game) -> str:
    """All values that are not printed on the components."""
    rows = [
        [f"`{file}`", f"{where} {key}".strip(), f"`{compact(value)}`", mark]
        for file, where, key, value, mark in unprinted(game.presentation.facts)
    ]
    return table(["file", "value of", "value", "how it was found"], rows)


def donation_table() -> str:
    """The donations, printed and of the expansion."""
    donations = CARNEGIE.presentation.facts.donations
    rows = [
        [each.column.replace("_", " "), each.row, each.rule, source]
        for source, group in (("printed", donations.donation), ("expansion 1", donations.new_donation))
        for each in group
    ]
    return table(["column", "row", "points at the end", "table"], rows)


def leaderboard() -> str:
    """The win shares of two tasks, from the leaderboard: with two players, and against Andrew."""
    found = (ROOT / "docs" / "leaderboard.md").read_text(encoding="utf-8")
    tables: list[dict[str, dict[str, str]]] = []  # of each task: the cells of an agent by heading
    for task in ("duel", "solo-expert"):
        lines = re.search(rf"^## {task}: .*\n\n((?:\|.*\n)+)", found, re.MULTILINE)
        assert lines, f"docs/leaderboard.md has no table of {task}"
        head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[1].splitlines()]
        tables.append({row[0]: dict(zip(head, row, strict=True)) for row in rows})
    duel, solo = tables
    pool, rows = ("greedy", "value", "search"), []
    for agent, cells in duel.items():
        shares = [share(cells[f"against `{name}`"]) for name in pool]
        rows.append([agent, cells["rating"], *shares, share(solo.get(agent, {}).get("against Andrew", ""))])
    return table(["agent", "rating, 2 players", *(f"against `{name}`" for name in pool), "Andrew, expert"], rows)


def share(cell: str) -> str:
    """The win share of a cell, with its interval."""
    return cell[: cell.index("]") + 1] if cell else ""


def bibtex() -> str:
    """CITATION.cff as BibTeX."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    name, colon, rest = cited["title"].partition(":")
    fields = {
        "author": " and ".join(f"{{{author['name']}}}" for author in cited["authors"]),
        "title": f"{{{name.replace('_', chr(92) + '_')}}}{colon}{rest}",
        "year": cited["date-released"].year,
        "version": cited["version"],
        "license": cited["license"],
    }
    lines = ",\n".join(f"  {key} = {{{value}}}" for key, value in fields.items())
    return f"```bibtex\n@software{{{name},\n{lines}\n}}\n```"


TABLES: dict[str, Callable[[], str]] = {
    "bibtex": bibtex,
    "leaderboard": leaderboard,
    "observation": layout(1).markdown,
    "expansion": expansion_table,
    "fields of carnegie": lambda: state.FIELDS.table().strip(),
    "actions": verb_table,
    "steel driver observation": steel_driver_observation_table,
    "steel driver actions": steel_driver_action_table,
    "environments": overview,
    **{f"spaces of {name}": partial(spaces, *which, "AEC" in interface) for name, _, interface, *which in ENVIRONMENTS},
    "rewards of carnegie_v0": partial(rewards_table, CARNEGIE),
    "rewards of steel_driver_v0": partial(rewards_table, STEEL_DRIVER),
    "page of Carnegie/Solo-v0": partial(env_page, envs.SoloEnv),
    "page of Carnegie/Versus-v0": partial(env_page, envs.VersusEnv),
    "page of carnegie_v0": partial(aec_page, carnegie_v0),
    "page of SteelDriver/Versus-v0": partial(env_page, steel_driver_envs.VersusEnv),
    "page of steel_driver_v0": partial(aec_page, steel_driver_v0),
    "topics of carnegie": partial(topics, CARNEGIE, lambda key: not key.startswith(("department_", "donation_"))),
    "departments": partial(topic_table, CARNEGIE, "department_", "department"),
    "donation cells": donation_table,
    "facts of carnegie": partial(fidelity_table, CARNEGIE),
}
# Pictures generated from the code or from measured figures.
PICTURES: dict[Path, Callable[[], str]] = {
    ROOT / "docs" / "steel_driver_map.svg": picture.svg,
    samples.FOLDER / "speed.svg": lambda: chart.svg(chart.figures(chart.FILE.read_text(encoding="utf-8"))),
    **samples.PICTURES,
}
MARKED = re.compile(r"<!-- (?P<name>(?!end -->)[^>\n]+) -->\n(?P<table>(?:(?!<!-- ).)*)<!-- end -->", re.DOTALL)


def found(text: str) -> dict[str, str]:
    """The tables of a page by name."""
    return {match["name"]: match["table"].strip("\n") for match in MARKED.finditer(text) if match["name"] in TABLES}


def written(text: str) -> str:
    """A page with up-to-date tables; other marked parts stay."""

    def updated(match: re.Match[str]) -> str:
        make = TABLES.get(match["name"])
        if make is None:
            return match[0]
        return f"<!-- {match['name']} -->\n\n{make()}\n\n<!-- end -->"  # Markdown ends a comment at an empty line

    return MARKED.sub(updated, text)
