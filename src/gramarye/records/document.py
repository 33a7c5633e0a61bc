"""What all documents share: a format, a version, plain values, and JSON that people can read too."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def head(kind: str, version: int) -> dict[str, Any]:
    """How a document begins; the version goes up when a field changes its meaning or its place, or goes away."""
    return {"format": f"gramarye-{kind}", "version": version}


def plain(value: Any) -> Any:
    """Mappings, sequences, arrays and numbers as JSON knows them; what is not finite is null, a part is its text."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # NumPy's arrays and numbers
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else repr(value)


def json_text(document: Mapping[str, Any], ascii_only: bool = True) -> str:
    """A document as JSON: one line for each key, lists of plain values on one line."""
    return _text(plain(document), "", json.JSONEncoder(allow_nan=False, ensure_ascii=ascii_only))


def _text(value: Any, indent: str, encoder: json.JSONEncoder) -> str:
    inner = indent + "  "
    if isinstance(value, dict) and value:
        items = [f"{encoder.encode(key)}: {_text(item, inner, encoder)}" for key, item in value.items()]
        return _block("{", items, "}", indent)
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return _block("[", [_text(item, inner, encoder) for item in value], "]", indent)
    return encoder.encode(value)


def _block(begin: str, items: list[str], end: str, indent: str) -> str:
    between = f",\n{indent}  "
    return f"{begin}\n{indent}  {between.join(items)}\n{indent}{end}"
