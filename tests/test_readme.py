"""The documents' tables are the code's, the README's examples run; `python -m tests.test_readme` writes the tables."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from carnegie_env.carnegie import actions
from carnegie_env.carnegie.observation import layout

ROOT = Path(__file__).resolve().parents[1]
README, PAGE = ROOT / "README.md", ROOT / "docs" / "carnegie.md"


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


TABLES = {"observation": observation_table, "expansion": expansion_table, "actions": verb_table}


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
    found = marked(name).search(PAGE.read_text())
    assert found and found[0].split("\n", 1)[1].rsplit("\n", 1)[0] == TABLES[name]()


EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples_run(number, capsys):
    pytest.importorskip("gymnasium")
    exec(compile(EXAMPLES[number].replace("10_000", "100"), f"README example {number}", "exec"), {})


if __name__ == "__main__":
    PAGE.write_text(write(PAGE.read_text()))
    sys.exit(0)
