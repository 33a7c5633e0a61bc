"""Who becomes a parent: one file for each kind of selection."""

from gramarye.selection.base import Selection
from gramarye.selection.tournament import Tournament

__all__ = ["Selection", "Tournament"]
