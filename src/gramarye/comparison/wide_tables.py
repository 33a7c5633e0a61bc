"""Tables of experiments with many methods, whose usual ones would be too wide or too long to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gramarye.show.tables.table import Table
from gramarye.show.tables.values import Cell as Value

MANY = 6  # methods; with more of them a table has a row for each, and pairs are also shown as a matrix

Rows = Sequence[Mapping[str, Value]]


def turned(table: Table) -> Table:
    """A row for each method instead of a column; as it is where two rows would become columns of the same name."""
    first, *methods = table.columns
    labels = [str(label) for label in table.columns[first]]
    if len({"method", *labels}) <= len(labels):
        return table
    cells = {label: [table.columns[method][row] for method in methods] for row, label in enumerate(labels)}
    bold = frozenset((labels[row], methods.index(method)) for method, row in table.emphasised)
    return replace(table, columns={"method": methods, **cells}, emphasised=bold)


def decisions(methods: Sequence[str], pairs: Rows) -> Table:
    """How many of the others each method is better and worse than, with significance."""
    columns: dict[str, Sequence[Value]] = {"method": list(methods)}
    for label in dict.fromkeys(str(pair["data"]) for pair in pairs):
        told = [pair for pair in pairs if pair["data"] == label and pair["better"] is not None]
        wins = {method: sum(pair["better"] == method for pair in told) for method in methods}
        met = {method: sum(method in (pair["first"], pair["second"]) for pair in told) for method in methods}
        columns[label if label not in columns else f"{label} (data)"] = [
            f"{wins[method]} / {met[method] - wins[method]}" for method in methods
        ]
    title = "Significant differences: how many other methods each one is better / worse than"
    return Table("decisions", title, columns, note="By Mann–Whitney with Bonferroni's correction, as in the pairs.")


def effect_matrix(name: str, label: str, pairs: Rows) -> Table:
    """The effect sizes of all pairs of methods on one column of data; bold where they differ."""
    sizes: dict[tuple[Value, Value], Value] = {}
    sure = set()
    for pair in pairs:
        first, second, size = pair["first"], pair["second"], pair["A12"]
        sizes[first, second] = size
        sizes[second, first] = 1 - size if isinstance(size, float) else None
        sure |= {(first, second), (second, first)} if pair["better"] is not None else set()
    methods = [str(method) for method in dict.fromkeys(method for both in sizes for method in both)]
    columns = {other: [sizes.get((method, other)) for method in methods] for other in methods}
    bold = frozenset((other, row) for other in methods for row, method in enumerate(methods) if (method, other) in sure)
    title = f"A12 on {label}: probability that a run of the row's method is better than one of the column's"
    return Table(
        name,
        title,
        {"method": methods, **columns},
        dict.fromkeys(methods, ".2f"),
        "Marked: significant by Mann–Whitney with Bonferroni's correction.",
        bold,
    )
