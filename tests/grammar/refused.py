"""What grammar files are refused for, and what they are read with a warning for, with the pieces of the sentence."""

from __future__ import annotations

REFUSED: list[tuple[str | None, str, list[str]]] = [
    # What other systems do besides
    (None, "<a> ::= (x)\n<a> ::= (y)", ["<a> is defined twice, in lines 1 and 2", "join them with |"]),  # ECJ
    (None, "expr ::= op(expr, expr) | x", ["the name expr has no angle brackets", "gramEvol", "write <expr>"]),
    (
        None,
        "<a> ::= #x# | #y z#",
        ["quotes written as #…# are not supported", 'write "x"'],
    ),
    (None, "<a> ::= it's | x", ["column 11: the quote ' is never closed", '"# dialect: sge"']),
    (None, "<a> ::= don't | 'x'", ["column 12: the quote ' is never closed"]),  # the first PonyGE
    (None, "<a> ::= GE_GENERATE:['x']", ["GE_GENERATE makes productions by running Python, which is not supported"]),
    (None, "<a> ::= GE_GENERATE:[str(i) for i in y]", ["GE_GENERATE makes productions by running Python"]),
    (
        None,
        "<a> ::= GE_RANGE:dataset_n_rows",
        ["GE_RANGE:dataset_n_rows is not a range", "dataset_n_is"],
    ),
    ("ponyge2", "<a> ::= | |", ["<a> has no production; write one after ::="]),
    ("ponyge2", "<a> ::= # x | y", ["column 9: <a> has no production, because the rest of its line is a comment"]),
    ("ponyge2", "<a> ::= x\n<b>", ["no rule defines <b>"]),
    ("ponyge2", "<a> ::= 'x", ["the quote ' is never closed"]),
    ("sge", "<a> ::= x\n<a> ::= y", ["<a> is defined twice"]),
    ("sge", "<a> ::= if x < y and z > w: <a>", ["a lone <", r"write \l"]),
    ("sge", "<a> ::= x < <b>\n<b> ::= y", ["a lone <", r"write \l"]),
    ("sge", "<a> ::= <b> -> x\n<b> ::= y", ["a lone >", r"write \g"]),
    ("sge", "x | y", ["there is no rule here"]),
    ("sge", "<a> ::= <b>", ["no rule defines <b>; add one\n"]),  # quotes are text there
    ("sge", "<a> ::= <GECodonValue[0,9]>", ['files with such values begin with "# dialect: geva"']),
    ("grape", "# x\n<a> ::= <a>", ["text before the first rule; remove it"]),  # it has no comments
    (None, "expr = 'x' | 'y' ;", ['there is no rule here; if this is EBNF, begin the file with "# dialect: ebnf"']),
    (None, "<a> := x | y", ["there is no rule here; write <a> ::= …, not :="]),
    ("geva", "<a> ::= <b>\nx\n<b> ::= y", ["this line begins with neither a rule nor |", "with |"]),
    ("geva", "<a> ::= x < y", ["a lone < is not text here", 'write "<"']),
    ("geva", '<a> ::= "x', ['the quote " is never closed']),
    (None, "<a> ::= <GECodonValue>", ["<GECodonValue> names no range of values", "<GECodonValue[0,9]>"]),
    (None, "<a> ::= <GECodonValue[0.5,1]>", ["are not whole numbers", "<const:0.5..1>"]),
    (None, "<a> ::= <GECodonValue[3,1]>", ["has no value", "smaller bound first"]),
    (None, "<a> ::= <GECodonValue[0,100000]>", ["has more than 100,000 values", "<const:0..100000>"]),
    # EBNF
    ("ebnf", "", ["there is no rule here"]),
    ("ebnf", "x a = 'y'", ["text before the first rule"]),
    ("ebnf", "a = ('x'", ["the bracket ( is never closed"]),
    ("ebnf", "a = 'x')", [") closes no bracket"]),
    ("ebnf", "a = ['x')", [") closes no bracket"]),
    ("ebnf", "a = * 'x'", ["there is nothing before *"]),
    ("ebnf", "a = 'x' ; 'y'", ["; ends a rule"]),
    ("ebnf", "a = 'x'\na = 'y'", ["a is defined twice"]),
    ("ebnf", "a = b - 'x'\nb = 'y'", ["- is neither a name nor a sign of EBNF", "exceptions are not supported"]),
    ("ebnf", "a = 3 'x'", ["3 is neither a name nor a sign", "quotes"]),
    ("ebnf", "a = b", ["no rule defines <b>"]),
    ("ebnf", "a = 'x", ["the quote ' is never closed"]),
]

REMARKED: list[tuple[str | None, str, str]] = [
    (
        None,
        "<a> ::= x\n  y",
        "line 1: a production of <a> goes over several lines, and the line break is not part of the program",
    ),
    (None, "<a> ::= x\n  y", 'begin the text with "# dialect: ponyge2"'),
    (None, "<a> ::= 'b' | <b>\n<b> ::= x", "'b' is text, not the rule <b>"),
    (None, "<a> ::= # x | y", "line 1: a production of <a> is empty, because the rest of its line is a comment"),
    (None, "<a> ::= + | # | %", "line 1: a production of <a> is empty, because the rest of its line is a comment"),
    ("ponyge2", "<a> ::= + | # | %", "a production of <a> is empty, because the rest of its line is a comment"),
    ("ponyge2", "<a> ::= x#y | z", "<a>: '#y | z' is a comment"),
    (None, "<a> ::= x | | y", '<a> has an empty production; write "" if it is meant, or remove the bar'),
    (None, "<a> ::= <b>\n<b> ::=", '<b> has an empty production; write "" if it is meant, or write a production'),
    (None, "<a> ::= f<a,b> | x", "<a>: no rule is called <a,b>, so it is text; define the rule"),
    (None, "<a> ::= < b > | <b>\n<b> ::= x", "<a>: no rule is called < b >, so it is text; write <b>"),
    ("ponyge2", "<a> ::= < b > | <b>\n<b> ::= x", "<a>: no rule is called < b >, so it is text; write <b>, or put it"),
    ("grape", "<a> ::= < b > | <b>\n<b> ::= x", "<a>: no rule is called < b >, so it is text; write <b>"),
    (None, "<a> ::= don't | can't", "<a>: 't | can' is one text, since the ' after a letter opens it"),
    (None, r"<a> ::= x \le y", r'<a>: \le is text; in files that begin with "# dialect: sge" it is <= or >='),
    ("sge", r"<a> ::= <a> \eb_div\eb <a> | x", "<a>: |_div| binds like / here, but more weakly than + in the programs"),
    (None, "<a> ::= x {0.5} | y", "{0.5} is text, because other productions"),
]
