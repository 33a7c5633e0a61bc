"""The sections of a report on a reproduction, the verdict first."""

from __future__ import annotations

from collections.abc import Sequence

from gramarye.show.html.page import Details, Part, Section, Verdict
from gramarye.store.reading import Results
from gramarye.studies.pge2021.claims import Judged, claims_table, claims_verdict, judge
from gramarye.studies.pge2021.evidence import Evidence
from gramarye.studies.pge2021.means import MeanComparison, compare_means, means_table, means_verdict
from gramarye.studies.pge2021.paper import OUTCOMES, RUNS
from gramarye.studies.pge2021.parameters import compare_parameters, parameters_table, parameters_verdict
from gramarye.studies.pge2021.probabilities import learned, probabilities_table, probabilities_verdict
from gramarye.studies.pge2021.reasons import reasons
from gramarye.studies.pge2021.runs import Grid, Kind, collect, listed, missing, worst
from gramarye.studies.pge2021.tests import PairTest, kruskal_table, normality_table, pairs_table, pairs_verdict

PAPER = (
    "J. Mégane, N. Lourenço, P. Machado: Probabilistic Grammatical Evolution. EuroGP 2021, LNCS 12691, 198–213, "
    "doi 10.1007/978-3-030-72812-0_13."
)
STARTS: dict[Kind, str] = {
    "agrees": "The paper is reproduced",
    "differs": "The paper is reproduced in part",
    "unknown": "Nothing contradicts the paper so far",
}


def reproduction_sections(results: Results) -> list[Section]:
    """Our results beside the paper's: verdict, means, tests, claims, probabilities, parameters, reasons."""
    return grid_sections(collect(results))


def grid_sections(grid: Grid) -> list[Section]:
    """The sections of runs that are in memory."""
    if not grid:
        nothing = Verdict("No run of the paper's methods on its problems is done yet.", "unknown")
        return [Section("The paper, reproduced", "paper", [PAPER, nothing])]
    evidence = Evidence.of(grid)
    means, judged = compare_means(grid), judge(evidence)
    verdict = overall(means, evidence.pairs, judged)
    return [
        Section("The paper, reproduced", "paper", [verdict, _extent(grid), PAPER]),
        Section("Mean best fitness beside the paper's", "paper-means", [means_verdict(means), means_table(means)]),
        _tests(evidence),
        Section("The paper's claims", "paper-text", [claims_verdict(judged), claims_table(judged)]),
        *_probabilities(grid),
        _parameters(grid),
        Section("What is known of differences", "paper-differences", reasons(means)),
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


def _parameters(grid: Grid) -> Section:
    rows = compare_parameters(grid)
    return Section(
        "Parameters beside the paper's", "paper-settings", [parameters_verdict(rows), parameters_table(rows)]
    )
