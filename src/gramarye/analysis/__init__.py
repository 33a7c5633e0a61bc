"""Locality and redundancy: what small changes of genotypes do to programs."""

from gramarye.analysis.analysis import Analysis as Analysis
from gramarye.analysis.analysis import analyse as analyse
