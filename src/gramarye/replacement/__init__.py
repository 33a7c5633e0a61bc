"""Who survives: one file for each kind of replacement."""

from gramarye.replacement.base import Replacement
from gramarye.replacement.elitism import Elitism

__all__ = ["Elitism", "Replacement"]
