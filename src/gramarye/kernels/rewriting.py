"""Derivations replayed as something else, by templates: as those of another grammar and back again, as terminals."""

from __future__ import annotations

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import CHILD, OK, STEP_LIMIT
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.flat import doubled


@kernel
def translate(
    productions: np.ndarray,  # [total]
    offsets: np.ndarray,  # [N+1]
    template_start: np.ndarray,  # [R'+1]
    templates: np.ndarray,  # for each production what stands for it: any numbers >= 0, and CHILD for each child
) -> tuple[np.ndarray, np.ndarray]:
    """What all derivations stand for, from left to right, and where each ends; one that was cut off stays cut off."""
    stays_apart()
    n = len(offsets) - 1
    out = np.empty(2 * len(productions) + 64, np.int32)
    out_offsets = np.zeros(n + 1, np.int64)
    at, until = np.empty(64, np.int32), np.empty(64, np.int32)  # stack of those that wait
    for i in range(n):
        end = out_offsets[i]
        height = 0
        k = stop = 0  # where in which template
        most = end  # where it ends at the latest
        for step in range(offsets[i], offsets[i + 1]):
            if height == len(at):
                at, until = doubled(at), doubled(until)
            at[height], until[height] = k, stop
            height += 1
            k, stop = template_start[productions[step]], template_start[productions[step] + 1]
            most += stop - k
            while most > len(out):
                out = doubled(out)
            while height > 0:
                while k < stop and templates[k] != CHILD:
                    out[end] = templates[k]
                    end += 1
                    k += 1
                if k < stop:
                    k += 1
                    break
                height -= 1
                k, stop = at[height], until[height]
        out_offsets[i + 1] = end
    return out[: out_offsets[n]].copy(), out_offsets


@kernel
def match(steps: np.ndarray, sizes: np.ndarray, at: int, template: np.ndarray) -> bool:
    """Whether the derivation at this step begins as a template says; a child may be anything."""
    for k in range(len(template)):
        if template[k] == CHILD:
            at += sizes[at]
        elif steps[at] == template[k]:
            at += 1
        else:
            return False
    return True


@kernel
def unfold(
    productions: np.ndarray,
    offsets: np.ndarray,
    status: np.ndarray,
    grammar: GrammarArrays,  # of these derivations
    rewritten: GrammarArrays,
    template_start: np.ndarray,  # [R'+1]
    templates: np.ndarray,  # for each rewritten production what it stands for: productions, and CHILD for each child
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The way back: derivations in rewritten productions, their offsets and status; STEP_LIMIT: it doesn't fit."""
    n = len(status)
    out = np.empty(len(productions), np.int32)
    out_offsets = np.zeros(n + 1, np.int64)
    out_status = status.copy()
    longest = 0
    for i in range(n):
        longest = max(longest, offsets[i + 1] - offsets[i])
    sizes = np.empty(longest + 1, np.int64)  # of the subtree at each step; first, a stack of those to the right
    symbols, places = np.empty(longest + 1, np.int64), np.empty(longest + 1, np.int64)
    for i in range(n):
        end = out_offsets[i]
        out_offsets[i + 1] = end
        if status[i] != OK:
            continue
        steps = productions[offsets[i] : offsets[i + 1]]
        height = 0
        for k in range(len(steps) - 1, -1, -1):
            size = 1
            for _ in range(grammar.kid_start[steps[k] + 1] - grammar.kid_start[steps[k]]):
                height -= 1
                size += places[height]
            places[height] = sizes[k] = size
            height += 1
        symbols[0] = places[0] = 0
        height = 1
        while height > 0:
            height -= 1
            symbol, at = symbols[height], places[height]
            q = rewritten.rule_start[symbol]
            last = rewritten.rule_start[symbol + 1]
            while q < last and not match(steps, sizes, at, templates[template_start[q] : template_start[q + 1]]):
                q += 1
            if q == last:
                out_status[i] = STEP_LIMIT
                break
            out[end] = q
            end += 1
            height += rewritten.kid_start[q + 1] - rewritten.kid_start[q]
            top = height
            kid = rewritten.kid_start[q + 1]
            for k in range(template_start[q], template_start[q + 1]):
                if templates[k] == CHILD:  # the first child goes on top; kids are stored last one first
                    top -= 1
                    kid -= 1
                    symbols[top] = rewritten.kids[kid]
                    places[top] = at
                    at += sizes[at]
                else:
                    at += 1
        if out_status[i] == OK:
            out_offsets[i + 1] = end
    return out[: out_offsets[n]].copy(), out_offsets, out_status
