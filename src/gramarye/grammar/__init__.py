"""Grammars: from text to rules and back, their shape, their arrays, their probabilities."""

from gramarye.grammar.checked_probabilities import ProbabilityValues as ProbabilityValues
from gramarye.grammar.contents import Production as Production
from gramarye.grammar.grammar import Grammar as Grammar
