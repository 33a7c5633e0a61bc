"""What the kernels must compute, in plain Python: lists, ints and floats, one individual after another.

Twins know nothing of array layouts, of growing buffers, of failing early or of blocks. What they share with kernels is
the agreement on numbers (codes.py) and on which random draw comes when.
"""

from __future__ import annotations

import ast
import math
import struct
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from gramarye.grammar import Grammar
from gramarye.kernels import codes
from gramarye.languages.arithmetic.kernels import codes as arithmetic

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15

Lists = list[list[int]]  # a structured genotype: a list of production numbers for each non-terminal


# Random numbers: SplitMix64 (Steele, Lea, Flood 2014)


def scramble(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def fork(state: int, key: int) -> int:
    return scramble(((state ^ scramble((key + GOLDEN) & MASK)) + GOLDEN) & MASK)


def stream(seed: int, generation: int, purpose: int, individual: int) -> int:
    state = 0
    for key in (seed, generation, purpose, individual):
        state = fork(state, key)
    return state


def unit(word: int) -> float:
    return (word >> 11) / 2**53


def below(word: int, n: int) -> int:
    return ((word >> 32) * n) >> 32


class Draws:
    """The numbers of one stream, in order."""

    def __init__(self, state: int) -> None:
        self.state = state

    def word(self) -> int:
        self.state = (self.state + GOLDEN) & MASK
        return scramble(self.state)

    def unit(self) -> float:
        return unit(self.word())

    def below(self, n: int) -> int:
        return below(self.word(), n)


def permutation(seed: int, n: int) -> list[int]:
    draws = Draws(stream(seed, 0, codes.SPLIT, 0))
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = draws.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


# Grammars


@dataclass(frozen=True)
class Plain:
    """A grammar as lists: production numbers of each non-terminal, non-terminals of each production left to right."""

    rules: list[list[int]]
    kids: list[list[int]]

    @classmethod
    def of(cls, grammar: Grammar) -> Plain:
        number = {name: a for a, name in enumerate(grammar.nonterminals)}
        kids = [[number[s.text] for s in p.symbols if s.kind == "nonterminal"] for p in grammar.productions]
        return cls([[p.id for p in rule] for rule in grammar.rules.values()], kids)

    def heights(self) -> tuple[list[float], list[float]]:
        """Of productions and of non-terminals: the fixpoint from infinity."""
        of_production, of_symbol = [math.inf] * len(self.kids), [math.inf] * len(self.rules)
        while True:
            before = list(of_symbol)
            of_production = [1 + max([of_symbol[kid] for kid in kids], default=0) for kids in self.kids]
            of_symbol = [min(of_production[q] for q in rule) for rule in self.rules]
            if of_symbol == before:
                return of_production, of_symbol


# Flat genotypes


def choose(row: Sequence[float], codon: float) -> int:
    total = 0.0
    for i, p in enumerate(row):
        total += p
        if codon < total:
            return i
    return max(i for i, p in enumerate(row) if p > 0)


def map_flat(
    grammar: Grammar,
    codons: Sequence[float],
    probabilities: Sequence[float],
    wraps: int,
    consume_single: bool,
    modulo: bool,
) -> tuple[int, list[int], int]:
    """Status, productions, codons used; an invalid one has no productions and has used all its codons."""
    plain = Plain.of(grammar)
    reads = len(codons) * (wraps + 1)
    pending, productions, position = [0], [], 0
    while pending:
        rule = plain.rules[pending.pop()]
        q = rule[0]
        if len(rule) > 1 or consume_single:
            if position == reads:
                return codes.OUT_OF_CODONS, [], reads
            codon = codons[position % len(codons)]
            position += 1
            q = rule[int(codon) % len(rule) if modulo else choose([probabilities[r] for r in rule], codon)]
        productions.append(q)
        pending.extend(reversed(plain.kids[q]))
    return codes.OK, productions, position


def random_reals(n: int, width: int, seed: int) -> list[list[float]]:
    rows = [Draws(stream(seed, 0, codes.INITIAL, i)) for i in range(n)]
    return [[draws.unit() for _ in range(width)] for draws in rows]


def random_integers(n: int, width: int, codon_max: int, seed: int) -> list[list[int]]:
    rows = [Draws(stream(seed, 0, codes.INITIAL, i)) for i in range(n)]
    return [[draws.below(codon_max + 1) for _ in range(width)] for draws in rows]


def cross_fixed(mother: list[float], father: list[float] | None, limit: int, draws: Draws) -> list[float]:
    """The father's head and the mother's tail, from one cut in 0 … limit-1."""
    if father is None:
        return mother
    cut = draws.below(max(1, limit))
    return father[:cut] + mother[cut:]


def cross_variable(
    mother: list[float], father: list[float] | None, limits: tuple[int, int], width: int, draws: Draws
) -> list[float]:
    """The mother's head and the father's tail, from a cut in 1 … limit of each; at most `width` codons."""
    if father is None:
        return mother
    head, skipped = (1 + draws.below(max(1, limit)) for limit in limits)
    return (mother[:head] + father[skipped:])[:width]


def mutate_reals(codons: list[float], rate: float, draws: Draws) -> list[float]:
    return [draws.unit() if draws.unit() < rate else codon for codon in codons]


def mutate_integers(codons: list[int], rate: float, codon_max: int, draws: Draws) -> list[int]:
    return [draws.below(codon_max + 1) if draws.unit() < rate else codon for codon in codons]


# Structured genotypes


def permitted(plain: Plain, symbol: int, depth: int, limit: int, rule: int) -> list[int]:
    """The production numbers (0 … j-1) that a depth rule allows for a non-terminal at some depth."""
    of_production, of_symbol = plain.heights()
    productions = plain.rules[symbol]
    shortest = [i for i, q in enumerate(productions) if of_production[q] == of_symbol[symbol]]
    if rule == codes.HEIGHT:
        return [i for i, q in enumerate(productions) if depth + of_production[q] <= limit] or shortest
    if depth <= limit:
        return list(range(len(productions)))
    if rule == codes.SHORTEST:
        return shortest
    return [i for i, q in enumerate(productions) if symbol not in plain.kids[q]]


@dataclass
class MappedLists:
    lists: Lists
    productions: list[int]
    status: int
    used: list[int]
    depth: int  # of the tree, as far as it was derived


def weighed(weights: Sequence[float], allowed: Sequence[int]) -> list[float]:
    """What is left of a row where only some productions are allowed; these are alike where nothing is left."""
    if len(allowed) == len(weights):
        return list(weights)
    total = sum(weights[i] for i in allowed)
    shares = {i: weights[i] / total if total > 0 else 1 / len(allowed) for i in allowed}
    return [shares.get(i, 0.0) for i in range(len(weights))]


def map_lists(
    grammar: Grammar,
    lists: Lists,
    limit: int,
    rule: int,
    step_limit: int,
    key: int,
    weights: Sequence[float] | None = None,
) -> MappedLists:
    plain = Plain.of(grammar)
    mapped = MappedLists([list(entries) for entries in lists], [], codes.OK, [0] * len(lists), 0)
    pending = [(0, 0)]
    while pending:
        ending = len(mapped.productions) >= step_limit
        symbol, depth = pending.pop()
        mapped.depth = max(mapped.depth, depth + 1)
        entries, position = mapped.lists[symbol], mapped.used[symbol]
        mapped.used[symbol] += 1
        allowed = permitted(plain, symbol, depth, *((-1, codes.SHORTEST) if ending else (limit, rule)))
        word = scramble(fork(fork(key, symbol), position))
        if position == len(entries) and weights is not None:
            row = [weights[q] for q in plain.rules[symbol]]
            entries.append(choose(weighed(row, allowed), unit(word)))
        elif position == len(entries):
            entries.append(allowed[below(word, len(allowed))])
        elif (ending or rule == codes.HEIGHT) and entries[position] not in allowed:
            entries[position] = allowed[entries[position] % len(allowed)]
        q = plain.rules[symbol][entries[position]]
        mapped.productions.append(q)
        pending.extend((kid, depth + 1) for kid in reversed(plain.kids[q]))
    return mapped


def take_lists(mother: Lists, father: Lists | None, draws: Draws) -> Lists:
    """Each list from one parent or the other."""
    if father is None:
        return mother
    return [m if draws.unit() < 0.5 else f for m, f in zip(mother, father, strict=True)]


def mutate_lists(
    grammar: Grammar,
    lists: Lists,
    used: list[int],
    depth: int,
    limit: int,
    rule: int,
    rate: float,
    draws: Draws,
) -> Lists:
    """Each used entry, with probability `rate`, becomes another; the shortest in a soft-ruled tree at its limit."""
    plain = Plain.of(grammar)
    lists = [list(entries) for entries in lists]
    for symbol, entries in enumerate(lists):
        choices = range(len(plain.rules[symbol]))
        for position in range(used[symbol] if len(choices) > 1 else 0):
            if draws.unit() >= rate:
                continue
            others = [choice for choice in choices if choice != entries[position]]
            if rule != codes.HEIGHT and depth >= limit:
                others = permitted(plain, symbol, limit + 1, limit, codes.SHORTEST)
            entries[position] = others[draws.below(len(others))]
    return lists


# Selection


def tournament(fitness: Sequence[float], size: int, draws: Draws) -> int:
    drawn = [draws.below(len(fitness)) for _ in range(size)]
    return min(drawn, key=lambda i: fitness[i])  # the first drawn of equals


def tournament_pairs(
    fitness: Sequence[float], n: int, size: int, crossover: float, seed: int, generation: int
) -> list[tuple[int, int]]:
    pairs = []
    for i in range(n):
        draws = Draws(stream(seed, generation, codes.SELECT, i))
        crosses = draws.unit() < crossover
        mother = tournament(fitness, size, draws)
        pairs.append((mother, tournament(fitness, size, draws) if crosses else -1))
    return pairs


def lexicase_parents(
    errors: Sequence[Sequence[float]], tolerance: Sequence[float], n: int, seed: int, generation: int
) -> list[tuple[int, int]]:
    """Mothers and fathers; errors are those of each individual in each case."""
    pairs = []
    for i in range(n):
        draws = Draws(stream(seed, generation, codes.SELECT, i))
        draws.unit()  # the coin for crossover
        cases = list(range(len(tolerance)))
        mother = lexicase_winner(errors, tolerance, cases, draws)
        pairs.append((mother, lexicase_winner(errors, tolerance, cases, draws)))
    return pairs


def lexicase_winner(
    errors: Sequence[Sequence[float]], tolerance: Sequence[float], cases: list[int], draws: Draws
) -> int:
    left = list(range(len(errors)))
    for drawn in range(len(cases)):
        if all(errors[i] == errors[left[0]] for i in left):
            break
        other = drawn + draws.below(len(cases) - drawn)
        cases[drawn], cases[other] = cases[other], cases[drawn]
        case = cases[drawn]
        limit = min(errors[i][case] for i in left) + tolerance[case]
        left = [i for i in left if errors[i][case] <= limit]
    return left[draws.below(len(left))]


# Programs

_AST_OPERATIONS: dict[type, int] = {
    ast.Add: arithmetic.ADD,
    ast.Sub: arithmetic.SUBTRACT,
    ast.Mult: arithmetic.MULTIPLY,
    ast.Div: arithmetic.DIVIDE,
    ast.BitOr: arithmetic.DIVIDE,
    ast.Pow: arithmetic.POWER,
}
_SIGNS = {
    arithmetic.ADD: "+",
    arithmetic.SUBTRACT: "-",
    arithmetic.MULTIPLY: "*",
    arithmetic.DIVIDE: "/",
    arithmetic.DIVIDE_LAST: "|",
    arithmetic.POWER: "**",
}
_BRACKETS = {arithmetic.OPEN: "(", arithmetic.CLOSE: ")", arithmetic.COMMA: ","}


def to_postfix(tokens: Sequence[int], constants: Sequence[float]) -> list[int] | None:
    """Words of the program that Python itself reads in the tokens; None where they are no expression."""
    numbers: list[float] = []
    pieces: list[str] = []
    for piece in _texts(tokens, constants):
        if isinstance(piece, float):
            pieces.append(f"n{len(numbers)}")
            numbers.append(piece)
        elif piece is None:
            return None
        else:
            pieces.append(piece)
    # Python allows (sin)(x) and sin(x,), we don't
    if any((a[0] == "f" and b != "(") or (a == "," and b == ")") for a, b in pairwise([*pieces, ";"])):
        return None
    try:
        return _words(ast.parse(" ".join(pieces), mode="eval").body, numbers)
    except (SyntaxError, NotImplementedError):
        return None


def _texts(tokens: Sequence[int], constants: Sequence[float]) -> Iterator[str | float | None]:
    """Tokens as Python's, numbers as their values, None for digits and points that make no number."""
    digits = ""
    for token in [*tokens, arithmetic.SPACE]:
        kind, argument = token % 16, token // 16
        if kind in (arithmetic.DIGIT, arithmetic.POINT):
            digits += "." if kind == arithmetic.POINT else str(argument)
            continue
        if digits:
            yield float(digits) if digits.count(".") <= 1 and digits != "." else None
            digits = ""
        if kind == arithmetic.NUMBER:
            yield constants[argument]
        elif kind == arithmetic.NAME:
            yield f"v{argument}"
        elif kind == arithmetic.FUNCTION:
            yield f"f{argument}"
        elif kind == arithmetic.OPERATOR:
            yield _SIGNS[argument]
        elif kind != arithmetic.SPACE:
            yield _BRACKETS[kind]


def _words(node: ast.expr, numbers: list[float]) -> list[int]:
    if isinstance(node, ast.BinOp):
        return [*_words(node.left, numbers), *_words(node.right, numbers), _AST_OPERATIONS[type(node.op)]]
    if isinstance(node, ast.UnaryOp):
        return _words(node.operand, numbers) + ([arithmetic.NEGATE] if isinstance(node.op, ast.USub) else [])
    if isinstance(node, ast.Name) and node.id[0] == "n":
        return [arithmetic.CONSTANT, *struct.unpack("<ii", struct.pack("<d", numbers[int(node.id[1:])]))]
    if isinstance(node, ast.Name) and node.id[0] == "v":
        return [arithmetic.VARIABLE + int(node.id[1:])]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id[0] == "f" and not node.keywords:
        function = int(node.func.id[1:])
        if len(node.args) == (2 if function < arithmetic.UNARY else 1):
            return [*(word for argument in node.args for word in _words(argument, numbers)), function]
    raise NotImplementedError(ast.dump(node))


# The machine

Functions = Mapping[int, Callable[..., float]]

EXACT: Functions = {
    arithmetic.ADD: lambda a, b: a + b,
    arithmetic.SUBTRACT: lambda a, b: a - b,
    arithmetic.MULTIPLY: lambda a, b: a * b,
    arithmetic.DIVIDE: lambda a, b: 1.0 if b == 0 else a / b,
    arithmetic.MINIMUM: lambda a, b: b if b < a or b != b else a,  # noqa: PLR0124
    arithmetic.MAXIMUM: lambda a, b: b if b > a or b != b else a,  # noqa: PLR0124
    arithmetic.NEGATE: lambda a: -a,
    arithmetic.SQRT: lambda a: math.sqrt(a) if a >= 0 else math.nan,
    arithmetic.ROOT_ABS: lambda a: math.sqrt(abs(a)),
    arithmetic.ABS: abs,
    arithmetic.INVERSE: lambda a: 1.0 if a == 0 else 1 / a,
    arithmetic.SQUARE: lambda a: a * a,
    arithmetic.CUBE: lambda a: a * a * a,
}
OVERFLOW = math.log(sys.float_info.max)
# Those that machines compute to the last place or so, each in its own way
NEAR: Functions = {
    arithmetic.SIN: math.sin,
    arithmetic.COS: math.cos,
    arithmetic.TAN: math.tan,
    arithmetic.EXP: math.exp,
    arithmetic.PROTECTED_EXP: lambda a: 1.0 if a > OVERFLOW else math.exp(a),
    arithmetic.LOG: lambda a: 0.0 if a <= 0 else math.log(a),
    arithmetic.TANH: math.tanh,
    arithmetic.POWER: math.pow,
}


def evaluate(words: Sequence[int], row: Sequence[float], functions: Functions) -> tuple[float, int]:
    """What a program gives for one row, and its number of nodes."""
    stack: list[float] = []
    rest = iter(words)
    nodes = 0
    for word in rest:
        nodes += 1
        if word == arithmetic.CONSTANT:
            stack.append(struct.unpack("<d", struct.pack("<ii", next(rest), next(rest)))[0])
        elif word >= arithmetic.VARIABLE:
            stack.append(row[word - arithmetic.VARIABLE])
        elif word >= arithmetic.UNARY:
            stack.append(functions[word](stack.pop()))
        else:
            right = stack.pop()
            stack.append(functions[word](stack.pop(), right))
    assert len(stack) == 1
    return stack[0], nodes


def add_in_lanes(terms: Sequence[float], lanes: int = 16) -> float:
    """Sum of sums: term i belongs to lane i mod 16."""
    totals = [0.0] * lanes
    for i, term in enumerate(terms):
        totals[i % lanes] += term
    whole = 0.0
    for total in totals:
        whole += total
    return whole


def rows_to_try(columns: Sequence[Sequence[float]], limit: int = 32, lanes: int = 16) -> list[int]:
    """The first row with the least and the first with the largest value of each column, then 12 or more evenly."""
    rows = len(columns[0])
    extremes = [row for c in columns[:limit] for row in (list(c).index(min(c)), list(c).index(max(c)))]
    more = next(n for n in range(12, 12 + lanes) if (len(extremes) + n) % lanes == 0)
    tried = [*extremes, *((rows - 1) * k // (more - 1) for k in range(more))]
    return tried if rows >= 8 * len(tried) else []


def fit_line(output: Sequence[float], target: Sequence[float], weights: Sequence[float]) -> tuple[float, float]:
    """Intercept and slope by the definition, in exact fractions."""
    f, y, w = ([Fraction(value) for value in values] for values in (output, target, weights))
    total = sum(w)
    centre = sum(a * b for a, b in zip(w, f, strict=True)) / total
    mean = sum(a * b for a, b in zip(w, y, strict=True)) / total
    variance = sum(a * (b - centre) ** 2 for a, b in zip(w, f, strict=True))
    covariance = sum(a * (b - centre) * (c - mean) for a, b, c in zip(w, f, y, strict=True))
    slope = covariance / variance if variance else Fraction(0)
    return float(mean - slope * centre), float(slope)
