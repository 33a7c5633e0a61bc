"""The types of arguments by which machine code is found, without asking Numba."""

from __future__ import annotations

from typing import Any

import numpy as np

_C, _F, _ALIGNED, _WRITABLE = 0x1, 0x2, 0x100, 0x400  # as NumPy numbers the flags of arrays
_FLAGS = _C | _F | _ALIGNED | _WRITABLE
_INTEGERS = range(-(2**63), 2**63)
_NUMBERS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()
_SCALARS = {np.dtype(name).type: name for name in _NUMBERS}
_SCALARS |= {int: "int64", float: "float64", bool: "bool", type(None): "none"}


def kind_of(value: Any) -> Any:
    """What Numba's type of a value depends on; made at each call of a kernel, hence short."""
    kind = type(value)
    if kind is np.ndarray:
        return value.dtype, value.ndim, value.flags.num & _FLAGS
    if kind is int:
        return int if value in _INTEGERS else object
    if isinstance(value, tuple):
        return kind, *map(kind_of, value)
    return kind


def name_of(kind: Any) -> str | None:
    """The same in words, for a file; None where Numba has to decide."""
    if not isinstance(kind, tuple):
        return _SCALARS.get(kind)
    if kind and isinstance(kind[0], np.dtype):
        return _name_of_array(*kind)
    tupled = [f"{kind[0].__module__}.{kind[0].__qualname__}"] if kind and _is_tuple(kind[0]) else []
    parts = tupled + [name_of(part) for part in kind[len(tupled) :]]
    return None if None in parts else f"({', '.join(map(str, parts))})"


def _is_tuple(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple)


def _name_of_array(dtype: np.dtype[Any], dimensions: int, flags: int) -> str | None:
    if dtype.type not in _SCALARS or not dtype.isnative:
        return None
    layout = "C" if flags & _C else "F" if flags & _F else "A"
    return f"{dtype.name}[{dimensions}{layout}{'' if flags & _WRITABLE else 'r'}{'' if flags & _ALIGNED else 'u'}]"
