"""How `jit` functions become machine code: whole programs, one for each function that Python calls.

Numba optimises every function by itself, with all that it calls inside, and makes machine code of it; then does the
same for its caller, five levels deep. The innermost functions are optimised five times, and hardly any of that code is
ever run. Here a function that another one calls is only *translated*: Numba's type inference and lowering, to LLVM's
language, nothing optimised. One that is called from Python is a *door*: its translation and those of all that it calls
become one module, which is optimised and made into machine code once.

Both are kept in files (cache.py): a door as machine code, a translation for the doors that are still to come.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import compiler, errors, registry, sigutils, types, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.datamodel import register_default
from numba.core.datamodel.models import OpaqueModel
from numba.core.environment import Environment, lookup_environment
from numba.core.imputils import lower_constant
from numba.core.runtime import rtsys
from numba.extending import lower_builtin, type_callable
from numba.np.numpy_support import from_dtype

from carnegie_env.core import cache, progress

SECONDS_A_TRANSLATION, SECONDS_A_DOOR = 0.12, 5  # CPU time, on a computer whose progress.pace() is 1
made = {"translations": 0, "doors": 0}  # what this process compiled, not found in files
_ENVIRONMENT = "_ZN08NumbaEnv"  # how Numba begins the name of a function's environment


class Translation(JITCodeLibrary):  # type: ignore[misc]  # Numba has no types
    """A function in LLVM's language, not optimised, and what it calls. Never run by itself."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.function: tuple[str, str, Any] = ("", name, ())  # module, name there, argument types
        self.symbol = ""  # what the code of its callers calls it: another name in each process that makes it
        self.lasting = False  # can be kept in a file

    def add_llvm_module(self, module: Any) -> None:
        """Numba would optimise the functions by themselves here."""
        self._final_module.link_in(module)

    def finalize(self) -> None:
        """Numba would optimise it all, and make machine code of it, here."""
        self._finalize_dynamic_globals()
        self._finalized = True

    def own_module(self) -> Any:
        """The function alone, to be linked with what it calls."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """What a function compiled by Numba alone (`numba.njit`), which does not know of translations, links: all."""
        module = self.own_module().clone()
        for part in self.all():
            if part is not self:
                own = part.own_module() if isinstance(part, Translation) else part._get_module_for_linking()
                module.link_in(own, preserve=True)
        return module

    def all(self) -> Iterator[Any]:
        """This library and those that its code calls, directly or not; each once."""
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
    """The machine code of a door."""

    light = False  # optimised a little only

    def _optimize_final_module(self) -> None:
        """Optimise; what the door's own wrapper does not call by name may be inlined and dropped altogether."""
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
        """The machine code, and the names in it that can be looked up."""
        self._ensure_finalized()
        things = (*self._final_module.functions, *self._final_module.global_variables)
        names = [thing.name for thing in things if not thing.is_declaration]
        return self._get_compiled_object(), names

    @classmethod
    def of(cls, codegen: Any, name: str, code: bytes, names: list[str]) -> _Program:
        """Make one of machine code from a file."""
        self = cls(codegen, name)
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._finalize_final_module()
        codegen._engine._defined_symbols.update(names)
        return self

    def environments(self) -> list[Any]:
        """The environments of the functions inside that have any."""
        names = [variable.name for variable in self._final_module.global_variables]
        found = [lookup_environment(name) for name in names if name.startswith(_ENVIRONMENT)]
        return [environment for environment in found if environment is not None]


class _FunctionType(types.Dispatcher):
    """The type of a `jit` function in compiled code: its value there is nothing, where Numba's is its address."""


register_default(_FunctionType)(OpaqueModel)


@lower_constant(_FunctionType)  # type: ignore[untyped-decorator]  # Numba has no types
def _no_value(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()


def _widened(kind: Any) -> Any:
    """Signed integers are handed over as int64, the type of all that is reckoned with them: one translation serves."""
    narrow = kind in (types.int8, types.int16, types.int32) or isinstance(kind, types.IntegerLiteral)
    return types.int64 if narrow else kind


class Dispatcher(registry.CPUDispatcher):  # type: ignore[misc]  # Numba has no types
    """A `jit` function: Numba's dispatcher, but translations and doors are made and kept as said above.

    ``overloads`` has the translations by argument types, their ``entry_point`` being only a name.
    """

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None, store: Any = None) -> None:
        super().__init__(py_func, locals or {}, targetoptions)
        self._type = _FunctionType(self)
        self.typingctx._remove_global(self)
        self.typingctx.insert_global(self, self._type)
        self._store = store  # cache.FunctionStore, None if nothing can be kept
        self._doors: dict[Any, Any] = {}
        self.light = False  # see dispatcher()

    # ---- what Numba calls
    @property
    def _numba_type_(self) -> Any:
        return self._type

    def compile(self, sig: Any) -> Any:
        """The compiled function for these types, to be called from Python."""
        args, _ = sigutils.normalize_signature(sig)
        args = tuple(args)
        with global_compiler_lock:
            if args not in self._doors:
                if not self._can_compile:
                    raise RuntimeError("compilation disabled")
                self._doors[args] = self._load_door(args) or self._make_door(args)
                self._insert([kind._code for kind in args], self._doors[args], False)
            return self._doors[args]

    def is_at_hand(self, *arguments: Any) -> bool:
        """Whether a call with these arguments from Python needs no compiling, or only the loading of a file."""
        args = tuple(self.typeof_pyval(argument) for argument in arguments)
        return args in self._doors or (self._store is not None and self._store.has("door", args))

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What a call from another compiled function is; only translated for that."""
        pysig, args = self._compiler.fold_argument_types(args, kws)
        args = tuple(_widened(kind) for kind in args)
        with global_compiler_lock:
            if self._can_compile:
                self.translate(tuple(args))
        name = self.py_func.__name__
        template = typing.make_concrete_template(
            f"CallTemplate({name})", key=name, signatures=self.nopython_signatures
        )
        return template, pysig, args, {}

    # ---- translations
    def translate(self, args: Any) -> Any:
        """The translation for these types, Numba's CompileResult; made, or taken from its file."""
        known = self.overloads.get(args)
        if known is not None:
            return known
        self.targetctx.refresh()
        result = self._load_translation(args)
        if result is None:
            result = self._make_translation(args)
        self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.overloads[args] = result
        return result

    def _make_translation(self, args: Any) -> Any:
        library = Translation(self.targetctx.codegen(), self.py_func.__qualname__)
        library.function = (self.py_func.__module__, self.py_func.__qualname__, args)
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
        library.lasting = (
            self._store is not None and not library.has_dynamic_globals and all(part.lasting for part in called)
        )
        if library.lasting:
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
            parts.append(dispatcher.translate(kinds).library)
            if parts[-1].symbol != symbol:  # two processes made them at once: this code calls what is not there
                return None
        library = Translation(self.targetctx.codegen(), self.py_func.__qualname__)
        library.function = (self.py_func.__module__, self.py_func.__qualname__, args)
        library.symbol = fndesc.mangled_name
        library.lasting = True
        library._final_module = llvm.parse_bitcode(code)
        library.finalize()
        library.add_linking_library(rtsys.library)
        for part in parts:
            library.add_linking_library(part)
        self._cache_hits[args] += 1
        return compiler.compile_result(
            typing_context=self.typingctx,
            target_context=self.targetctx,
            entry_point=library,
            library=library,
            signature=signature,
            objectmode=False,
            lifted=(),
            fndesc=fndesc,
            environment=environment,
            reload_init=[],
        )

    # ---- doors
    def _make_door(self, args: Any) -> Any:
        with progress.waiting(_announcement):
            result = self.translate(args)
            library = _Program(self.targetctx.codegen(), self.py_func.__qualname__)
            library.light = self.light
            library.enable_object_caching()
            release = bool(self.targetoptions.get("nogil"))
            self.targetctx.create_cpython_wrapper(
                library, result.fndesc, result.environment, None, release_gil=release
            )
            for part in result.library.all():
                if isinstance(part, Translation):
                    library._final_module.link_in(part.own_module(), preserve=True)
                else:
                    library.add_linking_library(part)
            door = self._executable(library, result.fndesc, result.environment, library.environments())
        made["doors"] += 1
        if result.library.lasting:
            called = {part.function[0] for part in result.library.all() if isinstance(part, Translation)}
            self._store.save(
                "door",
                args,
                lambda: (library.object_code(), result.fndesc, library.environments(), cache.outside(called)),
            )
        return door

    def _load_door(self, args: Any) -> Any:
        kept = self._store and self._store.load("door", args)
        if not kept:
            return None
        (code, names), fndesc, environments, sources = kept
        if cache.outside(sources) != sources:  # another package's function, which is in this code, was edited
            return None
        self.targetctx.refresh()
        library = _Program.of(self.targetctx.codegen(), self.py_func.__qualname__, code, names)
        self._cache_hits[args] += 1
        return self._executable(library, fndesc, Environment.from_fndesc(fndesc), environments)

    def _executable(self, library: Any, fndesc: Any, environment: Any, environments: list[Any]) -> Any:
        door = self.targetctx.get_executable(library, fndesc, environment)
        for inner in environments:
            library.codegen.set_env(inner.env_name, inner)
        return door


class Chosen:
    """A name that stands, in compiled code, for another `jit` function by the dtype of the record it is called with.

    Args:
        name: for messages.
        of: dtype of a record -> `jit` function; a TypeError for one that nobody knows.
        known: the dtypes that ``of`` knows.
    """

    is_compiling = False  # Numba asks, for recursion; the functions themselves know

    def __init__(self, name: str, of: Callable[[Any], Dispatcher], known: Iterable[Any]) -> None:
        self.name = name
        self._of, self._known = of, known
        self._type: Any = _FunctionType(self)  # type: ignore[arg-type]  # all that Numba asks of it is here
        registry.cpu_target.typing_context.insert_global(self, self._type)

    @property
    def _numba_type_(self) -> Any:
        return self._type

    def _function(self, args: Any) -> Dispatcher:
        if not args or not isinstance(args[0], types.Record):
            raise errors.TypingError(f"the rule {self.name} is called with the record of a game")
        for record in self._known:
            if from_dtype(record) == args[0]:
                found = self._of(record)
                if not isinstance(found, Dispatcher):
                    raise errors.TypingError(f"the rule {self.name} is not a function with @jit: {found!r:.80}")
                return found
        raise errors.TypingError(f"no game has records of the type {str(args[0])[:80]}")

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What Numba asks when it meets a call."""
        return self._function(args).get_call_template(args, kws)

    def get_overload(self, args: Any) -> Any:
        """What Numba asks when it makes the call."""
        return self._function(args).get_overload(args)

    def __call__(self, game: Any, *arguments: Any) -> Any:
        return self._of(game.dtype)(game, *arguments)


def know_rules(record: Any, rules: Iterable[Dispatcher]) -> None:
    """The code for records of this dtype hangs on the sources of these rules, wherever they are."""
    cache.know_rules(str(from_dtype(record)), [rule.py_func for rule in rules])


def dispatcher(function: Any, options: dict[str, Any]) -> Dispatcher:
    """The compiled form of a function.

    Args:
        function: plain Python.
        options: of numba.njit; beside them `cache=False` keeps it out of the files, and `light=True` has a door
            optimised a little only: for what takes little time, or is called seldom.
    """
    target = {"nopython": True, "boundscheck": None, "nogil": True, **options}
    light = target.pop("light", False)
    store = cache.store_for(function, target) if target.pop("cache", True) else None
    compiled = Dispatcher(function, {}, target, store)
    compiled.light = light
    if store is not None and function.__module__.startswith("carnegie_env."):
        _rules.append(compiled)
    return compiled


_rules: list[Dispatcher] = []  # the package's own functions


def _announcement() -> str:
    """What is going on, and about how long it will take; for a door, when it is being made."""
    missing = sum(not function.overloads for function in _rules)
    seconds = progress.pace() * (SECONDS_A_TRANSLATION * missing + SECONDS_A_DOOR)
    where = cache.folders()
    kept = f" It is kept in {where[0]} for the next time." if where else ""
    return f"compiling the rules for this computer, which takes about {max(round(seconds / 5), 1) * 5} s.{kept}"


def _packed(result: Any) -> tuple[Any, ...]:
    """A translation as it is kept: with what Numba's own functions put into it, without what it calls of ours."""
    library, called = result.library, []
    module = library.own_module().clone()
    for part in library._linking_libraries:
        if isinstance(part, Translation):
            called.append((part.function, part.symbol))
        elif part is not rtsys.library:
            module.link_in(part._get_module_for_linking(), preserve=True)
    return module.as_bitcode(), called, result.fndesc, result.environment, result.signature

# ---------------------------------------------------------------- what Numba lacks
CACHE_LINE = 64  # bytes


def teach(popcount: Any, trailing_zeros: Any, prefetch: Any) -> None:
    """Have Numba compile these functions of jit.py to single instructions."""
    for function, lower in ((popcount, _lower_popcount), (trailing_zeros, _lower_trailing_zeros)):
        type_callable(function)(_type_of_bits)
        lower_builtin(function, types.Integer)(lower)
    type_callable(prefetch)(_type_of_prefetch)
    lower_builtin(prefetch, types.Array, types.Integer)(_lower_prefetch)


def _type_of_bits(context: Any) -> Any:
    def typer(x: Any) -> Any:
        return types.int64 if isinstance(x, (types.Integer, types.IntegerLiteral)) else None

    return typer


def _lower_popcount(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.ctpop(context.cast(builder, args[0], signature.args[0], types.int64))


def _lower_trailing_zeros(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    word = context.cast(builder, args[0], signature.args[0], types.int64)
    return builder.cttz(word, ir.Constant(ir.IntType(1), 0))


def _type_of_prefetch(context: Any) -> Any:
    def typer(records: Any, i: Any) -> Any:
        return types.none if isinstance(records, types.Array) and isinstance(i, types.Integer) else None

    return typer


def _lower_prefetch(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    kind = signature.args[0]
    data = context.make_array(kind)(context, builder, args[0]).data
    record = builder.gep(data, [context.cast(builder, args[1], signature.args[1], types.intp)])
    address, word = ir.IntType(8).as_pointer(), ir.IntType(32)
    first = builder.bitcast(record, address)
    shape = ir.FunctionType(ir.VoidType(), [address, word, word, word])
    load = builder.module.declare_intrinsic("llvm.prefetch", [address], shape)
    for offset in range(0, context.get_abi_sizeof(context.get_data_type(kind.dtype)), CACHE_LINE):
        line = builder.gep(first, [ir.Constant(ir.IntType(64), offset)])
        builder.call(load, [line, word(0), word(3), word(1)])  # to be read, to be kept, data
    return context.get_dummy_value()
