"""Whole programs: a `jit` function and everything it calls, compiled at once.

Numba optimises and compiles each function together with everything it calls, then does the same for its caller, five
levels deep. The innermost functions are optimised five times, and hardly any of that code ever runs. Here a function
called by another one is only *translated* to LLVM IR: Numba's type inference and lowering, without optimisation. A
function called from Python is an *entry point*: its translation and those of its callees are linked into one module,
the *program*, which is optimised and compiled once. cache.py stores programs, and translations for later programs.

This is the only module that relies on Numba's internals, so compiling.py imports it only with tested versions: the
steps and the ``_final_module`` of `JITCodeLibrary`, the compiler and the data models of types, the dispatcher's hooks
for calls from compiled code (``get_call_template``, ``overloads``), the names of environments and CPython wrappers, and
the symbol table of the execution engine (``_engine._defined_symbols``).
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any

import llvmlite.binding as llvm
from numba.core import compiler, errors, registry, serialize, sigutils, types, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.datamodel import register_default
from numba.core.datamodel.models import OpaqueModel
from numba.core.environment import Environment, lookup_environment
from numba.core.imputils import lower_constant
from numba.core.runtime import rtsys

from carnegie_env.core import cache, progress

made = {"translations": 0, "programs": 0}  # compiled by this process, not loaded from files
_ENVIRONMENT = "_ZN08NumbaEnv"  # Numba's prefix for the name of a function's environment


class Translation(JITCodeLibrary):  # type: ignore[misc]  # Numba has no types
    """A function and its callees as LLVM IR, not optimised. It is never run on its own."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.function: tuple[str, str, Any] = ("", name, ())  # module, name there, argument types
        self.symbol = ""  # its name in its callers' code, which depends on the process that makes it
        self.lasting = False  # whether it can be stored in a file

    def add_llvm_module(self, module: Any) -> None:
        """Only link: Numba would optimise each function here."""
        self._final_module.link_in(module)

    def finalize(self) -> None:
        """Only finish: Numba would optimise and compile everything here."""
        self._finalize_dynamic_globals()
        self._finalized = True

    def own_module(self) -> Any:
        """The function alone, to be linked with what it calls."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """The function with everything it calls, for callers compiled by `numba.njit`."""
        module = self.own_module().clone()
        for part in self.all():
            if part is not self:
                own = part.own_module() if isinstance(part, Translation) else part._get_module_for_linking()
                module.link_in(own, preserve=True)
        return module

    def all(self) -> Iterator[Any]:
        """This library and all libraries that its code calls, directly or indirectly; each once."""
        found: dict[Any, None] = {self: None}
        waiting = [self]
        while waiting:
            for library in waiting.pop()._linking_libraries:
                if library not in found:
                    found[library] = None
                    if isinstance(library, Translation):
                        waiting.append(library)
        return iter(found)


class _Program(JITCodeLibrary):  # type: ignore[misc]  # Numba has no types
    """The machine code of an entry point."""

    light = False  # optimise only lightly

    def _optimize_final_module(self) -> None:
        """Optimise; everything but the entry point's wrapper may be inlined and dropped."""
        wrappers = "_ZN7cpython"
        for function in self._final_module.functions:
            if not function.is_declaration and not function.name.startswith(wrappers):
                function.linkage = llvm.Linkage.internal
        if not self.light:
            super()._optimize_final_module()
            return
        passes, builder = self._codegen._module_pass_manager(opt=1, loop_vectorize=False, slp_vectorize=False)
        passes.run(self._final_module, builder)

    def object_code(self) -> tuple[bytes, list[str]]:
        """The machine code, and the names defined in it."""
        self._ensure_finalized()
        symbols = (*self._final_module.functions, *self._final_module.global_variables)
        return self._get_compiled_object(), [symbol.name for symbol in symbols if not symbol.is_declaration]

    @classmethod
    def of(cls, codegen: Any, name: str, code: bytes, names: list[str]) -> _Program:
        """Create a program from stored machine code."""
        self = cls(codegen, name)
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._finalize_final_module()
        codegen._engine._defined_symbols.update(names)
        return self

    def environments(self) -> list[Any]:
        """The environments of the functions inside, without functions that Numba made for array expressions.

        Those have no module, so their environments could not be loaded from a file, and no constants.
        """
        names = [variable.name for variable in self._final_module.global_variables]
        found = [lookup_environment(name) for name in names if name.startswith(_ENVIRONMENT)]
        return [environment for environment in found if environment is not None and environment.can_cache()]


class _FunctionType(types.Dispatcher):
    """The type of a `jit` function in compiled code, without a value; Numba's own type has an address."""


register_default(_FunctionType)(OpaqueModel)


@lower_constant(_FunctionType)  # type: ignore[untyped-decorator]  # Numba has no types
def _no_value(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()


def _widened(kind: Any) -> Any:
    """Pass signed integers as int64, the type of every computation with them: one translation is enough."""
    narrow = kind in (types.int8, types.int16, types.int32) or isinstance(kind, types.IntegerLiteral)
    return types.int64 if narrow else kind


class Dispatcher(registry.CPUDispatcher):  # type: ignore[misc]  # Numba has no types
    """A `jit` function: Numba's dispatcher with translations and programs.

    ``overloads`` has the translations by argument types; their ``entry_point`` is only a name.

    Args:
        py_func: the plain Python function.
        targetoptions: Numba's options.
        store: the function's files; None if it can't have any.
        light: optimise its programs only lightly.
    """

    def __init__(
        self, py_func: Any, targetoptions: Any, store: cache.FunctionStore | None = None, light: bool = False
    ) -> None:
        super().__init__(py_func, {}, {"nopython": True, "boundscheck": None, **targetoptions})
        self._type = _FunctionType(self)
        self.typingctx._remove_global(self)
        self.typingctx.insert_global(self, self._type)
        self._store = store
        self._programs: dict[Any, Any] = {}
        self.light = light

    @property
    def _numba_type_(self) -> Any:
        return self._type

    def compile(self, sig: Any) -> Any:
        """The compiled function for these types, for calls from Python."""
        args, _ = sigutils.normalize_signature(sig)
        args = tuple(args)
        with global_compiler_lock:
            if args not in self._programs:
                if not self._can_compile:
                    raise RuntimeError("compilation disabled")
                self._programs[args] = self._load_program(args) or self._load_or_make_program(args)
                self._insert([kind._code for kind in args], self._programs[args], False)
            return self._programs[args]

    def is_ready(self, *arguments: Any) -> bool:
        """Whether a call from Python with these arguments needs no compiling, at most loading a file."""
        args = tuple(self.typeof_pyval(argument) for argument in arguments)
        return args in self._programs or (self._store is not None and self._store.has("program", args))

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The type of a call from another compiled function, for which this function is only translated."""
        pysig, args = self._compiler.fold_argument_types(args, kws)
        args = tuple(_widened(kind) for kind in args)
        with global_compiler_lock:
            if self._can_compile:
                self.translate(tuple(args))
        name = self.py_func.__name__
        template = typing.make_concrete_template(f"CallTemplate({name})", key=name, signatures=self.nopython_signatures)
        return template, pysig, args, {}

    # ---- translations
    def translate(self, args: Any) -> Any:
        """The translation for these types, Numba's CompileResult; loaded from its file or made."""
        known = self.overloads.get(args)
        if known is not None:
            return known
        self.targetctx.refresh()
        result = self._load_translation(args) or self._make_translation(args)
        self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.overloads[args] = result
        return result

    def _new_translation(self, args: Any) -> Translation:
        library = Translation(self.targetctx.codegen(), self.py_func.__qualname__)
        library.function = (self.py_func.__module__, self.py_func.__qualname__, args)
        return library

    def _make_translation(self, args: Any) -> Any:
        library = self._new_translation(args)
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        with self._compiling_counter:
            try:
                result = compiler.compile_extra(
                    self.typingctx, self.targetctx, self.py_func, args, None, flags, self.locals, library=library
                )
            except errors.ForceLiteralArg as error:
                raise error.bind_fold_arguments(lambda *given: self._compiler.fold_argument_types(*given)[1]) from None
        library.finalize()
        library.symbol = result.fndesc.mangled_name
        made["translations"] += 1
        self._cache_misses[args] += 1
        result.fndesc.typemap = result.fndesc.calltypes = None
        called = [part for part in library._linking_libraries if isinstance(part, Translation)]
        if self._store is not None and not library.has_dynamic_globals and all(part.lasting for part in called):
            library.lasting = True
            self._store.save("translation", args, lambda: _packed(result))
        return result._replace(entry_point=library, type_annotation=None, metadata=None)

    def _load_translation(self, args: Any) -> Any:
        kept = self._store and self._store.load("translation", args)
        if not kept:
            return None
        code, called, fndesc, environment, signature = kept
        parts = []
        for (module, name, kinds), symbol in called:
            dispatcher = importlib.import_module(module)
            for part in name.split("."):
                dispatcher = getattr(dispatcher, part)
            dispatcher = getattr(dispatcher, "compiled", dispatcher)
            parts.append(dispatcher.translate(kinds).library)
            if parts[-1].symbol != symbol:  # made by another process at the same time: this code calls a missing name
                return None
        library = self._new_translation(args)
        library.symbol = fndesc.mangled_name
        library.lasting = True
        library._final_module = llvm.parse_bitcode(code)
        library.finalize()
        for part in (rtsys.library, *parts):
            library.add_linking_library(part)
        self._cache_hits[args] += 1
        return compiler.compile_result(
            typing_context=self.typingctx, target_context=self.targetctx, entry_point=library, library=library,
            signature=signature, objectmode=False, lifted=(), fndesc=fndesc, environment=environment, reload_init=[],
        )  # fmt: skip

    # ---- programs
    def _load_or_make_program(self, args: Any) -> Any:
        """Make a program, or load it after another process has made it."""
        alone = contextlib.nullcontext() if self._store is None else self._store.alone(args)
        with progress.compiling(cache.kept_in), alone:
            return self._load_program(args) or self._make_program(args)

    def _make_program(self, args: Any) -> Any:
        result = self.translate(args)
        library = _Program(self.targetctx.codegen(), self.py_func.__qualname__)
        library.light = self.light
        library.enable_object_caching()
        release = bool(self.targetoptions.get("nogil"))
        self.targetctx.create_cpython_wrapper(library, result.fndesc, result.environment, None, release_gil=release)
        for part in result.library.all():
            if isinstance(part, Translation):
                library._final_module.link_in(part.own_module(), preserve=True)
            else:
                library.add_linking_library(part)
        program = self._executable(library, result.fndesc, result.environment, library.environments())
        made["programs"] += 1
        if self._store is not None and result.library.lasting:
            called = {part.function[0] for part in result.library.all() if isinstance(part, Translation)}
            self._store.save(
                "program",
                args,
                lambda: serialize.dumps(
                    (library.object_code(), result.fndesc, library.environments(), cache.outside(called))
                ),
            )
        return program

    def _load_program(self, args: Any) -> Any:
        kept = self._store and self._store.load("program", args)
        if not kept:
            return None
        (code, names), fndesc, environments, sources = kept
        if cache.outside(sources) != sources:  # this code contains a function of another package that was edited
            return None
        self.targetctx.refresh()
        library = _Program.of(self.targetctx.codegen(), self.py_func.__qualname__, code, names)
        self._cache_hits[args] += 1
        return self._executable(library, fndesc, Environment.from_fndesc(fndesc), environments)

    def _executable(self, library: Any, fndesc: Any, environment: Any, environments: list[Any]) -> Any:
        program = self.targetctx.get_executable(library, fndesc, environment)
        for inner in environments:
            library.codegen.set_env(inner.env_name, inner)
        return program


class Chosen:
    """A function that in compiled code calls another `jit` function, chosen by the dtype of the record argument.

    Args:
        call: the same in plain Python.
        find: argument types, the record's first -> `jit` function; a TypingError if there is none.
    """

    is_compiling = False  # Numba asks because of recursion; the functions themselves know

    def __init__(self, call: Callable[..., Any], find: Callable[[Any], Dispatcher]) -> None:
        self.call, self.find = call, find
        self._type: Any = _FunctionType(self)  # type: ignore[arg-type]  # it has everything that Numba uses
        registry.cpu_target.typing_context.insert_global(self, self._type)

    @property
    def _numba_type_(self) -> Any:
        return self._type

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The type of a call."""
        return self.find(args).get_call_template(args, kws)

    def get_overload(self, args: Any) -> Any:
        """The function that a call calls."""
        return self.find(args).get_overload(args)

    def __call__(self, game: Any, *arguments: Any) -> Any:
        return self.call(game, *arguments)


def _packed(result: Any) -> bytes:
    """A translation for its file: with the code of Numba's own functions, without other translations that it calls."""
    library, called = result.library, []
    module = library.own_module().clone()
    for part in library._linking_libraries:
        if isinstance(part, Translation):
            called.append((part.function, part.symbol))
        elif part is not rtsys.library:
            module.link_in(part._get_module_for_linking(), preserve=True)
    kept: bytes = serialize.dumps((module.as_bitcode(), called, result.fndesc, result.environment, result.signature))
    return kept
