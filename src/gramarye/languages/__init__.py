"""What phenotypes mean to the engine: one folder for each language."""

from gramarye.languages.arithmetic import Arithmetic
from gramarye.languages.base import Fitted, Language, Programs, Subtrees

__all__ = ["Arithmetic", "Fitted", "Language", "Programs", "Subtrees"]
