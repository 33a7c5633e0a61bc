"""The numbers that kernels and the rest agree on: statuses, purposes of random draws."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """How mapping and evaluation ended. Anything but OK is an invalid individual."""

    OK = 0
    OUT_OF_CODONS = 1  # the genotype ended before the derivation did
    STEP_LIMIT = 2  # the derivation grew too long
    SYNTAX = 3  # the text is not a program of the language
    NOT_FINITE = 4  # the program ran, but its fitness is not a finite number
    TIMEOUT = 5  # its evaluation took too long,
    MEMORY = 6  # needed too much memory,
    CRASH = 7  # ended the process,
    EXCEPTION = 8  # or raised an exception


OK, OUT_OF_CODONS, STEP_LIMIT, SYNTAX, NOT_FINITE = (int(status) for status in list(Status)[:5])

# What a random number is for. A new purpose gets a new number; a number is never used again.
INITIAL, SELECT, CROSS, MUTATE, FILL, SPLIT, TREES, ENCODE, GRAMMAR, ANALYSE, CASES = range(1, 12)
CONSTANT, VARY, RESTART, SAMPLE, SUBTREE = range(12, 17)

# The rules that keep structured genotypes from growing too deep.
HEIGHT, SHORTEST, NONRECURSIVE = range(3)

# Where the non-terminals of a production go in the list of those that wait (πGE).
IN_PLACE, AT_START, AT_END = range(3)

# In a template, that is what stands for a production: here comes the next child.
CHILD = -1
