"""What an individual is: one file for each kind of genotype."""

from gramarye.representations.base import Genotypes, Representation, RowGenotypes, Step
from gramarye.representations.bits import Bits
from gramarye.representations.chorus import Genes
from gramarye.representations.fixed_lists import FixedLists
from gramarye.representations.flat import FlatInteger, FlatReal
from gramarye.representations.lists import IntegerLists
from gramarye.representations.pairs import Pairs
from gramarye.representations.real_lists import RealLists, RealListsWithProbabilities
from gramarye.representations.trees import Trees

__all__ = [
    "Bits",
    "FixedLists",
    "FlatInteger",
    "FlatReal",
    "Genes",
    "Genotypes",
    "IntegerLists",
    "Pairs",
    "RealLists",
    "RealListsWithProbabilities",
    "Representation",
    "RowGenotypes",
    "Step",
    "Trees",
]
