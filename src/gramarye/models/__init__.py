"""Formulas that predict without the data they were fitted to; saved as JSON."""

from gramarye.models.calibration import Calibration
from gramarye.models.facts import Facts
from gramarye.models.formula import Formula, Front
from gramarye.models.model import Model

__all__ = ["Calibration", "Facts", "Formula", "Front", "Model"]
