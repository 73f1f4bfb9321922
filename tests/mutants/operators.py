"""Single programming mistakes, made on the syntax tree of a source file.

An operator looks at one node of a function (or of a module's own statements) and yields nodes that could be there by
mistake: a constant off by one, a comparison with the wrong boundary, a forgotten condition, summand or statement, two
arguments exchanged, a similar name. Annotations, decorators, class bodies, messages and asserts are left alone.

A mutant is identified by its content, not by its line: the function, the operator, and the code around the change
before and after, as `ast.unparse` writes it. So it keeps its name when code is reformatted, commented or moved.
"""

import ast
import collections
import copy
import dataclasses
import functools
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

WIDTH = 72  # characters of code around a change in the name of a mutant
Step = tuple[str, int | None]  # a field of a node, and the index in it
Families = dict[tuple, list[str]]


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One seeded mistake.

    Attributes:
        file: relative to the project.
        place: the function ("scoring.donation_limit"), module, or table of a component file ("board.city reno").
        operator: the kind of mistake.
        before, after: the code around the change, right and wrong.
        nth: its number, from 1, among mutants that agree in all of the above.
        line: of the statement, if only a test that executes it can find the mistake, else 0.
        seeded: makes the file's text with the mistake from the text without.
    """

    file: str
    place: str
    operator: str
    before: str
    after: str
    nth: int
    line: int
    seeded: Callable[[str], str] = dataclasses.field(repr=False, compare=False)

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Its name in the lists of explained mutants; the place includes the number."""
        return self.place + (f" #{self.nth}" if self.nth > 1 else ""), self.operator, self.before, self.after

    def __str__(self) -> str:
        place, operator, before, after = (" ".join(text.split()) for text in self.key)
        return f"{place}, {operator}: {before} -> {after}"


def numbered(make: Callable[..., Iterator[Mutant]]) -> Callable[..., Iterator[Mutant]]:
    """Have a function number its mutants that are alike, in the order of the file."""

    @functools.wraps(make)
    def made(*arguments: Any) -> Iterator[Mutant]:
        seen: collections.Counter[tuple] = collections.Counter()
        for mutant in make(*arguments):
            seen[mutant.key] += 1
            yield dataclasses.replace(mutant, nth=seen[mutant.key])

    return made


# ---------------------------------------------------------------- where a change can be made
@dataclasses.dataclass
class Site:
    """A node and its surroundings.

    Attributes:
        chain: the nodes from the root down to it, each with the step that leads there from the one before.
        function: the function around it; None in a module's own statements.
        qualname: of the function or module.
        families: see :func:`families`.
        file: relative to the project.
        known: cache of :meth:`about`.
    """

    chain: list[tuple[ast.AST, Step]]
    function: ast.FunctionDef | None
    qualname: str
    families: Families
    file: str
    known: dict = dataclasses.field(default_factory=dict)

    @property
    def node(self) -> ast.AST:
        return self.chain[-1][0]

    @property
    def parent(self) -> ast.AST:
        return self.chain[-2][0]

    @property
    def field(self) -> str:
        return self.chain[-1][1][0]

    @property
    def statement(self) -> ast.stmt:
        return next(node for node, _ in reversed(self.chain) if isinstance(node, ast.stmt))

    @property
    def line(self) -> int:
        """The statement's line if only tests that execute it can find a mistake; 0 where code may run once for all."""
        decorators = [ast.unparse(decorator) for decorator in self.function.decorator_list] if self.function else []
        return 0 if self.function is None or any("cache" in text for text in decorators) else self.statement.lineno

    @property
    def path(self) -> list[Step]:
        return [step for _, step in self.chain[1:]]

    def about(self, find: Callable[[ast.AST], Any], node: ast.AST) -> Any:
        """`find(node)`, computed once per node of the unchanged tree."""
        key = (find, id(node))
        if key not in self.known:
            self.known[key] = find(node)
        return self.known[key]


_LEFT_ALONE = (ast.Raise, ast.Assert, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.JoinedStr)
_FIELDS_LEFT_ALONE = {"annotation", "returns", "decorator_list", "type_params", "args", "ctx"}


def _is_left_alone(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):  # A, B, C = range(3)
        return isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "range"
    return isinstance(node, _LEFT_ALONE)


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, Step]]:
    for name, value in ast.iter_fields(node):
        if name in _FIELDS_LEFT_ALONE and not (name == "args" and isinstance(node, ast.Call)):
            continue
        if isinstance(node, ast.ClassDef) and name != "body":
            continue
        if isinstance(value, list):
            for k, part in enumerate(value):
                if isinstance(part, ast.AST):
                    yield part, (name, k)
        elif isinstance(value, ast.AST):
            yield value, (name, None)


def sites(tree: ast.Module, families: Families, file: str) -> Iterator[Site]:
    """Every node that may be changed, outermost first."""

    known: dict = {}
    top = PurePosixPath(file).stem
    left: list[tuple[list[tuple[ast.AST, Step]], ast.FunctionDef | None, str]] = [([(tree, ("", None))], None, top)]
    while left:
        chain, function, qualname = left.pop()
        node = chain[-1][0]
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            qualname = f"{qualname}.{node.name}"
            function = function or (node if isinstance(node, ast.FunctionDef) else None)
        elif len(chain) > 1:
            yield Site(chain, function, qualname, families, file, known)
        inner = [
            ([*chain, part], function, qualname)
            for part in _children(node)
            if not _is_left_alone(part[0])
            and (isinstance(part[0], ast.FunctionDef) or not isinstance(node, ast.ClassDef))
        ]
        left += reversed(inner)


def _put(parent: ast.AST, step: Step, node: ast.AST) -> None:
    name, index = step
    if index is None:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[index] = node


def _shown(node: ast.AST) -> str:
    """A node as code; for a statement with a body, its first line."""
    if isinstance(node, (ast.If, ast.While, ast.For, ast.With)):
        head = copy.copy(node)
        head.body = [ast.Pass()]
        if hasattr(head, "orelse"):
            head.orelse = []
        return ast.unparse(ast.fix_missing_locations(head)).rsplit("\n", 1)[0]
    return ast.unparse(node).strip()


def _around(site: Site, new: ast.AST) -> tuple[str, str, str]:
    """The code around a change before and after, and the whole statement after."""
    old, step = site.chain[-1]
    show = len(site.chain) - 1
    while not isinstance(site.chain[show][0], ast.stmt):
        if len(site.about(_shown, site.chain[show - 1][0])) > WIDTH:
            break
        show -= 1
    whole = site.statement
    shown = site.chain[show][0]
    before = site.about(_shown, shown)
    if shown is old:
        after = _shown(new)
        if whole is old:
            return before, after, after
    _put(site.parent, step, new)
    if shown is not old:
        after = _shown(shown)
    statement = after if shown is whole else _shown(whole)
    _put(site.parent, step, old)
    return before, after, statement


def replaced(source: str, path: list[Step], new: ast.AST | list[ast.stmt], number: int = 1) -> str:
    """The source with another node at the end of the path, or with a list in place of a number of statements."""
    node: ast.AST = ast.parse(source)
    tree = node
    for name, index in path[:-1]:
        node = getattr(node, name) if index is None else getattr(node, name)[index]
    name, index = path[-1]
    if isinstance(new, list):
        getattr(node, name)[index : (index or 0) + number] = new
    else:
        _put(node, path[-1], new)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


# ---------------------------------------------------------------- the operators
Operator = Callable[[Site], Iterator[ast.AST]]
OPERATORS: dict[str, Operator] = {}


def _operator(function: Operator) -> Operator:
    OPERATORS[function.__name__.strip("_")] = function
    return function


def _with(node: ast.AST, **fields: object) -> ast.AST:
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def _number(value: int) -> ast.expr:
    return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))


def _not(node: ast.expr) -> ast.expr:
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return node.operand if is_not else ast.UnaryOp(ast.Not(), node)


def _same(one: ast.AST, other: ast.AST) -> bool:
    return ast.dump(one) == ast.dump(other)


def _is_text(node: ast.AST) -> bool:
    texts = (ast.JoinedStr, ast.List, ast.ListComp, ast.Tuple, ast.Dict)
    return isinstance(node, texts) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


@_operator
def constant(site: Site) -> Iterator[ast.AST]:
    """A number off by one, an inverted truth value."""
    node = site.node
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield ast.Constant(not node.value)
        elif isinstance(node.value, int):
            yield _number(node.value + 1)
            yield _number(node.value - 1)


_OPPOSITE = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_BOUNDARY = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


def _compared_by(node: ast.Compare, k: int, by: type[ast.cmpop]) -> ast.AST:
    return _with(node, ops=[by() if j == k else op for j, op in enumerate(node.ops)])


@_operator
def comparison(site: Site) -> Iterator[ast.AST]:
    """The opposite comparison."""
    if isinstance(site.node, ast.Compare):
        for k, op in enumerate(site.node.ops):
            yield _compared_by(site.node, k, _OPPOSITE[type(op)])


@_operator
def boundary(site: Site) -> Iterator[ast.AST]:
    """The equal case on the wrong side."""
    if isinstance(site.node, ast.Compare):
        for k, op in enumerate(site.node.ops):
            if type(op) in _BOUNDARY:
                yield _compared_by(site.node, k, _BOUNDARY[type(op)])


@_operator
def connector(site: Site) -> Iterator[ast.AST]:
    """`and` for `or`, `or` for `and`."""
    if isinstance(site.node, ast.BoolOp):
        yield _with(site.node, op=ast.Or() if isinstance(site.node.op, ast.And) else ast.And())


@_operator
def operand(site: Site) -> Iterator[ast.AST]:
    """One of several conditions, summands or sets forgotten."""
    node = site.node
    if isinstance(node, ast.BoolOp):
        for k in range(len(node.values)):
            left = [value for j, value in enumerate(node.values) if j != k]
            yield _with(node, values=left) if len(left) > 1 else left[0]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.BitAnd, ast.BitOr)):
        if not _is_text(node.left) and not _is_text(node.right):
            yield node.left
            yield node.right
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Sub, ast.Mult)) and not _is_text(node.left):
        yield node.left


def _is_condition(site: Site) -> bool:
    tested = site.field == "test" and isinstance(site.parent, (ast.If, ast.IfExp, ast.While))
    return tested or (site.field == "ifs" and isinstance(site.parent, ast.comprehension))


@_operator
def negation(site: Site) -> Iterator[ast.AST]:
    """An inverted condition. (:func:`comparison` inverts a single comparison.)"""
    if _is_condition(site) and not (isinstance(site.node, ast.Compare) and len(site.node.ops) == 1):
        yield _not(site.node)
    elif isinstance(site.node, ast.UnaryOp) and isinstance(site.node.op, ast.Not):
        yield site.node.operand


@_operator
def condition(site: Site) -> Iterator[ast.AST]:
    """A condition forgotten: always true, never true."""
    if _is_condition(site) and not isinstance(site.node, ast.Constant):
        if not isinstance(site.parent, ast.While):
            yield ast.Constant(True)
        yield ast.Constant(False)


_ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
}  # fmt: skip


@_operator
def arithmetic(site: Site) -> Iterator[ast.AST]:
    """The wrong operation; a sign or complement forgotten."""
    node = site.node
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        if not _is_text(node.left) and not _is_text(node.right):
            yield _with(node, op=_ARITHMETIC[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Invert)):
        yield node.operand


@_operator
def assignment(site: Site) -> Iterator[ast.AST]:
    """An augmented assignment with the wrong operation, or a plain one in its place."""
    node = site.node
    if isinstance(node, ast.AugAssign) and not _is_text(node.value):
        if type(node.op) in _ARITHMETIC:
            yield _with(node, op=_ARITHMETIC[type(node.op)]())
        yield ast.Assign([node.target], node.value, lineno=node.lineno)


def _bound(function: ast.FunctionDef) -> list[tuple[int, str]]:
    """(line, name) of every binding of a local name, the parameters first."""
    found = [(0, argument.arg) for argument in function.args.args]
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.append((node.lineno, node.id))
    return sorted(found)


@_operator
def statement(site: Site) -> Iterator[ast.AST]:
    """A statement forgotten. (Not the first binding of a name: nothing works without it.)"""
    node = site.node
    if isinstance(node, (ast.AugAssign, ast.Delete)):
        yield ast.Pass()
    elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
        yield ast.Pass()
    elif isinstance(node, ast.Assign):
        names = [part.id for target in node.targets for part in ast.walk(target) if _is_stored(part)]
        before = _bound_before(site)
        if all(name in before for name in names):
            yield ast.Pass()


def _bound_before(site: Site) -> set[str]:
    """Local names bound above a statement."""
    if site.function is None:
        return set()
    return {name for line, name in site.about(_bound, site.function) if line < site.statement.lineno}


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


@_operator
def jump(site: Site) -> Iterator[ast.AST]:
    """`break`, `continue` or a bare `return` forgotten; `break` and `continue` exchanged."""
    if isinstance(site.node, (ast.Break, ast.Continue)):
        yield ast.Continue() if isinstance(site.node, ast.Break) else ast.Break()
        yield ast.Pass()
    elif isinstance(site.node, ast.Return) and site.node.value is None:
        yield ast.Pass()


@_operator
def returned(site: Site) -> Iterator[ast.AST]:
    """Another value returned: the opposite, zero, one more."""
    if isinstance(site.node, ast.Return) and site.node.value is not None:
        value = site.node.value
        if isinstance(value, ast.BoolOp):
            yield ast.Return(_not(value))
        elif isinstance(value, (ast.BinOp, ast.Call, ast.Subscript, ast.Name, ast.Attribute, ast.IfExp)):
            yield ast.Return(ast.Constant(0))
            yield ast.Return(ast.BinOp(value, ast.Add(), ast.Constant(1)))


@_operator
def bounds(site: Site) -> Iterator[ast.AST]:
    """A range one shorter, at its start or its end. (:func:`constant` changes constant bounds.)"""
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        for k in (1, 0) if len(node.args) > 1 else (0,):
            if not isinstance(node.args[k], ast.Constant):
                by = ast.Add() if k == 0 and len(node.args) > 1 else ast.Sub()
                short = ast.BinOp(node.args[k], by, ast.Constant(1))
                yield _with(node, args=[short if j == k else argument for j, argument in enumerate(node.args)])


_EXTREMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


@_operator
def extreme(site: Site) -> Iterator[ast.AST]:
    """`max` for `min`, `all` for `any`; one of two limits forgotten."""
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _EXTREMES:
        yield _with(node, func=ast.Name(_EXTREMES[node.func.id], ast.Load()))
        if node.func.id in ("min", "max") and len(node.args) == 2:
            yield from node.args


@_operator
def arguments(site: Site) -> Iterator[ast.AST]:
    """Two neighbouring arguments or indices of the same kind exchanged."""
    node = site.node
    if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in _EXTREMES):
        for new in _exchanged(site, node.args):
            yield _with(node, args=new)
    elif isinstance(node, ast.Tuple) and site.field == "slice":
        for new in _exchanged(site, node.elts):
            yield _with(node, elts=new)


def _exchanged(site: Site, parts: list[ast.expr]) -> Iterator[list[ast.expr]]:
    records = site.about(_records, site.function) if site.function else set()
    for k in range(len(parts) - 1):
        one, other = parts[k], parts[k + 1]
        fits = type(one) is type(other) and not _same(one, other) and not isinstance(one, ast.Starred)
        if fits and not {ast.unparse(one), ast.unparse(other)} & records:
            yield [*parts[:k], other, one, *parts[k + 2 :]]


def _records(function: ast.FunctionDef) -> set[str]:
    """Names of objects that have fields or elements, or are called: not numbers."""
    found = set()
    for node in ast.walk(function):
        base = node.value if isinstance(node, (ast.Attribute, ast.Subscript)) else getattr(node, "func", None)
        if isinstance(base, ast.Name):
            found.add(base.id)
    return found


# ---- names of the same kind
def _kind(chain: list[tuple[ast.AST, Step]], file: str) -> tuple[tuple, str] | None:
    """The family of a name, and the name. A family is the fields of a record with the same index, the constants of a
    module with the same first word and number of indices, or the functions of a module with as many arguments.
    """
    node, (field, _) = chain[-1]
    parent = chain[-2][0]
    called = isinstance(parent, ast.Call) and field == "func"
    is_indexed = isinstance(parent, ast.Subscript) and field == "value"
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        base, name = node.value.id, node.attr
        if called:
            return (base, "()", len(parent.args)), name
        if isinstance(parent, ast.Attribute):  # its shape or size, which others often share
            return None
        if name.isupper():
            numbers = len(getattr(parent.slice, "elts", "1")) if is_indexed else 0
            return (base, name.split("_")[0] if "_" in name else "", numbers), name
        index = ast.unparse(parent.slice) if is_indexed else ""
        return (base, f"[{index}]"), name
    if called and isinstance(node, ast.Name):
        return (file, "()", len(parent.args)), node.id
    return None


def families(sources: dict[str, str]) -> Families:
    """The names of every family, over all sources of a game: {file: text} -> {family: names}."""
    found: dict[tuple, set[str]] = collections.defaultdict(set)
    for file, source in sources.items():
        tree = ast.parse(source)
        own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        imports = [part for node in tree.body if isinstance(node, ast.Import) for part in node.names]
        libraries = {part.asname or part.name for part in imports}
        for site in sites(tree, {}, file):
            if kind := _kind(site.chain, file):
                if kind[1] in own if isinstance(site.node, ast.Name) else kind[0][0] not in libraries:
                    found[kind[0]].add(kind[1])
    return {kind: sorted(names) for kind, names in found.items()}


def _another(names: Iterable[str], name: str, site: Site) -> str | None:
    """Another of the names, always the same one at the same place; adding a name seldom changes it."""
    mark = f"{site.qualname} {site.about(_shown, site.statement)} {name}"
    others = set(names) - {name}
    return min(others, key=lambda other: zlib.crc32(f"{mark} {other}".encode()), default=None)


@_operator
def name(site: Site) -> Iterator[ast.AST]:
    """Another name of the same family."""
    node = site.node
    if kind := _kind(site.chain, site.file):
        if other := _another(site.families.get(kind[0], ()), kind[1], site):
            if isinstance(node, ast.Attribute):
                yield _with(node, attr=other)
            elif kind[1] in site.families[kind[0]]:
                yield _with(node, id=other)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and site.function:
        numbers = _bound_before(site) - site.about(_records, site.function)
        if node.id in numbers and (other := _another(numbers, node.id, site)):
            yield _with(node, id=other)


# ---------------------------------------------------------------- all mutants of a source
@numbered
def mutants(
    file: str, source: str, names: Families, left_out: Callable[[str], bool] = lambda place: False
) -> Iterator[Mutant]:
    """Every mutant of a source file, in the order of the file.

    Args:
        file: relative to the project.
        source: its text.
        names: from :func:`families`.
        left_out: whether to leave a function or module alone, by its place.
    """
    tree = ast.parse(source)
    made: set[tuple] = set()
    for site in sites(tree, names, file):
        if left_out(site.qualname):
            continue
        for operator, function in OPERATORS.items():
            for new in function(site):
                before, after, whole = _around(site, new)
                if before == after or (id(site.statement), whole) in made:
                    continue
                made.add((id(site.statement), whole))
                seeded = functools.partial(replaced, path=site.path, new=new)
                yield Mutant(file, site.qualname, operator, before, after, 1, site.line, seeded)


# ---------------------------------------------------------------- a change given by hand
def by_hand(file: str, source: str, place: str, right: str, wrong: str) -> list[Mutant]:
    """The mutants that replace an expression or statements by other code in a place.

    Args:
        file: relative to the project.
        source: its text.
        place: "function", "module.function", or "module" for a module's own statements.
        right: the code before, in any layout.
        wrong: the code after; "" removes statements.
    """
    old, new = ast.parse(right).body, ast.parse(wrong or "pass").body
    is_expression = len(old) == len(new) == 1 and isinstance(old[0], ast.Expr) and isinstance(new[0], ast.Expr)
    wanted = [ast.dump(part) for part in ([old[0].value] if is_expression else old)]
    before, after = right.strip(), wrong.strip() or "pass"
    found = []
    for site in sites(ast.parse(source), {}, file):
        if place not in (site.qualname, site.qualname.partition(".")[2]):
            continue
        name, index = site.path[-1]
        if is_expression:
            change = new[0].value if ast.dump(site.node) == wanted[0] else None
        else:
            block = getattr(site.parent, name)[index : index + len(old)] if isinstance(site.node, ast.stmt) else []
            change = new if [ast.dump(part) for part in block] == wanted else None
        if change is not None:
            seeded = functools.partial(replaced, path=site.path, new=change, number=len(old))
            found.append(Mutant(file, site.qualname, "by hand", before, after, 1, site.line, seeded))
    return found


def read(project: Path, files: Iterable[Path]) -> dict[str, str]:
    """{file relative to the project: its text}."""
    return {file.relative_to(project).as_posix(): file.read_text(encoding="utf-8") for file in files}
