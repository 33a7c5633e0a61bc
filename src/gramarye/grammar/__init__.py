"""Grammars: from text to rules and back, their shape, their arrays, their probabilities."""

from gramarye.grammar.grammar import Grammar as Grammar
from gramarye.grammar.grammar import ProbabilityValues as ProbabilityValues
from gramarye.grammar.grammar import Production as Production
