from __future__ import annotations

import itertools
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from gramarye.errors import MissingExtraError, OutputError
from gramarye.show.figures import theme
from gramarye.show.figures.fitness import Panel, _fence, progress
from gramarye.show.figures.forest import Effect, effects
from gramarye.show.figures.ranking import _bars, ranks
from gramarye.show.figures.rules import MOST_LINES, probabilities
from gramarye.show.figures.runs import distributions
from gramarye.show.figures.saving import save, svg_text
from gramarye.show.figures.theme import Line
from gramarye.show.html.page import Figure as Part
from gramarye.show.html.page import Section, render

G = np.arange(50)
FALLING = 0.5 + 0.5 * np.exp(-G / 10)
NASTY = "a long name with 😀, $x^2, 中 and\na new line; " * 4


def panel(*lines: Line, title: str = "Pagie", xlabel: str = "generation") -> Figure:
    return progress([Panel(title, lines)], xlabel=xlabel)


def sample(count: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).gamma(9, 0.1, count)


def simple() -> Figure:
    return panel(Line("PGE", G, FALLING, FALLING - 0.1, FALLING + 0.1, FALLING - 0.05), Line("GE", G, FALLING + 0.1))


WORSE = [Line("GE", G, np.where(G % 7 == 3, -1e60, -1.5)), Line("SGE", G, G - np.inf)]

# Whatever an experiment may come to: each is drawn without a warning, and no text leaves the picture.
ODD: dict[str, Callable[[], Figure]] = {
    "one generation": lambda: panel(Line("PGE", [0], [0.5]), Line("GE", [0], [0.7], [0.6], [0.8])),
    "no panel": lambda: progress([]),
    "no line": panel,
    "nothing finite": lambda: panel(Line("PGE", G, G * np.nan), Line("GE", G, G + np.inf, G + np.inf, G + np.inf)),
    "zeros": lambda: panel(Line("PGE", G, G * 0.0), Line("GE", G, G * 0.0)),
    "tiny": lambda: panel(Line("PGE", G, G * 0 + 1e-310)),
    "below zero": lambda: panel(Line("PGE", G, -1.0 * G, -1.0 * G - 9, 9 - 1.0 * G)),
    "twenty methods": lambda: panel(*(Line(f"method number {k}", G, FALLING + k / 50) for k in range(20))),
    "names": lambda: panel(Line(NASTY, G, FALLING), Line("$\\frac", G, 1e60 * FALLING), title=NASTY, xlabel=NASTY),
    "explosions": lambda: panel(*(Line(f"method {k}", G, np.where(k % 7 == G % 7, 1e60, 1.0)) for k in range(12))),
    "maximised": lambda: progress(
        [Panel("up", [Line("PGE", G, -FALLING, -FALLING - 0.1, 0.1 - FALLING), *WORSE], direction="maximise")]
    ),
    "many panels": lambda: progress([Panel(f"problem {k}", [Line("PGE", G, FALLING)], NASTY) for k in range(3)]),
    "one production": lambda: probabilities([0], [[1.0]], [""], NASTY),
    "forty productions": lambda: probabilities(G, np.tile(np.arange(1, 41) / 820, (50, 1)), [NASTY] * 40, "<var>"),
    "productions without runs": lambda: probabilities(G, np.full((50, 3), np.nan), "abc", ""),
    "one run": lambda: distributions({"PGE": [0.5]}, "one"),
    "no group": lambda: distributions({}, ""),
    "no run": lambda: distributions({"PGE": [], "GE": [np.nan, np.inf]}, NASTY, xlabel=NASTY),
    "maximised runs": lambda: distributions(
        {"PGE": [*-sample(9), -1e9, -np.inf], "GE": []}, "up", direction="maximise"
    ),
    "some runs": lambda: distributions({"PGE": [], "GE": sample(9)}, "some"),
    "equal runs": lambda: distributions({"PGE": np.zeros(30), NASTY: np.zeros(30)}, "zeros"),
    "huge runs": lambda: distributions({"PGE": sample(9), "GE": 1e190 * sample(9)}, "huge"),
    "twenty groups": lambda: distributions({f"{NASTY} {k}": sample(100, k) for k in range(20)}, "twenty"),
    "one rank": lambda: ranks([1.0], ["PGE"]),
    "no ranks": lambda: ranks([np.nan, np.nan], ["PGE", "GE"], 1.0),
    "twenty ranks": lambda: ranks(np.linspace(2, 19, 20), [f"{NASTY} {k}" for k in range(20)], 4.7, NASTY),
    "few ranks": lambda: ranks([1.2, 1.8], ["PGE", NASTY], 5.0, "two"),
    "no effect": lambda: effects([]),
    "one effect": lambda: effects([Effect(NASTY, 0.5, 0.4, 0.6)], NASTY),
    "extreme effects": lambda: effects(
        [Effect("a – b", 1, 1, 1), Effect("a – c", 0, 0, 0), Effect("b – c", *[np.nan] * 3)]
    ),
}


def texts(figure: Figure) -> Iterator[Text]:
    return (text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip())


def written(figure: Figure) -> str:
    return "\n".join(text.get_text() for text in texts(figure))


def lines(axes: Axes) -> list[Any]:
    """The thick lines inside a panel."""
    return [line for line in axes.lines if line.get_linewidth() == 1.7]


class TestAll:
    @pytest.mark.parametrize("name", ODD)
    def test_odd_data_gives_a_picture_with_all_its_text_inside(self, name: str) -> None:
        figure = ODD[name]()
        drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
        assert drawn.x0 > -0.01
        assert drawn.y0 > -0.01
        assert drawn.x1 < width + 0.01
        assert drawn.y1 < height + 0.01
        svg = svg_text(figure)
        ET.fromstring(svg)  # noqa: S314 - what we wrote ourselves
        assert not re.search(r"[ \"]-?\d{7}", svg)  # no coordinate that a browser could not hold

    def test_text_is_drawn_as_it_is_and_unknown_characters_are_boxes(self) -> None:
        figure = panel(Line("$x^2$", G, FALLING), Line("中\n", G, FALLING), title="$\\frac <b>", xlabel="$n$")
        assert {"$x^2$", "□\\n", "$\\frac <b>", "$n$"} <= set(written(figure).split("\n"))
        assert not any(text.get_parse_math() for text in texts(figure) if "$" in text.get_text())

    def test_settings_of_the_caller_neither_change_nor_matter(self) -> None:
        plain = svg_text(simple())
        with mpl.rc_context({"lines.linewidth": 9, "font.size": 30, "axes.facecolor": "red", "svg.hashsalt": "x"}):
            before = dict(mpl.rcParams)
            assert svg_text(simple()) == plain
            assert dict(mpl.rcParams) == before

    def test_pyplot_is_not_touched_and_matplotlib_not_before_it_is_needed(self) -> None:
        code = """
import sys
from gramarye.comparison import comparison_figures
from gramarye.show.figures.forest import Effect, effects
assert "matplotlib" not in sys.modules
effects([Effect("a", 0.5, 0.4, 0.6)])
assert "matplotlib.pyplot" not in sys.modules
"""
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr

    def test_a_missing_library_names_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "matplotlib.style", None)
        with pytest.raises(MissingExtraError, match=r"Matplotlib is not installed: .*gramarye\[report\]"):
            simple()


class TestFiles:
    def test_three_files_are_written_and_the_same_data_gives_the_same_bytes(self, tmp_path: Path) -> None:
        for name in "ab":
            (tmp_path / name).mkdir()
        first, second = (save(simple(), tmp_path / name, "fig.1") for name in "ab")
        assert [path.name for path in first] == ["fig.1.pdf", "fig.1.svg", "fig.1.png"]
        for one, other in zip(first, second, strict=True):
            assert one.read_bytes() == other.read_bytes()
            assert b"CreationDate" not in one.read_bytes()
            assert b"<dc:date>" not in one.read_bytes()

    def test_what_was_written_before_does_not_matter(self, tmp_path: Path) -> None:
        figure = simple()
        svg = svg_text(figure)
        save(figure, tmp_path, "figure")
        assert svg_text(figure) == svg == svg_text(simple())

    def test_a_missing_folder_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match=r"figure\.pdf: there is no folder .*missing; create it"):
            save(simple(), tmp_path / "missing", "figure")

    def test_letters_are_shapes_in_files_and_text_on_a_page(self, tmp_path: Path) -> None:
        figure = simple()
        save(figure, tmp_path, "figure")
        assert "<text" not in (tmp_path / "figure.svg").read_text()
        assert ">PGE</text>" in svg_text(figure)

    @pytest.mark.parametrize("label", ['a id="b"', "url(#c)", 'href="#d"', ' d="1.2345"', "<style>*</style>"])
    def test_what_looks_like_markup_in_a_label_stays_as_it_is(self, label: str) -> None:
        root = ET.fromstring(svg_text(effects([Effect(label, 0.5, 0.4, 0.6)])))  # noqa: S314 - what we wrote ourselves
        assert label in ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]

    def test_figures_on_one_page_share_no_name_and_no_style(self) -> None:
        svgs = [svg_text(simple()), svg_text(panel(Line("PGE", G, FALLING)))]
        parts = [Part(name, "A figure", svg) for name, svg in zip("ab", svgs, strict=True)]
        page = render("Report", [], [Section("Figures", "figures", parts)])
        drawn = re.findall(r"<svg .*?</svg>", page, re.DOTALL)
        names = [set(re.findall(r' id="([^"]+)"', text)) for text in drawn]
        assert len(names[0]) > 1
        assert not names[0] & names[1]
        assert set(re.findall(r'(?:url\(#|href="#)([^")]+)', drawn[0])) == names[0] - {"drawing-a"}
        assert "<style" not in drawn[0]
        assert not re.search(r"<svg[^>]* (width|height)=", drawn[0])


class TestProgress:
    def test_a_method_looks_the_same_in_all_panels_and_unlike_the_others(self) -> None:
        a, b, c = (Line(name, G, FALLING) for name in ("PGE", "GE", "SGE"))
        first, second = progress([Panel("one", [a, b, c]), Panel("two", [c, b])]).axes
        looks = [[(line.get_color(), line.get_linestyle()) for line in lines(axes)] for axes in (first, second)]
        assert looks[1] == [looks[0][2], looks[0][1]]
        assert len({colour for colour, _ in looks[0]}) == 3
        dashes = [line._unscaled_dash_pattern for line in lines(first)]
        assert all(one != other for one, other in itertools.combinations(dashes, 2))

    @pytest.mark.parametrize(("columns", "shape"), [(1, (3, 1)), (2, (2, 2)), (3, (1, 3))])
    def test_panels_stand_in_columns(self, columns: int, shape: tuple[int, int]) -> None:
        figure, grid = theme.panels(3, columns, 2.0, 1.0, (0.5, 0.25))
        assert figure.axes == grid
        assert len(grid) == 3
        assert grid[0].get_subplotspec().get_gridspec().get_geometry() == shape  # type: ignore[union-attr]
        assert figure.get_size_inches().tolist() == [2 * shape[1] + 0.5, shape[0] + 0.25]

    @pytest.mark.parametrize("bad", [3.0, 30.0, 1e60, 1e250, np.inf])
    def test_an_explosion_leaves_the_picture_and_is_told(self, bad: float) -> None:
        middle = np.where((G > 20) & (G < 25), bad, FALLING)
        figure = panel(Line("PGE", G, FALLING), Line("GE", G, middle, middle - 0.1, middle))
        (axes,) = figure.axes
        assert 1 < axes.get_ylim()[1] < 1.2
        assert 0.3 < axes.get_ylim()[0] < 0.5
        said = theme.number(bad)
        assert f"above the picture: GE in 4 of 50 generations (up to {said})" in written(figure).replace("\n", " ")

    def test_what_is_maximised_is_cut_below_and_keeps_its_best(self) -> None:
        best = np.exp(G / 5)
        lines = [Line("PGE", G, best), Line("GE", G, np.where((G > 20) & (G < 25), -1e60, -FALLING)), WORSE[1]]
        figure = progress(
            [Panel("up", lines[1:], direction="maximise"), Panel("good", lines[:1], direction="maximise")]
        )
        cut, whole = figure.axes
        assert -1.2 < cut.get_ylim()[0] < -1
        assert cut.get_ylim()[1] > -0.5
        assert "below the picture: GE in 4 of 50 generations (down to −1e60)" in written(figure).replace("\n", " ")
        assert whole.get_ylim() == (0, pytest.approx(best.max(), rel=0.1))
        heights = {text.get_text(): text.get_position()[1] for text in cut.texts}
        assert heights["SGE"] < 0.05  # without a value it is the worst
        assert heights["GE"] > 0.8

    def test_a_line_far_above_the_others_as_a_whole_is_left_above(self) -> None:
        (axes,) = panel(Line("PGE", G, FALLING), Line("GE", G, 1e9 * FALLING)).axes
        assert axes.get_ylim()[1] < 1.2

    def test_a_line_somewhat_above_the_others_stays_in_the_picture(self) -> None:
        figure = panel(Line("PGE", G, 0.02 * FALLING), Line("GE", G, FALLING))
        assert figure.axes[0].get_ylim()[1] > 1
        assert "above the picture" not in written(figure)

    def test_means_above_the_picture_leave_the_medians_in_it(self) -> None:
        figure = panel(*(Line(name, G, 1e60 * FALLING, median=FALLING) for name in ("PGE", "GE")))
        assert figure.axes[0].get_ylim()[1] < 1.2
        assert "PGE in 50 of 50 generations" in written(figure).replace("\n", " ")

    def test_a_method_that_solves_its_problem_leaves_the_others_in_the_picture(self) -> None:
        figure = panel(Line("PGE", G, np.where(G < 9, FALLING, 1e-12)), Line("GE", G, FALLING))
        assert figure.axes[0].get_ylim()[1] > 1
        assert "above the picture" not in written(figure)

    @pytest.mark.parametrize(
        ("values", "fence"),
        [
            ([], np.inf),
            ([-1, -2], np.inf),
            ([1, 0.5, 0.5, 0.5], 2),
            ([1, 2, 2, 2], 4),
            ([1e60, 0.5, 0.5, 0.5, 0.5], 1),
            ([900, 0.5, 0.5, 0.5, 0.5], 1800),
            ([1, 1e-5, 1e-5, 1e-5, 1e-5], 2),  # soon solved
            ([1, 0, 0, 0, 0], theme.HUGE),
        ],
    )
    def test_a_fence_is_twice_the_start_or_the_usual_value(self, values: list[float], fence: float) -> None:
        assert _fence(np.array(values, float)) == fence

    def test_points_without_neighbours_are_marked(self) -> None:
        (axes,) = panel(Line("PGE", range(5), [1, np.nan, 0.8, 0.7, np.nan])).axes
        assert lines(axes)[0].get_markevery() == [0]

    def test_the_median_is_thin_and_named(self) -> None:
        figure = panel(Line("PGE", G, FALLING, median=FALLING - 0.1))
        assert figure.axes[0].lines[0].get_linewidth() == 0.7
        assert "thin lines: median" in written(figure)

    def test_evaluations_have_separators_and_a_short_line_is_led_to_its_label(self) -> None:
        figure = panel(Line("PGE", G * 1000, FALLING), Line("GE", G * 900, FALLING), xlabel="evaluations")
        assert "20,000" in written(figure)
        (axes,) = figure.axes
        leads = [list(np.ravel(line.get_xdata())) for line in axes.lines if line.get_color() == theme.GREY]
        assert [44100, 49000] in leads

    def test_a_band_of_one_generation_is_a_stroke(self) -> None:
        (axes,) = panel(Line("PGE", [0], [0.5], [0.4], [0.6])).axes
        assert any(
            np.allclose(s, [[0, 0.4], [0, 0.6]]) for c in axes.collections for s in getattr(c, "get_segments", list)()
        )

    def test_labels_don_t_overlap(self) -> None:
        figure = ODD["twenty methods"]()
        boxes = sorted(
            (t.get_window_extent() for t in texts(figure) if "method" in t.get_text()), key=lambda box: box.y0
        )
        assert len(boxes) == 20
        assert all(low.y1 <= high.y0 + 1 for low, high in itertools.pairwise(boxes))


class TestProbabilities:
    def test_every_production_has_a_line_and_a_label(self) -> None:
        (axes,) = probabilities(G, np.tile([0.1, 0.2, 0.7], (50, 1)), ["+", "-", "*"], "<op>").axes
        assert [line.get_linewidth() for line in axes.lines].count(1.5) == 6  # and in the key
        assert [text.get_text() for text in sorted(axes.texts, key=lambda text: text.get_position()[1])] == [
            "+",
            "-",
            "*",
        ]
        assert axes.get_ylim() == (0, pytest.approx(1.04 * 0.7))

    def test_very_many_productions_leave_the_least_likely_ones_grey(self) -> None:
        assert f"{40 - MOST_LINES + 1} others" in written(ODD["forty productions"]())


class TestDistributions:
    def test_all_runs_are_points_and_the_box_has_the_quartiles(self) -> None:
        (axes,) = distributions({"PGE": [5, 1, 2, 3, 4]}, "five").axes
        points = np.asarray(axes.collections[0].get_offsets())
        assert sorted(points[:, 0]) == [1, 2, 3, 4, 5]
        assert len(set(points[:, 1])) == 5
        (box,) = (patch for patch in axes.patches if isinstance(patch, Rectangle))
        assert (box.get_x(), box.get_width()) == (2, 2)

    def test_what_is_not_in_the_picture_is_told(self) -> None:
        values = np.concatenate([sample(96), [1e5, 40.0, np.inf, np.nan]])
        figure = distributions({"GE": values, "PGE": sample(30)}, "test")
        right = figure.axes[0].get_xlim()[1]
        assert right < 4
        assert f"n = 100\n2 above {theme.number(right)}\n2 of 100 not finite" in written(figure)
        assert "n = 30" in written(figure)

    def test_maximised_runs_are_the_mirrored_picture(self) -> None:
        values = np.concatenate([sample(96), [1e5, 40.0, np.inf, np.nan]])
        (down,) = distributions({"GE": values}, "test").axes
        (up,) = distributions({"GE": -values}, "test", direction="maximise").axes
        assert up.get_xlim() == (-down.get_xlim()[1], -down.get_xlim()[0])
        points, others = (np.asarray(axes.collections[0].get_offsets()) for axes in (up, down))
        assert np.array_equal(points, others * [-1, 1])
        (box,), (other,) = ([patch for patch in axes.patches if isinstance(patch, Rectangle)] for axes in (up, down))
        assert (box.get_x(), box.get_width()) == (-other.get_x(), -other.get_width())
        assert up.texts[-1].get_text() == down.texts[-1].get_text().replace("above ", "below −")

    def test_failures_beside_solutions_stay_in_the_picture(self) -> None:
        figure = distributions({"GE": [1e-16] * 90 + [0.5] * 10}, "test")
        assert figure.axes[0].get_xlim()[1] > 0.5
        assert "above" not in written(figure)

    def test_runs_that_are_not_finite_count_as_the_worst(self) -> None:
        (axes,) = distributions({"GE": [1, 2, 3, np.inf, np.inf, np.inf, np.nan]}, "test").axes
        (box,) = (patch for patch in axes.patches if isinstance(patch, Rectangle))
        assert box.get_x() == 2.5
        assert box.get_x() + box.get_width() > axes.get_xlim()[1]

    def test_the_first_method_is_at_the_top(self) -> None:
        (axes,) = distributions({"PGE": [1], "GE": [2]}, "two").axes
        assert axes.yaxis_inverted()
        assert [label.get_text() for label in axes.get_yticklabels()] == ["PGE", "GE"]


class TestRanks:
    @pytest.mark.parametrize(
        ("values", "difference", "bars"),
        [
            ([1.0, 2.0, 3.0], None, []),
            ([1.0, 2.0, 3.0], 1.0, []),  # a difference as large as the critical one is one
            ([1.0, 2.0, 3.0], 1.1, [(0, 1, 0), (1, 2, 1)]),
            ([1.0, 1.5, 3.0, 3.5], 1.1, [(0, 1, 0), (2, 3, 0)]),
            ([1.0, 2.0, 3.0], 9.0, [(0, 2, 0)]),
            ([2.0, 2.0], 0.5, [(0, 1, 0)]),
            ([], 1.0, []),
        ],
    )
    def test_bars_join_the_largest_groups_that_don_t_differ(
        self, values: list[float], difference: float | None, bars: list[tuple[int, int, int]]
    ) -> None:
        assert _bars(values, difference) == bars

    @settings(deadline=None)
    @given(st.lists(st.floats(1, 20), max_size=20).map(sorted), st.floats(0.1, 10))
    def test_two_methods_share_a_bar_exactly_if_they_don_t_differ(self, values: list[float], difference: float) -> None:
        bars = _bars(values, difference)
        for i, j in itertools.combinations(range(len(values)), 2):
            shared = any(first <= i and j <= last for first, last, _ in bars)
            assert shared == (values[j] - values[i] < difference)
        for (_, end, level), (start, _, other) in itertools.combinations(bars, 2):
            assert level != other or end < start

    def test_the_best_is_at_the_right_and_every_method_has_its_rank(self) -> None:
        figure = ranks([2.5, 1.25, 2.25], ["PGE", "GE", "SGE"], 0.5, "ten problems")
        place = {text.get_text(): text.get_position() for text in texts(figure)}
        assert place["GE"][0] == place["SGE"][0] > place["PGE"][0]
        assert place["GE"][1] > place["SGE"][1]
        assert {"1.25", "2.25", "2.50", "critical difference 0.50", "ten problems"} <= set(place)

    def test_without_a_critical_difference_there_are_only_ranks(self) -> None:
        figure = ranks([2.0, 1.0], ["PGE", "GE"])
        assert "critical" not in written(figure)
        assert not [line for line in figure.axes[0].lines if line.get_linewidth() == 4]

    def test_a_difference_wider_than_the_axis_is_told_in_words(self) -> None:
        assert "critical difference 5.00, more than the axis" in written(ODD["few ranks"]())


class TestEffects:
    def test_the_mark_is_filled_where_the_interval_leaves_out_one_half(self) -> None:
        pairs = [Effect("a", 0.7, 0.6, 0.8), Effect("b", 0.3, 0.2, 0.4), Effect("c", 0.6, 0.45, 0.7)]
        figure = effects(pairs)
        marks = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
        assert [mark.get_markerfacecolor() == "white" for mark in marks] == [False, False, True]
        assert "0.70 [0.60, 0.80]" in written(figure)

    def test_an_effect_without_an_interval_is_hollow_and_one_without_a_value_a_dash(self) -> None:
        figure = effects([Effect("a", 0.9, np.nan, np.nan), Effect("b", np.nan, np.nan, np.nan)])
        (mark,) = (line for line in figure.axes[0].lines if line.get_marker() == "o")
        assert mark.get_markerfacecolor() == "white"
        assert [text.get_text() for text in figure.axes[0].texts][-2:] == ["0.90", "–"]


class TestLook:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (0.561, "0.56"),
            (12.0, "12"),
            (1000.0, "1e3"),
            (3e60, "3e60"),
            (-2e-7, "−2e−7"),
            (np.inf, "∞"),
            (-np.inf, "−∞"),
        ],
    )
    def test_a_number_takes_few_characters(self, value: float, text: str) -> None:
        assert theme.number(value) == text

    @given(st.text(max_size=300), st.integers(10, 60))
    def test_a_title_has_at_most_two_lines_of_its_width(self, text: str, width: int) -> None:
        folded = theme.wrapped(text, width).split("\n")
        assert len(folded) <= 2
        assert all(len(line) <= width for line in folded)

    @given(st.text(max_size=60), st.integers(4, 30))
    def test_a_squeezed_label_keeps_its_start_and_its_end(self, text: str, longest: int) -> None:
        whole, cut = theme.readable(text), theme.squeezed(text, longest)
        if len(whole) <= longest:
            assert cut == whole
        else:
            start, _, end = cut[: longest // 2], cut[longest // 2], cut[longest // 2 + 1 :]
            assert len(cut) == longest
            assert whole.startswith(start)
            assert whole.endswith(end)

    def test_variants_of_a_method_stay_apart(self) -> None:
        assert theme.squeezed("PGE, learning factor 0.01", 14) == "PGE, le…r 0.01"

    def test_the_lines_of_a_title_are_about_as_long(self) -> None:
        assert theme.wrapped("one two three four", 15) == "one two\nthree four"
        assert theme.wrapped("", 15) == ""
