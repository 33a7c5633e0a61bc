"""The experiment of the PGE paper: PGE, GE and SGE on the Pagie polynomial and on Boston Housing, 100 runs each."""

from __future__ import annotations

from gramarye.experiment.plan import Experiment, named_methods, named_problems
from gramarye.methods import GE, PGE, SGE
from gramarye.problems import load
from gramarye.studies.pge2021.paper import RUNS


def paper_experiment(runs: int = RUNS, seed: int = 1) -> Experiment:
    """The paper's experiment; the settings are the methods' own."""
    return Experiment(
        methods=named_methods([PGE(), GE(), SGE()]),
        problems=named_problems([load("pagie"), load("boston")]),
        runs=runs,
        seed=seed,
        name="Probabilistic Grammatical Evolution, reproduced",
        paper=True,
    )
