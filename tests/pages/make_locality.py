"""docs/locality.md from docs/locality.json: `python tests/pages/make_locality.py` writes the page and its images anew.

The prose is in locality.md beside this file; {random}, {trees} and {runs} become tables. With three folders, which
`gramarye analyse --out` wrote by the commands of the page, locality.json is made from them first.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from gramarye.analysis.locality_tables import along, overview
from gramarye.show.figures.locality import outcomes, scatter
from gramarye.show.figures.theme import Line, write
from gramarye.statistics import Interval

ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).with_name("locality.md")
PAGE = ROOT / "docs" / "locality.md"
DATA = ROOT / "docs" / "locality.json"
IMAGES = ROOT / "docs" / "images"
PARTS = {"random": "methods", "trees": "methods", "runs": "runs"}


def page() -> str:
    """The whole page."""
    data = {name: read(part) for name, part in json.loads(DATA.read_text(encoding="utf-8")).items()}
    text = SOURCE.read_text(encoding="utf-8")
    for name in ("random", "trees"):
        title = "from random genotypes" if name == "random" else "from the same trees"
        text = text.replace(f"{{{name}}}", overview(data[name], title).to_markdown().rstrip())
    return text.replace("{runs}", along(data["runs"]).to_markdown().rstrip())


def read(part: Sequence[dict[str, Any]]) -> list[Any]:
    """What the tables need of each method."""
    return [
        SimpleNamespace(
            label=each["method"],
            problem=each["problem"],
            generation=each["generation"],
            best=each["best"],
            outcomes=each["outcomes"],
            measures={name: Interval(ends[0], ends[1], ends[2], 0.95, "") for name, ends in each["measures"].items()},
        )
        for each in part
    ]


def collected(folders: Sequence[Path]) -> dict[str, Any]:
    """The numbers of three analyses, with five digits."""
    found: dict[str, Any] = {}
    for (name, key), folder in zip(PARTS.items(), folders, strict=True):
        document = json.loads((folder / "analysis.json").read_text(encoding="utf-8"))
        found[name] = [_row(each) for each in document[key]]
    return found


def _row(each: dict[str, Any]) -> dict[str, Any]:
    row = {name: each[name] for name in ("method", "problem", "generation", "best")}
    row["outcomes"] = {name: _short(share) for name, share in each["outcomes"].items()}
    row["measures"] = {
        name: [_short(value[end]) for end in ("estimate", "low", "high")]
        for name, value in each["measures"].items()
        if value["estimate"] is not None
    }
    return row


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")


def draw() -> None:
    """The images of the page."""
    data = {name: read(part) for name, part in json.loads(DATA.read_text(encoding="utf-8")).items()}
    labels = [each.label for each in data["random"]]
    shares = [list(each.outcomes.values()) for each in data["random"]]
    write(
        outcomes(labels, shares, "What one change does, on the grammar of pagie"), IMAGES / "locality-outcomes.svg", 200
    )
    points = [
        Line(label, [part[0].measures["nonlocal_share"].estimate], [part[-1].best])
        for label in labels
        if (part := [each for each in data["runs"] if each.label == label and each.problem == "pagie"])
    ]
    figure = scatter({"pagie": points}, "non-local share in generation 0", "best fitness", "Locality and success")
    write(figure, IMAGES / "locality-fitness.svg", 200)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        rows = collected([Path(folder) for folder in sys.argv[1:]])
        DATA.write_text(
            json.dumps(rows, separators=(",", ":")).replace('{"method"', '\n{"method"') + "\n", encoding="utf-8"
        )
    PAGE.write_text(page(), encoding="utf-8")
    draw()
