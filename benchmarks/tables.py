"""Tables of results in Markdown, with gramarye's own statistics.

Methods are compared on instances (a task at one level of noise) by the median of R² in test rows over the seeds. It is
rounded to 0.001 for ranks and tests, so that what counts as equal has equal ranks. Instances and seeds that not all
methods have are left out: results can be read while a benchmark is running.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence

from benchmarks.methods import METHODS, OURS
from benchmarks.results import Result
from gramarye.statistics import a12, friedman, holm, nemenyi, wilcoxon

TIE = 0.001  # R² that differs by no more counts as equal
ROUNDING = 1e-12
DASH = "–"


class Results:
    """Fits that can be compared: the instances and seeds that all methods have."""

    def __init__(self, fits: Sequence[Result]) -> None:
        present = {fit.method for fit in fits}
        self.methods = [name for name in METHODS if name in present]
        have: dict[tuple[str, float, int], set[str]] = {}
        for fit in fits:
            have.setdefault((*fit.instance, fit.seed), set()).add(fit.method)
        complete = {key for key, methods in have.items() if methods == present}
        self.fits = [fit for fit in fits if (*fit.instance, fit.seed) in complete]
        self.left_out = len(fits) - len(self.fits)
        self.instances = list(dict.fromkeys(fit.instance for fit in self.fits))
        self._by: dict[tuple[str, tuple[str, float]], list[Result]] = {}
        for fit in self.fits:
            self._by.setdefault((fit.method, fit.instance), []).append(fit)

    def of(self, method: str, instance: tuple[str, float]) -> list[Result]:
        """The fits of a method on an instance, one for each seed."""
        return self._by[method, instance]

    def median(self, method: str, instance: tuple[str, float], value: Callable[[Result], float]) -> float:
        """Over the seeds."""
        return statistics.median(value(fit) for fit in self.of(method, instance))

    def errors(self, method: str) -> list[float]:
        """1 − R² in test rows of each instance, rounded."""
        return [rounded_error(self.median(method, instance, test)) for instance in self.instances]

    @property
    def rivals(self) -> list[str]:
        """All methods but ours."""
        return [method for method in self.methods if method != OURS]


def test(fit: Result) -> float:
    """R² in test rows."""
    return fit.test


def size(fit: Result) -> float:
    """Nodes."""
    return float(fit.size)


def rounded_error(r2: float) -> float:
    """1 − R² in steps in which differences count."""
    return round((1 - r2) / TIE) * TIE if math.isfinite(r2) else math.inf


def table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, [":--", *["--:"] * (len(head) - 1)], *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def overview(results: Results) -> str:
    """Each method over all instances: median R², size, time, mean rank."""
    ranks = friedman(list(zip(*map(results.errors, results.methods), strict=True))).mean_ranks
    body = []
    for method, rank in zip(results.methods, ranks, strict=True):
        medians = [results.median(method, instance, test) for instance in results.instances]
        fits = [fit for fit in results.fits if fit.method == method]
        good = sum(r2 > 0.999 for r2 in medians)
        sizes = statistics.median(fit.size for fit in fits)
        seconds = [fit.seconds for fit in fits]
        time = f"{statistics.median(seconds):.2f} ({max(seconds):.2f})"
        failed = sum(not math.isfinite(fit.test) for fit in fits)
        r2 = number(statistics.median(medians))
        body.append([method, r2, str(good), f"{rank:.2f}", f"{sizes:.0f}", time, str(failed)])
    head = ["", "median R²", "R² > 0.999", "mean rank", "nodes", "CPU seconds (most)", "failed fits"]
    return table(head, body)


def recovery(results: Results) -> str:
    """The share of fits that are the true formula up to a constant, without and with noise."""
    groups: dict[str, Callable[[Result], bool]] = {
        "physics, no noise": lambda fit: fit.family == "physics" and not fit.noise,
        "physics, noise": lambda fit: fit.family == "physics" and fit.noise > 0,
        "others, no noise": lambda fit: fit.family not in ("physics", "table") and not fit.noise,
        "others, noise": lambda fit: fit.family not in ("physics", "table") and fit.noise > 0,
    }
    groups = {name: belongs for name, belongs in groups.items() if any(map(belongs, results.fits))}
    body = []
    for method in results.methods:
        fits = [fit for fit in results.fits if fit.method == method]
        if not any(fit.recovered for fit in fits):
            continue
        line = [share([fit.is_recovered for fit in fits if belongs(fit)]) for belongs in groups.values()]
        undecided = sum(fit.recovered in ("time limit", "unreadable") for fit in fits)
        by_sign = sum(fit.recovered == "by sign" for fit in fits)
        body.append([method, *line, str(by_sign), str(undecided)])
    return table(["", *groups, "fits by sign", "undecided fits"], body)


def against(results: Results) -> str:
    """Ours against each rival: wins, ties, losses, sizes where they tie, and tests."""
    if OURS not in results.methods:
        return f"There are no fits of {OURS}."
    duels = [_duel(results, rival) for rival in results.rivals]
    ps = holm([wilcoxon(results.errors(OURS), results.errors(rival)).p for rival in results.rivals])
    head = ["against", "wins : ties : losses", "p (Wilcoxon, Holm)", "A12", "nodes at ties", "smaller : larger"]
    return table(head, [[*duel[:2], probability(p), *duel[2:]] for duel, p in zip(duels, ps, strict=True)])


def _duel(results: Results, rival: str) -> list[str]:
    wins = ties = losses = smaller = larger = 0
    ours_at_ties, theirs_at_ties, effects = [], [], []
    for instance in results.instances:
        first, second = (results.median(method, instance, test) for method in (OURS, rival))
        effects.append(_effect(results, rival, instance))
        if is_tie(first, second):
            ties += 1
            a, b = (results.median(method, instance, size) for method in (OURS, rival))
            ours_at_ties.append(a)
            theirs_at_ties.append(b)
            smaller, larger = smaller + (a < b), larger + (a > b)
        else:
            wins, losses = wins + (first > second), losses + (first < second)
    sizes = (f"{statistics.median(each):.0f}" if each else DASH for each in (ours_at_ties, theirs_at_ties))
    effect = f"{statistics.fmean(effects):.2f}" if effects else DASH
    return [rival, f"{wins} : {ties} : {losses}", effect, " against ".join(sizes), f"{smaller} : {larger}"]


def _effect(results: Results, rival: str, instance: tuple[str, float]) -> float:
    ours, theirs = ([rounded_error(fit.test) for fit in results.of(method, instance)] for method in (OURS, rival))
    return a12(ours, theirs) or 0.0


def is_tie(first: float, second: float) -> bool:
    """Whether two values of R² count as equal; two failures do."""
    return first == second or abs(first - second) <= TIE + ROUNDING


def ranks(results: Results) -> str:
    """Friedman's test over all methods, in a sentence."""
    found = friedman(list(zip(*map(results.errors, results.methods), strict=True)))
    if found.p is None:
        return f"Friedman: {found.note}."
    apart, p = nemenyi(len(results.methods), len(results.instances)), probability(found.p)
    return (
        f"Friedman's test over {len(results.instances)} instances: χ² = {found.statistic:.1f}, "
        f"p {p if p.startswith('<') else f'= {p}'}. Mean ranks that differ by more than {apart:.2f} differ "
        "significantly (Nemenyi, 0.05)."
    )


def by_instance(results: Results) -> str:
    """Median R² and size of each method on each instance; recoveries are counted in brackets."""
    body = []
    for name, noise in results.instances:
        line = [f"{name}, noise {noise:g}" if noise else name]
        for method in results.methods:
            fits = results.of(method, (name, noise))
            exact = sum(fit.is_recovered for fit in fits)
            r2, nodes = (results.median(method, (name, noise), value) for value in (test, size))
            line.append(f"{number(r2)} / {nodes:.0f}" + (f" ({exact})" if exact else ""))
        body.append(line)
    return table(["", *results.methods], body)


def settings(results: Results) -> str:
    """What each method was given, how it was stopped, and its version."""
    body = []
    for method in results.methods:
        found = sorted({fit.versions.partition(",")[0] for fit in results.fits if fit.method == method})
        body.append([method, ", ".join(found), METHODS[method].settings, METHODS[method].stopping])
    return table(["", "version", "settings", "how it is stopped"], body)


PARTS: dict[str, Callable[[Results], str]] = {
    "overview": overview,
    "recovery": recovery,
    "against": against,
    "ranks": ranks,
    "by-instance": by_instance,
    "settings": settings,
}


def report(fits: Sequence[Result]) -> str:
    """All tables, one after the other."""
    results = Results(fits)
    if not results.instances:
        return "There is no instance that all methods have been fitted to."
    left_out = f"Fits left out because not all methods have them: {results.left_out}."
    parts = [f"{name}\n\n{part(results)}" for name, part in PARTS.items()]
    return "\n\n".join([*parts, *([left_out] if results.left_out else [])])


def number(r2: float) -> str:
    """R² in a table."""
    return f"{r2:.4f}" if math.isfinite(r2) else DASH


def share(hits: Sequence[bool]) -> str:
    """A percentage of fits."""
    return f"{100 * sum(hits) / len(hits):.0f} %" if hits else DASH


def probability(p: float | None) -> str:
    """A p value in a table."""
    if p is None:
        return DASH
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
