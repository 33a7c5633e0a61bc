"""Compiled code, loaded when first used: `import gramarye` must not wait for Numba."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType


def loader(package: str) -> Callable[[str], ModuleType]:
    """The `__getattr__` of a folder of kernels."""

    def load(name: str) -> ModuleType:
        try:
            return importlib.import_module(f"{package}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{package}.{name}":
                raise
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from None

    return load


__getattr__ = loader(__name__)
