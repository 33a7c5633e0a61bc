"""A run as it is usually written: Python lists, text, eval(compile(…)), and a dictionary of programs already seen."""

from __future__ import annotations

import math
import random
import time
from types import CodeType
from typing import Any

import numpy as np

from bench.programs import pagie_grid
from gramarye import Grammar
from gramarye.problems.pagie import GRAMMAR

CODONS = 128


def twin_map(grammar: Grammar, codons: list[float], row_of: dict[str, list[float]]) -> str | None:
    """The text of a genotype of reals, read as PGE reads it."""
    text, position = [], 0
    symbols: list[Any] = [("nonterminal", grammar.nonterminals[0])]
    while symbols:
        kind, name = symbols.pop()
        if kind != "nonterminal":
            text.append(name)
            continue
        if position == len(codons):
            return None
        codon, total = codons[position], 0.0
        position += 1
        production = grammar.rules[name][-1]
        for candidate, probability in zip(grammar.rules[name], row_of[name], strict=True):
            total += probability
            if codon < total:
                production = candidate
                break
        symbols.extend((symbol.kind, symbol.text) for symbol in reversed(production.symbols))
    return "".join(text)


def twin_map_seconds(population: int = 1000) -> float:
    """Seconds for mapping random genotypes of reals to code objects."""
    grammar = Grammar.from_text(GRAMMAR)
    rows = {name: [1 / len(rule)] * len(rule) for name, rule in grammar.rules.items()}
    rng = random.Random(1)
    genotypes = [[rng.random() for _ in range(CODONS)] for _ in range(population)]
    began = time.process_time()
    for genotype in genotypes:
        text = twin_map(grammar, genotype, rows)
        if text is not None:
            compile(text, "phenotype", "eval")
    return time.process_time() - began


def twin_run_seconds(generations: int = 50, population: int = 1000) -> float:
    """Seconds for a run of PGE without learning: selection, crossover, mutation, mapping, evaluation."""
    grammar = Grammar.from_text(GRAMMAR)
    rows = {name: [1 / len(rule)] * len(rule) for name, rule in grammar.rules.items()}
    table, target = pagie_grid()
    spread = float(((target - target.mean()) ** 2).sum())
    names = {"x": table[:, 0], "y": table[:, 1], "sin": np.sin, "cos": np.cos, "exp": np.exp, "log": _log, "inv": _inv}
    seen: dict[str, float] = {}
    rng = random.Random(1)
    began = time.process_time()
    genotypes = [[rng.random() for _ in range(CODONS)] for _ in range(population)]
    for _ in range(generations):
        fitness = []
        for genotype in genotypes:
            text = twin_map(grammar, genotype, rows)
            if text is not None and text not in seen:
                seen[text] = _error(compile(text, "phenotype", "eval"), names, target, spread)
            fitness.append(math.inf if text is None else seen[text])
        genotypes = [_child(genotypes, fitness, rng) for _ in genotypes]
    return time.process_time() - began


def _child(genotypes: list[list[float]], fitness: list[float], rng: random.Random) -> list[float]:
    def winner() -> list[float]:
        return genotypes[min((rng.randrange(len(genotypes)) for _ in range(3)), key=fitness.__getitem__)]

    mother, father, cut = winner(), winner(), rng.randrange(CODONS)
    return [rng.random() if rng.random() < 0.05 else codon for codon in father[:cut] + mother[cut:]]


def _error(code: CodeType, names: dict[str, Any], target: Any, spread: float) -> float:
    with np.errstate(all="ignore"):
        try:
            error = float(((eval(code, names) - target) ** 2).sum())
        except (ZeroDivisionError, OverflowError):
            return math.inf
    return math.sqrt(error / spread) if math.isfinite(error) else math.inf


def _log(values: Any) -> Any:
    return np.where(np.asarray(values) <= 0, 0.0, np.log(values))


def _inv(values: Any) -> Any:
    return np.where(np.asarray(values) == 0, 1.0, 1 / np.asarray(values, float))
