"""What there is to choose from: methods with their settings, ready-made problems."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gramarye.methods.base import MethodBase
from gramarye.objectives.problem import Problem
from gramarye.records.document import head
from gramarye.settings import describe


def methods(chosen: Iterable[type[MethodBase]]) -> dict[str, Any]:
    """Some methods by name."""
    return {**head("methods", version=1), "methods": {each.__name__.lower(): _method(each) for each in chosen}}


def method(chosen: type[MethodBase]) -> dict[str, Any]:
    """One method."""
    return {**head("method", version=1), **_method(chosen)}


def problems(chosen: Iterable[Problem]) -> dict[str, Any]:
    """Some problems by name."""
    return {**head("problems", version=1), "problems": {each.name: _problem(each) for each in chosen}}


def problem(chosen: Problem) -> dict[str, Any]:
    """One problem."""
    return {**head("problem", version=1), **_problem(chosen)}


def _method(method: type[MethodBase]) -> dict[str, Any]:
    return {
        "name": method.__name__.lower(),
        "title": method.title,
        "paper": method.paper,
        "genotype": method.genotype,
        "learns": method.learns,
        "settings": {
            each.name: {"default": each.default, "values": each.values, "meaning": each.doc}
            for each in describe(method)
        },
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "name": problem.name,
        "description": problem.description,
        **problem.summary,
        **({} if problem.dataset is None else {"columns": len(problem.dataset.columns)}),
        "grammar": problem.grammar.text,
    }
