"""Genotypes of genes that name productions, and the concentrations that they leave behind (Chorus)."""

from __future__ import annotations

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import ENCODE, OK, OUT_OF_CODONS
from gramarye.kernels.compiler import kernel
from gramarye.kernels.flat import doubled
from gramarye.kernels.pairs import remainder
from gramarye.kernels.random import advance, below, stream


@kernel
def dominant(concentrations: np.ndarray, first: int, count: int) -> int:
    """The one of `count` concentrations from `first` on that is larger than all others of them; -1: there is none."""
    found, most = -1, 0
    for number in range(first, first + count):
        if concentrations[number] > most:
            found, most = number, concentrations[number]
        elif concentrations[number] == most:
            found = -1
    return found


@kernel
def map_chorus(
    codons: np.ndarray,  # [N, L]
    grammar: GrammarArrays,
    numbers: np.ndarray,  # [K] the number of each non-terminal's first production
    numbered: int,  # how many productions have one
    least: np.ndarray,  # [K] least number of choices that finishes a non-terminal
    wraps: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Leftmost derivations of all individuals: productions (ragged), offsets [N+1], status [N], genes used [N]."""
    n, length = codons.shape
    productions = np.empty(16 * n + 64, np.int32)
    offsets = np.zeros(n + 1, np.int64)
    status = np.empty(n, np.int8)
    used = np.empty(n, np.int64)
    concentrations = np.empty(numbered, np.int64)
    stack = np.empty(64, np.int32)
    reads = np.int64(length) * (wraps + 1)
    i = 0
    while i < n:
        for number in range(numbered):
            concentrations[number] = 0
        stack[0] = 0
        height = 1
        position = spent = at = 0
        need = np.int64(least[0])
        end = offsets[i]
        full = False
        # A gene is good for one choice at most, so that those not yet spent must be as many as choices are needed.
        while height > 0 and need <= reads - spent:
            symbol = stack[height - 1]
            q = grammar.rule_start[symbol]
            count = grammar.rule_start[symbol + 1] - q
            if count > 1:
                begin = numbers[symbol]
                winner = dominant(concentrations, begin, count)
                while winner < 0 and position < reads:
                    number = remainder(codons[i, at], numbered)
                    concentrations[number] += 1
                    position += 1
                    at += 1
                    if at == length:
                        at = 0
                    if begin <= number < begin + count:
                        winner = dominant(concentrations, begin, count)
                if winner < 0:
                    break
                concentrations[winner] -= 1
                spent += 1
                q += winner - begin
            height -= 1
            full = end == len(productions) or height + grammar.kid_start[q + 1] - grammar.kid_start[q] > len(stack)
            if full:
                break
            productions[end] = q
            end += 1
            need -= least[symbol]
            for k in range(grammar.kid_start[q], grammar.kid_start[q + 1]):
                stack[height] = grammar.kids[k]
                need += least[grammar.kids[k]]
                height += 1
        if full:  # once more, with more room
            productions, stack = doubled(productions), doubled(stack)
            continue
        done = height == 0
        status[i] = OK if done else OUT_OF_CODONS
        used[i] = position if done else reads
        offsets[i + 1] = end if done else offsets[i]
        i += 1
    return productions[: offsets[n]].copy(), offsets, status, used


@kernel
def encode_chorus(
    productions: np.ndarray,
    offsets: np.ndarray,
    status: np.ndarray,
    grammar: GrammarArrays,
    numbers: np.ndarray,
    numbered: int,
    length: int,
    codon_max: int,
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Genes [N, length] that name productions in leftmost order, so that each wins at once; and which fit."""
    n = len(status)
    codons = np.empty((n, length), np.int32)
    fits = np.empty(n, np.bool_)
    for i in range(n):
        state = stream(seed, generation, ENCODE, i)
        for k in range(length):
            state = advance(state)
            codons[i, k] = below(state, codon_max + 1)
        fits[i] = status[i] == OK
        k = 0
        for step in range(offsets[i], offsets[i + 1]):
            q = productions[step]
            symbol = grammar.left[q]
            begin = grammar.rule_start[symbol]
            if grammar.rule_start[symbol + 1] - begin == 1:
                continue
            number = numbers[symbol] + q - begin
            if k == length or number > codon_max:
                fits[i] = False
                break
            state = advance(state)
            codons[i, k] = number + numbered * below(state, (codon_max - number) // numbered + 1)
            k += 1
    return codons, fits
