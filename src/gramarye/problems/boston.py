"""Boston Housing: the median value of homes in 506 districts from 13 features. For reproduction only.

D. Harrison, D. L. Rubinfeld. Hedonic prices and the demand for clean air. J. Environ. Economics and Management 5, 1978.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

from gramarye.data import CSV
from gramarye.grammar import Grammar
from gramarye.objectives.regression import Regression

DESCRIPTION = (
    "median home values in 506 Boston districts from 13 features, 456 rows for training and 50 for testing. "
    "Here for reproducing published results only: scikit-learn withdrew this data set, because its column B encodes "
    "the share of Black residents on the assumption that segregation raises house prices, which the study that made "
    "the data does not support. Don't use it to build or to teach models of house prices. "
    "Source: Harrison and Rubinfeld 1978"
)
TEST_ROWS = 50


def problem(grammar: Grammar | None = None, **options: Any) -> Regression:
    """Boston Housing, with the paper's grammar or with another one; the split is drawn by the seed of a run."""
    with as_file(files("gramarye.problems") / "data" / "boston.csv") as path:
        table = CSV(path)
    *features, target = table.columns
    return Regression(
        table[features],
        table[[target]],
        grammar or Grammar.from_text(_grammar(features), "boston"),
        **{"name": "boston", "description": DESCRIPTION, "test_rows": TEST_ROWS, **options},
    )


def _grammar(features: list[str]) -> str:
    """The paper's grammar; it prints the features as x[1] … x[13]."""
    return f"""
<start>  ::= <expr>
<expr>   ::= <expr> <op> <expr> | (<expr> <op> <expr>) | <pre_op>(<expr>) | <var>
<op>     ::= + | - | * | /
<pre_op> ::= sin | cos | exp | log | inv
<var>    ::= {" | ".join(features)} | 1.0
"""
