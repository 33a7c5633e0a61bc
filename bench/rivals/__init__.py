"""The programs that gramarye is measured against: DEAP, and pyoperon as a whole and as a bare interpreter.

All of them get the Pagie grid, the operators of the paper's grammar, 1000 individuals and 50 evaluated populations, one
thread, and RRSE. What differs, and can't be made equal: both evolve trees without a grammar; Operon computes in
float32, multiplies each variable by a weight (fixed to 1 here), and protects no operator.
"""

from __future__ import annotations

from bench.rivals.deap import deap_run
from bench.rivals.measure import Timing, Work, repeat
from bench.rivals.operon import operon_interpreter, operon_run, operon_tuning

__all__ = ["Timing", "Work", "deap_run", "operon_interpreter", "operon_run", "operon_tuning", "repeat"]
