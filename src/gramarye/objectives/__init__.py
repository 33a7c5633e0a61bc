"""How fitness is computed: from a table of data by the engine, or by any function of the phenotype."""

from gramarye.objectives.function import Objective
from gramarye.objectives.problem import Evaluator, Problem
from gramarye.objectives.regression import Regression

__all__ = ["Evaluator", "Objective", "Problem", "Regression"]
