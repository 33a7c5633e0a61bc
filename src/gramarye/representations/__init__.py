"""What an individual is: one file for each kind of genotype."""

from gramarye.representations.base import Genotypes, Representation, Step
from gramarye.representations.flat import FlatInteger, FlatReal
from gramarye.representations.lists import IntegerLists

__all__ = ["FlatInteger", "FlatReal", "Genotypes", "IntegerLists", "Representation", "Step"]
