"""Short whole runs, and how they are written down: `python tests/golden/make.py` writes all files anew.

A changed golden run is a change of behaviour: a user's run with the same seed comes out differently. Write the files
anew only when that is meant, and say so in CHANGELOG.md.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gramarye as gm
from gramarye.engine.run import Run
from gramarye.methods import MethodBase
from gramarye.populations.history import FAILURES, RECORDED

FOLDER = Path(__file__).parent
SMALL: dict[str, Any] = {"population": 150, "generations": 10}
SMALLER: dict[type, dict[str, Any]] = {gm.StaticSGE: {"recursion": 3}}  # settings without which a run takes long
WORK = ("distinct", "node_rows")  # depend on what is remembered, which is a matter of speed alone
DIGITS = """
<expr>  ::= <expr> <op> <expr> | (<expr> <op> <expr>) | -<expr> | <pre_op>(<expr>) | x | <number>
<op>    ::= + | - | * | / | **
<pre_op> ::= sin | exp | log | sqrt | tanh | abs
<number> ::= <digits>.<digits> | <digits>
<digits> ::= <digit><digits> | <digit>
<digit> ::= 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
"""


def _quartic_of_digits() -> gm.Regression:
    return gm.problems.load("quartic", gm.Grammar.from_text(DIGITS, "digits"))


def _with_constants() -> gm.Regression:
    text = "<expr> ::= (<expr> <op> <expr>) | sin(<expr>) | x | y | <const> | <const:0..1>\n<op> ::= + | - | * | /"
    grammar = gm.Grammar.from_text(text, "constants")
    return gm.problems.load("pagie", grammar)


def _of_columns() -> gm.Regression:
    grammar = gm.Grammar.from_columns(["x", "y"], preset="full")
    return gm.problems.load("pagie", grammar)


def _policy_on_lists() -> gm.Method:
    learner = gm.learners.PolicyGradient(context="parent")
    return gm.Method(representation=gm.representations.RealLists(), learner=learner, **SMALL)


def _on_pagie(method: type[MethodBase]) -> Run:
    return gm.evolve(gm.problems.load("pagie"), method(**SMALL, **SMALLER.get(method, {})), seed=1)


# Every method on Pagie, and some with other settings or grammars.
RUNS: dict[str, Callable[[], Run]] = {
    **{f"{name}-pagie": functools.partial(_on_pagie, method) for name, method in gm.methods.METHODS.items()},
    "tunedtrees-constants": lambda: gm.evolve(_with_constants(), gm.TunedTrees(**SMALL, restart_after=3), seed=6),
    "tunedtrees-subtrees": lambda: gm.evolve(_of_columns(), gm.TunedTrees(**SMALL), seed=7),
    "pge-boston": lambda: gm.evolve(gm.problems.load("boston"), gm.PGE(**SMALL, learning_factor=0.05), seed=2),
    "pge-digits": lambda: gm.evolve(_quartic_of_digits(), gm.PGE(**SMALL, length="variable"), seed=3),
    "sge-digits": lambda: gm.evolve(_quartic_of_digits(), gm.SGE(**SMALL, depth_rule="height"), seed=4),
    "pge-contexts": lambda: gm.evolve(
        gm.problems.load("pagie"), gm.PGE(**SMALL, context="slot", initialisation="ptc2", unique=True), seed=5
    ),
    "pge-bayesian": lambda: gm.evolve(
        gm.problems.load("pagie"), gm.Method(learner=gm.learners.Bayesian(), **SMALL), seed=8
    ),
    "psge-policy": lambda: gm.evolve(gm.problems.load("pagie"), _policy_on_lists(), seed=9),
}


def written(run: Run) -> dict[str, Any]:
    """All of a run that depends on problem, method and seed alone; floats to the last bit."""
    return {
        "method": repr(run.method),
        "seed": run.seed,
        "phenotype": run.best.phenotype,
        "productions": run.best.derivation.productions.tolist(),
        "fitness": run.best.fitness.hex(),
        "test_fitness": run.best.test_fitness.hex(),
        "genotype": _exact(run.best.genotype),
        "history": {name: _exact(run.history[name].tolist()) for name in RECORDED if name not in (*WORK, *FAILURES)},
        "learned": _exact(run.probabilities[-1].tolist()),
    }


def _exact(values: Any) -> Any:
    if isinstance(values, dict):
        return {name: _exact(row) for name, row in values.items()}
    return [value.hex() if isinstance(value, float) else value for value in values]


def main() -> None:
    """Write every file."""
    for name, run in RUNS.items():
        text = json.dumps(written(run()), indent=1, ensure_ascii=False)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
