"""Fizz buzz: a Python function from a number to "Fizz", "Buzz", "FizzBuzz" or the number as a text.

T. Helmuth, P. Kelly. PSB2: The Second Program Synthesis Benchmark Suite. GECCO 2021.
Inputs are drawn as in the suite, the random ones anew, and the grammar is our own.
"""

from __future__ import annotations

import random
from typing import Any

from gramarye.grammar import Grammar
from gramarye.objectives.function import Objective
from gramarye.problems.base import Case, Wanted, synthesis

DESCRIPTION = (
    "a Python function: Fizz for multiples of 3, Buzz of 5, FizzBuzz of both, else the number as a text; error: edit "
    "distance in 200 cases, 2000 unseen ones for testing. Source: Helmuth and Kelly 2021 (PSB2)"
)

GRAMMAR = r"""
<function>  ::= "def fizz_buzz(x):{:result = ''\n"<block>"\nreturn result:}"
<block>     ::= <statement> | <statement>"\n"<block>
<statement> ::= result = <text> | result = result + <text>
              | if <test>:{:<block>:} | if <test>:{:<block>:}else:{:<block>:}
<test>      ::= <number> == <number> | <number> < <number> | (<test> and <test>) | not <test>
<number>    ::= x | x % <divisor> | 0 | <divisor>
<divisor>   ::= 3 | 5
<text>      ::= "'Fizz'" | "'Buzz'" | "'FizzBuzz'" | str(x)
"""

LARGEST = 1_000_000
EDGES = (*range(1, 21), 49_995, 49_998, 49_999, 50_000)
TRAINING, UNSEEN = 200, 2000  # how many cases


def problem(grammar: Grammar | None = None, **options: Any) -> Objective:
    """Fizz buzz, with its own grammar or with another one of Python programs that define `fizz_buzz(x)`."""
    training, unseen = _cases()
    return synthesis(
        Wanted("fizz_buzz", "x", edit_distance, ("str",)),
        training,
        unseen,
        grammar or Grammar.from_text(GRAMMAR, "fizz-buzz", "gramarye"),
        **{"name": "fizz-buzz", "description": DESCRIPTION, **options},
    )


def _cases() -> tuple[list[Case], list[Case]]:
    """The edges and random numbers for training, other random numbers for testing: always the same."""
    rng = random.Random(1)  # noqa: S311, no secret
    drawn = rng.sample(range(1, LARGEST + 1), TRAINING + UNSEEN)
    numbers = [*EDGES, *(x for x in drawn if x not in EDGES)][: TRAINING + UNSEEN]
    cases = [(x, _expected(x)) for x in numbers]
    return cases[:TRAINING], cases[TRAINING:]


def _expected(x: int) -> str:
    return "Fizz" * (x % 3 == 0) + "Buzz" * (x % 5 == 0) or str(x)


def edit_distance(a: str, b: str) -> int:
    """How many characters have to be inserted, deleted or replaced to make one text of the other (Levenshtein)."""
    if a == b:
        return 0
    above = list(range(len(b) + 1))
    for i, ours in enumerate(a, 1):
        row = [i]
        for j, theirs in enumerate(b):
            row.append(min(above[j] + (ours != theirs), above[j + 1] + 1, row[j] + 1))
        above = row
    return above[-1]
