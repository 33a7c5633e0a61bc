"""Data to learn from: arrays, data frames and CSV files as tables of numbers, checked."""

from gramarye.data.csv_file import read_csv
from gramarye.data.dataset import Dataset
from gramarye.data.frames import NamedColumns

__all__ = ["Dataset", "NamedColumns", "read_csv"]
