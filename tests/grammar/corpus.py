r"""Small grammars of our own, one or more for every construct of every dialect, and the rules that are read from them.

`expected` is written in our own dialect; `dialect` is the one that must be recognised, or that is asked for where
`asked` says so.
"""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A text and what it means."""

    name: str
    dialect: str
    text: str
    expected: str
    asked: bool = False
    path: str = ""


# The grammars that the authors published, typed anew from the papers and their repositories: Mégane, Lourenço, Machado,
# Probabilistic grammatical evolution (EuroGP 2021); Lourenço, Pereira, Costa, SGE (GPEM 17, 2016); Mégane, Lourenço,
# Machado, Probabilistic structured grammatical evolution (CEC 2022).
PGE_REGRESSION = r"""<start> ::= <expr>
<expr> ::= <expr><op><expr>|(<expr><op><expr>)|<pre_op>(<expr>)|<var>
<op> ::= +|-|*|\eb_div\eb
<pre_op> ::= _sin|_cos|_exp|_log|_inv
<var> ::= x[0]|x[1]|1.0"""
SGE_REGRESSION = r"""#core
<start> ::= <expr>
<expr> ::= <expr><op><expr>|(<expr><op><expr>)|<pre_op>(<expr>)|<var>
<op> ::= +|-|*|\eb_div_\eb
<pre_op> ::= sin|cos|_exp_|_log_|_inv_
<var> ::= x[0]|1.0
"""
PSGE_REGRESSION = r"""#core
<start> ::= <expr_vs_var>
<expr_vs_var> ::= <expr> | <var>
<expr> ::= <expr_op> | <pre_op>(<expr_vs_var>)
<expr_op> ::= <expr_vs_var><op><expr_vs_var> | (<expr_vs_var><op><expr_vs_var>)
<op> ::= +|-|*|\eb_div_\eb
<pre_op> ::= <trig_op> | <exp_log_op> | _inv_
<trig_op> ::= sin | cos
<exp_log_op> ::= _exp_ | _log_
<var> ::= <var_x> | 1.0
<var_x> ::= x[0] | x[1]
"""
BOSTON = PGE_REGRESSION.replace("x[0]|x[1]", "|".join(f"x[{i}]" for i in range(13)))

CASES = [
    # Our own
    Case("plain", "gramarye", "<a> ::= x | y", "<a> ::= x | y"),
    Case("several lines", "gramarye", "<a>\n  ::= x\n   | <b>\n<b> ::= y", "<a> ::= x | <b>\n<b> ::= y"),
    Case("a bar at the end of a line", "gramarye", "<a> ::= x |\n  y", "<a> ::= x | y"),
    Case("line breaks are layout", "gramarye", "<a> ::= x\n  + y", '<a> ::= x"+" y'),
    Case("white space is kept", "gramarye", "<a> ::= x  +\ty", "<a> ::= x  +\ty"),
    Case("both quotes", "gramarye", """<a> ::= "x y" | 'it is "x"'""", """<a> ::= "x y" | 'it is "x"'"""),
    Case("escapes", "gramarye", r"<a> ::= \| | \<b\> | a\nb | \d", r'<a> ::= "|" | "<b>" | "a\nb" | "\\d"'),
    Case("an empty production", "gramarye", '<a> ::= x | | ""', '<a> ::= x | "" | ""'),
    Case("comments", "gramarye", "# one\n<a> ::= x#y # two", "<a> ::= x#y"),
    Case("a range", "gramarye", "<a> ::= GE_RANGE:3", "<a> ::= 0 | 1 | 2"),
    Case("probabilities", "gramarye", "<a> ::= x {0.25} | y {0.75}", "<a> ::= x {0.25} | y {0.75}"),
    Case("a constant", "gramarye", "<a> ::= <const> | <const:0..1>", "<a> ::= <const> | <const:0..1>"),
    Case("CRLF and a byte order mark", "gramarye", "\ufeff<a> ::= x |\r\n  y\r\n", "<a> ::= x | y"),
    Case("old line ends", "gramarye", "<a> ::= <b>\r<b> ::= y\r", "<a> ::= <b>\n<b> ::= y"),
    Case("tabs", "gramarye", "\t<a>\t::=\tx\t|\ty", "<a> ::= x | y"),
    Case("non-ASCII", "gramarye", "<été> ::= π | ≤ | 変数", "<été> ::= π | ≤ | 変数"),
    Case("names with commas", "gramarye", "<a,b> ::= <f(x)>\n<f(x)> ::= y", "<a,b> ::= <f(x)>\n<f(x)> ::= y"),
    Case("text in brackets is no name", "gramarye", "<a> ::= f<a,b> | x<y | <", '<a> ::= "f<a,b>" | "x<y" | <'),
    Case("declared", "gramarye", "# dialect: gramarye\n<a> ::= {:x:}", "# dialect: gramarye\n<a> ::= {:x:}"),
    # PonyGE2
    Case("by its suffix", "ponyge2", "<a> ::= x\ny", r'<a> ::= "x\ny"', path="my.pybnf"),
    Case("asked for", "ponyge2", "<a> ::= x\n  y", r'<a> ::= "x\ny"', asked=True),
    Case("declared by the file", "ponyge2", "# dialect: ponyge2\n<a> ::= x\n  y", r'<a> ::= "x\ny"'),
    Case(
        "blocks", "ponyge2", "<a> ::= if x:{:<b>:}\n<b> ::= y", "# dialect: gramarye\n<a> ::= if x:{:<b>:}\n<b> ::= y"
    ),
    Case(
        "breaks between names",
        "ponyge2",
        "<a> ::= <b>  \n\n  <b>\n<b> ::= {:",
        '# dialect: gramarye\n<a> ::= <b>"\\n\\n"<b>\n<b> ::= {:',
    ),
    Case("blank alternatives", "ponyge2", "<a> ::= x | | y ||", "<a> ::= x | y", asked=True),
    Case("an empty text", "ponyge2", "<a> ::= x | ''", '<a> ::= x | ""', asked=True),
    Case("a comment ends a production", "ponyge2", "<a> ::= x# one\n  y | z", "<a> ::= x | y | z", asked=True),
    Case("quotes are joined", "ponyge2", "<a> ::= 'x'y\"z\"", "<a> ::= xyz", asked=True),
    Case("no escape of quotes", "ponyge2", r"<a> ::= '\' | x", r'<a> ::= "\\" | x', asked=True),
    Case(
        "its escapes", "ponyge2", r"<a> ::= a\tb\x41\u00e9 | '\n' | \d", r'<a> ::= "a\tbAé" | "\n" | "\\d"', asked=True
    ),
    Case(
        "names hold anything", "ponyge2", "<a,b> ::= <c+1>\n<c+1> ::= 'x'", "<a,b> ::= <c+1>\n<c+1> ::= x", asked=True
    ),
    Case("rules on one line", "ponyge2", "<a> ::= <b> <b> ::= x", "<a> ::= <b>\n<b> ::= x", asked=True),
    Case(
        "signs", "ponyge2", "<a> ::= x < <b> | x <= y\n<b> ::= '|'", '<a> ::= x < <b> | x <= y\n<b> ::= "|"', asked=True
    ),
    Case(
        "ranges of a dataset",
        "ponyge2",
        "<a> ::= x[:, <i>]\n<i> ::= GE_RANGE:dataset_n_vars",
        "# dialect: gramarye\n<a> ::= x[:, <i>]\n<i> ::= GE_RANGE:dataset_n_vars",
    ),
    Case("tabs after a break", "ponyge2", "<a> ::= x\n\ty", '<a> ::= "x\\n"\ty', asked=True),
    Case("CRLF in a program", "ponyge2", "<a> ::= x\r\n  y\r\n", r'<a> ::= "x\ny"', asked=True),
    # SGE and its family
    Case(
        "PGE, regression",
        "sge",
        PGE_REGRESSION,
        "<start> ::= <expr>\n"
        "<expr> ::= <expr><op><expr> | (<expr><op><expr>) | <pre_op>(<expr>) | <var>\n"
        '<op> ::= + | - | * | "|_div|"\n'
        "<pre_op> ::= _sin | _cos | _exp | _log | _inv\n"
        "<var> ::= x[0] | x[1] | 1.0",
    ),
    Case(
        "SGE, regression",
        "sge",
        SGE_REGRESSION,
        "<start> ::= <expr>\n"
        "<expr> ::= <expr><op><expr> | (<expr><op><expr>) | <pre_op>(<expr>) | <var>\n"
        '<op> ::= + | - | * | "|_div_|"\n'
        "<pre_op> ::= sin | cos | _exp_ | _log_ | _inv_\n"
        "<var> ::= x[0] | 1.0",
    ),
    Case("quotes are text", "sge", "<a> ::= 'x' | \"y", "<a> ::= \"'x'\" | '\"y'", asked=True),
    Case(
        "angles",
        "sge",
        r"<a> ::= x \le y | \l<b>\g | \ge" + "\n<b> ::= z",
        '<a> ::= x <= y | "<"<b>> | >=\n<b> ::= z',
        asked=True,
    ),
    Case("a bar in a program", "sge", r"<a> ::= x\eby", '<a> ::= "x|y"'),
    Case("None is nothing", "sge", "<a> ::= None | x | None y", '<a> ::= "" | x | None y', asked=True),
    Case("blank productions are kept", "sge", "<a> ::= x | | y", '<a> ::= x | "" | y', asked=True),
    Case("line breaks in a program", "sge", r"<a> ::= x\ny", r'<a> ::= "x\ny"', asked=True),
    Case("only whole lines are comments", "sge", "#core\n<a> ::= x # y", '<a> ::= x "#" y', asked=True),
    Case("names with blanks", "sge", "<an a> ::= <b, c>\n<b, c> ::= x", "<an a> ::= <b, c>\n<b, c> ::= x", asked=True),
    Case("ranges are text", "sge", "<a> ::= GE_RANGE:3", '<a> ::= "GE_RANGE:3"', asked=True),
    Case("commands are text", "sge", "<a> ::= GE_GENERATE: x | y", '<a> ::= "GE_GENERATE:" x | y', asked=True),
    # GRAPE
    Case("one blank", "grape", "<a> ::= x  +\n\ty | z", "<a> ::= x + y | z", asked=True),
    Case("everything is text", "grape", "<a> ::= 'x' | #y | \\n", '<a> ::= "\'x\'" | "#y" | "\\\\n"', asked=True),
    Case("names with brackets", "grape", "<f(x)> ::= <a-b> <a-b> ::= y", "<f(x)> ::= <a-b>\n<a-b> ::= y", asked=True),
    # GEVA and libGE
    Case(
        "values of codons",
        "geva",
        "<a> ::= x<GECodonValue[1,3]>",
        "# dialect: gramarye\n<a> ::= x<GECodonValue[1,3]>\n<GECodonValue[1,3]> ::= 1 | 2 | 3",
    ),
    Case(
        "open intervals",
        "geva",
        "<a> ::= <GECodonValue(0,3)>",
        "# dialect: gramarye\n<a> ::= <GECodonValue(0,3)>\n<GECodonValue(0,3)> ::= 1 | 2",
    ),
    Case(
        "sets",
        "geva",
        "<a> ::= <GECodonValue{x, 5}>",
        "# dialect: gramarye\n<a> ::= <GECodonValue{x, 5}>\n<GECodonValue{x, 5}> ::= x | 5",
    ),
    Case(
        "as libGE writes them",
        "geva",
        "<a> ::= <GECodonValue-2+3>",
        "# dialect: gramarye\n<a> ::= <GECodonValue-2+3>\n<GECodonValue-2+3> ::= 2 | 3",
    ),
    Case("double quotes", "geva", '<a> ::= "x | y" | it\'s', '<a> ::= "x | y" | "it\'s"', asked=True),
    Case("one blank between words", "geva", "<a> ::= x   +\t<b>\n<b> ::= y", "<a> ::= x + <b>\n<b> ::= y", asked=True),
    Case("lines that begin with a bar", "geva", "<a> ::= x\n  | y\n# z\n  | w", "<a> ::= x | y | w", asked=True),
    Case("lines joined by a backslash", "geva", "<a> ::= x \\\n  y", "<a> ::= x y", asked=True),
    Case("escapes of any sign", "geva", r"<a> ::= \| | \< | a\tb | \q", r'<a> ::= "|" | < | "a\tb" | q', asked=True),
    # EBNF
    Case("options", "ebnf", "a = [ 'x' ], 'y' ;", '<a> ::= <a:option>y\n<a:option> ::= "" | x', path="a.ebnf"),
    Case(
        "repetitions",
        "ebnf",
        "a = { 'x' | 'y' } ;",
        '<a> ::= <a:repeat>\n<a:repeat> ::= "" | x<a:repeat> | y<a:repeat>',
        path="a.EBNF",
    ),
    Case(
        "signs after",
        "ebnf",
        "<a> ::= x* y+ z?",
        '<a> ::= <a:repeat><a:repeat2><a:option>\n<a:repeat> ::= "" | x<a:repeat>\n'
        '<a:repeat2> ::= y | y<a:repeat2>\n<a:option> ::= "" | z',
        asked=True,
    ),
    Case(
        "groups",
        "ebnf",
        "a = ('x' | b), \"y\"\nb = 'z' (* a comment *)",
        "<a> ::= <a:group>y\n<a:group> ::= x | <b>\n<b> ::= z",
        asked=True,
    ),
]
