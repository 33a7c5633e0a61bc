"""What became of a genotype: the statuses of derivations and programs."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """How mapping and evaluation ended. Anything but OK is an invalid individual."""

    OK = 0
    OUT_OF_CODONS = 1  # the genotype ended before the derivation did
    STEP_LIMIT = 2  # the derivation grew too long
    SYNTAX = 3  # the text is not a program of the language
    NOT_FINITE = 4  # the program ran, but its fitness is not a finite number
