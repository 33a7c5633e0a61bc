"""The report of a reproduction: what the paper says beside our numbers, the verdict first; then the comparison."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gramarye.comparison.comparison import Comparison
from gramarye.comparison.report_files import check_extras, tables_in, write_report
from gramarye.show.html.page import Details, Part, Section, Verdict
from gramarye.show.report import Material
from gramarye.show.tables.table import Table
from gramarye.studies.pge2021.claims import Judged, claims_table, claims_verdict, judge
from gramarye.studies.pge2021.means import MeanComparison, compare_means, means_table, means_verdict
from gramarye.studies.pge2021.paper import DRAWN_RULES, OUTCOMES, PAGIE, RUNS
from gramarye.studies.pge2021.parameters import compare_parameters, parameters_table, parameters_verdict
from gramarye.studies.pge2021.probabilities import learned, probabilities_table, probabilities_verdict
from gramarye.studies.pge2021.runs import Grid, Kind, collect, listed, missing, worst
from gramarye.studies.pge2021.tests import (
    Evidence,
    PairTest,
    kruskal_table,
    normality_table,
    pairs_table,
    pairs_verdict,
)

PAPER = (
    "J. Mégane, N. Lourenço, P. Machado: Probabilistic Grammatical Evolution. EuroGP 2021, LNCS 12691, 198–213, "
    "doi 10.1007/978-3-030-72812-0_13."
)
REPLACED = ("final-fitness", "kruskal-wallis")  # tables of which the paper's sections have their own
# What is known of why a reproduction may differ from the paper: facts that were measured, no guesses.
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
STARTS: dict[Kind, str] = {
    "agrees": "The paper is reproduced",
    "differs": "The paper is reproduced in part",
    "unknown": "Nothing contradicts the paper so far",
}


def write_reproduction(comparison: Comparison, folder: Path) -> tuple[Path, list[Table], list[str]]:
    """Write the report; its page, and what to look at first: tables, and what they say in words."""
    check_extras()
    sections = grid_sections(collect(comparison.results))
    material = Material(comparison.tables, comparison.figures(DRAWN_RULES))
    page = write_report(comparison.results, material, comparison.overviews, folder, sections, REPLACED)
    return page, *headlines(sections)


def headlines(sections: list[Section]) -> tuple[list[Table], list[str]]:
    """The tables to look at first, and the verdicts in words."""
    means = next((table for table in tables_in(sections) if table.name == "paper-mean-best-fitness"), None)
    words = [part.text for section in sections for part in section.parts if isinstance(part, Verdict)]
    return [] if means is None else [means.only("Data", "Method", "Mean", "SD", "Paper", "Verdict")], words


def grid_sections(grid: Grid) -> list[Section]:
    """Our results beside the paper's: verdict, means, tests, claims, probabilities, parameters, reasons."""
    if not grid:
        nothing = Verdict("No run of the paper's methods on its problems is done yet.", "unknown")
        return [Section("The paper, reproduced", "paper", [PAPER, nothing])]
    evidence = Evidence.of(grid)
    means, judged, parameters = compare_means(grid), judge(evidence), compare_parameters(grid)
    verdict = overall(means, evidence.pairs, judged)
    return [
        Section("The paper, reproduced", "paper", [verdict, _extent(grid), PAPER]),
        Section("Mean best fitness beside the paper's", "paper-means", [means_verdict(means), means_table(means)]),
        _tests(evidence),
        Section("The paper's claims", "paper-text", [claims_verdict(judged), claims_table(judged)]),
        *_probabilities(grid),
        Section(
            "Parameters beside the paper's",
            "paper-settings",
            [parameters_verdict(parameters), parameters_table(parameters)],
        ),
        Section("What is known of differences", "paper-differences", _reasons(means)),
    ]


def overall(means: Sequence[MeanComparison], pairs: Sequence[PairTest], judged: Sequence[Judged]) -> Verdict:
    """How much of the paper is reproduced, counted."""
    kinds = [*(c.kind for c in means), *(t.kind for t in pairs), *(row.kind for row in judged)]
    kind = worst(kinds)
    if set(kinds) == {"unknown"}:
        return Verdict("With so few runs it can't be told whether the paper is reproduced.", kind)
    start = STARTS[kind] if kind != "differs" or "agrees" in kinds else "Nothing agrees with the paper"
    counts = []
    for outcome in OUTCOMES:
        ours = [part for part in means if part.outcome == outcome], [part for part in pairs if part.outcome == outcome]
        if any(ours):
            counts.append(f"on {outcome.name} {_agreeing(ours[0])} means and {_agreeing(ours[1])} decisions agree")
    unknown = f" Of {kinds.count('unknown')} of these it can't be told." if "unknown" in kinds else ""
    return Verdict(f"{start}: {'; '.join(counts)}; {_agreeing(judged)} claims hold.{unknown}", kind)


def _agreeing(parts: Sequence[MeanComparison] | Sequence[PairTest] | Sequence[Judged]) -> str:
    return f"{sum(part.kind == 'agrees' for part in parts)} of {len(parts)}"


def _extent(grid: Grid) -> str:
    """How much of the paper's experiment is here."""
    counts = sorted({len(runs) for runs in grid.values()})
    ours = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    text = f"Runs of each method on each problem: {ours}; in the paper: {RUNS}."
    absent = missing(grid)
    return text + (f" Left out, for there are no runs yet: {listed(absent)}." if absent else "")


def _tests(evidence: Evidence) -> Section:
    tables = [pairs_table(evidence.pairs)] if evidence.pairs else []
    normality = Details("Are the samples normal?", [normality_table(evidence.grid)])
    parts: list[Part] = [pairs_verdict(evidence.pairs), *tables, kruskal_table(evidence.kruskals), normality]
    return Section("The paper's tests on our runs", "paper-tests", parts)


def _probabilities(grid: Grid) -> list[Section]:
    ours = learned(grid, "boston", "<var>")
    if not ours:
        return []
    verdict = probabilities_verdict(ours, len(grid["PGE", "boston"]))
    return [Section("Probabilities beside the paper's", "paper-learned", [verdict, probabilities_table(ours)])]


def _reasons(means: Sequence[MeanComparison]) -> list[str]:
    """Paragraphs on what was measured; that on PGE and Pagie where its mean differs."""
    different = any(c.kind == "differs" and (c.outcome, c.method) == (PAGIE, "PGE") for c in means)
    return [*([PGE_ON_PAGIE] if different else []), AMBIGUITIES, PRECEDENCE, WHAT_MATTERS, ROUNDING]
