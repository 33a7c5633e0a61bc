"""Short whole runs of every method, compared to the last bit with those written down in golden/ (see golden/make.py).

A difference is a change of behaviour: either a mistake, or one that belongs in the changelog, with the files anew.
"""

from __future__ import annotations

import json

import pytest

import gramarye as gm
from tests.golden.make import FOLDER, RUNS, written


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_to_the_last_bit_what_it_was(name: str) -> None:
    found = written(RUNS[name]())
    wanted = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert list(found) == list(wanted)
    for part in found:
        assert found[part] == wanted[part], f"{name}: {part} differs; see tests/golden/make.py"


def test_every_method_has_a_golden_run() -> None:
    assert {name.split("-")[0] for name in RUNS} == set(gm.methods.METHODS)
    assert {path.stem for path in FOLDER.glob("*.json")} == set(RUNS)
