"""Locality and redundancy: what small changes of genotypes do to programs."""

from gramarye.analysis.analysis import analyse as analyse
from gramarye.analysis.findings import Analysis as Analysis
