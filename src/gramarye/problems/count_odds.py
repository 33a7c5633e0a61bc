"""Count odds: a Python function that counts the odd numbers of a list.

T. Helmuth, L. Spector. General Program Synthesis Benchmark Suite. GECCO 2015.
Inputs are drawn as in the suite, the random ones anew, and the grammar is our own. An error is the distance to the
right number, but no more than what the suite gives a program without a result.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from typing import Any

from gramarye.grammar import Grammar
from gramarye.objectives.function import Objective
from gramarye.problems.base import Case, Wanted, synthesis

DESCRIPTION = (
    "a Python function: how many numbers of a list are odd; error: distance in 200 cases, 2000 unseen ones for "
    "testing. Source: Helmuth and Spector 2015 (PSB1)"
)

# There is no loop inside a loop, so all programs end soon.
GRAMMAR = r"""
<function>  ::= "def count_odds(numbers):{:result = n = 0\n"<block>"\nreturn result:}"
<block>     ::= <statement> | <statement>"\n"<block>
<statement> ::= <step> | for n in numbers:{:<steps>:}
<steps>     ::= <step> | <step>"\n"<steps>
<step>      ::= result = <number> | if <test>:{:<steps>:} | if <test>:{:<steps>:}else:{:<steps>:}
<test>      ::= <number> == <number> | <number> < <number>
<number>    ::= result | n | len(numbers) | 0 | <digit> | (<number> <op> <number>) | (<number> % <digit>)
<op>        ::= + | -
<digit>     ::= 1 | 2 | 3
"""

LONGEST = 50  # of the lists; their numbers are from -1000 to 1000
EDGES: tuple[tuple[int, ...], ...] = (
    *((), (-947,), (-450,), (303,), (886,)),
    *((n,) for n in range(-10, 11)),
    *((0, 0), (0, 1), (7, 1), (-9, -1), (-11, 40), (944, 77)),
)
WORST = 1000  # the largest error of a case; programs may count beyond all floats


def problem(grammar: Grammar | None = None, **options: Any) -> Objective:
    """Count odds, with its own grammar or with another one of Python programs that define `count_odds(numbers)`."""
    training, unseen = _cases()
    return synthesis(
        Wanted("count_odds", "numbers", _distance, ("len",)),
        training,
        unseen,
        grammar or Grammar.from_text(GRAMMAR, "count-odds", "gramarye"),
        **{"name": "count-odds", "description": DESCRIPTION, **options},
    )


def _distance(found: int, expected: int) -> int:
    return min(abs(found - expected), WORST)


def _cases() -> tuple[list[Case], list[Case]]:
    """The edges and random lists for training, other random lists for testing: always the same."""
    rng = random.Random(1)  # noqa: S311, no secret
    training = [*EDGES, *_drawn(rng, 9, 9, 150, EDGES)]
    unseen = _drawn(rng, 100, 100, 1800, training)
    return [_case(numbers) for numbers in training], [_case(numbers) for numbers in unseen]


def _drawn(
    rng: random.Random, all_odd: int, all_even: int, mixed: int, known: Collection[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """As many random lists that are odd throughout, even throughout, and mixed, none of which is known."""
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < all_odd + all_even + mixed:
        chance = 1.0 if len(drawn) < all_odd else 0.0 if len(drawn) < all_odd + all_even else rng.random()
        numbers = tuple(_number(rng, chance) for _ in range(rng.randint(1, LONGEST)))
        if numbers not in known:
            drawn[numbers] = None
    return list(drawn)


def _number(rng: random.Random, chance: float) -> int:
    """A random number that is odd with some probability."""
    return 2 * rng.randint(-500, 499) + 1 if rng.random() < chance else 2 * rng.randint(-500, 500)


def _case(numbers: tuple[int, ...]) -> Case:
    return numbers, sum(n % 2 for n in numbers)
