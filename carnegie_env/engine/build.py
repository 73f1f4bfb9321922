"""Build `carnegie_env._engine`, the library of compiled loops: `python -m carnegie_env.engine.build`.

Numba translates every loop of uses.py, with all that it calls, to LLVM IR, behind a function that takes its arguments
from an array of words. LLVM optimises all of them as one module, once for each variant of the processor, and writes an
object file. A C compiler links these with module.c.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ |= {
    "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0",
    "CARNEGIE_ENGINE": "numba",
}  # fmt: skip

import llvmlite.binding as llvm
import numba
import numpy as np
from numba import carray, types
from numba.core.codegen import _parse_refprune_flags
from numba.extending import intrinsic

from carnegie_env.core import compiling, library, programs
from carnegie_env.engine import uses

HERE = Path(__file__).parent
ARGUMENT = types.CPointer(types.int64)
# By machine, the variants of the code, worst first: the processor's name for LLVM.
LEVELS = {"x86_64": ("x86-64-v2", "x86-64-v3"), "aarch64": ("generic",), "arm64": ("apple-m1",)}


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


def linked(entries: list[Entry]) -> str:
    """All loops as LLVM IR; only the entries can be seen from outside."""
    module = llvm.parse_assembly("")
    for entry in entries:
        for part in entry.translated.library.all():
            own = part.own_module() if isinstance(part, programs.Translation) else part._get_module_for_linking()
            copy = own.clone()
            if part is entry.translated.library:
                copy.get_function(entry.symbol).linkage = llvm.Linkage.external
            module.link_in(copy)
    names = {entry.symbol for entry in entries}
    for thing in (*module.functions, *module.global_variables):
        if not thing.is_declaration and thing.name not in names:
            thing.linkage = llvm.Linkage.internal
    text = str(module)
    for number, entry in enumerate(entries):
        text = text.replace(f'@"{entry.symbol}"', f"@loop_{number}").replace(f"@{entry.symbol}(", f"@loop_{number}(")
    return text


def compiled(text: str, triple: str, processor: str, level: int) -> bytes:
    """An object file of LLVM IR."""
    module = llvm.parse_assembly(text.replace("@loop_", f"@loop{level}_"))
    module.triple = triple
    target = llvm.Target.from_triple(triple)
    machine = target.create_target_machine(cpu=processor, opt=3, reloc="pic", codemodel="default")
    module.data_layout = str(machine.target_data)
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
    code: bytes = machine.emit_object(module)
    return code


def header(entries: list[Entry], known: dict[str, Any], levels: tuple[str, ...]) -> str:
    """entries.h: see module.c."""
    sizes = {"NUM_TYPES": len(known), "NUM_ENTRIES": len(entries), "NUM_LEVELS": len(levels)}
    lines = [f"#define {name} {size}" for name, size in sizes.items()]
    hashes = {"sources": library.sources(), "training_sources": library.training_sources()}
    lines += [f'static const char *{name} = "{digest}";' for name, digest in hashes.items()]
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


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=HERE.parent, help="folder of the library")
    given = parser.parse_args()
    from carnegie_env.carnegie.game import CARNEGIE
    from carnegie_env.steel_driver.game import STEEL_DRIVER

    started = time.time()
    wanted = [*uses.of(CARNEGIE), *uses.of(STEEL_DRIVER), *uses.of_learning()]
    wanted.sort(key=lambda use: (use[0].py_func.__module__, use[0].py_func.__qualname__))
    known: dict[str, Any] = {}
    entries = [Entry(loop, arguments, known) for loop, arguments in wanted]
    print(f"{len(entries)} loops translated in {time.time() - started:.0f} s")
    text = linked(entries)
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple = llvm.get_default_triple()
    levels = LEVELS[triple.partition("-")[0]]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for level, processor in enumerate(levels):
            code = compiled(text, triple, processor, level)
            (folder / f"{processor}.o").write_bytes(code)
            print(f"{processor}: {len(code):,} bytes, {time.time() - started:.0f} s", flush=True)
        (folder / "entries.h").write_text(header(entries, known, levels))
        made = folder / "_engine.abi3.so"
        objects = [str(folder / f"{processor}.o") for processor in levels]
        headers = [f"-I{folder}", f"-I{sysconfig.get_path('include')}"]
        flags = ["-O2", "-fPIC", "-shared", "-s", "-Wall", "-Werror", *headers]
        command = [os.environ.get("CC", "cc"), *flags, str(HERE / "module.c"), *objects, "-lm", "-o", str(made)]
        subprocess.run(command, check=True)
        target = given.out / made.name
        part = target.with_suffix(".part")
        part.write_bytes(made.read_bytes())
        part.replace(target)
    print(f"{target}: {target.stat().st_size:,} bytes, {time.time() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
