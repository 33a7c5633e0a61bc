"""The figures of an experiment: one file for each kind; each function takes arrays and returns a Matplotlib figure."""

from gramarye.show.figures.fitness import Line, Panel, progress
from gramarye.show.figures.forest import Effect, effects
from gramarye.show.figures.ranking import ranks
from gramarye.show.figures.rules import probabilities
from gramarye.show.figures.runs import Group, distributions
from gramarye.show.figures.saving import save, svg_text

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
