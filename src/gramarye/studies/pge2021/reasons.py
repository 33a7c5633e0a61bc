"""What is known of why a reproduction may differ from the paper: facts that were measured, no guesses."""

from __future__ import annotations

from collections.abc import Sequence

from gramarye.studies.pge2021.means import MeanComparison
from gramarye.studies.pge2021.paper import PAGIE

AMBIGUITIES = (
    "Where the paper leaves a choice open, the choices were measured with 60 to 300 runs each. These have no "
    "measurable effect on the final error: whether a non-terminal that the best individual does not use stays or "
    "decays; rounding the probabilities; equal shares or division; which best comes first; elites among the best of "
    "the generation or not; elites mapped again or not; one child or two from a crossover; a codon for <start> or "
    "none; 26 or 27 points on each axis of Pagie."
)
PRECEDENCE = (
    "The rule <expr> <op> <expr> has no brackets, so that precedence decides what a formula means. Here it is the "
    "ordinary one. The authors' program writes protected division as an operator that binds weaker than + - and *. "
    "Both readings, and that of the derivation tree, gave indistinguishable results in 100 runs of each method on "
    "each problem."
)
WHAT_MATTERS = (
    "Two things do matter on Pagie: mutation is for each codon (once for an individual, PGE ends at about 0.97), "
    "and the learning factor is 0.02 or less (0.05 ends at about 0.75). The final probabilities of <var> on Boston "
    "fit a learning factor of 0.01, which the paper states."
)
PGE_ON_PAGIE = (
    "The mean of PGE on Pagie, 0.56 in the paper, was not reached by the authors' own published loop either, run "
    "150 times. Nothing here was tuned towards it, and the reason for the difference is not known."
)
ROUNDING = "The paper's own runs are not published: its means can be compared within their standard errors only."


def reasons(means: Sequence[MeanComparison]) -> list[str]:
    """Paragraphs on what was measured; that on PGE and Pagie where its mean differs."""
    different = any(c.kind == "differs" and (c.outcome, c.method) == (PAGIE, "PGE") for c in means)
    return [*([PGE_ON_PAGIE] if different else []), AMBIGUITIES, PRECEDENCE, WHAT_MATTERS, ROUNDING]
