"""What is learned about the grammar: one file for each rule of learning."""

from gramarye.learners.alternating import AlternatingBest, update_probabilities
from gramarye.learners.base import Candidate, Learner, Ranked
from gramarye.learners.nothing import NoLearning

__all__ = ["AlternatingBest", "Candidate", "Learner", "NoLearning", "Ranked", "update_probabilities"]
