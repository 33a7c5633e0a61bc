from __future__ import annotations

import json

import numpy as np

from gramarye.cli.console import json_text, plain


def test_json_has_plain_values_only() -> None:
    value = {"a": np.array([1.0, np.nan]), "b": (np.float64(np.inf), np.int64(3)), "c": {}, "d": [{"e": None}]}
    assert json.loads(json_text(plain(value))) == {"a": [1, None], "b": [None, 3], "c": {}, "d": [{"e": None}]}
    assert json_text({"a": [1, 2], "b": {"c": "é"}}) == '{\n  "a": [1, 2],\n  "b": {\n    "c": "\\u00e9"\n  }\n}'
