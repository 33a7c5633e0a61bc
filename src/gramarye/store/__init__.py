"""Runs on disk: one SQLite file for each experiment, written by the driving process alone."""

from __future__ import annotations

from gramarye.store.cells import Cell, Session
from gramarye.store.reading import Results
from gramarye.store.writing import Pending, Store

__all__ = ["Cell", "Pending", "Results", "Session", "Store"]
