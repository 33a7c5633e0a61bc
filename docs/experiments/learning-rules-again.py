"""One question that learning-rules.py left open, asked again with 100 new seeds; the answer is in ../learning-rules.md.

    python docs/experiments/learning-rules-again.py

400 runs. It leaves a folder learning-rules-again/.
"""

from pathlib import Path

import gramarye as gm

FOLDER = Path("learning-rules-again")
RULES = {
    "PGE": gm.learners.AlternatingBest(learning_factor=0.01),
    "frequencies": gm.learners.Frequencies(selected=0.1, learning_rate=0.1, floor=0.05, remap_elites=True),
}
METHODS = {name: gm.Method(representation=gm.representations.FlatReal(), learner=rule) for name, rule in RULES.items()}
PROBLEMS = [gm.problems.load("pagie"), gm.problems.load("boston")]
RUNS = 100
SEED = 101  # of the first run: none of these seeds was used before

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    comparison = gm.compare(
        METHODS, PROBLEMS, RUNS, seed=SEED, store=FOLDER / "results.db", name="Frequencies against PGE, once more"
    )
    print(comparison.table)
    print(comparison.write(FOLDER))
