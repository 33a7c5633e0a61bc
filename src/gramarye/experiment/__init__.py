"""Experiments: methods × problems × seeds, which survive whatever happens to them."""

from __future__ import annotations

from gramarye.experiment.comparing import carry_out, compare
from gramarye.experiment.driving import Progress, drive
from gramarye.experiment.file import EXAMPLE, read_experiment
from gramarye.experiment.plan import Experiment

__all__ = [
    "EXAMPLE",
    "Experiment",
    "Progress",
    "carry_out",
    "compare",
    "drive",
    "read_experiment",
]
