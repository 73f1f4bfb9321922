"""Build the C interface to the games: `python -m carnegie_env.engine.c_library`.

The result is `carnegie.h`, a static and a shared library, which need neither Python nor Numba. The loops of
:data:`LOOPS` are translated as in build.py; carnegie.c calls them. The sizes, options, starting records and texts come
from the declarations in Python: `tables.h` is generated.
"""

from __future__ import annotations

import argparse
import inspect
import itertools
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from carnegie_env.engine import build  # first: it sets Numba's options

# isort: split
import dataclasses

import numpy as np

from carnegie_env import __version__
from carnegie_env.agents import evaluation, inputs, search, value
from carnegie_env.carnegie.game import CARNEGIE
from carnegie_env.core import files, kernels
from carnegie_env.core.game import Game
from carnegie_env.engine import uses
from carnegie_env.steel_driver.game import STEEL_DRIVER

C, JAVASCRIPT = Path(__file__).parent / "c", Path(__file__).parent / "javascript"
GAMES = (CARNEGIE, STEEL_DRIVER)
LOOPS: dict[Any, str] = {
    kernels.start: "start", kernels._play: "play", kernels.observe: "observe", kernels.score: "score",
    kernels.redraw_hidden: "redraw_hidden", evaluation.choose: "choose", search.play_futures: "play_futures",
}  # fmt: skip

RECORD_WORDS = -(-max(game.record.itemsize for game in GAMES) // 8)
MOST_SIDES = max(game.score_rows for game in GAMES)
MOST_RANKS = max(len(game.rank_by) for game in GAMES)
# The fields of carnegie_table: name, dtype, number, meaning ("": private).
FIELDS: tuple[tuple[str, str, int, str], ...] = (
    ("game", "i4", 1, "CARNEGIE_GAME_..."),
    ("num_players", "i4", 1, "seats"),
    ("num_sides", "i4", 1, "the seats, then the automatic opponent if there is one"),
    ("num_actions", "i4", 1, "actions are numbered from 0; carnegie_action_text names them"),
    ("num_features", "i4", 1, "floats of an observation"),
    ("record_bytes", "i4", 1, "bytes of a record"),
    ("hides", "i4", 1, "1 if something is hidden from a seat"),
    ("level", "i4", 1, ""),
    ("num_inputs", "i4", 1, ""),
    ("num_insights", "i4", 1, ""),
    ("score_rows", "i4", 1, ""),
    ("score_columns", "i4", 1, ""),
    ("num_ranks", "i4", 1, ""),
    ("rank_columns", "i4", MOST_RANKS, ""),
    ("side_rows", "i4", MOST_SIDES, ""),
    ("players_at", "i4", 1, ""),
    ("to_play_at", "i4", 1, ""),
    ("decisions_at", "i4", 1, ""),
    ("legal_at", "i4", 1, ""),
    ("score_unit", "f8", 1, ""),
    ("margin_unit", "f8", 1, ""),
    ("search_noise", "f8", 1, ""),
    ("network", "u8", 1, ""),
    ("start", "u8", RECORD_WORDS, ""),
)
TABLE = np.dtype([(name, kind, (number,)) for name, kind, number, _ in FIELDS], align=True)
TYPES = {"i4": "int32_t", "f8": "double", "u8": "uint64_t"}


# ---------------------------------------------------------------- tables
def table(game: Game, options: Any) -> np.ndarray:
    """The carnegie_table of a game with these options, uint8."""
    made = np.zeros(1, TABLE)
    sides = game.sides(options)
    fields = game.record.fields
    assert fields is not None
    values = {
        "game": GAMES.index(game),
        "num_players": options.num_players,
        "num_sides": len(sides),
        "num_actions": game.num_actions(options),
        "num_features": game.layout(options).size,
        "record_bytes": game.record.itemsize,
        "hides": game.hides(options),
        "num_inputs": inputs.size(game, options),
        "num_insights": len(game.insights),
        "score_rows": game.score_rows,
        "score_columns": len(game.score_columns),
        "num_ranks": len(game.rank_columns),
        "rank_columns": game.rank_columns,
        "side_rows": sides,
        "players_at": fields["num_players"][1],
        "to_play_at": fields["to_play"][1],
        "decisions_at": fields["decisions"][1],
        "legal_at": fields["legal"][1],
        "score_unit": inputs.score_unit(game),
        "margin_unit": inputs.margin_unit(game),
        "search_noise": search.NOISE * game.dense_unit / 100,
        "network": int(value.meaning(game, options), 16),
    }
    for name, number in values.items():
        numbers = np.atleast_1d(number)
        made[name][0, : len(numbers)] = numbers
    made["start"].view(np.uint8)[0, : game.record.itemsize] = game.template(options).view(np.uint8)
    return made.view(np.uint8)


def allowed(game: Game, players: int) -> dict[str, tuple[Any, ...]]:
    """The values of each option except ``num_players`` at a table of this size, the default first."""
    named = game.options.choices(solo=players == 1)
    found = {}
    for field in dataclasses.fields(game.options):
        if field.name == "num_players":
            continue
        default = getattr(game.options.from_dict({"num_players": players}), field.name)
        tried = named.get(field.name) or (False, True)
        ordered = [each for each in (default, *tried) if each is not None]
        fitting = [each for each in dict.fromkeys(ordered) if _fits(game, {"num_players": players, field.name: each})]
        if len(fitting) > 1 or default is not None:
            found[field.name] = tuple(fitting)
    return found


def _fits(game: Game, options: dict[str, Any]) -> bool:
    try:
        game.options.from_dict(options)
    except ValueError:
        return False
    return True


class Kind:
    """The tables of a game for a number of players: the default options, and what each value of an option changes.

    Args:
        game, players: which.

    Raises:
        RuntimeError: the options don't act independently of each other.
    """

    def __init__(self, game: Game, players: int) -> None:
        self.values = allowed(game, players)
        self.base = table(game, game.options.from_dict({"num_players": players}))
        self.changes: dict[tuple[str, Any], list[tuple[int, int, int]]] = {}  # place, bits that change, new bits
        for name, values in self.values.items():
            for each in values:
                made = table(game, game.options.from_dict({"num_players": players, name: each}))
                places = np.flatnonzero(made != self.base).tolist()
                self.changes[name, each] = [(k, int(made[k] ^ self.base[k]), int(made[k])) for k in places]
        for chosen in itertools.product(*self.values.values()):
            options = dict(zip(self.values, chosen, strict=True))
            made = self.base.copy()
            for change in options.items():
                for place, bits, new in self.changes[change]:
                    made[place] = (int(made[place]) & ~bits) | (new & bits)
            if (made != table(game, game.options.from_dict({"num_players": players, **options}))).any():
                raise RuntimeError(f"{game.name}: {options} is more than the sum of these options")


def _text(word: Any) -> str:
    return str(word).lower() if isinstance(word, bool) else str(word)


def tables() -> Iterator[str]:
    """The lines of tables.h about the games."""
    texts = [f"    {{{', '.join(_quoted(text) for text in game.texts)}}}," for game in GAMES]
    most = max(len(game.texts) for game in GAMES)
    yield f"static const int num_texts[] = {{{', '.join(str(len(game.texts)) for game in GAMES)}}};"
    yield from (f"static const char *const texts[][{most}] = {{", *texts, "};")
    changes: list[tuple[int, int, int]] = []
    kinds, values, images = list[str](), list[str](), list[str]()
    for number, game in enumerate(GAMES):
        for players in range(game.seats[0], game.seats[1] + 1):
            kind, modules = Kind(game, players), game.options.choices(solo=players == 1).get("modules", ())
            first = len(values)
            for name, words in kind.values.items():
                for word in words:
                    made = kind.changes[name, word]
                    in_modules = int(word is True and name in modules)
                    values.append(
                        f'    {{"{name}", "{_text(word)}", {in_modules}, {len(changes)}, {len(changes) + len(made)}}},'
                    )
                    changes += made
            kinds.append(f"    {{{number}, {players}, {first}, {len(values)}}},")
            images.append("    {" + ",".join(map(str, kind.base.tolist())) + "},")
    yield from ("static const change changes[] = {", *(f"    {{{a}, {b}, {c}}}," for a, b, c in changes), "};")
    yield from ("static const option_value option_values[] = {", *values, "};")
    yield from ("static const kind kinds[] = {", *kinds, "};")
    yield from (f"static const uint8_t images[][{TABLE.itemsize}] = {{", *images, "};")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# ---------------------------------------------------------------- loops
def words(loop: Any, arguments: tuple[Any, ...]) -> list[str]:
    """The names of the words that a loop takes its arguments from; see build.Entry."""
    found: list[str] = []

    def walk(name: str, given: Any) -> None:
        if isinstance(given, np.ndarray):
            found.extend([name, *(f"{name}_{k}" for k in range(given.ndim))])
        elif isinstance(given, tuple):
            for field, part in zip(given._fields, given, strict=True):  # type: ignore[attr-defined]  # a NamedTuple
                walk(f"{name}_{field}", part)
        else:
            found.append(name)

    for name, given in zip(inspect.signature(loop.py_func).parameters, arguments, strict=True):
        walk(name, given)
    return found


class CLoops(build.Loops):
    """The loops of the C interface."""

    prefix = "carnegie_"

    def __init__(self) -> None:
        wanted = [use for game in GAMES for use in uses.of(game) if use[0] in LOOPS]
        super().__init__(wanted)
        self._structs, self._places = dict[str, list[str]](), dict[str, list[int]]()
        names = {f"{loop.py_func.__module__}.{loop.py_func.__qualname__}": name for loop, name in LOOPS.items()}
        for place, entry in enumerate(self.entries):  # those of one loop are in the order of the games
            self._places.setdefault(names[entry.name], []).append(place)
        for loop, arguments in wanted:
            name, found = LOOPS[loop], words(loop, arguments)
            if self._structs.setdefault(name, found) != found:
                raise RuntimeError(f"{name} has different arguments in different games")

    def declarations(self, levels: int) -> Iterator[str]:
        """The lines of tables.h about the loops."""
        yield f"enum {{ NUM_LEVELS = {levels} }};"
        for place, level in itertools.product(range(len(self.entries)), range(levels)):
            yield f"int32_t carnegie_loop{level}_{place}(void **, void **, int64_t *);"
        for name, found in self._structs.items():
            yield f"typedef struct {{ int64_t {', '.join(found)}; }} {name}_words;"
            symbols = [
                "{" + ", ".join(f"carnegie_loop{level}_{place}" for level in range(levels)) + "}"
                for place in self._places[name]
            ]
            yield f"static const loop {name}_loops[][NUM_LEVELS] = {{{', '.join(symbols)}}};"

    def named(self, text: str, level: int) -> str:
        """With all names beginning with `carnegie_`; a shared library does not export them."""
        text = re.sub(r"^define (?=[^\n]*@loop_\d)", "define hidden ", text, flags=re.MULTILINE)
        return text.replace("@loop_", f"@carnegie_loop{level}_")


# ---------------------------------------------------------------- the header
def header(loops: CLoops) -> str:
    """carnegie.h."""
    constants = {f"CARNEGIE_GAME_{game.name.upper()}": number for number, game in enumerate(GAMES)}
    lines = [f"enum {{ {', '.join(f'{name} = {number}' for name, number in constants.items())} }}; /* games */"]
    sizes = {
        "RECORD_WORDS": RECORD_WORDS,
        "MOST_PLAYERS": max(game.seats[1] for game in GAMES),
        "MOST_SIDES": MOST_SIDES,
        "MOST_ACTIONS": max(len(game.texts) for game in GAMES),
        "MOST_FEATURES": max(
            game.layout(game.options.from_dict(options)).size for game in GAMES for options in game.variants
        ),
    }
    lines += [f"#define CARNEGIE_{name} {number}" for name, number in sizes.items()]
    sizes_of = {name: f"[{number}]" if number > 1 else "" for name, _, number, _ in FIELDS}
    struct = ["typedef struct carnegie_table {"]
    for name, kind, _, meaning in FIELDS:
        struct.append(f"    {TYPES[kind]} {name}{sizes_of[name]};" + (f" /* {meaning} */" if meaning else ""))
    values = {
        "VERSION": __version__, "SOURCES": loops.hashes["sources"][:16], "CONSTANTS": "\n".join(lines),
        "TABLE": "\n".join([*struct, "} carnegie_table;"]), "CANDIDATES": search.CANDIDATES, "DEPTH": search.DEPTH,
        "MOST_DRAWS": value.MOST_DRAWS, "DRAWS": value.DRAWS,
    }  # fmt: skip
    text = (C / "carnegie.h.in").read_text()
    for name, each in values.items():
        text = text.replace(f"@{name}@", str(each))
    return text


def private_header(loops: CLoops, levels: int) -> str:
    """tables.h: see carnegie.c."""
    sizes = {
        "DRAWS": value.DRAWS, "MOST_DRAWS": value.MOST_DRAWS, "CANDIDATES": search.CANDIDATES, "DEPTH": search.DEPTH,
        "GROUP": search.GROUP, "AT_ONCE": search.AT_ONCE, "WIDTH": search.WIDTH, "GIVEN_WIDTH": search.GIVEN_WIDTH,
        "PER_DECISION": search.PER_DECISION, "PER_MS": search.PER_MS, "LARGEST_UNITS": value.LARGEST_UNITS,
        "RANKS": evaluation.RANKS,
        "NUM_GAMES": len(GAMES), "MOST_SCORES": max(game.score_rows * len(game.score_columns) for game in GAMES),
    }  # fmt: skip
    lines = [f"enum {{ {', '.join(f'{name} = {number}' for name, number in sizes.items())} }};"]
    names = ", ".join(f'"{game.name}"' for game in GAMES)
    lines.append(f"static const char *const game_names[] = {{{names}}};")
    players = ", ".join(str(game.options.from_dict({}).num_players) for game in GAMES)
    lines.append(f"static const int default_players[] = {{{players}}};")
    lines.append(f"#define PRIOR {search.PRIOR}")
    lines.append(f"#define FIRST_SHARE {search.FIRST}")
    lines.append(f"#define SPARE {search.SPARE}")
    lines.append(f"#define LARGEST_WEIGHT {value.LARGEST_WEIGHT:.1f}f")
    return "\n".join([*lines, *tables(), *loops.declarations(levels), ""])


# ---------------------------------------------------------------- the libraries
def build_native(folder: Path, loops: CLoops, out: Path) -> None:
    """carnegie.h, a static and a shared library for this machine, by its C compiler ($CC)."""
    target = build.TARGETS[build.THIS]
    objects = loops.objects(folder, target)
    write_headers(folder, loops, len(target.levels))
    compiler = os.environ.get("CC", "cc")
    flags = ["-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror", f"-I{folder}"]
    for source in (C / "carnegie.c", build.HERE / "runtime.c"):
        objects.append(folder / f"{source.stem}.o")
        build.run([compiler, *flags, "-include", folder / "names.h", "-c", source, "-o", objects[-1]])
    build.run([os.environ.get("AR", "ar"), "rcs", folder / "libcarnegie.a", *objects])
    shared = folder / ("libcarnegie.dylib" if sys.platform == "darwin" else "libcarnegie.so")
    build.run([compiler, "-shared", "-s", *objects, "-lm", "-o", shared])
    deliver([folder / "carnegie.h", folder / "libcarnegie.a", shared], out)


def build_wasm(folder: Path, loops: CLoops, out: Path) -> None:
    """engine.wasm and the JavaScript module, by the compiler in the package ziglang."""
    target = build.TARGETS["wasm32"]
    objects = loops.objects(folder, target)
    write_headers(folder, loops, 1)
    flags = ["-target", "wasm32-wasi", "-mexec-model=reactor", "-std=c11", "-Os", "-Wall", "-Wextra", "-Werror"]
    flags += [f"-m{feature[1:]}" for feature in target.features.split(",")]
    link = ["-Wl,--strip-all,--gc-sections,-z,stack-size=262144", "-Wl,--export=malloc", "-Wl,--export=free"]
    link += [f"-Wl,--export={name}" for name in functions()]
    parts = [C / "carnegie.c", build.HERE / "runtime.c", *objects]
    made = folder / "engine.wasm"
    around = ["-include", folder / "names.h", f"-I{folder}"]
    build.run([*build.ZIG, *flags, *around, *link, *parts, "-o", made])
    exports = {".": {"types": "./carnegie.d.mts", "default": "./carnegie.mjs"}}
    package = {"name": "carnegie-env", "version": __version__, "license": "MIT", "type": "module", "exports": exports}
    package["sources"] = loops.hashes["sources"][:16]
    (folder / "package.json").write_text(json.dumps(package, indent=2) + "\n")
    deliver([made, folder / "package.json", *sorted(JAVASCRIPT.iterdir())], out)


def functions() -> list[str]:
    """The names of the functions in carnegie.h."""
    return re.findall(r"^CARNEGIE_API [^(]*?(\w+)\(", (C / "carnegie.h.in").read_text(), re.MULTILINE)


def write_headers(folder: Path, loops: CLoops, levels: int) -> None:
    """carnegie.h, tables.h, and names.h, by which runtime.c's names also begin with `carnegie_`."""
    (folder / "carnegie.h").write_text(header(loops))
    (folder / "tables.h").write_text(private_header(loops, levels))
    (folder / "names.h").write_text("".join(f"#define {name} carnegie_{name}\n" for name in build.RUNTIME))


def deliver(made: list[Path], out: Path) -> None:
    """Copy files into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    for file in made:
        files.write_whole(out / file.name, file.read_bytes())
        print(f"{out / file.name}: {file.stat().st_size:,} bytes")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, help="folder of the header and the libraries")
    parser.add_argument("--wasm", type=Path, help="folder of engine.wasm and the JavaScript module")
    given = parser.parse_args()
    if given.out is None and given.wasm is None:
        parser.error("give --out or --wasm or both")
    loops = CLoops()
    for make, out in ((build_native, given.out), (build_wasm, given.wasm)):
        if out is not None:
            with tempfile.TemporaryDirectory() as name:
                make(Path(name), loops, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
