"""Who survives: one file for each kind of replacement."""

from gramarye.replacement.base import Replacement
from gramarye.replacement.elitism import Elitism
from gramarye.replacement.fronts import Fronts

__all__ = ["Elitism", "Fronts", "Replacement"]
