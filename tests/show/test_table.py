from __future__ import annotations

import csv
import io
import math
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.errors import OutputError, SettingsError
from gramarye.show.tables.table import Table, write_tables
from gramarye.show.tables.values import format_cell, number_of

HOSTILE = "<b>x|y</b> `$a_1$` & 5 %\nC:\\*[z] #{~^}"
CELLS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)


def table(**columns: Any) -> Table:
    return Table("a-table", "A table", columns)


PAPER = Table(
    "mean-best-fitness",
    "Mean best fitness",
    {
        "Problem": ["Pagie", "Boston"],
        "PGE": ["0.56±0.16", "0.82±0.12"],
        "GE": ["0.68±0.17", None],
        "p": [1e-9, 0.24],
        "learns": [True, False],
    },
    {"p": "p"},
    note="100 runs. The best is bold.",
    emphasised=frozenset({("PGE", 0)}),
)


class Cells(HTMLParser):
    """The cells of an HTML table, as a reader sees them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in {"td", "th"}

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


class TestCells:
    @pytest.mark.parametrize(
        ("value", "form", "text"),
        [
            (None, "", "–"),
            (True, "", "yes"),
            (False, ".2f", "no"),
            ("a\nb", ".2f", "a\\nb"),
            ("95\u202f%", "", "95\u202f%"),
            ("", "", ""),
            (math.inf, ".2f", "∞"),
            (-math.inf, "", "-∞"),
            (math.nan, "", "NaN"),
            (3, "", "3"),
            (3, ".2f", "3.00"),
            (10**400, "", str(10**400)),
            (0.123456, "", "0.1235"),
            (50000.0, "", "50000"),
            (1e12, "", "1e+12"),
            (-0.001, ".2f", "0.00"),
            (-0.01, ".2f", "-0.01"),
            (0.00099, "p", "<0.001"),
            (0.0, "p", "<0.001"),
            (0.001, "p", "0.001"),
            (0.04, "p", "0.040"),
            (1.0, "p", "1.000"),
        ],
    )
    def test_a_value_is_shown_as_people_read_it(self, value: Any, form: str, text: str) -> None:
        assert format_cell(value, form) == text

    @given(st.floats(0, 1))
    def test_no_p_value_is_shown_as_zero(self, p: float) -> None:
        shown = format_cell(p, "p")
        assert shown == "<0.001" if p < 0.001 else float(shown) == pytest.approx(p, abs=0.0005)
        assert shown not in {"0.000", "0.00", "0"}

    @pytest.mark.parametrize(
        ("value", "number"),
        [
            ("0.61±0.16", 0.61),
            ("−0.61 ± 0.16", -0.61),
            ("1e-05", 1e-5),
            ("∞", math.inf),
            ("12 %", 12.0),
            (7, 7),
            ("x[1]", None),
            ("0.61 and 0.16", None),
            ("", None),
            (None, None),
            (True, None),
        ],
    )
    def test_a_text_may_stand_for_a_number(self, value: Any, number: float | None) -> None:
        assert number_of(value) == number

    def test_less_than_a_number_comes_right_before_it(self) -> None:
        below = number_of("<0.001")
        assert below is not None
        assert 0.000999999 < below < 0.001


class TestTable:
    def test_columns_are_plain_values(self) -> None:
        made = table(a=np.array([1.5, 2.5]), b=[np.int64(1), np.float64(2.5)], c=[np.bool_(True), None], d=range(2))
        assert made.columns == {"a": (1.5, 2.5), "b": (1.0, 2.5), "c": (True, None), "d": (0, 1)}
        assert [type(value) for value in made.columns["c"]] == [bool, type(None)]
        assert [type(value) for value in made.columns["b"]] == [float, float]

    def test_data_frames_take_the_columns(self) -> None:
        made = table(name=["a", None], n=[1, None], x=[1, 2.5], yes=[True, False])
        assert pl.DataFrame(made.columns).rows() == [("a", 1, 1.0, True), (None, None, 2.5, False)]
        assert list(pd.DataFrame(made.columns)["x"]) == [1.0, 2.5]

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"name": "../up"}, r"'../up' can't be the name of a table: it is written with small letters"),
            ({"name": ""}, "'' can't be the name of a table"),
            ({"columns": {}}, "table t: it has no column; give at least one"),
            ({"columns": {"a": [1], "b": [1, 2]}}, r"columns differ in length \('a' 1, 'b' 2\); fill .* with None"),
            ({"columns": {"a": [[1]]}}, r"table t, column 'a': '\[1\]' is not a text, number, truth value or None"),
            ({"formats": {"b": ".2f"}}, "table t: there is no column 'b'; its columns are a"),
            ({"formats": {"a": ".2q"}}, r"table t, column 'a': 1 can't be shown with the format '.2q'"),
            ({"columns": {"a": [10**400]}, "formats": {"a": ".2f"}}, "can't be shown with the format '.2f'"),
            ({"emphasised": frozenset({("b", 0)})}, "there is no column 'b'"),
            ({"emphasised": frozenset({("a", 1)})}, "there is no row 1 to emphasise; its 1 rows count from 0"),
        ],
    )
    def test_a_mistake_is_told(self, changes: dict[str, Any], message: str) -> None:
        right: dict[str, Any] = {"name": "t", "title": "T", "columns": {"a": [1]}}
        with pytest.raises(SettingsError, match=message):
            Table(**right | changes)


class TestText:
    def test_columns_are_aligned_and_the_best_has_an_asterisk(self) -> None:
        assert str(PAPER) == (
            "Mean best fitness\n"
            "\n"
            "Problem        PGE          GE       p  learns\n"
            "───────  ──────────  ─────────  ──────  ──────\n"
            "Pagie    0.56±0.16*  0.68±0.17  <0.001  yes\n"
            "Boston   0.82±0.12           –   0.240  no\n"
            "\n"
            "100 runs. The best is bold."
        )

    def test_wide_letters_count_twice(self) -> None:
        assert str(table(a=["文", "xy"], b=[1, 2])).splitlines()[2:] == ["a   b", "──  ─", "文  1", "xy  2"]

    def test_a_table_without_rows_is_its_header(self) -> None:
        assert str(table(a=[], b=[])).splitlines()[2:] == ["a  b", "─  ─"]

    @given(st.lists(CELLS, max_size=4))
    def test_every_row_is_one_line(self, cells: list[Any]) -> None:
        assert len(str(table(a=cells)).split("\n")) == 4 + len(cells)


class TestCsv:
    def test_nothing_is_rounded_and_nothing_stands_for_what_is_missing(self) -> None:
        assert table(x=[0.1 + 0.2, None], n=[math.inf, -1.0], b=[True, None]).to_csv() == (
            "x,n,b\n0.30000000000000004,inf,True\n,-1.0,\n"
        )

    @given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=4))
    def test_texts_come_back(self, texts: list[str]) -> None:
        rows = list(csv.reader(io.StringIO(table(a=texts, b=texts).to_csv(), newline="")))
        assert rows == [["a", "b"], *([text, text] for text in texts)]

    @given(st.lists(st.floats(allow_nan=False), min_size=1))
    def test_numbers_come_back(self, numbers: list[float]) -> None:
        rows = list(csv.DictReader(io.StringIO(table(a=numbers, b=numbers).to_csv())))
        assert [float(row["a"]) for row in rows] == numbers


class TestMarkdown:
    def test_a_table_is_shown_with_its_alignment(self) -> None:
        assert PAPER.to_markdown() == (
            "**Mean best fitness**\n"
            "\n"
            "| Problem | PGE | GE | p | learns |\n"
            "| :-- | --: | --: | --: | :-- |\n"
            "| Pagie | **0.56±0.16** | 0.68±0.17 | &lt;0.001 | yes |\n"
            "| Boston | 0.82±0.12 | – | 0.240 | no |\n"
            "\n"
            "*100 runs. The best is bold.*\n"
        )

    def test_markup_in_a_text_is_shown_as_it_stands(self) -> None:
        assert table(**{"a|b": [HOSTILE]}).to_markdown().splitlines()[2:] == [
            r"| a\|b |",
            "| :-- |",
            r"| &lt;b&gt;x\|y&lt;/b&gt; \`\$a\_1\$\` &amp; 5 %\\nC:\\\*\[z\] #{\~^} |",
        ]


class TestLatex:
    def test_a_table_needs_no_package(self) -> None:
        assert PAPER.to_latex().splitlines() == [
            r"\begin{table}",
            r"\centering",
            r"\caption{Mean best fitness}",
            r"\label{tab:mean-best-fitness}",
            r"\begin{tabular}{lrrrl}",
            r"\hline",
            r"Problem & PGE & GE & p & learns \\",
            r"\hline",
            r"Pagie & \textbf{0.56$\pm$0.16} & 0.68$\pm$0.17 & \textless{}0.001 & yes \\",
            r"Boston & 0.82$\pm$0.12 & -- & 0.240 & no \\",
            r"\hline",
            r"\end{tabular}",
            r"\par\smallskip{\footnotesize 100 runs. The best is bold.}",
            r"\end{table}",
        ]

    @pytest.mark.parametrize(
        ("text", "latex"),
        [
            (r"5 % of a_b & $c #1", r"5 \% of a\_b \& \$c \#1"),
            ("{x}~y^2\\n", r"\{x\}\textasciitilde{}y\textasciicircum{}2\textbackslash{}n"),
            ("[2mm]", "{[}2mm]"),  # after the end of a row these two would be read as its option and its star
            ("*", "{*}"),
            ("x--y", "x{-}{-}y"),
            ("χ² ≤ 3 × 4 – 5", r"$\chi$$^2$ $\leq$ 3 $\times$ 4 -- 5"),
            ("Lourenço, Mégane, Łódź", r"Louren\c{c}o, M\'{e}gane, \L{}\'{o}d\'{z}"),
            ("e\u0301", r"\'{e}"),
            ("文😀", "{[}U+6587]{[}U+1F600]"),
        ],
    )
    def test_a_text_is_printed_as_it_stands(self, text: str, latex: str) -> None:
        assert table(a=[text]).to_latex().splitlines()[8] == latex + r" \\"

    def test_the_signs_of_a_number_are_minus_signs(self) -> None:
        assert table(a=[-1.5e-7]).to_latex().splitlines()[8] == r"$-$1.5e$-$07 \\"
        assert table(a=["x-1"]).to_latex().splitlines()[8] == r"x{-}1 \\"

    @given(st.lists(st.text(), min_size=1, max_size=3))
    def test_any_text_becomes_ascii_with_balanced_braces(self, texts: list[str]) -> None:
        latex = Table("t", texts[0], {"a": texts}, note=texts[-1]).to_latex()
        assert latex.isascii()
        bare = latex.replace(r"\{", "").replace(r"\}", "")
        assert bare.count("{") == bare.count("}")
        assert latex.replace(r"\$", "").count("$") % 2 == 0


class TestHtml:
    def test_cells_are_what_is_shown_and_numbers_stand_beside_at_full_precision(self) -> None:
        html = PAPER._repr_html_()
        assert Cells(html).rows == [
            ["Problem", "PGE", "GE", "p", "learns"],
            ["Pagie", "0.56±0.16", "0.68±0.17", "<0.001", "yes"],
            ["Boston", "0.82±0.12", "–", "0.240", "no"],
        ]
        assert '<td class="number" data-sort="0.56"><strong>0.56±0.16</strong></td>' in html
        assert '<td class="number" data-value="1e-09">&lt;0.001</td>' in html
        assert '<p class="note">100 runs. The best is bold.</p>' in html

    def test_infinity_is_written_as_a_browser_reads_it(self) -> None:
        html = table(a=[math.inf, -math.inf, -2.5])._repr_html_()
        assert 'data-value="Infinity">∞' in html
        assert 'data-value="-Infinity">−∞' in html
        assert 'data-value="-2.5">−2.5' in html

    def test_a_long_text_may_be_broken(self) -> None:
        assert f'<span class="long">{"x" * 31}</span>' in table(a=["x" * 31])._repr_html_()
        assert '"long"' not in table(a=["x" * 30])._repr_html_()

    def test_a_hostile_text_is_shown_as_text(self) -> None:
        hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
        html = Table("t", hostile, {hostile: [hostile]}, note=hostile)._repr_html_()
        assert Cells(html).rows == [[hostile], [hostile]]
        assert not Cells(html).tags & {"script", "img"}


class TestFiles:
    def test_each_table_becomes_three_files(self, tmp_path: Path) -> None:
        written = write_tables(tmp_path / "new" / "tables", [PAPER, table(a=["é\ud800"])])
        assert [path.name for path in written] == [
            *("mean-best-fitness.csv", "mean-best-fitness.tex", "mean-best-fitness.md"),
            *("a-table.csv", "a-table.tex", "a-table.md"),
        ]
        assert written[0].read_bytes().decode() == PAPER.to_csv()
        assert written[1].read_text(encoding="utf-8") == PAPER.to_latex()
        assert written[2].read_text(encoding="utf-8") == PAPER.to_markdown()
        assert written[3].read_text(encoding="utf-8") == "a\né\\ud800\n"

    def test_two_tables_of_one_name_are_refused_before_anything_is_written(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match=r"2 tables are named mean-best-fitness: .* rename one"):
            write_tables(tmp_path / "tables", [PAPER, PAPER])
        assert not list(tmp_path.iterdir())

    def test_a_place_that_can_not_be_written_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(OutputError, match=r"file: can't be written \(File exists\); choose another place"):
            write_tables(tmp_path / "file", [PAPER])
        (tmp_path / "mean-best-fitness.csv").mkdir()
        with pytest.raises(OutputError, match=r"mean-best-fitness\.csv: can't be written \(Is a directory\)"):
            write_tables(tmp_path, [PAPER])
