"""Types of the arguments of compiled functions, for type checkers and readers. Compiled code does not use them.

In compiled code every integer has 64 bits, whichever field or table it comes from, so its type here is int, and float
for other numbers. Arrays are NumPy's; :class:`Vector` and :class:`Matrix` have the operations that rules use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, SupportsFloat, SupportsInt, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

Records: TypeAlias = NDArray[Any]  # games: a structured array, shape (n,), of a game's dtype

if TYPE_CHECKING:
    int64: Callable[[SupportsInt], int]
    float32: Callable[[SupportsFloat], float]

    class IntTable(NDArray[np.int64]):
        """A frozen array of integers. An index for each dimension gives an integer."""

        @overload  # type: ignore[override]  # NumPy's type is Any, because it does not know the number of dimensions
        def __getitem__(self, index: int | tuple[int, ...], /) -> int: ...
        @overload
        def __getitem__(self, part: slice | list[int] | NDArray[Any] | tuple[Any, ...], /) -> IntTable: ...
        def __getitem__(self, index: Any, /) -> Any: ...
else:
    int64, float32, IntTable = np.int64, np.float32, np.ndarray


class Vector(Protocol[T]):
    """An array with one index."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @overload
    def __getitem__(self, index: int, /) -> T: ...
    @overload
    def __getitem__(self, part: slice, /) -> Vector[T]: ...
    def __setitem__(self, index: int | slice, value: T, /) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[T]: ...
    def sum(self) -> T: ...
    def max(self) -> T: ...


class Matrix(Protocol[T]):
    """An array with two indices; a single index gives a view of a row."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, index: tuple[int, int], /) -> T: ...
    @overload
    def __getitem__(self, row: int, /) -> Vector[T]: ...
    def __setitem__(self, index: tuple[int, int] | slice, value: T, /) -> None: ...
    def sum(self) -> T: ...


Words: TypeAlias = Vector[np.uint64]  # legal actions, 64 to a word
