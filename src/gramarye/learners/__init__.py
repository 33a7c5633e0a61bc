"""What is learned about the grammar: one file for each rule of learning."""

from gramarye.learners.alternating import AlternatingBest, update_probabilities
from gramarye.learners.base import Learner
from gramarye.learners.entropy import EntropyBounded
from gramarye.learners.frequencies import Frequencies
from gramarye.learners.nothing import NoLearning
from gramarye.learners.own import OwnProbabilities
from gramarye.learners.ranked import RankWeighted

# Every learner by name, as it is without settings; tests of what all have in common walk through them.
LEARNERS: dict[str, Learner] = {
    "NoLearning": NoLearning(),
    "AlternatingBest": AlternatingBest(),
    "Frequencies": Frequencies(),
    "RankWeighted": RankWeighted(),
    "EntropyBounded": EntropyBounded(AlternatingBest()),
    "OwnProbabilities": OwnProbabilities(),
}

__all__ = [
    "LEARNERS",
    "AlternatingBest",
    "EntropyBounded",
    "Frequencies",
    "Learner",
    "NoLearning",
    "OwnProbabilities",
    "RankWeighted",
    "update_probabilities",
]
