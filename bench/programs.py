"""Random programs over the operators of the paper's grammar, the same for every engine that is measured."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BINARY = ("+", "-", "*", "/")
UNARY = ("sin", "cos", "exp", "log", "inv")
LEAVES = ("x", "y", "1.0")
BINARY_SHARE = 2 / 3  # of the grammar's three productions that build on others, two are binary

Program = tuple[str, ...]  # postfix: ("x", "y", "-", "sin") is sin(x - y)


def random_programs(count: int, smallest: int = 20, largest: int = 60, seed: int = 1) -> list[Program]:
    """`count` programs whose numbers of nodes are uniform in smallest..largest."""
    rng = random.Random(seed)
    return [tuple(_grow(rng, rng.randint(smallest, largest))) for _ in range(count)]


def tuned_programs(count: int, seed: int = 1) -> list[Program]:
    """`count` programs of 34 nodes, 13 of which are constants to be tuned, "c"."""
    rng = random.Random(seed)
    programs = []
    for _ in range(count):
        leaves = ["c"] * 13 + rng.choices(("x", "y"), k=3)
        rng.shuffle(leaves)
        parts = [[leaf] for leaf in leaves]
        operations = list(rng.choices(BINARY, k=15)) + list(rng.choices(UNARY, k=3))
        rng.shuffle(operations)
        for operation in operations:
            place = rng.randrange(len(parts) - (operation in BINARY))
            end = place + (2 if operation in BINARY else 1)
            parts[place:end] = [[*itertools.chain(*parts[place:end]), operation]]
        programs.append(tuple(parts[0]))
    return programs


def _grow(rng: random.Random, nodes: int) -> list[str]:
    if nodes == 1:
        return [rng.choice(LEAVES)]
    if nodes == 2 or rng.random() >= BINARY_SHARE:
        return [*_grow(rng, nodes - 1), rng.choice(UNARY)]
    left = rng.randint(1, nodes - 2)
    return [*_grow(rng, left), *_grow(rng, nodes - 1 - left), rng.choice(BINARY)]


def infix(program: Program) -> str:
    """The program as an expression with all its brackets: what a phenotype looks like."""
    stack: list[str] = []
    for token in program:
        if token in BINARY:
            right = stack.pop()
            stack.append(f"({stack.pop()}{token}{right})")
        elif token in UNARY:
            stack.append(f"{token}({stack.pop()})")
        else:
            stack.append(token)
    return stack.pop()


def nodes(programs: Sequence[Program]) -> int:
    """Nodes of all programs together."""
    return sum(len(program) for program in programs)


def pagie_grid() -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # [676, 2], [676]
    """The paper's 26 × 26 points and the target 1/(1+x⁻⁴) + 1/(1+y⁻⁴)."""
    axis = -5 + 0.4 * np.arange(26)
    table = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    return table, (1 / (1 + table**-4.0)).sum(axis=1)


def random_table(rows: int, seed: int = 1) -> NDArray[np.float64]:  # [rows, 2]
    """Rows drawn uniformly from the square of the Pagie grid."""
    return np.random.default_rng(seed).uniform(-5, 5, size=(rows, 2))
