from __future__ import annotations

import itertools
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gramarye.errors import MissingExtraError, OutputError
from gramarye.show.figures.picture import check_picture_path, save_picture
from gramarye.show.figures.rules import MOST_LINES
from gramarye.show.figures.theme import COLOURS, LARGEST, LONGEST_LABEL, STROKES, spread

NONE: dict[str, Any] = {"probabilities": None, "labels": (), "heading": "", "title": "a run"}


def rule(count: int, generations: int = 3) -> dict[str, Any]:
    """Probabilities of a rule, the later productions the likelier ones, and the rest of what a picture needs."""
    probabilities = np.tile(np.arange(1, count + 1) / (count * (count + 1) / 2), (generations, 1))
    labels = [f"x[{i}]" for i in range(count)]
    return {"probabilities": probabilities, "labels": labels, "heading": "Probabilities of <var>", "title": "a run"}


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that were saved, to be looked into."""
    kept: list[Figure] = []
    save = Figure.savefig

    def spy(figure: Figure, *args: Any, **options: Any) -> None:
        kept.append(figure)
        save(figure, *args, **options)

    monkeypatch.setattr(Figure, "savefig", spy)
    return kept


def drawn(panel: Axes) -> list[list[float]]:
    """The lines inside a panel, without the key beside it."""
    return [np.asarray(line.get_ydata()).tolist() for line in panel.lines if line.get_transform() != panel.transAxes]


def labels_of(panel: Axes) -> list[str]:
    """The key beside a panel, from its top down."""
    return [text.get_text() for text in sorted(panel.texts, key=lambda text: -text.get_position()[1])]


class TestPath:
    @pytest.mark.parametrize("name", ["run.png", "run.svg", "run.pdf", "RUN.PNG"])
    def test_a_known_format_in_a_folder_that_exists_is_fine_and_nothing_is_written(
        self, tmp_path: Path, name: str
    ) -> None:
        check_picture_path(tmp_path / name)
        assert not list(tmp_path.iterdir())

    def test_a_file_that_exists_may_be_replaced(self, tmp_path: Path) -> None:
        (tmp_path / "run.png").write_text("old")
        check_picture_path(str(tmp_path / "run.png"))

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("run.gif", "run.gif: the format '.gif' is not known; end it in .png, .svg, .pdf"),
            ("run", "run: the name has no ending; end it in .png, .svg, .pdf"),
            ("missing/run.png", "missing; create it, or choose another one"),
            ("folder.png", "folder.png: this is a folder; give the name of a file"),
        ],
    )
    def test_a_mistake_is_told_before_anything_is_drawn(self, tmp_path: Path, name: str, message: str) -> None:
        (tmp_path / "folder.png").mkdir()
        with pytest.raises(OutputError) as caught:
            check_picture_path(tmp_path / name)
        assert message in str(caught.value)
        assert str(tmp_path / name) in str(caught.value)
        with pytest.raises(OutputError):
            save_picture(tmp_path / name, generations=[0], best=[1.0], mean=[2.0], median=[2.0], **NONE)

    @pytest.mark.parametrize("exists", [True, False])
    def test_a_place_without_permission_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool
    ) -> None:
        path = tmp_path / "run.png"
        if exists:
            path.touch()
        barred = path if exists else tmp_path
        monkeypatch.setattr(os, "access", lambda place, mode: Path(place) != barred)  # root may write everywhere
        with pytest.raises(OutputError, match=f"no permission to write to {barred}; choose another place"):
            check_picture_path(path)

    def test_a_missing_library_names_the_extra(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(MissingExtraError, match=r"Matplotlib is not installed: .*gramarye\[report\]"):
            check_picture_path(tmp_path / "run.png")

    def test_a_failure_while_writing_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "run.png").write_bytes(b"the last one")

        def full(*args: Any, **options: Any) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "write_bytes", full)
        with pytest.raises(OutputError, match=r"run\.png: can't be written \(No space left on device\)"):
            save_picture(tmp_path / "run.png", generations=[0], best=[1.0], mean=[2.0], median=[2.0], **NONE)
        assert (tmp_path / "run.png").read_bytes() == b"the last one"
        assert [path.name for path in tmp_path.iterdir()] == ["run.png"]


class TestFile:
    @pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.pdf", b"%PDF"), ("a.SVG", b"<?xml")])
    def test_the_format_follows_from_the_name(self, tmp_path: Path, name: str, start: bytes) -> None:
        save_picture(
            tmp_path / name, generations=[0, 1, 2], best=[3, 2, 1], mean=[4, 4, 3], median=[4, 4, 3], **rule(3)
        )
        assert (tmp_path / name).read_bytes().startswith(start)

    @pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
    def test_the_same_run_gives_the_same_bytes(self, tmp_path: Path, ending: str) -> None:
        for name in "ab":
            path = tmp_path / f"{name}.{ending}"
            save_picture(path, generations=[0, 1, 2], best=[3, 2, 1], mean=[4, 4, 3], median=[4, 4, 3], **rule(3))
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()
        text = (tmp_path / f"a.{ending}").read_bytes()
        assert b"<dc:date>" not in text
        assert b"CreationDate" not in text

    def test_text_from_a_grammar_is_neither_markup_nor_mathematics(self, tmp_path: Path, figures: list[Figure]) -> None:
        hostile: dict[str, Any] = {
            "labels": ["$x^$", "<a&b>\n"],
            "heading": "Probabilities of <$v$>",
            "title": "$\\frac & <b>",
        }
        path = tmp_path / "a.svg"
        save_picture(path, generations=[0], best=[1], mean=[2], median=[2], probabilities=[[0.75, 0.25]], **hostile)
        ET.parse(path)  # noqa: S314 - what we wrote ourselves
        assert labels_of(figures[0].axes[1]) == ["$x^$", "<a&b>\\n"]
        assert figures[0].axes[1].get_title() == "Probabilities of <$v$>"

    def test_pyplot_is_not_touched(self, tmp_path: Path) -> None:
        code = f"""
import sys
from gramarye.show.figures.picture import check_picture_path, save_picture
check_picture_path({str(tmp_path / "a.png")!r})
assert "matplotlib" not in sys.modules
save_picture({str(tmp_path / "a.png")!r}, generations=[0], best=[1], mean=[2], median=[2],
             probabilities=None, labels=(), heading="", title="")
assert "matplotlib" in sys.modules and "matplotlib.pyplot" not in sys.modules
"""
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr


class TestFitness:
    def panel(self, figures: list[Figure], path: Path, best: Any, mean: Any) -> Axes:
        save_picture(path / "a.svg", generations=range(len(best)), best=best, mean=mean, median=mean, **NONE)
        (panel,) = figures[-1].axes
        return panel

    def test_a_method_that_learns_nothing_has_one_panel(self, tmp_path: Path, figures: list[Figure]) -> None:
        panel = self.panel(figures, tmp_path, [3.0, 2.0], [4.0, 3.0])
        assert drawn(panel) == [[4.0, 3.0], [4.0, 3.0], [3.0, 2.0]]
        legend = panel.get_legend()
        assert legend is not None
        assert [text.get_text() for text in legend.get_texts()] == ["best so far", "median", "mean"]

    @pytest.mark.parametrize(
        ("best", "mean", "above"),
        [
            ([2.0, 1.0], [4.0, 3.0], 0),  # twice is not above twice
            ([2.0, 1.0], [4.1, 1e60], 2),
            ([2.0, 0.0], [np.inf, 3.0], 1),
            ([2.0, -1.0], [300.0, 300.0], 0),
            ([0.0, 0.0], [1.0, 1.0], 0),
        ],
    )
    def test_the_picture_ends_above_the_best_and_says_where_the_mean_left_it(
        self, tmp_path: Path, figures: list[Figure], best: list[float], mean: list[float], above: int
    ) -> None:
        panel = self.panel(figures, tmp_path, best, mean)
        notes = [f"the mean is off scale in {above} of 2 generations"] if above else []
        assert labels_of(panel) == notes
        assert (panel.get_ylim() == (0, 4.0)) == bool(above)

    @pytest.mark.parametrize(
        ("best", "mean", "below"),
        [
            ([-2.0, -1.0], [-4.0, -3.0], 0),
            ([-2.0, -1.0], [-4.1, -1e60], 2),
            ([1.0, 300.0], [0.5, 2.0], 0),  # what is good is never cut off
        ],
    )
    def test_what_is_maximised_is_cut_below(
        self, tmp_path: Path, figures: list[Figure], best: list[float], mean: list[float], below: int
    ) -> None:
        more: dict[str, Any] = {**NONE, "direction": "maximise"}
        save_picture(tmp_path / "a.svg", generations=range(2), best=best, mean=mean, median=mean, **more)
        (panel,) = figures[-1].axes
        assert drawn(panel)[-1] == best
        assert panel.get_title() == "Fitness, larger is better"
        notes = [f"the mean is off scale in {below} of 2 generations"] if below else []
        assert labels_of(panel) == notes
        assert (panel.get_ylim() == (-4.0, 0)) == bool(below)

    def test_what_is_not_finite_is_left_out(self, tmp_path: Path, figures: list[Figure]) -> None:
        panel = self.panel(figures, tmp_path, [np.inf, 2.0, 1.0], [np.nan, np.inf, 3.0])
        assert drawn(panel) == [[3.0], [3.0], [2.0, 1.0]]
        assert [line.get_marker() for line in panel.lines] == ["o", "o", ""]  # a line of one point would not be seen

    def test_a_run_without_any_finite_fitness_says_so(self, tmp_path: Path, figures: list[Figure]) -> None:
        panel = self.panel(figures, tmp_path, [np.inf, np.inf], [np.nan, np.inf])
        assert labels_of(panel) == ["no finite fitness"]

    @pytest.mark.parametrize("best", [-5.0, 0.0, 1e-310])
    def test_the_largest_numbers_raise_no_warning(self, tmp_path: Path, figures: list[Figure], best: float) -> None:
        panel = self.panel(figures, tmp_path, [best] * 3, [1e308, 0.99 * LARGEST, 1.0])
        assert len(drawn(panel)[0]) == 2


class TestProbabilities:
    def panel(self, figures: list[Figure], path: Path, count: int) -> Axes:
        save_picture(
            path / "a.svg", generations=[0, 1, 2], best=[3, 2, 1], mean=[4, 4, 3], median=[4, 4, 3], **rule(count)
        )
        return figures[-1].axes[1]

    def test_every_production_has_a_line_and_a_label_in_the_order_of_their_ends(
        self, tmp_path: Path, figures: list[Figure]
    ) -> None:
        panel = self.panel(figures, tmp_path, 9)
        assert np.allclose(np.transpose(drawn(panel)), rule(9)["probabilities"])
        assert labels_of(panel) == [f"x[{i}]" for i in reversed(range(9))]
        assert panel.get_title() == "Probabilities of <var>"

    def test_equal_ends_are_labelled_in_the_order_of_the_grammar(self, tmp_path: Path, figures: list[Figure]) -> None:
        save_picture(
            tmp_path / "a.svg",
            generations=[0],
            best=[1],
            mean=[2],
            median=[2],
            **rule(3) | {"probabilities": [[1 / 3] * 3]},
        )
        assert labels_of(figures[0].axes[1]) == ["x[0]", "x[1]", "x[2]"]

    def test_very_many_productions_leave_the_least_likely_ones_grey(
        self, tmp_path: Path, figures: list[Figure]
    ) -> None:
        panel = self.panel(figures, tmp_path, 40)
        assert len(drawn(panel)) == 40
        likely = [f"x[{i}]" for i in reversed(range(40 - MOST_LINES + 1, 40))]
        assert labels_of(panel) == [*likely, f"{40 - MOST_LINES + 1} others"]

    def test_as_many_productions_as_fit_are_all_labelled(self, tmp_path: Path, figures: list[Figure]) -> None:
        assert len(labels_of(self.panel(figures, tmp_path, MOST_LINES))) == MOST_LINES

    def test_a_long_label_is_cut(self, tmp_path: Path, figures: list[Figure]) -> None:
        save_picture(
            tmp_path / "a.svg",
            generations=[0],
            best=[1],
            mean=[2],
            median=[2],
            **rule(1) | {"labels": ["x" * 99], "probabilities": [[1]]},
        )
        assert labels_of(figures[0].axes[1]) == ["x" * (LONGEST_LABEL - 1) + "…"]

    def test_no_two_labelled_lines_look_alike_and_neighbours_differ_without_colour(self) -> None:
        looks = [(COLOURS[k % len(COLOURS)], STROKES[k % len(STROKES)]) for k in range(MOST_LINES)]
        assert len(set(looks)) == MOST_LINES
        assert all(one[1] != other[1] for one, other in itertools.pairwise(looks))


class TestSpread:
    @given(st.lists(st.floats(0, 1), max_size=16).map(sorted))
    def test_places_keep_their_order_and_distance_and_stay_inside(self, wanted: list[float]) -> None:
        places = spread(wanted, 0.055)
        assert len(places) == len(wanted)
        assert all(-1e-9 <= place <= 1 + 1e-9 for place in places)
        assert all(after - before >= 0.055 - 1e-9 for before, after in itertools.pairwise(places))

    @given(st.lists(st.integers(0, 10), unique=True, max_size=11).map(sorted))
    def test_wishes_far_enough_apart_are_granted(self, wishes: list[int]) -> None:
        wanted = [wish / 10 for wish in wishes]
        assert spread(wanted, 0.05) == pytest.approx(wanted)

    def test_neighbours_that_collide_share_the_way(self) -> None:
        assert spread([0.5, 0.5, 0.9], 0.1) == pytest.approx([0.45, 0.55, 0.9])

    def test_a_crowd_at_the_border_is_pushed_inside(self) -> None:
        assert spread([0.0, 0.0, 0.0], 0.1) == pytest.approx([0.0, 0.1, 0.2])
        assert spread([1.0, 1.0], 0.1) == pytest.approx([0.9, 1.0])
