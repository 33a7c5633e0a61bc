"""Programs that meet the special case of a protected operation in some row of a table, such as x / 0 = 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.base import Programs
from gramarye.languages.expression import SPECIAL_CASES, SpecialCase

TOGETHER = 2**20  # outputs that are held at a time
_CASES = {
    codes.DIVIDE: SPECIAL_CASES["div"],
    codes.INVERSE: SPECIAL_CASES["div"],
    codes.LOG: SPECIAL_CASES["log"],
    codes.PROTECTED_EXP: SPECIAL_CASES["pexp"],
}


def meet_special_cases(
    programs: Programs, run: Callable[[Programs], NDArray[np.float64]], rows: int
) -> NDArray[np.bool_]:
    """[N] which programs do; `run` gives the outputs of programs in each of the rows."""
    found, bounds = np.zeros(len(programs), np.bool_), programs.offsets
    operands = [
        (i, case, programs.words[bounds[i] + first : bounds[i] + last])
        for i in range(len(programs))
        for case, first, last in _operands(programs.words[bounds[i] : bounds[i + 1]].tolist())
    ]
    step = max(1, TOGETHER // rows)
    for first in range(0, len(operands), step):
        owners, cases, words = zip(*operands[first : first + step], strict=True)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(each) for each in words])])
        outputs = run(Programs(np.concatenate(words), offsets, np.zeros(len(words), np.int8)))
        for i, case, values in zip(owners, cases, outputs, strict=True):
            found[i] |= bool(case.occurs(values).any())
    return found


def _operands(words: list[int]) -> Iterator[tuple[SpecialCase, int, int]]:
    """The operands on which special cases depend: from which word to which."""
    begins: list[int] = []
    place = 0
    while place < len(words):
        word, begin = words[place], place
        if codes.CONSTANT < word < codes.VARIABLE:
            begin = begins.pop()
            if word in _CASES:
                yield _CASES[word], begin, place
            if word < codes.UNARY:
                begin = begins.pop()
        begins.append(begin)
        place += 3 if word <= codes.CONSTANT else 1
