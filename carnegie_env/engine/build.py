"""Build `carnegie_env._engine`, the library of compiled loops: `python -m carnegie_env.engine.build`.

Numba translates every loop of uses.py, with all that it calls, to LLVM IR, behind a function that takes its arguments
from an array of words. The IR is the same for all targets. LLVM optimises it, once for each variant of a target's
processor, and writes object files. A C compiler links these with runtime.c and module.c.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

# Numba optimises nothing: that would put this machine's vectors and memory layout into the IR.
os.environ |= {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_OPT": "0", "CARNEGIE_ENGINE": "numba"}

import llvmlite.binding as llvm
import numba
import numpy as np
from numba import carray, types
from numba.core.codegen import _parse_refprune_flags
from numba.extending import intrinsic

from carnegie_env.core import compiling, files, kernels, library, programs, sources
from carnegie_env.engine import uses

HERE = Path(__file__).parent
SOURCES = (HERE / "runtime.c", HERE / "module.c")
ARGUMENT = types.CPointer(types.int64)
ZIG = (sys.executable, "-m", "ziglang", "cc")
# What the loops call in runtime.c.
RUNTIME = re.findall(r"^[a-z][\w *]*?(\w+)\([^;{]*\) \{", (HERE / "runtime.c").read_text(), re.MULTILINE)


class Target(NamedTuple):
    """Where the loops run.

    Attributes:
        triple: its name for LLVM.
        levels: the variants of the code, worst first: the processor's name for LLVM.
        zig: its name for `zig cc`, with the oldest glibc.
        tag: of wheels.
        features: of the processor, for LLVM.
    """

    triple: str
    levels: tuple[str, ...]
    zig: str = ""
    tag: str = ""
    features: str = ""

    @property
    def file(self) -> str:
        """The name of the library."""
        return "_engine.pyd" if "windows" in self.triple else "_engine.abi3.so"


X86_64 = ("x86-64-v2", "x86-64-v3")
TARGETS = {
    "linux-x86_64": Target("x86_64-unknown-linux-gnu", X86_64, "x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64"),
    "linux-aarch64": Target(
        "aarch64-unknown-linux-gnu", ("generic",), "aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64"
    ),
    "macos-x86_64": Target("x86_64-apple-macosx11.0.0", X86_64, "x86_64-macos.11.0", "macosx_11_0_x86_64"),
    "macos-arm64": Target("arm64-apple-macosx11.0.0", ("apple-m1",), "aarch64-macos.11.0", "macosx_11_0_arm64"),
    "windows-x86_64": Target("x86_64-pc-windows-gnu", X86_64, "x86_64-windows-gnu", "win_amd64"),
    "wasm32": Target(
        "wasm32-unknown-unknown", ("generic",),
        features="+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext,+mutable-globals",
    ),
}  # fmt: skip
THIS = f"{sys.platform}-{platform.machine()}".replace("darwin", "macos")  # the target of this machine


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def address(context: Any, word: Any) -> Any:
    """A word as a pointer."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), lower


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def real(context: Any, word: Any) -> Any:
    """The number whose bits are in a word."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(types.float64))

    return types.float64(types.int64), lower


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def bits(context: Any, number: Any) -> Any:
    """A number's bits as a word."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(types.int64))

    return types.int64(types.float64), lower


class Entry:
    """A loop for some types of arguments.

    Args:
        loop: the `jit` function.
        arguments: of these types.
        known: names of dtypes; those of a signature are added.
    """

    def __init__(self, loop: Any, arguments: tuple[Any, ...], known: dict[str, Any]) -> None:
        self.name = f"{loop.py_func.__module__}.{loop.py_func.__qualname__}"
        self._known, self._words, self._lines = known, 0, list[str]()
        self._around: dict[str, Any] = {"_loop": loop, "_address": address, "_real": real, "_bits": bits,
                                        "_carray": carray, "np": np}  # fmt: skip
        kinds = tuple(map(numba.typeof, arguments))
        given, signature = zip(*map(self._take, kinds), strict=True)
        result = loop.translate(tuple(map(programs._widened, kinds))).signature.return_type
        several = list(result.types) if isinstance(result, types.BaseTuple) else [result]
        forms = {types.none: "n", types.boolean: "b", types.float64: "f", types.uint64: "u"}
        letters = "".join(forms.get(kind, "i") for kind in several)
        self.signature = f"{''.join(signature)}>{letters}"
        self._lines.append(f"result = _loop({', '.join(given)})")
        if letters != "n":
            for k, letter in enumerate(letters):
                value = f"result[{k}]" if len(letters) > 1 else "result"
                self._lines.append(f"words[{k}] = {f'_bits({value})' if letter == 'f' else f'np.int64({value})'}")
        source = "\n    ".join(["def entry(words):", *self._lines])
        exec(source, self._around)
        self.translated = compiling.dispatcher(self._around["entry"], {"cache": False}).translate((ARGUMENT,))
        self.symbol = self.translated.fndesc.llvm_func_name

    def _dtype(self, kind: Any) -> tuple[str, str]:
        """The name of a dtype in the code, and its place in the signatures."""
        dtype = numba.np.numpy_support.as_dtype(kind)
        name = library.type_name(dtype)
        self._known.setdefault(name, dtype)
        self._around[f"_{name}"] = dtype
        return f"_{name}", f"{list(self._known).index(name):02d}"

    def _take(self, kind: Any) -> tuple[str, str]:
        """An argument, taken from the words: an expression, and its signature."""
        if isinstance(kind, types.BaseTuple):
            parts = [self._take(part) for part in kind.types]
            name = f"_{kind.instance_class.__name__}{len(self._around)}"
            self._around[name] = kind.instance_class
            return f"{name}({', '.join(part for part, _ in parts)})", f"({''.join(form for _, form in parts)})"
        at, value = self._words, f"a{self._words}"
        if isinstance(kind, types.Array):
            dtype, place = self._dtype(kind.dtype)
            shape = "".join(f"words[{at + 1 + k}], " for k in range(kind.ndim))
            self._words += 1 + kind.ndim
            self._lines.append(f"{value} = _carray(_address(words[{at}]), ({shape}), {dtype})")
            return value, f"A{place}{kind.ndim}{'w' if kind.mutable else 'r'}"
        self._words += 1
        if isinstance(kind, types.Record):
            dtype, place = self._dtype(kind)
            self._lines.append(f"{value} = _carray(_address(words[{at}]), (1,), {dtype})[0]")
            return value, f"G{place}"
        letter, form = {
            types.boolean: ("b", "words[{}] != 0"), types.float64: ("f", "_real(words[{}])"),
            types.uint64: ("u", "np.uint64(words[{}])"),
        }.get(kind, ("i", "words[{}]"))  # fmt: skip
        self._lines.append(f"{value} = {form.format(at)}")
        return value, letter


class Loops:
    """Loops, translated.

    Args:
        wanted: these, as in uses.py; all by default.

    Attributes:
        hashes: of the sources that they come from.
        entries: the loops.
        known: the dtypes of their signatures by name.
        texts: LLVM IR for any target, in which entry k is the function ``loop_k``. The fast loops of kernels.py have a
            text each, because LLVM inlines less of what many loops call; the others share one.
    """

    prefix = ""  # of the names of runtime.c

    def __init__(self, wanted: Iterable[uses.Use] | None = None) -> None:
        # before translating: if sources change meanwhile, the library is outdated
        self.hashes = {"sources": sources.sources(), "training_sources": sources.training_sources()}
        ordered = sorted(
            wanted or uses.all_games(), key=lambda use: (use[0].py_func.__module__, use[0].py_func.__qualname__)
        )
        self.known: dict[str, Any] = {}
        self.entries = [Entry(loop, arguments, self.known) for loop, arguments in ordered]
        shared, groups = dict[int, Entry](), list[dict[int, Entry]]()
        for (number, entry), (loop, _) in zip(enumerate(self.entries), ordered, strict=True):
            if loop.py_func.__module__ == kernels.__name__ and not loop.light:
                groups.append({number: entry})
            else:
                shared[number] = entry
        self.texts = [linked(group) for group in (shared, *groups)]

    def objects(self, folder: Path, target: Target, sanitize: bool = False) -> list[Path]:
        """Object files in a folder; entry k is the function ``loop{level}_{k}``."""
        made = []
        for (number, text), level in itertools.product(enumerate(self.texts), range(len(target.levels))):
            made.append(folder / f"loops{number}_{level}.o")
            named = self.named(text, level)
            made[-1].write_bytes(
                sanitized(named, target, level) if sanitize else compiled(named, target, level, self.prefix)
            )
        return made

    def named(self, text: str, level: int) -> str:
        """A text with the names of a variant."""
        return text.replace("@loop_", f"@loop{level}_")


def linked(entries: dict[int, Entry]) -> str:
    """Loops by their numbers as LLVM IR for any target; only the entries can be seen from outside."""
    module = llvm.parse_assembly("")
    for entry in entries.values():
        for part in entry.translated.library.all():
            own = part.own_module() if isinstance(part, programs.Translation) else part._get_module_for_linking()
            copy = own.clone()
            if part is entry.translated.library:
                copy.get_function(entry.symbol).linkage = llvm.Linkage.external
            module.link_in(copy)
    names = {entry.symbol for entry in entries.values()}
    for thing in (*module.functions, *module.global_variables):
        if not thing.is_declaration and thing.name not in names:
            thing.linkage = llvm.Linkage.internal
    text = re.sub(r"^target .*\n", "", str(module), flags=re.MULTILINE)
    # Numba's own memory management is made for this machine; runtime.c replaces it.
    text = re.sub(r"^define [^\n]*@NRT_\w+\([^\n]*\{\n.*?^\}\n", "", text, flags=re.MULTILINE | re.DOTALL)
    for declaration in ("void @NRT_incref(ptr)", "void @NRT_decref(ptr)", "ptr @NRT_MemInfo_data_fast(ptr)"):
        text += f"declare {declaration}\n"
    text = text.replace("@PyErr_SetString", "@raise_error")  # without the GIL
    text = text.replace("@PyExc_RuntimeError = external global i8", "@PyExc_RuntimeError = internal constant i8 0")
    for number, entry in entries.items():
        text = text.replace(f'@"{entry.symbol}"', f"@loop_{number}").replace(f"@{entry.symbol}(", f"@loop_{number}(")
    return text


def compiled(text: str, target: Target, level: int, prefix: str = "") -> bytes:
    """An object file of a text; ``prefix`` is put before the names of runtime.c."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.levels[level], features=target.features, opt=3, reloc="pic", codemodel="default"
    )
    layout = f'target datalayout = "{machine.target_data}"\ntarget triple = "{target.triple}"\n'
    module = llvm.parse_assembly(layout + text)
    for last in (False, True):  # as Numba does: what counts references goes once everything is inlined
        tuning = llvm.create_pipeline_tuning_options(speed_level=3)
        tuning.loop_vectorization, tuning.slp_vectorization = True, last
        builder = llvm.create_pass_builder(machine, tuning)
        passes = builder.getModulePassManager()
        if not last:
            passes.add_loop_rotate_pass()
            passes.add_instruction_combine_pass()
            passes.add_jump_threading_pass()
        passes.add_refprune_pass(_parse_refprune_flags())
        passes.run(module, builder)
    for function in module.functions:  # only now, because the pass that removes reference counts knows them by name
        if function.name in RUNTIME:
            function.name = prefix + function.name
    code: bytes = machine.emit_object(module)
    return code


def sanitized(text: str, target: Target, level: int) -> bytes:
    """An object file of a text in which AddressSanitizer checks every access to memory."""
    text = re.sub(r"^(define .*) \{$", r"\1 sanitize_address {", text, flags=re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "loops.ll"), Path(folder, "loops.o")
        source.write_text(text)
        flags = [f"-mcpu={target.levels[level].replace('-', '_')}", "-O1", "-fPIC", "-fsanitize=address"]
        run([*ZIG, "-target", target.zig, *flags, "-Wno-override-module", "-c", source, "-o", made])
        return made.read_bytes()


def header(loops: Loops, levels: tuple[str, ...]) -> str:
    """entries.h: see module.c."""
    entries, known = loops.entries, loops.known
    sizes = {"NUM_TYPES": len(known), "NUM_ENTRIES": len(entries), "NUM_LEVELS": len(levels)}
    lines = [f"#define {name} {size}" for name, size in sizes.items()]
    lines += [f'static const char *{name} = "{digest}";' for name, digest in loops.hashes.items()]
    lines.append("static const char *level_names[] = {" + ", ".join(f'"{level}"' for level in levels) + "};")
    lines.append("static const char *type_names[] = {" + ", ".join(f'"{name}"' for name in known) + "};")
    alignments = [dtype.alignment if dtype.fields is None else 8 for dtype in known.values()]
    lines.append("static const int alignments[] = {" + ", ".join(map(str, alignments)) + "};")
    symbols = [[f"loop{level}_{number}" for level in range(len(levels))] for number in range(len(entries))]
    lines += [f"int32_t {name}(void **, void **, int64_t *);" for names in symbols for name in names]
    lines.append("static const struct { const char *name, *signature; loop loops[NUM_LEVELS]; } entries[] = {")
    for entry, names in zip(entries, symbols, strict=True):
        lines.append(f'    {{"{entry.name}", "{entry.signature}", {{{", ".join(names)}}}}},')
    return "\n".join([*lines, "};", ""])


def link(objects: list[Path], folder: Path, target: Target, zig: bool, sanitize: bool) -> Path:
    """The library, in the folder of entries.h: by Zig, or by this machine's compiler."""
    compiler = [*ZIG, "-target", target.zig] if zig else [os.environ.get("CC", "cc")]
    made = folder / target.file
    flags: list[str | Path] = ["-O2", "-shared", "-Wall", "-Werror", "-fsanitize=address" if sanitize else "-s"]
    flags += ["-I", folder, "-I", sysconfig.get_path("include")]
    inputs = [*objects, HERE / "runtime.c"]
    if "linux" in target.triple:
        flags += ["-fPIC"]
        # Everything but Python's own functions, which module.c calls, has to be there.
        run([*compiler, *flags, *inputs, "-Wl,-z,defs", "-lm", "-o", made])
    elif "windows" in target.triple:
        inputs.append(_import_library(folder))
    else:
        flags += ["-undefined", "dynamic_lookup"]
    run([*compiler, *flags, HERE / "module.c", *inputs, "-lm", "-o", made])
    return made


def _import_library(folder: Path) -> Path:
    """What Windows needs to find Python's limited API in python3.dll."""
    from abi3info import DATAS, FUNCTIONS

    names = [symbol.name for symbol in FUNCTIONS] + [f"{symbol.name} DATA" for symbol in DATAS]
    exports, made = folder / "python3.def", folder / "python3.lib"
    exports.write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *names, ""]))
    run([*ZIG[:-1], "dlltool", "-m", "i386:x86-64", "-d", exports, "-l", made])
    return made


def run(command: list[Any]) -> None:
    subprocess.run(list(map(str, command)), check=True)


def build(loops: Loops, name: str, out: Path, zig: bool, sanitize: bool = False) -> Path:
    """The library for a target."""
    target, started = TARGETS[name], time.time()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        objects = loops.objects(folder, target, sanitize)
        (folder / "entries.h").write_text(header(loops, target.levels))
        library = out / target.file
        files.write_whole(library, link(objects, folder, target, zig, sanitize).read_bytes())
    print(f"{library}: {library.stat().st_size:,} bytes in {time.time() - started:.0f} s", flush=True)
    return library


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="all platforms, each in a folder of its tag")
    parser.add_argument("--sanitize", action="store_true", help="build with AddressSanitizer; `make sanitize` uses it")
    given = parser.parse_args()
    started = time.time()
    loops = Loops()
    print(f"{len(loops.entries)} loops translated in {time.time() - started:.0f} s", flush=True)
    if given.all is None:
        build(loops, THIS, HERE.parent, zig=False, sanitize=given.sanitize)
        if not given.sanitize:
            run([sys.executable, "-c", "import carnegie_env._engine"])
        return 0
    for name, target in TARGETS.items():
        if target.tag:
            folder = given.all / target.tag
            folder.mkdir(parents=True, exist_ok=True)
            build(loops, name, folder, zig=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
