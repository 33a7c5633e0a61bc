"""Genotypes of pairs: the first number of a pair says which non-terminal is expanded, the second one how (πGE)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import AT_END, AT_START, ENCODE, OK, OUT_OF_CODONS
from gramarye.kernels.compiler import kernel
from gramarye.kernels.compiler_hooks import when_compiling
from gramarye.kernels.flat import doubled
from gramarye.kernels.random import advance, below, stream


def move(array: np.ndarray, to: int, begin: int, count: int) -> None:
    """Move so many entries of an array, from `begin` on, to where `to` is: for some ten quicker than a loop."""
    array[to : to + count] = array[begin : begin + count].copy()


@when_compiling
def _compile_move() -> None:
    from numba.core import cgutils, types
    from numba.extending import lower_builtin, type_callable

    @type_callable(move)  # type: ignore[untyped-decorator]
    def _type(_context: Any) -> Any:
        return lambda _array, _to, _begin, _count: types.none

    @lower_builtin(move, types.Array, types.Integer, types.Integer, types.Integer)  # type: ignore[untyped-decorator]
    def _generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        entries, to, begin, count = arguments
        array = signature.args[0]
        data = target.make_array(array)(target, builder, entries).data
        size = target.get_abi_sizeof(target.get_data_type(array.dtype))
        cgutils.raw_memmove(builder, builder.gep(data, [to]), builder.gep(data, [begin]), count, size)
        return target.get_dummy_value()


@kernel
def remainder(number: int, count: int) -> int:
    """What number mod count is where neither is negative: a division without signs is quicker."""
    return int(np.int64(np.uint64(number) % np.uint64(count)))


@kernel
def make_room(pending: np.ndarray, waiting: int, index: int, kids: int, insertion: int) -> int:
    """Take entry `index` out of a list of so many, and make room for its children; where they go."""
    if insertion == AT_END:
        move(pending, index, index + 1, waiting - 1 - index)
        return waiting - 1
    if kids != 1:
        move(pending, index + kids, index + 1, waiting - 1 - index)
    if insertion != AT_START:
        return index
    move(pending, kids, 0, index)
    return 0


@kernel
def map_pairs(
    pairs: np.ndarray,  # [N, L, 2]
    grammar: GrammarArrays,
    least: np.ndarray,  # [K] least number of pairs that finishes a non-terminal
    wraps: int,
    insertion: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Leftmost derivations of all individuals: productions (ragged), offsets [N+1], status [N], pairs used [N]."""
    n, length = pairs.shape[0], pairs.shape[1]
    productions = np.empty(16 * n + 64, np.int32)
    offsets = np.zeros(n + 1, np.int64)
    status = np.empty(n, np.int8)
    used = np.empty(n, np.int64)
    chosen, children = np.empty(256, np.int32), np.empty(256, np.int32)  # of each node: its production, its first child
    pending = np.empty(256, np.int64)  # what waits, node * 2**32 + non-terminal; then the stack of a walk
    reads = np.int64(length) * (wraps + 1)
    i = 0
    while i < n:
        pending[0] = 0
        nodes = waiting = 1
        need = np.int64(least[0])
        position = at = 0
        full = False
        while waiting > 0 and need <= reads - position:
            index = remainder(pairs[i, at, 0], waiting)
            node, symbol = pending[index] >> 32, pending[index] & 0xFFFFFFFF
            begin = grammar.rule_start[symbol]
            q = begin + remainder(pairs[i, at, 1], grammar.rule_start[symbol + 1] - begin)
            position += 1
            at += 1
            if at == length:
                at = 0
            last = grammar.kid_start[q + 1] - 1
            kids = last + 1 - grammar.kid_start[q]
            full = nodes + kids > len(chosen)
            if full:
                break
            chosen[node] = q
            children[node] = nodes
            need -= least[symbol]
            place = make_room(pending, waiting, index, kids, insertion)
            for k in range(kids):  # stored last one first
                kid = grammar.kids[last - k]
                pending[place + k] = (np.int64(nodes + k) << 32) + kid
                need += least[kid]
            nodes += kids
            waiting += kids - 1
        end = offsets[i]
        if full or (waiting == 0 and end + nodes > len(productions)):  # once more, with more room
            productions, pending = doubled(productions), doubled(pending)
            chosen, children = doubled(chosen), doubled(children)
            continue
        done = waiting == 0
        status[i] = OK if done else OUT_OF_CODONS
        used[i] = position if done else reads
        pending[0] = 0
        height = 1 if done else 0
        while height > 0:  # what was expanded in any order is written down from left to right
            height -= 1
            node = pending[height]
            q = chosen[node]
            productions[end] = q
            end += 1
            for k in range(grammar.kid_start[q + 1] - grammar.kid_start[q] - 1, -1, -1):
                pending[height] = children[node] + k
                height += 1
        offsets[i + 1] = end
        i += 1
    return productions[: offsets[n]].copy(), offsets, status, used


@kernel
def coded(choice: int, count: int, codon_max: int, state: np.uint64) -> np.int64:
    """A random integer in 0 … codon_max whose remainder by `count` is the choice; -1 where there is none."""
    if choice > codon_max:
        return np.int64(-1)
    return choice + count * below(state, (codon_max - choice) // count + 1)


@kernel
def encode_pairs(
    productions: np.ndarray,
    offsets: np.ndarray,
    status: np.ndarray,
    grammar: GrammarArrays,
    length: int,
    insertion: int,
    codon_max: int,
    seed: np.uint64,
    generation: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs [N, length, 2] that expand the leftmost non-terminal again and again; and which derivations fit."""
    n = len(status)
    pairs = np.empty((n, length, 2), np.int32)
    fits = np.empty(n, np.bool_)
    room = 1
    for i in range(n):
        room = max(room, offsets[i + 1] - offsets[i])
    pending, walk = np.empty(room + 1, np.int32), np.empty(room + 1, np.int32)
    for i in range(n):
        state = stream(seed, generation, ENCODE, i)
        for k in range(length):
            for part in range(2):
                state = advance(state)
                pairs[i, k, part] = below(state, codon_max + 1)
        fits[i] = status[i] == OK and offsets[i + 1] - offsets[i] <= length
        if not fits[i]:
            continue
        pending[0] = walk[0] = 0  # nodes are numbered as they come up
        nodes = waiting = height = 1
        for k in range(offsets[i + 1] - offsets[i]):
            q = productions[offsets[i] + k]
            symbol = grammar.left[q]
            begin = grammar.rule_start[symbol]
            height -= 1
            index = 0
            while pending[index] != walk[height]:
                index += 1
            state = advance(state)
            place_code = coded(index, waiting, codon_max, state)
            state = advance(state)
            rule_code = coded(q - begin, grammar.rule_start[symbol + 1] - begin, codon_max, state)
            if place_code < 0 or rule_code < 0:
                fits[i] = False
                break
            pairs[i, k, 0] = place_code
            pairs[i, k, 1] = rule_code
            kids = grammar.kid_start[q + 1] - grammar.kid_start[q]
            place = make_room(pending, waiting, index, kids, insertion)
            for kid in range(kids):
                pending[place + kid] = nodes + kid
                walk[height + kid] = nodes + kids - 1 - kid
            nodes += kids
            waiting += kids - 1
            height += kids
    return pairs, fits
