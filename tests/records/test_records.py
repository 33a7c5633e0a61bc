"""Documents for programs: what all share, and what each tells."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.analysis.findings import Analysis
from gramarye.engine.tracing import Mapping, lessons
from gramarye.learners.alternating import AlternatingBest
from gramarye.methods import METHODS
from gramarye.problems import PROBLEMS
from gramarye.records import catalogue, grammar, mapping, prior, run
from gramarye.records.document import json_text

QUARTIC = gm.problems.load("quartic")
MADE = gm.Method(representation=gm.PGE().representation, learner=gm.PGE().learner, population=10, generations=2)


def mapped() -> Mapping:
    return gm.map_genotype(QUARTIC.grammar, [0.9, 0.1, 0.9, 0.1], gm.PGE())


def analysed() -> Analysis:
    return gm.analyse(QUARTIC.grammar, [MADE], bases=4, neighbours=1, sample=8, seed=1, threads=1)


DOCUMENTS: dict[str, Callable[[], dict[str, Any]]] = {
    "grammar": lambda: grammar.document(QUARTIC.grammar, 128),
    "mapping": lambda: mapping.document(mapped(), None),
    "run": lambda: run.document(gm.evolve(QUARTIC, MADE, seed=1), {"plot": Path("run.png")}),
    "analysis": lambda: analysed().facts(),
    "methods": lambda: catalogue.methods(METHODS.values()),
    "method": lambda: catalogue.method(gm.PGE),
    "problems": lambda: catalogue.problems(map(gm.problems.load, PROBLEMS)),
    "problem": lambda: catalogue.problem(QUARTIC),
    "prior": lambda: prior.document(QUARTIC.grammar, gm.learn_prior(["x"], QUARTIC.grammar), {"programs": 1}),
}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_document_begins_with_its_format_and_version_and_is_valid_json(kind: str) -> None:
    document = json.loads(json_text(DOCUMENTS[kind]()))
    assert list(document.items())[:2] == [("format", f"gramarye-{kind}"), ("version", 1)]
    assert len(document) > 2


def test_every_module_of_the_room_is_tested_here() -> None:
    rooms = {path.stem for path in Path(grammar.__file__).parent.glob("*.py")} - {"__init__", "document"}
    assert rooms == {"grammar", "mapping", "run", "analysis", "catalogue", "prior"}


def test_json_has_plain_values_only() -> None:
    value = {"a": np.array([1.0, np.nan]), "b": (np.float64(np.inf), np.int64(3)), "c": {}, "d": [{"e": None}], 5: True}
    told = json.loads(json_text(value))  # type: ignore[arg-type]
    assert told == {"a": [1, None], "b": [None, 3], "c": {}, "d": [{"e": None}], "5": True}


def test_one_line_for_each_key_and_lists_of_plain_values_on_one_line() -> None:
    assert json_text({"a": [1, 2], "b": {"c": "é"}}) == '{\n  "a": [1, 2],\n  "b": {\n    "c": "\\u00e9"\n  }\n}'
    assert json_text({"d": [{"e": 1}]}) == '{\n  "d": [\n    {\n      "e": 1\n    }\n  ]\n}'


def test_a_part_of_a_method_is_told_as_text() -> None:
    settings = json.loads(json_text(run.document(gm.evolve(QUARTIC, MADE, seed=1), {})))["settings"]
    assert settings["learner"] == repr(MADE.learner)
    assert settings["population"] == 10


def test_what_was_learned_is_told_where_something_was() -> None:
    assert "lessons" not in mapping.document(mapped(), None)
    learner = gm.PGE(learning_factor=0.01).learner
    assert isinstance(learner, AlternatingBest)
    told = mapping.document(mapped(), lessons(mapped(), learner))
    assert list(told["lessons"]) == list(QUARTIC.grammar.nonterminals)
    assert told["grammar"] != QUARTIC.grammar.text


def test_the_entries_of_a_list_are_the_documents_of_one() -> None:
    one = catalogue.method(gm.PGE)
    assert {**one, **catalogue.methods([gm.PGE])["methods"]["pge"]} == one
    one = catalogue.problem(QUARTIC)
    assert {**one, **catalogue.problems([QUARTIC])["problems"]["quartic"]} == one
