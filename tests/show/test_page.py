from __future__ import annotations

import functools
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure as Drawing
from matplotlib.image import imread

from gramarye.errors import SettingsError
from gramarye.show.html.page import Code, Details, Facts, Figure, Part, Section, Verdict, render
from gramarye.show.tables.table import Table
from tests.browser import Browser, chromium

HOSTILE = "<script>hacked=1</script></style></title>\"'><img src=x onerror=hacked=2><b>--></svg>&lt;"
WIDTHS = [360, 768, 1280]


@functools.cache
def drawing(text: str, letters: str = "path") -> str:
    """A drawing with names of its own, clipped, and with a text from a user."""
    figure = Drawing(figsize=(7, 4))
    axes = figure.subplots()
    axes.plot([0, 1, 2], [2, 1, 3], marker="o")
    axes.set_title(text, parse_math=False)
    file = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "the same for all", "svg.fonttype": letters}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def numbers() -> Table:
    columns: dict[str, list[Any]] = {
        "Method": ["PGE", "GE 10", "GE 9", "SGE"],
        "Fitness": ["0.61±0.16", "10.20±0.01", "0.59±0.13", None],
        "p": [0.04, 1e-9, 0.0002, 0.24],
        "Loss": [0.1234, float("inf"), -3.0, float("nan")],
        "Mixed": [3, "text", None, 20],
    }
    return Table("numbers", "Numbers", columns, {"p": "p", "Loss": ".1f"}, "A note.", frozenset({("Fitness", 2)}))


def wide() -> Table:
    return Table("wide", "Wide", {f"column {i}": [i / 7] for i in range(30)}, {f"column {i}": ".5f" for i in range(30)})


def runs(count: int) -> Table:
    columns: dict[str, Any] = {
        "Run": range(count),
        "Seed": range(10**9, 10**9 + count),
        "Phenotype": ["x[0]*" * 60 + "1.0"] * count,
    }
    return Table("runs", "All runs", columns)


def parts() -> list[Part]:
    return [
        "A paragraph.",
        Verdict("As expected.", "agrees"),
        Verdict("Not as expected.", "differs"),
        Verdict("Who knows?", "unknown"),
        numbers(),
        wide(),
        Facts({"population": 1000, "rate": 0.05, "none": None, "path": "/a" * 100}, "Settings"),
        Code("<expr> ::= <expr><op><expr>\n  | x\n" + "x[0]+" * 100, "Grammar"),
        Figure("first", "The first figure", drawing("one")),
        Figure("second", "The second figure", drawing("two")),
        Details("All runs", [runs(600)]),
    ]


def page(*given: Part, title: str = "A report") -> str:
    return render(title, ["What it is about."], [Section("Results", "results", given)], ["The end."])


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as browser:
        yield browser


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page(*parts()), encoding="utf-8")
    return path


class TestText:
    def test_figures_and_tables_are_counted(self) -> None:
        html = page(*parts())
        assert re.findall(r"<b>((?:Figure|Table) \d+\.)</b>", html) == [
            *("Table 1.", "Table 2.", "Figure 1.", "Figure 2.", "Table 3.")
        ]

    def test_sections_in_sections_have_smaller_headings_and_are_listed(self) -> None:
        inner = Section("Inner", "inner", [Section("Innermost", "innermost", ["Text."])])
        html = render("T", [], [Section("Outer", "outer", [inner]), Section("Last", "last", [])])
        assert re.findall(r"<h[234]>.*</h[234]>", html) == [
            *("<h2>Contents</h2>", "<h2>Outer</h2>", "<h3>Inner</h3>", "<h4>Innermost</h4>", "<h2>Last</h2>")
        ]
        assert re.findall(r'<a href="#(.*?)">', html) == ["outer", "inner", "innermost", "last"]

    def test_the_head_says_what_browsers_would_guess_or_ask_for(self) -> None:
        html = page()
        assert html.startswith('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
        assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in html
        assert '<link rel="icon" href="data:image/svg+xml,' in html  # from a server, a page without one asks for it
        assert "default-src 'none'" in html

    def test_a_paragraph_may_be_written_over_several_lines(self) -> None:
        assert "<p>One paragraph.</p>\n<p>Another.</p>" in page("One\nparagraph.", "Another.")
        assert "<p>Alone.</p>" in render("T", "Alone.", [])

    def test_the_page_is_the_same_each_time_and_all_letters_can_be_written(self) -> None:
        assert page(*parts()) == page(*parts())
        page("\ud800\0", Code("\ud800\0"), title="\ud800").encode()

    def test_a_page_with_much_in_it_stays_small(self) -> None:
        many = [Table(f"t-{i}", "T", {"a": range(20), "b": [j / 7 for j in range(20)]}) for i in range(40)]
        long = {f"c{i}": [j / 7 for j in range(600)] for i in range(12)}
        assert len(page(*many, Table("long", "Long", long)).encode()) < 1_500_000

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ([numbers(), numbers()], "two parts of a page have the address table-numbers; rename one table"),
            ([Section("A", "results", [])], "two parts of a page have the address results; rename one section"),
            ([Section("A", "no anchor", [])], "'no anchor' can't be the name of a section"),
            ([Figure("A b", "A", "<svg viewBox=''></svg>")], "'A b' can't be the name of a figure"),
            ([Figure("a", "A", "<html></html>")], "figure drawing-a: its SVG starts with '<html></html>'; give"),
            ([Figure("a", "A", "<svg width='3'></svg>")], "figure drawing-a: its SVG has no viewBox .* add one"),
        ],
    )
    def test_a_mistake_is_told(self, given: list[Part], message: str) -> None:
        with pytest.raises(SettingsError, match=message):
            page(*given)

    def test_what_is_no_part_of_a_page_is_refused(self) -> None:
        with pytest.raises(AssertionError, match="got: 3"):
            page(3)  # type: ignore[arg-type]

    def test_a_verdict_is_one_of_three(self) -> None:
        with pytest.raises(SettingsError, match="can't be 'maybe'; it is one of agrees, differs, unknown"):
            Verdict("?", "maybe")

    def test_a_drawing_without_a_size_fills_the_width(self) -> None:
        html = page(Figure("a", "A", '<svg viewBox="0 0 4 3"><path d="M0 0"/></svg>'))
        assert '<svg viewBox="0 0 4 3" id="drawing-a" role="img" aria-label="A"><path d="M0 0"/></svg>' in html

    def test_names_in_a_drawing_are_its_own_and_texts_are_left_alone(self) -> None:
        svg = (
            '<?xml version="1.0"?><!-- id="c" --><svg viewBox="0 0 1 1" width="9pt"><style>*{fill:red}</style>'
            """<g id="a" clip-path="url(#b)" style='clip-path: url("#b")'/><use xlink:href="#a" href='#a'/>"""
            '<text>id="t" url(#t)</text></svg>'
        )
        html = page(Figure("f", "F", svg))
        own = (
            "<style>#drawing-f {*{fill:red}}</style>"
            '<g id="drawing-f-a" clip-path="url(#drawing-f-b)" style=\'clip-path: url("#drawing-f-b")\'/>'
            """<use xlink:href="#drawing-f-a" href='#drawing-f-a'/><text>id="t" url(#t)</text></svg>"""
        )
        assert own in html
        assert 'style="max-width: 9pt"' in html
        assert "<?xml" not in html


@pytest.mark.slow
class TestPage:
    @pytest.mark.parametrize("width", WIDTHS)
    def test_nothing_is_fetched_or_complained_about(self, browser: Browser, example: Path, width: int) -> None:
        browser.open(example, width)
        assert browser.requests() == [example.as_uri()]
        assert browser.console() == []

    @pytest.mark.parametrize("width", WIDTHS)
    def test_the_page_is_as_wide_as_the_window_and_wide_tables_scroll(
        self, browser: Browser, example: Path, width: int
    ) -> None:
        browser.open(example, width)
        browser.run("document.querySelector('details').open = true")
        assert browser.overflow() == 0
        box = "const box = document.querySelector('#table-wide .scroll'); "
        assert browser.run(box + "return box.scrollWidth > box.clientWidth + 100")

    def test_tables_with_many_columns_or_long_texts_fit_a_usual_window(self, browser: Browser, tmp_path: Path) -> None:
        sentence = "The mean falls at least twice as fast up to generation 20 as from there to the end."
        texts = {"Data": ["Boston training"], "Method": ["PGE"], "Verdict": ["too few runs: 2, 30 are needed"]}
        many = Table("many", "Many columns", texts | {f"Number {i}": [-1.234] for i in range(10)})
        columns = {"Claim": [sentence], "Verdict": ["can't be told"], "Numbers": [sentence], "Check": [sentence]}
        long = Table("long", "Long texts", columns | {"Place": ["abstract; section 5, on Table 3"]})
        path = tmp_path / "report.html"
        path.write_text(page(many, long), encoding="utf-8")
        browser.open(path, 1300)
        cut = "return [...document.querySelectorAll('.scroll')].map(box => box.scrollWidth - box.clientWidth)"
        assert browser.run(cut) == [0, 0]

    @pytest.mark.parametrize("width", WIDTHS)
    def test_figures_are_seen_and_lie_in_the_window(self, browser: Browser, example: Path, width: int) -> None:
        browser.open(example, width)
        boxes = [figure.rect for figure in browser.all("figure svg")]
        assert len(boxes) == 2
        for box in boxes:
            assert box["width"] > 250
            assert box["height"] == pytest.approx(box["width"] * 4 / 7, abs=2)
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width

    def test_no_two_elements_have_the_same_name_and_every_reference_is_answered(
        self, browser: Browser, example: Path
    ) -> None:
        browser.open(example)
        names = browser.run("return [...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(names) == len(set(names)) > 20
        source = example.read_text(encoding="utf-8")
        body = source[source.index("<body>") :]
        used = set(re.findall(r"""(?:href=["']|url\()#([^"')]*)""", body))
        assert len(used) > 10
        assert used <= set(names)

    def test_a_style_of_a_drawing_stays_in_it(self, browser: Browser, example: Path) -> None:
        browser.open(example)
        style = "return getComputedStyle(document.querySelector(arguments[0])).strokeLinejoin"
        assert browser.run(style, "#drawing-first path") == "round"
        assert browser.run(style, "p") == "miter"

    def test_verdicts_are_told_by_a_word_and_a_sign(self, browser: Browser, example: Path) -> None:
        browser.open(example)
        assert browser.texts(".verdict") == [
            "✓ Agrees. As expected.",
            "≠ Differs. Not as expected.",
            "? Undecided. Who knows?",
        ]

    def test_facts_and_code_are_shown_as_written(self, browser: Browser, example: Path) -> None:
        browser.open(example)
        assert browser.texts("dd")[:3] == ["1000", "0.05", "–"]
        assert browser.texts("pre")[0].splitlines()[:2] == ["<expr> ::= <expr><op><expr>", "  | x"]

    def test_dark_pages_keep_figures_on_white(self, browser: Browser, example: Path) -> None:
        browser.open(example)
        colour = "return getComputedStyle(document.querySelector(arguments[0])).backgroundColor"
        assert browser.run(colour, "body") == "rgb(255, 255, 255)"
        browser.dark()
        assert browser.run(colour, "body") == "rgb(21, 25, 28)"
        assert browser.run(colour, ".card") == "rgb(255, 255, 255)"

    def test_without_scripts_everything_is_still_there(self, browser: Browser, example: Path) -> None:
        browser.command("Emulation.setScriptExecutionDisabled", value=True)
        try:
            browser.open(example)
            assert not browser.all("button")
            assert "PGE" in browser.one("#table-numbers").text
            assert browser.one("details summary").is_displayed()
        finally:
            browser.command("Emulation.setScriptExecutionDisabled", value=False)

    def test_hostile_texts_are_shown_and_do_nothing(self, browser: Browser, tmp_path: Path) -> None:
        everywhere: list[Part] = [
            HOSTILE,
            Verdict(HOSTILE, "agrees"),
            Table("t", HOSTILE, {HOSTILE: [HOSTILE]}, note=HOSTILE),
            Facts({HOSTILE: HOSTILE}, HOSTILE),
            Code(HOSTILE, HOSTILE),
            Figure("path", HOSTILE, drawing(HOSTILE)),
            Figure("text", HOSTILE, drawing(HOSTILE, "none")),
            Details(HOSTILE, [HOSTILE]),
        ]
        path = tmp_path / "hostile.html"
        section = Section(HOSTILE, "hostile", everywhere)
        path.write_text(render(HOSTILE, [HOSTILE], [section], [HOSTILE]), encoding="utf-8")
        browser.open(path, 360)
        assert browser.run("return [typeof hacked, document.images.length, document.scripts.length]") == [
            *("undefined", 0, 1)
        ]
        assert browser.console() == []
        assert browser.requests() == [path.as_uri()]
        assert browser.overflow() == 0
        assert browser.driver.title == HOSTILE
        for place in (
            "h1",
            "h2:not(nav *)",
            "nav a",
            "th button",
            "td",
            "dt",
            "dd",
            "pre",
            "summary",
            ".note",
            "footer p",
        ):
            assert set(browser.texts(place)) == {HOSTILE}, place
        assert browser.one("#drawing-path").get_attribute("aria-label") == HOSTILE
        assert browser.texts("#drawing-text text")[-1] == HOSTILE

    def test_no_script_but_its_own_runs_even_if_a_text_were_not_escaped(self, browser: Browser, tmp_path: Path) -> None:
        path = tmp_path / "hacked.html"
        evil = "<script>hacked = 1</script><img src=x onerror='hacked = 2'><img src=http://127.0.0.1:9/x>"
        path.write_text(page("MARK", numbers()).replace("MARK", evil), encoding="utf-8")
        browser.open(path)
        assert browser.run("return typeof hacked") == "undefined"
        assert len(browser.all("#table-numbers th button")) == 5
        assert "Content Security Policy" in "".join(browser.console())


@pytest.mark.slow
class TestTables:
    def column(self, browser: Browser, number: int) -> list[str]:
        return browser.texts(f"#table-numbers tbody td:nth-child({number})")

    @pytest.mark.parametrize(
        ("number", "ascending", "descending"),
        [
            (1, ["GE 9", "GE 10", "PGE", "SGE"], ["SGE", "PGE", "GE 10", "GE 9"]),
            (2, ["0.59±0.13", "0.61±0.16", "10.20±0.01", "–"], ["10.20±0.01", "0.61±0.16", "0.59±0.13", "–"]),
            (3, ["<0.001", "<0.001", "0.040", "0.240"], ["0.240", "0.040", "<0.001", "<0.001"]),
            (4, ["−3.0", "0.1", "∞", "NaN"], ["∞", "0.1", "−3.0", "NaN"]),
            (5, ["3", "20", "text", "–"], ["20", "3", "text", "–"]),
        ],
    )
    def test_a_click_sorts_a_second_one_turns_and_a_third_one_restores(
        self, browser: Browser, example: Path, number: int, ascending: list[str], descending: list[str]
    ) -> None:
        browser.open(example)
        written = self.column(browser, number)
        head = browser.one(f"#table-numbers th:nth-child({number})")
        button = browser.one(f"#table-numbers th:nth-child({number}) button")
        for expected, order in ((ascending, "ascending"), (descending, "descending"), (written, None)):
            button.click()
            assert self.column(browser, number) == expected
            assert head.get_attribute("aria-sort") == order

    def test_p_values_that_look_alike_are_sorted_by_what_they_are(self, browser: Browser, example: Path) -> None:
        browser.open(example)
        browser.one("#table-numbers th:nth-child(3) button").click()
        assert self.column(browser, 1) == ["GE 10", "GE 9", "PGE", "SGE"]

    def test_one_column_is_sorted_at_a_time_and_keys_do_it_as_well(self, browser: Browser, example: Path) -> None:
        browser.open(example)
        browser.one("#table-numbers th:nth-child(2) button").click()
        browser.one("#table-numbers th:nth-child(1) button").send_keys("\ue007")  # Enter
        assert [head.text for head in browser.all("#table-numbers th[aria-sort]")] == ["Method"]
        assert self.column(browser, 1)[0] == "GE 9"

    @pytest.mark.parametrize("clipboard", [True, False])
    def test_a_table_is_copied_with_tabs_and_full_precision(
        self, browser: Browser, example: Path, clipboard: bool
    ) -> None:
        browser.open(example)
        browser.command("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        if not clipboard:  # as where a file on disk is not trusted
            browser.run("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        browser.run("document.addEventListener('copy', () => { window.old = String(document.activeElement.value) })")
        button = browser.one("#table-numbers .tool")
        button.click()
        browser.run("return new Promise(done => setTimeout(done, 100))")
        assert button.text == "Copied"
        copied = browser.run("return navigator.clipboard ? navigator.clipboard.readText() : window.old")
        assert [line.split("\t") for line in copied.splitlines()] == [
            ["Method", "Fitness", "p", "Loss", "Mixed"],
            ["PGE", "0.61±0.16", "0.04", "0.1234", "3"],
            ["GE 10", "10.20±0.01", "1e-09", "Infinity", "text"],
            ["GE 9", "0.59±0.13", "0.0002", "-3.0", "–"],
            ["SGE", "–", "0.24", "nan", "20"],
        ]
        assert not browser.all("textarea")

    def test_where_nothing_can_be_copied_the_table_is_selected(self, browser: Browser, example: Path) -> None:
        browser.open(example)
        browser.run("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        browser.run("document.execCommand = () => false")
        button = browser.one("#table-numbers .tool")
        button.click()
        assert button.text == "Selected: press Ctrl+C"
        assert "10.20±0.01" in browser.run("return String(getSelection())")

    def test_the_header_of_a_long_table_stays_in_sight(self, browser: Browser, example: Path) -> None:
        browser.open(example)
        browser.run("document.querySelector('details').open = true")
        top = "return document.querySelector('#table-runs th').getBoundingClientRect().top"
        before = browser.run(top)
        browser.run("document.querySelector('#table-runs .scroll').scrollTop = 5000")
        assert browser.run(top) == pytest.approx(before, abs=2)

    def test_a_figure_is_saved_as_a_file_of_its_own(self, browser: Browser, example: Path, tmp_path: Path) -> None:
        browser.open(example)
        browser.run("HTMLAnchorElement.prototype.click = function () { window.saved = [this.download, this.href] }")
        browser.one("#figure-first .tool").click()
        name, address = browser.run("return window.saved")
        assert name == "first.svg"
        assert address.startswith("blob:")
        path = tmp_path / name
        svg = "return new XMLSerializer().serializeToString(document.querySelector('#drawing-first'))"
        path.write_text(browser.run(svg), encoding="utf-8")
        browser.open(path)
        assert browser.console() == []
        assert browser.run("return document.documentElement.getBBox().width") > 300


@pytest.mark.slow
class TestPaper:
    def test_what_is_closed_is_printed_and_nothing_is_cut_off(self, browser: Browser, example: Path) -> None:
        browser.open(example, 680)  # about what A4 leaves between its margins
        browser.on_paper()
        assert not browser.one("nav").is_displayed()
        assert not any(button.is_displayed() for button in browser.all(".tool"))
        rows = browser.run("return document.querySelector('#table-runs tbody').getBoundingClientRect().height")
        assert rows > 600 * 10
        cut = """return [...document.querySelectorAll('.scroll, .long')].filter(
            e => e.clientHeight < e.scrollHeight - 1 && getComputedStyle(e).overflowY !== 'visible').length"""
        assert browser.run(cut) == 0

    def test_the_details_have_their_pages_and_are_closed_again(self, browser: Browser, tmp_path: Path) -> None:
        pages = {}
        both: dict[str, list[Any]] = {"short": ["Text."], "long": ["Text.", Details("All runs", [runs(600)])]}
        for name, given in both.items():
            path = tmp_path / f"{name}.html"
            path.write_text(page(*given), encoding="utf-8")
            browser.open(path)
            pages[name] = len(re.findall(rb"/Type\s*/Page\b(?!s)", browser.pdf()))
        assert pages["short"] == 1
        assert pages["long"] > 10
        assert browser.run("return document.querySelector('details').open") is False

    def test_a_wide_table_is_printed_in_smaller_letters(self, browser: Browser, example: Path) -> None:
        browser.open(example, 670)
        browser.run("dispatchEvent(new Event('beforeprint'))")
        browser.on_paper()
        widths = "return [...document.querySelectorAll('table')].map(e => e.getBoundingClientRect().right)"
        rights = browser.run(widths)
        assert len(rights) == 3
        assert max(rights) <= 670 + 1
        sizes = "return [...document.querySelectorAll('table')].map(e => parseFloat(getComputedStyle(e).fontSize))"
        numbers, wide, runs = browser.run(sizes)
        assert numbers == runs == pytest.approx(8.5 * 96 / 72, abs=0.01)
        assert 3 < wide < numbers
        browser.run("dispatchEvent(new Event('afterprint'))")
        assert not browser.all("table.fitted, table[style*=pt]")

    def test_the_printer_opens_and_closes_what_was_closed(self, browser: Browser, example: Path) -> None:
        browser.open(example)
        opened = "return document.querySelector('details').open"
        browser.run("dispatchEvent(new Event('beforeprint'))")
        assert browser.run(opened) is True
        browser.run("dispatchEvent(new Event('afterprint'))")
        assert browser.run(opened) is False

    def test_a_screenshot_is_a_picture(self, browser: Browser, example: Path, tmp_path: Path) -> None:
        browser.open(example, 360)
        browser.screenshot(tmp_path / "page.png", whole=True)
        assert imread(tmp_path / "page.png").shape[1] == 360
