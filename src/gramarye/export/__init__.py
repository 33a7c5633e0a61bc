"""Formulas for other programs: sympy, LaTeX, Python source, and strings that sympy can read."""

from gramarye.export.exported import Exported
from gramarye.export.infix import to_infix
from gramarye.export.latex_formula import to_latex
from gramarye.export.numpy_source import to_python
from gramarye.export.sympy_expression import to_sympy

__all__ = ["Exported", "to_infix", "to_latex", "to_python", "to_sympy"]
