"""The commands in the documents exist: arguments of `carnegie-env`, make targets, modules of `python -m`."""

import contextlib
import importlib.util
import io
import re
import shlex

from carnegie_env import cli
from tests.documents import EACH_PAGE, ROOT

BLOCK = re.compile(r"^```(?:sh|shell|bash|console)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
LACKING = re.compile(r"are required|expected (?:one|at least one) argument")
ABRIDGED = re.compile(r"\.\.\.| \| ")
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def commands(text: str) -> list[tuple[list[str], bool]]:
    """The commands of a page as words, and whether each is complete: in a block, not in prose."""
    blocks = [line for block in BLOCK.findall(text) for line in block.replace("\\\n", " ").splitlines()]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL).replace("\n", " ")
    named = [" ".join(each.split()) for each in INLINE.findall(prose)]
    found = []
    for line, whole in [*((line, True) for line in blocks), *((line, False) for line in named)]:
        if re.match(r"(?:[A-Z_]+=\S+ )*(?:carnegie-env|make|python -m) ", line) and not ABRIDGED.search(line):
            words = shlex.split(line, comments=True)
            while "=" in words[0]:  # environment variables
                words = words[1:]
            found.append((words, whole))
    return found


def wrong(words: list[str], whole: bool) -> str:
    """The error of a command, or "". A command that is not complete may lack arguments."""
    if words[0] == "make":
        target = next(word for word in words[1:] if "=" not in word)
        return "" if target in TARGETS else f"make has no target {target}"
    if words[0] == "python":
        module = words[2]
        found = importlib.util.find_spec(module)
        if found is not None and found.submodule_search_locations:
            found = importlib.util.find_spec(f"{module}.__main__")
        return f"there is no module {module} to run" if found is None else ""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            cli._parser(cli._first_look(words[1:])[0]).parse_args(words[1:])
    except SystemExit as end:
        error = said.getvalue().strip().rpartition("error: ")[2]
        return "" if end.code == 0 or (not whole and LACKING.search(error)) else error
    return ""


@EACH_PAGE
def test_commands_exist(path):
    found = [(" ".join(words), wrong(words, whole)) for words, whole in commands(path.read_text(encoding="utf-8"))]
    assert not [pair for pair in found if pair[1]]


def test_commands_are_found():
    text = "`make nothing` and\n`carnegie-env play\n--color`, `carnegie-env replay FILE --film`\n```\n"
    text += "X=1 python -m tests.nowhere  # x\ncarnegie-env new --seed 3\ncarnegie-env replay\n```\n"
    assert [wrong(*command) for command in commands(text)] == [
        "there is no module tests.nowhere to run",
        "",
        "the following arguments are required: FILE",
        "make has no target nothing",
        "unrecognized arguments: --color",
        "",
    ]
