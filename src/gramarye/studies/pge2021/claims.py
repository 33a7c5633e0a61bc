"""The claims of the paper's text, each with its check and with what our runs say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gramarye.show.html.page import Verdict
from gramarye.show.tables.table import Table
from gramarye.studies.pge2021 import curves, finals
from gramarye.studies.pge2021.paper import CLAIMS, Claim
from gramarye.studies.pge2021.runs import CANT_BE_TOLD, ENOUGH, Kind, worst
from gramarye.studies.pge2021.tests import Check, Evidence

CHECKS = {**curves.CHECKS, **finals.CHECKS}
WORDS: dict[Kind, str] = {"agrees": "holds", "differs": "does not hold", "unknown": CANT_BE_TOLD}


@dataclass(frozen=True)
class Judged:
    """A claim, the numbers that decide on it, and whether it holds."""

    claim: Claim
    criterion: str
    numbers: str
    kind: Kind


def judge(evidence: Evidence) -> list[Judged]:
    """All claims of the paper."""
    return [_judged(claim, CHECKS[name], evidence) for name, claim in CLAIMS.items()]


def _judged(claim: Claim, check: Check, evidence: Evidence) -> Judged:
    cells = {f"{method} on {problem}": evidence.grid.get((method, problem)) for method, problem in check.needs}
    absent = [name for name, runs in cells.items() if runs is None]
    if absent:
        return Judged(claim, check.criterion, f"no runs of {', '.join(absent)}", "unknown")
    found = [runs for runs in cells.values() if runs is not None]
    generations, runs = min(runs.generations for runs in found), min(len(runs) for runs in found)
    if generations < check.generations:
        few = f"{generations} generations, {check.generations} are needed"
        return Judged(claim, check.criterion, few, "unknown")
    if runs < ENOUGH:
        return Judged(claim, check.criterion, f"{runs} runs, {ENOUGH} are needed", "unknown")
    holds, numbers = check.decide(evidence)
    return Judged(claim, check.criterion, numbers, "unknown" if holds is None else "agrees" if holds else "differs")


def claims_table(judged: Sequence[Judged]) -> Table:
    """The claims, one in a row."""
    return Table(
        "paper-claims",
        "The claims of the paper's text",
        {
            "Claim": [row.claim.text for row in judged],
            "Verdict": [WORDS[row.kind] for row in judged],
            "Numbers": [row.numbers for row in judged],
            "Check": [row.criterion for row in judged],
            "Place": [row.claim.place for row in judged],
        },
        note="The claims are in our words and the checks are ours; a mean is the mean best fitness of all runs. "
        f"Tests are those of the tables above. With fewer than {ENOUGH} runs nothing is told.",
    )


def claims_verdict(judged: Sequence[Judged]) -> Verdict:
    """All claims in a sentence or two."""
    hold = sum(row.kind == "agrees" for row in judged)
    if all(row.kind == "unknown" for row in judged):
        return Verdict("Of none of the claims it can be told whether it holds.", "unknown")
    fail = [row.claim.text for row in judged if row.kind == "differs"]
    unknown = sum(row.kind == "unknown" for row in judged)
    text = f"{hold} of {len(judged)} claims hold."
    text += f" These do not: {' '.join(fail)}" if fail else ""
    text += f" Of {unknown} it can't be told." if unknown else ""
    return Verdict(text, worst(row.kind for row in judged))
