"""docs/troubleshooting.md explains every error message of the library, and quotes only messages that exist."""

import ast
import functools
import re

from tests.documents import ROOT

VALUE = "\0"  # stands for a value in a message
FOLDERS = ("agents", "carnegie_env", "training")
INNER = {"compilation disabled", "the last attempt returns or raises", "without --better"}  # never shown, or parts


def text(node: ast.expr) -> str:
    """The text of a message, with VALUE for every value."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=parts):
            return "".join(text(part) for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return text(left) + text(right)
        case ast.IfExp(body=body):
            return text(body)
    return VALUE


@functools.cache
def trees() -> list[ast.AST]:
    """The library's modules."""
    files = {file.resolve() for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")}
    return [ast.parse(file.read_text(encoding="utf-8")) for file in files]


def messages() -> set[str]:
    """The texts that are raised, or given to a function that raises, except values alone."""
    nodes = [node for tree in trees() for node in ast.walk(tree)]
    raised = {id(node.exc) for node in nodes if isinstance(node, ast.Raise)}
    calls = [
        node
        for node in nodes
        if isinstance(node, ast.Call) and (id(node) in raised or ast.unparse(node.func).endswith("refuse"))
    ]
    found = {text(argument) for call in calls for argument in call.args}
    return {each for each in found if " " in each and len(re.sub(r"[^a-z]", "", each)) > 8} - INNER


@functools.cache
def families() -> dict[str, re.Pattern[str]]:
    """The quoted messages with patterns: three dots stand for anything."""
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    table = page.split("<!-- messages -->")[1].split("<!-- messages end -->")[0]
    quoted = [
        quote for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for quote in re.findall(r"`(.+?)`", row)
    ]
    return {quote: re.compile(".*".join(map(re.escape, quote.strip(". ").split("..."))), re.DOTALL) for quote in quoted}


def test_every_message_has_a_family():
    unexplained = [each for each in sorted(messages()) if not any(p.search(each) for p in families().values())]
    assert not unexplained, "add them to docs/troubleshooting.md"


def test_quoted_messages_exist():
    texts = {text(node) for tree in trees() for node in ast.walk(tree) if isinstance(node, ast.expr)}
    known = [each for each in texts if " " in each and len(each) < 1000]
    missing = [quote for quote, pattern in families().items() if not any(map(pattern.search, known))]
    assert not missing, "no such message: change docs/troubleshooting.md"
