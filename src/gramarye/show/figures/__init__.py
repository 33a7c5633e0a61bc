"""The figures of an experiment: one file for each kind; each function takes arrays and returns a Matplotlib figure."""

from gramarye.show.figures.fitness import Panel, progress
from gramarye.show.figures.forest import Effect, effects
from gramarye.show.figures.ranking import ranks
from gramarye.show.figures.rules import probabilities
from gramarye.show.figures.runs import distributions
from gramarye.show.figures.saving import save, svg_text
from gramarye.show.figures.theme import Line

__all__ = [
    "Effect",
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
