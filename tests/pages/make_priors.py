"""The page on priors, docs/priors.md: tables and figures of the runs of docs/experiments/priors.py.

    python tests/pages/make_priors.py

The prose is in priors.md next to this file; {contrasts} and the like become tables, and {a12 PGE; flat} a number. The
runs are in docs/experiments/priors.csv; what they are is in priors_plan.py there, and how they are judged in
priors_effects.py.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from gramarye import statistics
from gramarye.show.figures import theme
from gramarye.statistics import Equivalence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOT = Path(__file__).parents[2]
EXPERIMENTS = ROOT / "docs" / "experiments"
RUNS = EXPERIMENTS / "priors.csv"
PAGE = ROOT / "docs" / "priors.md"
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(EXPERIMENTS))
PLAN: Any = importlib.import_module("priors_plan")
EFFECTS: Any = importlib.import_module("priors_effects")

MARGINS = (0.44, 0.56)  # of a mean A12 that counts as no effect
LEVEL = 0.05
DIGITS = 9  # of differences that are ranked: fewer than effects have, whose means are taken again
CONTRASTS: tuple[str, ...] = EFFECTS.CONTRASTS
ARMS = ("placebo", *CONTRASTS[:3], "restarts", *CONTRASTS[3:], "oracle")
# What a pilot of 4 tasks and 2 genotypes gave: the arm, what it was, its mean A12.
PILOT = {
    "PGE": ("PGE's update", 0.47),
    "placebo": ("the same update from a random individual", 0.43),
    "mean grammar": ("the mean grammar of ten runs of PGE on the same task", 0.68),
    "oracle": ("half the frequencies of the solution", 0.65),
    "other tasks": ("a grammar from elsewhere: of one other task then, of all other families now", 0.58),
    "recursive rows": ("of what was learned on the same task, the recursive rule only", 0.61),
    "other rows": ("all other rules", 0.57),
    "restarts": ("four short runs, a prior, a longer run", 0.36),
}
HEADLINE = (
    "averaged over three genotypes, priors learned from earlier runs help (A12 {same} on the same task, {other} on "
    "tasks of other families), those of the same task most where many variables are irrelevant; PGE's update during a "
    "run makes no difference ({pge})"
)
MARKERS = dict(zip(ARMS, "Xov^*DsP", strict=True))  # of the figures
PILOT_GENOTYPES = ("flat", "lists")


def table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, [":--", *["--:"] * (len(head) - 1)], *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float | None, digits: int = 2) -> str:
    """A number in a table; a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def p_text(p: float | None) -> str:
    """A p-value in a table."""
    return "–" if p is None else "&lt;0.001" if p < 0.001 else f"{p:.3f}"


def mean(effects: NDArray[np.float64]) -> Equivalence:
    """The mean over tasks, its 90 % interval, and whether it lies within the margins."""
    return statistics.equivalence(effects, MARGINS, level=LEVEL)


def interval(found: Equivalence) -> str:
    """A mean with its interval."""
    ends = "" if found.low is None or found.high is None else f" [{found.low:.2f}, {found.high:.2f}]"
    return f"{number(found.mean)}{ends}"


def differences_of(effects: NDArray[np.float64]) -> NDArray[np.float64]:
    """Effects minus one half, those that are alike but for rounding alike."""
    return np.round(effects - 0.5, DIGITS)


def above_half(differences: NDArray[np.float64]) -> str:
    """How many effects are above one half."""
    return f"{(differences > 0).sum()} of {len(differences)}"


def rank_sum(differences: NDArray[np.float64]) -> float:
    """The sum of signed ranks, whose sign is the direction of Wilcoxon's test."""
    differ = differences[differences != 0]
    return float(np.sign(differ) @ rankdata(np.abs(differ)))


def p_of_equivalence(effects: NDArray[np.float64]) -> float | None:
    """That of the t-tests; effects that are all the same, which have no t, lie within the margins or do not."""
    if len(effects) > 1 and not np.ptp(differences_of(effects)):
        return float(not MARGINS[0] < effects[0] < MARGINS[1])
    return mean(effects).p


def verdict(direction: float, p: float | None, same: float | None) -> str:
    """What the corrected p of the difference and of equivalence say."""
    differs, is_same = p is not None and p < LEVEL, same is not None and same < LEVEL
    if differs:
        way = "better" if direction > 0 else "worse"
        return f"{way}, but within the margins" if is_same else way
    return "no effect" if is_same else "undecided"


def contrasts(study: Any) -> str:
    """The five contrasts, with Holm's correction."""
    return _contrasts([study.effects(study.main, arm) for arm in CONTRASTS])


def twins(study: Any) -> str:
    """The same with a formula and its twin with decoys as one task."""
    return _contrasts([study.twins(arm) for arm in CONTRASTS])


def _contrasts(every: Sequence[NDArray[np.float64]]) -> str:
    differences = [differences_of(effects) for effects in every]
    ps = [statistics.wilcoxon(each, np.zeros(len(each))).p for each in differences]
    corrected, same = statistics.holm(ps), statistics.holm([p_of_equivalence(effects) for effects in every])
    body = [
        [
            *(arm, str(len(effects)), interval(mean(effects)), above_half(each)),
            *(p_text(p), p_text(fixed), p_text(q), verdict(rank_sum(each), fixed, q)),
        ]
        for arm, effects, each, p, fixed, q in zip(CONTRASTS, every, differences, ps, corrected, same, strict=True)
    ]
    head = ["against frozen", "tasks", "mean A12", "above 0.5", "p", "p, Holm", "p of equivalence, Holm", "verdict"]
    return table(head, body)


def genotypes(study: Any) -> str:
    """Equivalence for each genotype alone, without correction."""
    body = []
    for arm in CONTRASTS:
        by_genotype = [study.effects(study.main, arm, [each]) for each in PLAN.REPRESENTATIONS]
        shown = ([interval(mean(effects)), p_text(p_of_equivalence(effects))] for effects in by_genotype)
        body.append([arm, *(cell for cells in shown for cell in cells)])
    heads = ([each, "p of equivalence"] for each in PLAN.REPRESENTATIONS)
    return table(["against frozen", *(cell for cells in heads for cell in cells)], body)


def valid(study: Any, settings: Sequence[Any], arm: str, genotypes: Sequence[str] = ()) -> str:
    """The share of valid individuals."""
    return f"{study.valid_share(settings, arm, genotypes):.1%}".replace("%", " %")


def arms(study: Any) -> str:
    """All arms, by genotype."""
    body = []
    for arm in (EFFECTS.BASE, *ARMS):
        every = interval(mean(study.effects(study.main, arm)))
        body.append([arm, every, *_each(study, study.main, arm), valid(study, study.main, arm)])
    return table(["arm", "all", *PLAN.REPRESENTATIONS, "valid individuals"], body)


def tasks(study: Any) -> str:
    """The effect of each arm on each task."""
    body = [
        [setting.label, number(study.ties(setting)), *(number(study.effect(setting, arm)) for arm in ARMS)]
        for setting in study.main
    ]
    return table(["task", "ties", *ARMS], body)


def controls(study: Any) -> str:
    """Which part of a prior from the same task helps; flat genotypes, whose validity is matched, also alone."""
    every = ("same task", *PLAN.CONTROLS, "oracle")
    body = [[setting[0], *(number(study.effect(setting, arm)) for arm in every)] for setting in study.controlled]
    body.append(["mean", *(interval(mean(study.effects(study.controlled, arm))) for arm in every)])
    flat = (interval(mean(study.effects(study.controlled, arm, ["flat"]))) for arm in every)
    body.append(["mean, flat alone", *flat])
    body.append(["valid individuals, flat alone", *(valid(study, study.controlled, arm, ["flat"]) for arm in every)])
    return table(["task", *every], body)


def controlled(study: Any) -> dict[str, Sequence[Any]]:
    """The formulas of the controls, by the number of decoys and by the budget."""
    every = [*study.controlled, *(s for s in study.main if s[1]), *study.of("decoys")]
    by_decoys = {f"{n} decoys": [s for s in every if s[1] == n] for n in sorted({s[1] for s in every})}
    groups = [study.of(name) for name in ("small-budget", "controls", "large-budget")]
    return by_decoys | {f"{group[0][2]:,} evaluations": group for group in groups}


def decoys(study: Any) -> str:
    """Effects by the number of decoys."""
    return _by(study, "decoys", ("PGE", "same task", "oracle"))


def budgets(study: Any) -> str:
    """Effects by the budget."""
    return _by(study, "evaluations", ("PGE", "restarts", "same task", "oracle"))


def _by(study: Any, what: str, shown: Sequence[str]) -> str:
    body = [
        [name.split()[0], str(len(settings)), *(interval(mean(study.effects(settings, arm))) for arm in shown)]
        for name, settings in controlled(study).items()
        if name.endswith(what)
    ]
    return table([what, "tasks", *shown], body)


def regressions(study: Any) -> str:
    """When an arm helps."""
    body, reliability = [], study.reliability()
    for arm in ("same task", "PGE"):
        found = study.line(arm)
        for name, term in found.terms.items():
            ends = f"[{term.low:.3f}, {term.high:.3f}]"
            body.append([arm, name, f"{term.estimate:.3f}", f"{term.error:.3f}", ends, p_text(term.p)])
        reliable = reliability is not None and reliability > 0
        corrected = found.terms["headroom"].estimate / reliability if reliable else None
        body.append([arm, "headroom, divided by its reliability", number(corrected, 3), "", "", ""])
        body.append([arm, "R²", number(found.r_squared, 3), "", "", ""])
    body.append(["", "reliability of headroom", number(reliability, 3), "", "", ""])
    return table(["effect of", "term", "estimate", "standard error", "95 % interval", "p"], body)


def pilot(study: Any) -> str:
    """The numbers of the pilot, by name."""
    body = []
    for arm, (what, value) in PILOT.items():
        settings = study.controlled if arm in PLAN.CONTROLS else study.main
        found = mean(study.effects(settings, arm, PILOT_GENOTYPES))
        if found.low is None or found.high is None:
            says = "–"
        else:
            says = "lower" if found.high < value else "higher" if found.low > value else "confirmed"
        body.append([what, arm, number(value), interval(found), says])
    return table(["pilot", "arm", "A12 then", "now", ""], body)


def irrelevant(study: Any) -> str:
    """What variables without influence change; not in the plan."""
    without, among = (controlled(study)[name] for name in ("0 decoys", "16 decoys"))
    body = [
        [
            arm,
            interval(mean(study.effects(without, arm))),
            interval(mean(study.effects(among, arm))),
            *_each(study, among, arm),
        ]
        for arm in ARMS
    ]
    return table(["arm", "no decoys", "16 decoys", *(f"16 decoys, {each}" for each in PLAN.REPRESENTATIONS)], body)


def restarts(study: Any) -> str:
    """Where restarts pay; not in the plan."""
    parts = {name: each for name, each in controlled(study).items() if name.endswith("evaluations")}
    parts["50,000 evaluations, 16 decoys"] = controlled(study)["16 decoys"]
    body = [
        [name, interval(mean(study.effects(part, "restarts"))), *_each(study, part, "restarts")]
        for name, part in parts.items()
    ]
    return table(["budget", "all", *PLAN.REPRESENTATIONS], body)


def _each(study: Any, settings: Sequence[Any], arm: str) -> list[str]:
    """The effect of an arm on each genotype."""
    return [interval(mean(study.effects(settings, arm, [genotype]))) for genotype in PLAN.REPRESENTATIONS]


def a12(study: Any, text: str) -> str:
    """The mean effect of an arm: "PGE" on all tasks, "PGE; flat; 16 decoys" on some, with one genotype."""
    arm, *limits = text.split("; ")
    settings = [controlled(study)[each] for each in limits if each not in PLAN.REPRESENTATIONS] or [study.main]
    effects = study.effects(*settings, arm, [each for each in limits if each in PLAN.REPRESENTATIONS])
    return interval(mean(effects))


@theme.drawing
def every_task(study: Any) -> Figure:
    """The effect of each arm on each task."""
    settings = study.main
    figure, (axes,) = theme.panels(1, 1, 7.0, 1.6 + 0.26 * len(settings))
    axes.axvspan(*MARGINS, color="#EEEEEE", linewidth=0, zorder=0)
    axes.axvline(0.5, color="black", linewidth=0.9)
    for arm in MARKERS:
        places = [(effect, row) for row, s in enumerate(settings) if (effect := study.effect(s, arm)) is not None]
        _points(axes, arm, [place[0] for place in places], [place[1] for place in places])
    theme.rows(axes, [setting.label for setting in settings])
    axes.set_xlim(0, 1)
    axes.set_xlabel("A₁₂ against frozen, uniform probabilities")
    theme.frame(axes)
    figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=8.5)
    return theme.titled(figure, "Effect of each arm on each task")


@theme.drawing
def by_headroom(study: Any) -> Figure:
    """Effects against headroom, each from other seeds."""
    figure, (axes,) = theme.panels(1, 1, 5.6, 4.2)
    axes.axhspan(*MARGINS, color="#EEEEEE", linewidth=0, zorder=0)
    axes.axhline(0.5, color="black", linewidth=0.9)
    for arm in ("PGE", "other tasks", "same task"):
        settings = [setting for setting in study.main if study.effect(setting, arm) is not None]
        headroom = [study.effect(setting, "oracle", parity=EFFECTS.EVEN) for setting in settings]
        _points(axes, arm, headroom, [study.effect(setting, arm, parity=EFFECTS.ODD) for setting in settings])
    axes.set_xlabel("headroom: A₁₂ of the oracle (even seeds)")
    axes.set_ylabel("A₁₂ of the arm (odd seeds)")
    theme.frame(axes)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8.5)
    return theme.titled(figure, "Effect against headroom")


def _points(axes: Any, arm: str, x: Sequence[float], y: Sequence[float]) -> None:
    """The tasks of an arm, which looks the same in both figures."""
    colour = (theme.GREY, *theme.COLOURS)[ARMS.index(arm)]
    axes.plot(x, y, label=arm, marker=MARKERS[arm], color=colour, markersize=5, linestyle="none", alpha=0.85)


def above(study: Any, arm: str) -> str:
    """On how many tasks an arm is better than frozen."""
    return above_half(differences_of(study.effects(study.main, arm)))


def headline(study: Any) -> str:
    """What README.md and docs/paper.md say of it."""
    names = {"same": "same task", "other": "other tasks", "pge": "PGE"}
    return HEADLINE.format(**{name: number(mean(study.effects(study.main, arm)).mean) for name, arm in names.items()})


TABLES = (contrasts, twins, genotypes, arms, tasks, controls, decoys, budgets, regressions, pilot, irrelevant, restarts)
NUMBERS = {"a12": a12, "above": above}


def page(rows: Sequence[Any], plan: Any) -> str:
    """The page."""
    study = EFFECTS.Study(rows, plan)
    made = {each.__name__: each for each in TABLES}
    text = (Path(__file__).parent / "priors.md").read_text(encoding="utf-8")
    text = re.sub(r"\{([a-z]+)\}", lambda match: made[match[1]](study), text)
    return re.sub(r"\{(a12|above) ([^}]+)\}", lambda match: NUMBERS[match[1]](study, match[2]), text)


def draw(rows: Sequence[Any], plan: Any, folder: Path) -> None:
    """The figures of the page."""
    study = EFFECTS.Study(rows, plan)
    for name, figure in (("tasks", every_task(study)), ("headroom", by_headroom(study))):
        theme.write(figure, folder / f"priors-{name}.svg", 200)


if __name__ == "__main__":
    KEPT = EFFECTS.read(RUNS)
    if not EFFECTS.is_complete(KEPT, PLAN.Plan()):
        sys.exit(f"{RUNS} does not have all runs: python docs/experiments/priors.py")
    PAGE.write_text(page(KEPT, PLAN.Plan()), encoding="utf-8")
    draw(KEPT, PLAN.Plan(), IMAGES)
