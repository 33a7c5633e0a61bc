"""A run before it begins: problem, method, seed and initial programs, bound once into what the loop needs."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivation
from gramarye.derivations.rewriting import Rewriting
from gramarye.engine.encoding import Programs, encode_all, read_programs
from gramarye.errors import SettingsError
from gramarye.execution import Threads
from gramarye.grammar import Grammar
from gramarye.identity import difference, digest
from gramarye.methods.base import MethodBase
from gramarye.objectives.problem import Evaluator, Problem
from gramarye.populations.history import LIMITS
from gramarye.representations.base import Genotypes, Seed, as_seed
from gramarye.text import brief


@dataclass(frozen=True)
class Setup:
    """What a run is a function of, and what follows from it before the first generation."""

    problem: Problem
    method: MethodBase
    seed: int
    initial_programs: Programs = field(default=(), repr=False)  # programs that the first population begins with
    prior: Grammar | None = field(default=None, repr=False)  # the problem's grammar, with what short runs taught

    @cached_property
    def rewriting(self) -> Rewriting:
        """From the method's own grammar to the problem's."""
        return self.method.rewritten(self.base)

    @property
    def base(self) -> Grammar:
        """The problem's grammar, with the probabilities that the first population is drawn by."""
        return self.problem.grammar if self.prior is None else self.prior

    @property
    def grammar(self) -> Grammar:
        """The method's own: genotypes are read through it, and probabilities belong to it."""
        return self.rewriting.grammar

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """[R] under which the first population is mapped."""
        return np.array(self.grammar.start_probabilities())

    def evaluator(self, threads: Threads) -> Evaluator:
        """What computes fitness in this run."""
        return self.problem.evaluator(self.key, threads, self.method.tuning)

    @property
    def key(self) -> Seed:
        """The seed as kernels take it."""
        return as_seed(self.seed)

    @cached_property
    def programs(self) -> dict[str, Derivation]:
        """The programs that the first population begins with, in the method's own grammar, by what errors call them."""
        if self.initial_programs and self.method.short_runs:
            what = f"short_runs is {self.method.short_runs}"
            raise SettingsError(f"{what}: initial_programs would begin the first short run only; leave one of them out")
        return read_programs(self.problem.grammar, self.rewriting, self.initial_programs, self.method)

    @cached_property
    def encoded(self) -> Genotypes | None:
        """The genotypes of these programs; None where there are none."""
        return encode_all(self.programs, self.method, self.probabilities, self.key) if self.programs else None

    @cached_property
    def identity(self) -> str:
        """What a state of this run belongs to, as JSON: problem, method and settings, the programs that it began with.

        More generations may always be added.
        """
        settings = self.method.settings
        named = {name: repr(value) for name, value in settings.items() if name not in LIMITS}
        if self.problem.grammar.has_constants:
            named["tuning_iterations"] = repr(self.method.tuning_iterations)
        if self.programs:
            which = digest([_numbers(program) for program in self.programs.values()])
            named["initial_programs"] = f"{len(self.programs)} program{'s' * (len(self.programs) > 1)} ({which})"
        problem = {f"the problem's {name}": value for name, value in self.problem.identity.items()}
        return json.dumps({**problem, "method": self.method.name, **named})

    def check(self, identity: str) -> None:
        """A SettingsError that says what is different, where a state belongs to something else.

        The programs that a run began with need not be given again; where they are, they must be the same.
        """
        found = difference(identity, self.identity, None if self.programs else "initial_programs")
        if found is not None:
            raise SettingsError(f"the saved state belongs to another run: {found}")


def _numbers(program: Derivation) -> list[int] | list[list[float]]:
    """What a program is recognised by."""
    productions: list[int] = program.productions.tolist()
    return [productions, program.values.tolist()] if len(program.values) else productions


class Bound:
    """What a setup is part of: it shows what the setup binds."""

    setup: Setup

    @property
    def problem(self) -> Problem:
        """What is to be solved."""
        return self.setup.problem

    @property
    def method(self) -> MethodBase:
        """What solves it."""
        return self.setup.method

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self.setup.seed


def check_seed(seed: Any) -> int:
    """The seed, or a new one where none is given."""
    return secrets.randbits(63) if seed is None else int(as_seed(seed))


def check_problem(problem: Any) -> Problem:
    """The problem, if it is one; its name alone is not."""
    if isinstance(problem, Problem):
        return problem
    if isinstance(problem, str):
        raise SettingsError(
            f"problem is the text {brief(problem)}; give the problem, gm.problems.load({brief(problem)})"
        )
    fix = 'give a gm.Regression, a gm.Objective, or gm.problems.load("pagie")'
    raise SettingsError(f"problem is of type {type(problem).__name__}; {fix}")
