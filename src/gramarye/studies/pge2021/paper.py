"""What the PGE paper prints: its tables, its parameters and the claims of its text, each with its place.

J. Mégane, N. Lourenço, P. Machado. Probabilistic Grammatical Evolution. EuroGP 2021, LNCS 12691, 198-213.
doi 10.1007/978-3-030-72812-0_13
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

RUNS = 100
ALPHA = 0.05
METHODS = ("PGE", "GE", "SGE")

Pair = tuple[str, str]


@dataclass(frozen=True)
class Outcome:
    """What is measured at the end of a run: a row of the paper's Tables 2 and 3."""

    name: str
    problem: str
    column: str  # where runs record it


PAGIE = Outcome("Pagie", "pagie", "best_so_far")
TRAINING = Outcome("Boston training", "boston", "best_so_far")
TEST = Outcome("Boston test", "boston", "test")
OUTCOMES = (PAGIE, TRAINING, TEST)


@dataclass(frozen=True)
class Fitness:
    """A mean best fitness and its standard deviation, of 100 runs."""

    mean: float
    deviation: float


# Table 2
FITNESS: Mapping[tuple[Outcome, str], Fitness] = {
    (PAGIE, "PGE"): Fitness(0.56, 0.16),
    (PAGIE, "GE"): Fitness(0.68, 0.17),
    (PAGIE, "SGE"): Fitness(0.59, 0.13),
    (TRAINING, "PGE"): Fitness(0.82, 0.12),
    (TRAINING, "GE"): Fitness(0.88, 0.14),
    (TRAINING, "SGE"): Fitness(0.78, 0.13),
    (TEST, "PGE"): Fitness(0.84, 0.13),
    (TEST, "GE"): Fitness(0.90, 0.15),
    (TEST, "SGE"): Fitness(0.79, 0.12),
}


@dataclass(frozen=True)
class PostHoc:
    """A Mann–Whitney test of the paper: p as it is printed, None where it is not, and which method is better."""

    p: str | None
    better: str | None  # None: no difference


# In each pair the method that the paper finds better, or its own, comes first.
PAIRS: tuple[Pair, ...] = (("PGE", "GE"), ("PGE", "SGE"), ("SGE", "GE"))

# Table 3: "0.00" is bold there, and stands for p < 0.005; 0.04 is not bold, and the text calls it marginal in one place
# and no difference in another. SGE – GE is in the text of section 5 only.
POST_HOC: Mapping[tuple[Outcome, Pair], PostHoc] = {
    (PAGIE, ("PGE", "GE")): PostHoc("0.00", "PGE"),
    (PAGIE, ("PGE", "SGE")): PostHoc("0.24", None),
    (PAGIE, ("SGE", "GE")): PostHoc(None, "SGE"),
    (TRAINING, ("PGE", "GE")): PostHoc("0.00", "PGE"),
    (TRAINING, ("PGE", "SGE")): PostHoc("0.04", None),
    (TRAINING, ("SGE", "GE")): PostHoc(None, "SGE"),
    (TEST, ("PGE", "GE")): PostHoc("0.00", "PGE"),
    (TEST, ("PGE", "SGE")): PostHoc("0.10", None),
    (TEST, ("SGE", "GE")): PostHoc(None, "SGE"),
}

# Table 4, the productions of <var> on Boston at the end; INDUS is printed as RADIUS, which the data do not have.
PROBABILITIES: Mapping[str, float] = {
    "PTRATIO": 0.23,
    "B": 0.11,
    "RM": 0.10,
    "DIS": 0.09,
    "LSTAT": 0.07,
    "ZN": 0.06,
    "NOX": 0.05,
    "CRIM": 0.05,
    "1.0": 0.05,
    "RAD": 0.04,
    "TAX": 0.04,
    "INDUS": 0.04,
    "CHAS": 0.04,
    "AGE": 0.04,
}

# Figures 6 and 7: the rule whose probabilities are drawn, by problem
DRAWN_RULES: Mapping[str, str] = {"pagie": "<op>", "boston": "<var>"}


@dataclass(frozen=True)
class Parameter:
    """A row of the paper's table of parameters, or a sentence of its text: one value for all methods that have it."""

    name: str
    setting: str  # what it is called here
    value: float
    methods: tuple[str, ...] = METHODS
    place: str = "Table 1"
    share: bool = False  # printed with a percent sign


PARAMETERS = (
    Parameter("Population Size", "population", 1000),
    Parameter("Generations", "generations", 50),
    Parameter("Elitism", "elitism", 0.10, share=True),
    Parameter("Mutation Probability", "mutation", 0.05, share=True),
    Parameter("Crossover Probability", "crossover", 0.90, share=True),
    Parameter("Tournament", "tournament", 3),
    Parameter("Max Number of Wraps", "wraps", 0, ("PGE", "GE")),
    Parameter("Size of Genotype", "codons", 128, ("PGE", "GE")),
    Parameter("Max. Initialisation depth", "initial_depth", 6, ("SGE",)),
    Parameter("Max. Tree Depth", "max_depth", 17, ("SGE",)),
    Parameter("Learning factor λ", "learning_factor", 0.01, ("PGE",), "section 4.2", share=True),
    Parameter("Largest codon", "codon_max", 255, ("GE",), "section 2"),
)


@dataclass(frozen=True)
class Claim:
    """A claim of the paper's text, in our words."""

    text: str
    place: str


_PAGIE_TEXT = "section 5, on Figure 4"
_BOSTON_TEXT = "section 5, on Figure 5"

CLAIMS: Mapping[str, Claim] = {
    "similar-starts": Claim("On Pagie all methods start from similar fitness.", _PAGIE_TEXT),
    "sge-slows": Claim("SGE falls fast early, and slows after about generation 20.", _PAGIE_TEXT),
    "ge-slow-pagie": Claim("GE falls slowly through the generations.", _PAGIE_TEXT),
    "pge-as-ge": Claim("In the early generations, up to about the 10th, PGE follows the trend of GE.", _PAGIE_TEXT),
    "pge-speeds-up": Claim("From about the 10th generation on PGE falls fast.", _PAGIE_TEXT),
    "pge-passes-sge": Claim("Around generation 35 PGE becomes better than SGE.", _PAGIE_TEXT),
    "pge-lowest": Claim("PGE has the lowest error on Pagie.", "section 5, on Table 2"),
    "differences": Claim("Kruskal–Wallis shows differences between the methods.", "section 5, on Table 3"),
    "pge-beats-ge": Claim("PGE is better than GE with statistical significance.", "abstract; section 5, on Table 3"),
    "sge-beats-ge": Claim("SGE is better than GE with statistical significance.", "section 5, on Table 3"),
    "pge-like-sge": Claim(
        "PGE and SGE perform alike: differences are marginal on Boston training (p = 0.04) and absent elsewhere.",
        "abstract; section 5, on Table 3",
    ),
    "sge-falls-throughout": Claim(
        "On Boston training SGE falls fast, and continues to fall over the entire process.", _BOSTON_TEXT
    ),
    "ge-slow-boston": Claim("On Boston training GE falls slowly.", _BOSTON_TEXT),
    "generalisation": Claim("On Boston PGE and SGE generalise better to unseen data than GE.", _BOSTON_TEXT),
    "operators": Claim("On Pagie + and / are the most probable productions of <op>.", "section 5, on Figure 6"),
    "ptratio-first": Claim("On Boston PTRATIO stands out in <var>.", "section 5, on Figure 7 and Table 4"),
    "rm-third": Claim("On Boston RM is among the first three of <var>.", "section 5, on Figure 7 and Table 4"),
}
