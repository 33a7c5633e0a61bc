"""Data to learn from: arrays, data frames and CSV files as tables of numbers, checked."""

from gramarye.data.dataset import Dataset
from gramarye.data.frames import CSV, NamedColumns

__all__ = ["CSV", "Dataset", "NamedColumns"]
