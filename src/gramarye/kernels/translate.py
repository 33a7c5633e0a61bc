"""Derivations of a rewritten grammar as those of the grammar that it was made from."""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.flat import doubled

CHILD = -1  # in a template: here come the steps of the next child


@kernel
def translate(
    productions: np.ndarray,  # [total]
    offsets: np.ndarray,  # [N+1]
    template_start: np.ndarray,  # [R'+1]
    templates: np.ndarray,  # for each production what stands for it: numbers of productions, and CHILD for each child
) -> tuple[np.ndarray, np.ndarray]:
    """The same derivations in other productions, and their offsets; one that was cut off stays cut off."""
    stays_apart()
    n = len(offsets) - 1
    out = np.empty(2 * len(productions) + 64, np.int32)
    out_offsets = np.zeros(n + 1, np.int64)
    at, until = np.empty(64, np.int32), np.empty(64, np.int32)  # stack: where in which template
    for i in range(n):
        end = out_offsets[i]
        height = 0
        for step in range(offsets[i], offsets[i + 1]):
            q = productions[step]
            if height == len(at):
                at, until = doubled(at), doubled(until)
            at[height] = template_start[q]
            until[height] = template_start[q + 1]
            height += 1
            while height > 0:
                k = at[height - 1]
                if k == until[height - 1]:
                    height -= 1
                    continue
                at[height - 1] = k + 1
                if templates[k] == CHILD:
                    break
                if end == len(out):
                    out = doubled(out)
                out[end] = templates[k]
                end += 1
        out_offsets[i + 1] = end
    return out[: out_offsets[n]].copy(), out_offsets
