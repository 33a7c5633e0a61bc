"""What is learned about the grammar: one file for each rule of learning.

A new one is listed here, in one line, and nowhere else.
"""

from gramarye.learners.alternating import AlternatingBest as AlternatingBest
from gramarye.learners.alternating import update_probabilities as update_probabilities
from gramarye.learners.base import Learner as Learner
from gramarye.learners.bayesian import Bayesian as Bayesian
from gramarye.learners.entropy import EntropyBounded as EntropyBounded
from gramarye.learners.frequencies import Frequencies as Frequencies
from gramarye.learners.frequencies import FrontFrequencies as FrontFrequencies
from gramarye.learners.frequencies import RankWeighted as RankWeighted
from gramarye.learners.nothing import NoLearning as NoLearning
from gramarye.learners.nothing import OwnProbabilities as OwnProbabilities
from gramarye.learners.policy import PolicyGradient as PolicyGradient

LEARNERS: dict[str, type[Learner]] = {
    name: kind
    for name, kind in globals().items()
    if isinstance(kind, type) and issubclass(kind, Learner) and kind is not Learner
}
