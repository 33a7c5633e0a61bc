"""The package as `import gramarye as gm` shows it."""

from __future__ import annotations

import pytest

import gramarye as gm


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'gramarye' has no attribute 'evolv'"):
        gm.evolv  # noqa: B018


def test_modules_and_names_are_there_when_they_are_asked_for() -> None:
    assert gm.errors.GramaryeError is gm.GramaryeError
    assert {"evolve", "PGE", "problems"} <= set(dir(gm))
