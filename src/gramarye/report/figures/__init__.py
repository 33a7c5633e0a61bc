"""The figures of an experiment: one file for each kind; each function takes arrays and returns a Matplotlib figure."""

from gramarye.report.figures.files import save, svg_text
from gramarye.report.figures.fitness import Line, Panel, progress
from gramarye.report.figures.forest import Effect, effects
from gramarye.report.figures.ranking import ranks
from gramarye.report.figures.rules import probabilities
from gramarye.report.figures.runs import Group, distributions

__all__ = [
    "Effect",
    "Group",
    "Line",
    "Panel",
    "distributions",
    "effects",
    "probabilities",
    "progress",
    "ranks",
    "save",
    "svg_text",
]
