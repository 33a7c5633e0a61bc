"""`gramarye predict`: a saved model applied to a table."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gramarye.cli.console import note
from gramarye.errors import DataError, SettingsError
from gramarye.files import check_output, write_text

if TYPE_CHECKING:
    from gramarye.data import CSV
    from gramarye.models import Model

EXAMPLES = """
  gramarye predict model.json new.csv
  gramarye predict model.json new.csv --out predictions.csv
  gramarye predict model.json new.csv --nodes 5
"""


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model that `gramarye fit --out` wrote.")],
    data: Annotated[
        Path,
        typer.Argument(metavar="CSV", help="A table with the columns of the model, in any order; others are ignored."),
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the predictions to a CSV file instead of printing them.")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(help="Predict with the formula of the front that has this number of nodes.")
    ] = None,
) -> None:
    """Predict with a saved model: a CSV with one row for each row of the table.

    Of a model for classes, the most probable class and the probability of each.
    """
    from gramarye.data import CSV
    from gramarye.models import Model

    if out is not None:
        check_output(out, ".csv")
        if out.exists() and data.exists() and out.samefile(data):
            raise SettingsError(f"--out: {out} would be overwritten by its own predictions")
    loaded = Model.load(model)
    if nodes is not None:
        if loaded.classes_ is not None:
            raise SettingsError(f"--nodes: {model} predicts classes, with a formula for each; leave --nodes out")
        loaded.use(nodes)
    text = _table(loaded, _features(loaded, CSV(data)))
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_text(out, text)
        note(f"{text.count(chr(10)) - 1:,} predictions written to {out}")


def _features(model: Model, table: CSV) -> Any:
    """The columns that the model needs."""
    from gramarye.data.cells import expected

    facts = model.facts
    if facts.named:
        return expected(table, model.used_columns)
    if not all(column.name in table.columns for column in facts.columns):
        if len(table.columns) != len(facts.columns):
            what = f"it has {len(table.columns)} columns, but the model has {len(facts.columns)}, which have no names"
            raise DataError(f"{table.path}: {what}; give them in the same order, or call them x0, x1 …")
        table.columns = [column.name for column in facts.columns]
    return expected(table, facts.columns).to_numpy()


def _table(model: Model, features: Any) -> str:
    """Predictions as CSV."""
    columns = {model.facts.target or "prediction": model.predict(features).tolist()}
    if model.classes_ is not None:
        probabilities = model.predict_proba(features).T.tolist()
        columns |= {f"P({label})": row for label, row in zip(model.classes_.tolist(), probabilities, strict=True)}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()
