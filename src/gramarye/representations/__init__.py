"""What an individual is: one file for each kind of genotype.

A new one is listed here, in one line, and nowhere else.
"""

from gramarye.representations.base import Genotypes as Genotypes
from gramarye.representations.base import Representation as Representation
from gramarye.representations.base import RowGenotypes as RowGenotypes
from gramarye.representations.bits import Bits as Bits
from gramarye.representations.chorus import Genes as Genes
from gramarye.representations.fixed_lists import FixedLists as FixedLists
from gramarye.representations.flat import FlatInteger as FlatInteger
from gramarye.representations.flat import FlatReal as FlatReal
from gramarye.representations.lists import IntegerLists as IntegerLists
from gramarye.representations.optional import Encodes as Encodes
from gramarye.representations.optional import Explains as Explains
from gramarye.representations.optional import HasNeighbours as HasNeighbours
from gramarye.representations.optional import Step as Step
from gramarye.representations.pairs import Pairs as Pairs
from gramarye.representations.real_lists import RealLists as RealLists
from gramarye.representations.real_lists_with_probabilities import (
    RealListsWithProbabilities as RealListsWithProbabilities,
)
from gramarye.representations.trees import Trees as Trees

REPRESENTATIONS: dict[str, type[Representation]] = {  # type: ignore[type-arg]
    name: kind
    for name, kind in globals().items()
    if isinstance(kind, type) and issubclass(kind, Representation) and kind is not Representation
}
