"""Locality and redundancy of methods, side by side: `analyse` gives tables, figures and files."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing

from gramarye.analysis.findings import Analysis
from gramarye.analysis.plan import SOURCES, Plan, Source
from gramarye.analysis.study import follow, study
from gramarye.analysis.subject import PARTS
from gramarye.engine.setup import check_problem, check_seed
from gramarye.errors import GenotypeError, GrammarError, SettingsError
from gramarye.execution import Threads, cores
from gramarye.grammar import Grammar
from gramarye.methods import PUBLISHED, MethodBase, check_method, find
from gramarye.objectives.problem import Problem, check_grammar
from gramarye.records.analysis import Locality
from gramarye.text import brief

Watch = Callable[[int, int, str], None]  # done, of how many, what comes next


def analyse(
    grammar: Grammar,
    methods: Sequence[MethodBase | str] | None = None,
    *,
    bases: int = 1000,
    neighbours: int = 20,
    sample: int | None = None,
    source: Source = "random",
    problem: Problem | Sequence[Problem] | None = None,
    generations: Sequence[int] = (0, 10, 25, 49),
    seed: int | None = None,
    threads: int | None = None,
    watch: Watch | None = None,
) -> Analysis:
    """Measure how local and how redundant methods are on a grammar.

    Parameters
    ----------
    grammar
        The grammar.
    methods
        Methods or their names (default: all published ones).
    bases, neighbours
        Valid genotypes of each method, and how many neighbours of each are examined.
    sample
        Genotypes that redundancy is measured on (default: five for each base).
    source
        "random" genotypes, or the same "trees" for all methods.
    problem
        One or several problems: a run of each method is followed as well.
    generations
        Which of its generations are examined.
    seed
        Random seed; the same seed gives the same numbers.
    threads
        Number of threads (default: all cores). It changes time only.
    watch
        Called with (done, total, what comes next).

    Returns
    -------
    Analysis
        Tables and figures; `analysis.write(folder)` makes a report. A method that can't work with the grammar is left
        out.

    Examples
    --------
    >>> import gramarye as gm
    >>> grammar = gm.problems.load("quartic").grammar
    >>> analysis = gm.analyse(grammar, ["pge", "ge"], bases=20, neighbours=2, seed=1, threads=1)
    >>> [found.label for found in analysis.found]
    ['PGE', 'GE']
    """
    grammar = check_grammar(grammar)
    chosen = labelled(methods if methods is not None else list(PUBLISHED))
    plan = Plan(bases, neighbours, sample=5 * bases if sample is None else sample, generations=tuple(generations))
    if source not in SOURCES:
        raise SettingsError(f"source is {source!r}: it must be one of {', '.join(map(repr, SOURCES))}")
    problems = _problems(problem, grammar)
    number, threads = check_seed(seed), cores() if threads is None else threads
    began = time.perf_counter()
    total = len(chosen) * (len(PARTS) + len(problems) * (1 + len(set(plan.generations))))
    done = itertools.count()

    def tell(what: str) -> None:
        if watch is not None:
            watch(min(next(done), total), total, what)

    with closing(Threads(threads)) as pool:
        found, left_out = study(grammar, chosen, plan, number, source, pool, tell)
    if not found:
        why = "; ".join(f"{label}: {reason}" for label, reason in left_out.items())
        raise SettingsError(f"nothing can be measured ({why}); choose other methods, or another source")
    runs: list[Locality] = []
    for each in problems:
        for label, method in chosen.items():
            tell(f"{label}: run on {each.name}")
            try:
                runs += follow(each, label, method, plan, number, threads, tell)
            except (GenotypeError, GrammarError, SettingsError) as error:
                left_out[label] = str(error)
    if watch is not None:
        watch(total, total, "done")
    seconds = time.perf_counter() - began
    return Analysis(grammar, problems, plan, number, tuple(found), tuple(runs), left_out, seconds)


def _problems(given: Problem | Sequence[Problem] | None, grammar: Grammar) -> tuple[Problem, ...]:
    """The problems to be followed; a single one has the grammar that is analysed."""
    if given is None:
        return ()
    problems = tuple(map(check_problem, given if isinstance(given, Sequence) else [given]))
    if not isinstance(given, Sequence) and problems[0].grammar != grammar:
        raise SettingsError(f"the problem {problems[0].name} has another grammar; load it with the one to be analysed")
    names = [problem.name for problem in problems]
    if len(set(names)) < len(names):
        raise SettingsError(f"two problems are called {max(names, key=names.count)}; give each a name of its own")
    return problems


def labelled(methods: Sequence[MethodBase | str]) -> Mapping[str, MethodBase]:
    """Methods by what reports call them; the second PGE is called PGE 2."""
    if isinstance(methods, str | MethodBase) or not isinstance(methods, Sequence) or not methods:
        raise SettingsError(f'methods is {brief(repr(methods))}: give a list, such as ["pge", gm.GE(wraps=1)]')
    named: dict[str, MethodBase] = {}
    for given in methods:
        method = find(given)() if isinstance(given, str) else check_method(given)
        name = type(method).__name__
        count = 1 + sum(type(other).__name__ == name for other in named.values())
        named[name if count == 1 else f"{name} {count}"] = method
    return named
