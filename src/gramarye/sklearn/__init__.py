"""Estimators for scikit-learn: formulas for numbers and for classes, with a search behind `fit`."""

from gramarye.errors import MissingExtraError

try:
    import sklearn as sklearn
except ImportError as error:
    raise MissingExtraError("scikit-learn", "sklearn") from error

from gramarye.sklearn.classifier import GrammarClassifier
from gramarye.sklearn.regressor import GrammarRegressor

__all__ = ["GrammarClassifier", "GrammarRegressor"]
