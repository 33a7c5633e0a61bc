from __future__ import annotations

import math
import re
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gramarye as gm
from gramarye.errors import GrammarError, GrammarWarning, SettingsError
from gramarye.grammar.dialects import DIALECTS, GRAMARYE, MARKS, SUFFIXES, recognised
from gramarye.languages.arithmetic.reader import Precedence
from tests.grammar import corpus
from tests.grammar.corpus import CASES, Case
from tests.grammar.refused import REFUSED, REMARKED

OWN = GRAMARYE.name
pytestmark = pytest.mark.filterwarnings("ignore::gramarye.errors.GrammarWarning")


def read(case: Case, folder: Path) -> gm.Grammar:
    if case.path:
        (folder / case.path).write_text(case.text, encoding="utf-8", newline="")
        return gm.Grammar.from_file(folder / case.path)
    return gm.Grammar.from_text(case.text, dialect=case.dialect if case.asked else None)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.dialect}: {case.name}" for case in CASES])
def test_a_grammar_is_read_as_its_own_system_reads_it(case: Case, tmp_path: Path) -> None:
    grammar = read(case, tmp_path)
    assert grammar.dialect == case.dialect
    assert grammar == gm.Grammar.from_text(case.expected, dialect=OWN)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.dialect}: {case.name}" for case in CASES])
def test_what_was_read_is_written_in_one_form_that_reads_back(case: Case, tmp_path: Path) -> None:
    grammar = read(case, tmp_path)
    again = gm.Grammar.from_text(grammar.text)
    assert again.dialect == OWN
    assert again == grammar
    assert again.text == grammar.text


def test_the_corpus_has_every_dialect_and_every_mark() -> None:
    assert len(CASES) >= 40
    assert {case.dialect for case in CASES} == set(DIALECTS)
    for name, mark, dialect in MARKS:
        texts = [*(case.text for case in CASES), *(text for _, text, _ in REFUSED)]
        assert any(mark.search(text) and recognised(text) is dialect for text in texts), name


@pytest.mark.parametrize(
    ("text", "path", "dialect"),
    [
        (r"<a> ::= x\eby", "a.pybnf", "sge"),
        ("<a> ::= <GECodonValue>", "a.pybnf", "geva"),
        (r"<a> ::= x \le y", "a.pybnf", "sge"),
        (r"<a> ::= {: x \ge y :}", "a.txt", "sge"),
        (r"<a> ::= x \le y | \lev", "a.bnf", "gramarye"),
        ("<a> ::= {x}", "a.ebnf", "ebnf"),
        ("<a> ::= {:x:}", "a.ebnf", "ebnf"),
        ("# dialect: sge\n<a> ::= {:x:}", "a.ebnf", "sge"),
        ("# dialect: that of our group\n<a> ::= x", "a.bnf", "gramarye"),
        ("# MIT licence\n\n## Dialect: SGE\n<a> ::= x", "a.bnf", "sge"),
        ("# dialect: sge (as in the paper)\n<a> ::= x", "a.bnf", "sge"),
        ("<a> ::= x # dialect: sge", "a.bnf", "gramarye"),
        ("# {: in a comment\n<a> ::= x", "a.bnf", "gramarye"),
        (r"<a> ::= \{: | \\eb", "a.bnf", "gramarye"),
        ("<a> ::= x GE_RANGE:dataset_n_vars", "a.bnf", "gramarye"),
        ("<a> ::= x |\nGE_RANGE:dataset_n_vars", "a.bnf", "ponyge2"),
    ],
)
def test_a_dialect_is_recognised_by_marks_and_by_the_suffix(text: str, path: str, dialect: str) -> None:
    assert recognised(text, path).name == dialect


def test_the_guide_has_the_table_of_dialects() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide.md").read_text(encoding="utf-8")
    rows = {match[1]: match[0] for match in re.finditer(r"^\| `(\w+)` \|.*$", guide, re.MULTILINE)}
    assert set(DIALECTS) <= set(rows)
    for dialect in DIALECTS.values():
        assert f"| {dialect.systems} |" in rows[dialect.name]
    for mark, _, dialect in MARKS:
        assert f"`{mark}" in rows[dialect.name] or f"(`{mark.rstrip(':')}`) are refused" in guide
    for suffix, dialect in SUFFIXES.items():
        assert f"`{suffix}`" in rows[dialect.name]


def test_a_line_break_that_means_something_elsewhere_is_a_warning_unless_the_dialect_is_given(tmp_path: Path) -> None:
    text, file = "<a> ::= for\n  x | y\n", tmp_path / "a.bnf"
    file.write_text(text, encoding="utf-8")
    with pytest.warns(GrammarWarning, match="grammar, line 1: a production of <a> goes over several lines"):
        gm.Grammar.from_text(text)
    with pytest.warns(GrammarWarning, match=r"a\.bnf, line 1: a production of <a> goes over several lines") as caught:
        gm.Grammar.from_file(file)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gm.Grammar.from_text(text, dialect="gramarye")
        gm.Grammar.from_text(f"# dialect: gramarye\n{text}")
        gm.Grammar.from_text("<a> ::= x\n | y\n")


def test_what_was_recognised_is_said() -> None:
    grammar = gm.Grammar.from_text("<a> ::= x\n{: y :}")
    assert grammar.notice.startswith("read as PonyGE2: line breaks inside productions are kept")
    assert gm.Grammar.from_text("<a> ::= x").notice == ""


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("before", ["", "# MIT licence\n"])
def test_every_dialect_can_be_declared_at_the_beginning(dialect: str, before: str) -> None:
    grammar = gm.Grammar.from_text(f"{before}# dialect: {dialect}\n<a> ::= x | <b>\n<b> ::= y\n")
    assert (grammar.dialect, grammar.nonterminals) == (dialect, ("<a>", "<b>"))


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(SettingsError, match="there is no dialect 'pony'; did you mean ponyge2"):
        gm.Grammar.from_text("<a> ::= x", dialect="pony")
    with pytest.raises(GrammarError, match="the grammar, line 2: there is no dialect 'sgi'; did you mean sge"):
        gm.Grammar.from_text("# MIT licence\n# dialect: sgi\n<a> ::= x")


@pytest.mark.parametrize(("system", "name"), [("libGE", "geva"), ("DSGE", "sge"), ("PSGE", "sge")])
def test_the_name_of_a_system_leads_to_its_dialect(system: str, name: str) -> None:
    with pytest.raises(SettingsError, match=f"there is no dialect '{system}'; did you mean {name}"):
        gm.Grammar.from_text("<a> ::= x", dialect=system)


# Errors and warnings: tables that are walked


@pytest.mark.parametrize(("dialect", "text", "pieces"), REFUSED)
def test_what_is_not_supported_is_refused_with_a_sentence_that_names_it(
    dialect: str | None, text: str, pieces: list[str]
) -> None:
    with pytest.raises(GrammarError) as error:
        gm.Grammar.from_text(text, "g.bnf", dialect=dialect)
    for piece in ("g.bnf, line ", "^", *pieces):
        assert piece in str(error.value)


@pytest.mark.parametrize(("dialect", "text", "piece"), REMARKED)
def test_what_may_not_be_meant_is_a_warning(dialect: str | None, text: str, piece: str) -> None:
    warnings = gm.Grammar.from_text(text, dialect=dialect).analysis.warnings
    assert [warning for warning in warnings if piece in warning], warnings


@pytest.mark.parametrize(
    "text",
    [
        "<a> ::= a < b | c > d",
        "<a> ::= List<A> | <A>\n<A> ::= x",
        "<a> ::= 'x' | 'y'",
        "<a> ::= # the axiom\n x # one\n| y # two\n# three\n",
    ],
)
def test_ordinary_texts_have_no_such_warning(text: str) -> None:
    warnings = gm.Grammar.from_text(text).analysis.warnings
    assert not [w for w in warnings if "no rule" in w or "one text" in w or "comment" in w]


def test_all_errors_are_reported_up_to_a_number() -> None:
    with pytest.raises(GrammarError) as error:
        gm.Grammar.from_text("<a> ::= " + " ".join(f"<b{i}>" for i in range(30_000)))
    assert str(error.value).count("no rule defines") == 20
    assert str(error.value).endswith("… and 29,980 more errors")


# Ranges of a dataset


def test_ranges_of_a_dataset_are_written_out_by_the_problem() -> None:
    text = "<e> ::= <e> + <e> | x[<i>] | <c>\n<i> ::= GE_RANGE:dataset_n_vars\n<c> ::= GE_RANGE:dataset_n_os"
    grammar = gm.Grammar.from_text(text)
    assert grammar.unknown == ("n_vars", "n_os")
    problem = gm.Regression(np.arange(12.0).reshape(4, 3), [0.0, 1.0, 1.0, 2.0], grammar)
    assert [p.text for p in problem.grammar.rules["<i>"]] == ["0", "1", "2"]
    assert [p.text for p in problem.grammar.rules["<c>"]] == ["0", "1", "2"]
    assert problem.grammar == grammar.resolved(n_vars=3, n_os=3)
    assert grammar.analysis.heights["<e>"] == 2


def test_ranges_of_a_dataset_share_their_probability() -> None:
    grammar = gm.Grammar.from_text("<i> ::= GE_RANGE:dataset_n_vars {0.5} | x {0.5}", dialect=OWN)
    assert grammar.resolved(n_vars=2).text == "<i> ::= 0 {0.25}\n      | 1 {0.25}\n      | x {0.5}\n"


def test_a_problem_without_a_table_asks_for_the_counts() -> None:
    grammar = gm.Grammar.from_text("<i> ::= GE_RANGE:dataset_n_is")
    with pytest.raises(SettingsError, match=r"depends on a table \(n_is\); give grammar.resolved\(n_is=…\)"):
        gm.Objective(len, grammar)
    with pytest.raises(SettingsError, match=r"depends on a table \(n_is\)"):
        gm.map_genotype(grammar, [0.5])
    assert grammar.analysis.warnings == (
        "line 1: GE_RANGE:dataset_n_is in <i> depends on a table, and counts as one production until it is resolved",
    )
    assert gm.Objective(len, grammar.resolved(n_is=2)).grammar.terminals == ("0", "1")


@pytest.mark.parametrize(
    ("counts", "what"), [({"n_rows": 1}, "n_rows"), ({"n_vars": 0}, "n_vars is 0"), ({"n_is": 1.5}, "1.5")]
)
def test_counts_must_be_known_and_positive(counts: dict[str, int], what: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(what)):
        gm.Grammar.from_text("<i> ::= GE_RANGE:dataset_n_vars").resolved(**counts)


def test_what_looks_like_an_odd_name_and_is_none_is_text_with_what_comes_after_it() -> None:
    grammar = gm.Grammar.from_text("<a> ::= <a,b> <a,c> <# <d,<e>\n<a,b> ::= x\n<e> ::= y\n")
    symbols = grammar.productions[0].symbols
    assert "".join(symbol.text for symbol in symbols) == "<a,b> <a,c> <# <d,<e>"
    assert [symbol.text for symbol in symbols if symbol.kind == "nonterminal"] == ["<a,b>", "<e>"]


def test_thousands_of_names_may_hold_commas() -> None:
    text = "".join(f"<a,{n}> ::= x <a,{n + 1}>\n" for n in range(5000))
    grammar = gm.Grammar.from_text(f"{text}<a,5000> ::= y")
    assert grammar.nonterminals[-1] == "<a,5000>"
    assert gm.Grammar.from_text(grammar.text) == grammar


# The grammars that the authors published


@pytest.mark.parametrize("text", [corpus.PGE_REGRESSION, corpus.SGE_REGRESSION, corpus.PSGE_REGRESSION])
@pytest.mark.parametrize("precedence", ["ordinary", "authors"])
def test_the_published_regression_grammars_run(text: str, precedence: Precedence) -> None:
    grammar = gm.Grammar.from_text(text)
    rng = np.random.default_rng(1)
    X = rng.uniform(-5, 5, (40, 2))
    problem = gm.Regression(X, X[:, 0] / (1 + X[:, 0] ** 2), grammar, precedence=precedence)
    assert problem.language.mode == "tokens"
    run = gm.evolve(problem, gm.PGE(population=50, generations=5), seed=1)
    assert run.best.fitness < 1.2


def test_the_published_boston_grammar_runs() -> None:
    problem = gm.problems.load("boston", gm.Grammar.from_text(corpus.BOSTON))
    run = gm.evolve(problem, gm.PGE(population=50, generations=3), seed=1)
    assert run.best.fitness < 1.5


def test_the_authors_division_binds_more_weakly_than_a_sum() -> None:
    grammar = gm.Grammar.from_text(corpus.PGE_REGRESSION)
    text, x, y = "x[0]+x[1]|_div|x[0]*x[1]-1.0|_div|x[1]", 2.0, 3.0
    meanings: dict[Precedence, float] = {"ordinary": x + y / x * y - 1 / y, "authors": (x + y) / (x * y - 1) / y}
    for precedence, expected in meanings.items():
        problem = gm.Regression([[x, y], [1.0, 1.0]], [0.0, 1.0], grammar, precedence=precedence)
        assert problem.predict(gm.parse(grammar, text), None, [[x, y]]) == pytest.approx([expected], rel=1e-15)


@pytest.mark.parametrize(
    ("text", "program", "expected"),
    [
        (corpus.PGE_REGRESSION, "_exp(x[0])", 1.0),
        (corpus.PGE_REGRESSION, "_exp(x[1])", math.exp(3)),
        (corpus.SGE_REGRESSION, "_exp_(x[0])", math.inf),
    ],
)
def test_where_exp_overflows_it_is_1_in_grammars_of_pge(text: str, program: str, expected: float) -> None:
    grammar = gm.Grammar.from_text(text)
    problem = gm.Regression([[800.0, 3.0], [1.0, 1.0]], [0.0, 1.0], grammar)
    assert problem.predict(gm.parse(grammar, program), None, [[800.0, 3.0]]) == pytest.approx([expected], rel=1e-15)


def test_precedence_is_part_of_what_a_problem_is() -> None:
    grammar = gm.Grammar.from_text("<a> ::= x")
    data = [1.0, 2.0], [1.0, 3.0], grammar
    assert gm.Regression(*data).identity != gm.Regression(*data, precedence="authors").identity
    with pytest.raises(SettingsError, match="precedence is 'python': it must be one of 'ordinary', 'authors'"):
        gm.Regression(*data, precedence="python")  # type: ignore[arg-type]


# Fuzzing: any text is a grammar that is written and read back, or a GrammarError

PIECES = st.sampled_from(
    [
        *("<a>", "<b>", "<a,b>", "< a >", "<", ">", "::=", "|", "\n", "\r\n", " ", "\t", "#", "#x#", "'", '"', "\\"),
        *(
            "x",
            "+",
            "0",
            "é",
            "\\n",
            "\\eb",
            "\\le",
            "\\x4",
            "{:",
            ":}",
            "{0.5}",
            "{",
            "}",
            "(",
            ")",
            "[",
            "]",
            "*",
            "?",
        ),
        *("GE_RANGE:", "GE_RANGE:dataset_n_vars", "GE_GENERATE:", "<GECodonValue[0,3]>", "<GECodonValue", "None", ";"),
        *(
            "\n<a> ::= ",
            "\n<b> ::= ",
            "\n<a,b> ::= ",
            "\na = ",
            "<const>",
            "<const:0..1>",
            "# dialect: sge\n",
            ",",
            "=",
        ),
    ]
)


@settings(max_examples=200)
@given(st.lists(PIECES, max_size=25).map("".join), st.sampled_from([None, *DIALECTS]))
@example("<a> ::= <b>\n<b> ::= {:\n| 'x' y", None)
def test_any_text_is_refused_or_read_written_and_read_again(text: str, dialect: str | None) -> None:
    try:
        grammar = gm.Grammar.from_text("<a> ::= x | " + text + "\n", dialect=dialect)
    except GrammarError:
        return
    assert gm.Grammar.from_text(grammar.text) == grammar
    assert isinstance(grammar.analysis.warnings, tuple)


@settings(max_examples=150)
@given(st.data())
def test_mutated_grammars_are_refused_or_read_written_and_read_again(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(CASES))
    text = case.text
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 3))
        text = text[:at] + data.draw(st.one_of(st.just(""), PIECES)) + text[at + cut :]
    try:
        grammar = gm.Grammar.from_text(text, dialect=data.draw(st.sampled_from([None, case.dialect])))
    except GrammarError:
        return
    assert gm.Grammar.from_text(grammar.text) == grammar


LONG = 50_000


@pytest.mark.parametrize(
    "text",
    [
        "<a> ::= " + piece * (LONG // len(piece))
        for piece in (
            "x | ",
            "'",
            '"',
            "<a",
            "<a,",
            "{1",
            "(",
            "#",
            "\\",
            "::=",
            "<const1",
            "|",
            " ",
            "\n",
            "{: ",
            "<GECodonValue",
            "`",
            "` ",
            "`a|",
        )
    ],
    ids=lambda text: repr(text[8:14]),
)
@pytest.mark.parametrize("dialect", [None, *DIALECTS])
def test_long_texts_are_read_or_refused_in_linear_time(text: str, dialect: str | None) -> None:
    with suppress(GrammarError):  # a quadratic reader would take minutes
        gm.Grammar.from_text(text, dialect=dialect)


@pytest.mark.slow
def test_a_text_of_too_many_words_is_refused() -> None:
    with pytest.raises(GrammarError, match="the text has more than 1,000,000 words and signs"):
        gm.Grammar.from_text("<a> ::= " + "x|" * 1_000_000)
