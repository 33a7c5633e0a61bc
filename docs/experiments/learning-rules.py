"""Nine rules of learning with PGE's codons, on the problems of the PGE paper; what came out is in ../learning-rules.md.

    python docs/experiments/learning-rules.py

540 runs; it may be stopped at any moment, and goes on where it was. It leaves a folder learning-rules/ with results.db,
report.html, figures and tables.
"""

from pathlib import Path

import gramarye as gm

FOLDER = Path("learning-rules")
PAPER = {"learning_factor": 0.01}
BETTER = {"selected": 0.1, "learning_rate": 0.1, "floor": 0.05, "remap_elites": True}

RULES = {
    "none": gm.learners.NoLearning(),
    "PGE": gm.learners.AlternatingBest(**PAPER),
    "divide": gm.learners.AlternatingBest(**PAPER, normalise="divide"),
    "faster": gm.learners.AlternatingBest(learning_factor=0.05),
    "bounded": gm.learners.EntropyBounded(gm.learners.AlternatingBest(learning_factor=0.05), entropy=0.5),
    "frequencies": gm.learners.Frequencies(**BETTER),
    "ranks": gm.learners.RankWeighted(**BETTER),
    "parent": gm.learners.AlternatingBest(**PAPER, context="parent"),
    "slot": gm.learners.AlternatingBest(**PAPER, context="slot"),
}
# All else is the paper's: 1000 individuals, 50 generations, 128 codons, its rates.
METHODS = {name: gm.Method(representation=gm.representations.FlatReal(), learner=rule) for name, rule in RULES.items()}
PROBLEMS = [gm.problems.load("pagie"), gm.problems.load("boston")]
RUNS = 30

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    comparison = gm.compare(METHODS, PROBLEMS, RUNS, store=FOLDER / "results.db", name="Nine rules of learning")
    print(comparison.table)
    print(comparison.write(FOLDER))
