"""Tables and map of the documents are the code's, the examples run; `python -m tests.test_readme` writes the former."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from carnegie_env.carnegie import actions
from carnegie_env.carnegie.observation import layout
from carnegie_env.steel_driver import actions as steel_driver_actions
from carnegie_env.steel_driver import observation as steel_driver_observation
from carnegie_env.steel_driver import picture

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PAGES = ROOT / "docs" / "carnegie.md", ROOT / "docs" / "steel_driver.md"
MAP = ROOT / "docs" / "steel_driver_map.svg"


def observation_table() -> str:
    """The solo layout; the other numbers of players repeat its `own` block for each opponent."""
    return layout(1).markdown()


def verb_table() -> str:
    """Every verb with its numbers and an example."""
    lines = ["| verb | numbers | example |", "|---|---|---|"]
    for verb, name in enumerate(actions.VERBS):
        numbers = [n for n in range(actions.NUM_ACTIONS) if actions.VERB[n] == verb]
        runs = [n for n in numbers if n - 1 not in numbers], [n for n in numbers if n + 1 not in numbers]
        spans = [f"{first}-{last}" if first < last else str(first) for first, last in zip(*runs, strict=True)]
        lines.append(f"| {name} | {', '.join(spans)} | `{actions.TEXTS[numbers[-1]]}` |")
    return "\n".join(lines)


def expansion_table() -> str:
    """What the solo layout has behind its base features with a module on."""
    base = layout(1).markdown().splitlines()
    return "\n".join([*base[:2], *layout(1, True).markdown().splitlines()[len(base) :]])


def steel_driver_observation_table() -> str:
    """The layout up to the second company, and the first player's block."""
    whole = steel_driver_observation.layout(3).markdown().splitlines()
    shown = [line for line in whole if re.match(r"\| (`(red\.|own\.)?[a-z_]+` |feature|-)|\|-", line)]
    return "\n".join(shown)


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


TABLES = {
    "observation": observation_table,
    "expansion": expansion_table,
    "actions": verb_table,
    "steel driver observation": steel_driver_observation_table,
    "steel driver actions": steel_driver_action_table,
}


def marked(name: str) -> re.Pattern[str]:
    """The part of the page between the marks of a table."""
    return re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)


def write(text: str) -> str:
    """The text with every table made anew."""
    for name, table in TABLES.items():
        text = marked(name).sub(lambda match, table=table: match[1] + table() + match[2], text)
    return text


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_the_codes(name):
    found = marked(name).search("".join(page.read_text() for page in PAGES))
    assert found and found[0].split("\n", 1)[1].rsplit("\n", 1)[0] == TABLES[name]()


def test_the_map_is_the_codes():
    assert MAP.read_text() == picture.svg()


EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples_run(number, capsys):
    pytest.importorskip("gymnasium")
    exec(compile(EXAMPLES[number].replace("10_000", "100"), f"README example {number}", "exec"), {})


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(write(page.read_text()))
    MAP.write_text(picture.svg())
    sys.exit(0)
