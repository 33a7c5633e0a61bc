"""Tests for a method of your own: what all parts of methods, and methods, must obey.

from gramarye import testing
testing.check_method(MyMethod())

Each check returns nothing, or raises an AssertionError that names the law, who broke it, on which grammar and seed.
"""

from gramarye.testing.grammars import GRAMMARS
from gramarye.testing.learner import check_learner
from gramarye.testing.method import check_method
from gramarye.testing.replacement import check_replacement
from gramarye.testing.representation import check_representation
from gramarye.testing.selection import check_selection

__all__ = [
    "GRAMMARS",
    "check_learner",
    "check_method",
    "check_replacement",
    "check_representation",
    "check_selection",
]
