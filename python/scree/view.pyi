"""Type stubs, made by tools/make_stubs.py from the code."""
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Vector = Sequence[float] | NDArray[np.float64]
Matrix = Sequence[Sequence[float]] | NDArray[np.float64]
Points = Sequence[float] | Sequence[Sequence[float]] | NDArray[np.float64]
from . import Results, Simulation, Solution

def page_folder() -> str: ...
def open(path: str | os.PathLike[str], port: int = ..., host: str = ..., browser: bool = ..., wait: bool = ..., block: bool = ..., idle: float | None = ..., compress: bool = ..., say: Callable[[str], Any] = ...) -> Any: ...
def follow(path: str | os.PathLike[str], idle: float = ...) -> Any: ...
def export(path: str | os.PathLike[str], out: str | os.PathLike[str], every: int = ..., limit: float = ...) -> str: ...
def player(path: str | os.PathLike[str], every: int | None = ..., height: Any = ..., limit: float = ...) -> Any: ...
