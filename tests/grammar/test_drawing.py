from __future__ import annotations

import itertools
import re
import sys
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.errors import MissingExtraError
from gramarye.grammar import bnf, rules
from gramarye.grammar.drawing import BOX, MOST_PRODUCTIONS, Node, railroad_svg, tree_svg, tree_text
from gramarye.text import MOST_CHARACTERS, brief, shown

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = """<a&b>"'"""


def nonterminal(text: str, *children: Node) -> Node:
    return Node(text, nonterminal=True, children=list(children))


def blank() -> Node:
    return Node(" ", space=True)


def chain(depth: int) -> Node:
    root = node = nonterminal("<a>")
    for _ in range(depth):
        child = nonterminal("<a>")
        node.children.append(child)
        node = child
    node.children.append(Node("end"))
    return root


def example() -> Node:
    left = nonterminal("<expr>", nonterminal("<var>", Node("x")))
    right = nonterminal("<expr>", nonterminal("<var>", Node("1.0")))
    return nonterminal("<start>", nonterminal("<expr>", left, blank(), nonterminal("<op>", Node("+")), blank(), right))


trees = st.recursive(
    st.builds(Node, st.text(max_size=12), space=st.booleans()),
    lambda inner: st.builds(
        Node, st.text(max_size=12), nonterminal=st.just(True), children=st.lists(inner, max_size=4)
    ),
    max_leaves=20,
).map(lambda node: nonterminal("<start>", node))


def preorder(node: Node) -> list[Node]:
    """The plain twin: every node that is drawn."""
    return [node, *itertools.chain.from_iterable(preorder(child) for child in node.children if not child.space)]


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - what we wrote ourselves


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in parsed(svg).iter(f"{SVG}text")]


def boxes(svg: str) -> list[tuple[float, float, float]]:
    """Left, right and top of every box."""
    rectangles = parsed(svg).iter(f"{SVG}rect")
    places = [[float(rectangle.attrib[key]) for key in ("x", "width", "y")] for rectangle in rectangles]
    return [(x, x + width, y) for x, width, y in places]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", "x"),
        ("", "ε"),
        (" ", "␣"),
        ("   ", "␣␣␣"),
        ("a b", "a b"),
        ("\n", r"\n"),
        ("a\tb\x00", r"a\tb\x00"),
        ("\u2028", r"\u2028"),
        ("\ud800", r"\ud800"),
        ("é", "é"),
    ],
)
def test_a_text_is_made_visible(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_a_long_text_is_cut_and_stays_on_its_line() -> None:
    assert brief("x\ny") == r"'x\ny'"
    assert brief("x" * MOST_CHARACTERS) == repr("x" * MOST_CHARACTERS)
    assert brief("x" * (MOST_CHARACTERS + 1)) == repr("x" * (MOST_CHARACTERS - 1) + "…")


class TestTreeAsText:
    def test_is_drawn_with_box_characters(self) -> None:
        assert tree_text(example()).splitlines() == [
            "<start>",
            "└─ <expr>",
            "   ├─ <expr>",
            "   │  └─ <var>",
            "   │     └─ x",
            "   ├─ <op>",
            "   │  └─ +",
            "   └─ <expr>",
            "      └─ <var>",
            "         └─ 1.0",
        ]

    def test_white_space_at_the_end_leaves_no_open_branch(self) -> None:
        assert tree_text(nonterminal("<a>", Node("x"), blank())) == "<a>\n└─ x"

    def test_an_empty_terminal_and_a_line_break_are_visible(self) -> None:
        assert tree_text(nonterminal("<a>", Node(""), Node("\n"))) == "<a>\n├─ ε\n└─ \\n"

    @given(trees)
    def test_has_one_line_per_node_in_order(self, tree: Node) -> None:
        lines = tree_text(tree).split("\n")
        assert [re.sub("^[│├└─ ]*(?=.)", "", line) for line in lines] == [
            re.sub("^[│├└─ ]*(?=.)", "", shown(node.text)) for node in preorder(tree)
        ]

    def test_knows_no_limit_of_depth(self) -> None:
        lines = tree_text(chain(5000)).split("\n")
        assert len(lines) == 5002
        assert lines[-1] == "   " * 5000 + "└─ end"


class TestTreeAsPicture:
    def test_stands_alone_and_says_what_it_is(self) -> None:
        svg = tree_svg(example())
        root = parsed(svg)
        assert root.tag == f"{SVG}svg"
        assert root.attrib["role"] == "img"
        assert root.findtext(f"{SVG}title") == "Derivation tree of 10 nodes"
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        assert [float(number) for number in root.attrib["viewBox"].split()] == [0, 0, width, height]
        assert "<script" not in svg
        assert "href" not in svg
        assert svg.count("http") == 1  # the name of the format

    def test_text_from_a_grammar_is_escaped(self) -> None:
        svg = tree_svg(nonterminal("<a>", Node("</text><script>"), Node(HOSTILE), Node("\x00\n")))
        assert texts(svg) == ["<a>", "</text><script>", HOSTILE, r"\x00\n"]
        assert "<script" not in svg

    @given(trees)
    def test_every_tree_parses_and_its_terminals_are_in_order(self, tree: Node) -> None:
        drawn = preorder(tree)
        inner = [shown(node.text) for node in drawn if node.nonterminal]
        leaves = [shown(node.text) for node in drawn if not node.nonterminal]
        assert texts(tree_svg(tree)) == inner + leaves

    @given(trees)
    def test_boxes_neither_overlap_nor_leave_the_picture(self, tree: Node) -> None:
        svg = tree_svg(tree)
        places = boxes(svg)
        width, height = (float(parsed(svg).attrib[key]) for key in ("width", "height"))
        assert all(x >= 0 and right <= width and y >= 0 and y + BOX <= height for x, right, y in places)
        for one, other in itertools.combinations(places, 2):
            assert one[2] != other[2] or one[1] < other[0] or other[1] < one[0]

    def test_a_parent_stands_over_the_middle_of_its_children(self) -> None:
        places = boxes(tree_svg(nonterminal("<a>", Node("x"), Node("a long terminal"), Node("y"))))
        parent, first, _, last = ((left + right) / 2 for left, right, _ in places)
        assert parent == pytest.approx((first + last) / 2, abs=0.1)

    def test_a_box_grows_with_its_text_and_counts_wide_characters_twice(self) -> None:
        _, *leaves = boxes(tree_svg(nonterminal("<a>", Node("abcd"), Node("abcdefgh"), Node("語語語語"))))
        short, long, wide = (right - left for left, right, _ in leaves)
        assert short < long
        assert wide == pytest.approx(long, abs=0.2)

    def test_terminals_are_round_and_what_is_left_to_derive_is_dashed(self) -> None:
        svg = tree_svg(nonterminal("<a>", nonterminal("<b>", Node("x")), nonterminal("<c>")))
        a, b, c, x = parsed(svg).iter(f"{SVG}rect")
        assert ["rx" in box.attrib for box in (a, b, c, x)] == [False, False, False, True]
        assert ["stroke-dasharray" in box.attrib for box in (a, b, c, x)] == [False, False, True, False]

    def test_a_single_node_is_a_picture(self) -> None:
        svg = tree_svg(nonterminal("<a>"))
        assert texts(svg) == ["<a>"]
        assert "<path" not in svg

    def test_knows_no_limit_of_depth(self) -> None:
        assert len(boxes(tree_svg(chain(5000)))) == 5002


class TestRailroad:
    GRAMMAR = """
        <expr> ::= <expr> <op> <expr> | "(" <expr> ")" | x
        <op> ::= + {0.75} | "<&>" {0.25}
        <maybe> ::= a | ""
    """

    def test_shows_every_rule_with_its_productions(self) -> None:
        svg = railroad_svg(bnf.parse(self.GRAMMAR))
        shown_texts = ["<expr>", "<expr>", "<op>", "<expr>", "(", "<expr>", ")", "x"]
        shown_texts += ["<op>", "+", "0.75", "<&>", "0.25", "<maybe>", "a"]
        assert texts(svg) == shown_texts

    def test_stands_alone_and_says_what_it_is(self) -> None:
        svg = railroad_svg(bnf.parse(self.GRAMMAR))
        root = parsed(svg)
        assert root.attrib["role"] == "img"
        assert root.findtext(f"{SVG}title") == "Railroad diagrams of the grammar"
        assert "href" not in svg
        assert svg.count("http") == 1

    def test_diagrams_stand_one_below_the_other_inside_the_picture(self) -> None:
        root = parsed(railroad_svg(bnf.parse(self.GRAMMAR)))
        diagrams = [element.attrib for element in root.iter(f"{SVG}svg") if element is not root]
        tops = [float(diagram["y"]) for diagram in diagrams]
        bottoms = [float(diagram["y"]) + float(diagram["height"]) for diagram in diagrams]
        assert len(diagrams) == 3
        assert all(bottom < top for bottom, top in zip(bottoms[:-1], tops[1:], strict=True))
        assert bottoms[-1] <= float(root.attrib["height"])
        assert max(float(diagram["width"]) for diagram in diagrams) <= float(root.attrib["width"])

    def test_text_from_a_grammar_is_escaped(self) -> None:
        symbols = (rules.Symbol("</text><script>", "terminal"), rules.Symbol(HOSTILE + "\x00\n", "terminal"))
        svg = railroad_svg([rules.Rule("<a & b>", (rules.ProductionText(symbols),))])
        assert texts(svg) == ["<a & b>", "</text><script>", HOSTILE + r"\x00\n"]
        assert "<script" not in svg

    @pytest.mark.parametrize("text", ["]]>", ">", "a]]>b]]>", "]]"])
    def test_the_end_of_a_cdata_section_is_text_too(self, text: str) -> None:
        symbols = (rules.Symbol(text, "terminal"), rules.Symbol(f"<{text}", "nonterminal"))
        svg = railroad_svg([rules.Rule("<a>", (rules.ProductionText(symbols),))])
        assert texts(svg) == ["<a>", text, f"<{text}"]

    def test_white_space_is_left_out(self) -> None:
        symbols = (rules.Symbol("x", "terminal"), rules.Symbol("  ", "space"), rules.Symbol("y", "terminal"))
        assert texts(railroad_svg([rules.Rule("<a>", (rules.ProductionText(symbols),))])) == ["<a>", "x", "y"]

    def test_a_rule_with_very_many_productions_is_cut_and_says_so(self) -> None:
        svg = railroad_svg(bnf.parse(f"<n> ::= GE_RANGE:{MOST_PRODUCTIONS + 7}"))
        assert texts(svg) == ["<n>", *map(str, range(MOST_PRODUCTIONS)), "… and 7 more"]

    def test_a_rule_at_the_limit_is_whole(self) -> None:
        svg = railroad_svg(bnf.parse(f"<n> ::= GE_RANGE:{MOST_PRODUCTIONS}"))
        assert texts(svg) == ["<n>", *map(str, range(MOST_PRODUCTIONS))]

    def test_a_missing_library_names_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "railroad", None)
        with pytest.raises(MissingExtraError, match=r"railroad-diagrams is not installed: .*gramarye\[notebook\]"):
            railroad_svg(bnf.parse(self.GRAMMAR))
