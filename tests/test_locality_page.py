"""docs/locality.md is what its numbers say, and what the program still measures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import gramarye as gm
from tests.pages import make_locality

ROOT = Path(__file__).parents[1]
TEXT = make_locality.PAGE.read_text(encoding="utf-8")


def test_the_page_is_made_from_its_numbers() -> None:
    assert make_locality.page() == TEXT, "run python tests/pages/make_locality.py"


@pytest.mark.parametrize("image", re.findall(r"\]\((images/[^)]+)\)", TEXT))
def test_its_images_are_there(image: str) -> None:
    assert (ROOT / "docs" / image).read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize("name", ["pge", "sge"])
def test_a_small_analysis_agrees_with_the_page(name: str) -> None:
    """Intervals of fewer bases and those of the page overlap."""
    grammar = gm.problems.load("pagie").grammar
    (found,) = gm.analyse(grammar, [name], bases=80, neighbours=5, sample=160, seed=5, threads=1).found
    data = json.loads(make_locality.DATA.read_text(encoding="utf-8"))
    (page,) = (each for each in make_locality.read(data["random"]) if each.label == found.label)
    for measure in ("validity", "neutrality", "used_neutrality", "one_edit", "nonlocal_share", "synonymity"):
        ours, told = found[measure], page.measures[measure]
        assert ours.low is not None
        assert ours.high is not None
        assert ours.low - 0.02 <= told.high, measure
        assert told.low <= ours.high + 0.02, measure
