r"""How the systems of the field read grammar files: a record for each, and the table by which a text is recognised.

Sources: PonyGE2 (representation/grammar.py, utilities/representation/python_filter.py), SGE, DSGE, PGE and PSGE
(core/grammar.py or sge/grammar.py), GRAPE (grape.py), GEVA (ContextFreeGrammar.java), libGE (CFGrammar.cpp).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gramarye.errors import GrammarError, SettingsError, did_you_mean
from gramarye.grammar.source import NONTERMINAL, NUMBER, ODD_NAME

# A comment at the beginning, after other comments at most, may name the dialect.
DECLARED = r"(?:\s*\#[^\r\n]*[\r\n])*?\s*\#+[^\S\r\n]*(?i:dialect):[^\S\r\n]*"
_LAYOUT = r"(?P<newline>\r\n|\n|\r)|(?P<space>[^\S\r\n]+)"
_SIGNS = r"(?P<bar>\|)|(?P<arrow>::=)"

# `<` and `{` begin a non-terminal and a number only if the whole of it follows, so `a < b` and `{ x }` are words.
# An odd name is one only if a rule is called so. Repetitions give nothing back (`++`): words of megabytes take seconds.
# A name in backquotes is part of a word, with the blanks in it; others of its signs need quotes.
_NAME = r"""`(?:[^`\r\n|"'<{\\]++|``)++`"""
_GRAMARYE = rf"""{_LAYOUT}|(?P<comment>(?<!\S)\#[^\r\n]*)|{_SIGNS}
    |(?P<nonterminal>{NONTERMINAL.pattern})|(?P<odd>{ODD_NAME.pattern})
    |(?P<quoted>"(?:\\[^\r\n]|[^"\\\r\n]++)*+"|'(?:\\[^\r\n]|[^'\\\r\n]++)*+')
    |(?P<unclosed>["'])
    |(?P<number>{NUMBER.pattern})
    |(?P<word>(?:\\\S|{_NAME}|[^\s|"'<{{:`\\]++|`)++|\S)"""
_PONYGE2 = rf"""{_LAYOUT}|(?P<comment>\#[^\r\n]*)|{_SIGNS}
    |(?P<nonterminal><[^<>|\s"'\#]+>)
    |(?P<quoted>"[^"\r\n]*"|'[^'\r\n]*')
    |(?P<unclosed>["'])
    |(?P<word>[^\s|"'<:\#]+|\S)"""
_SGE = rf"""(?P<comment>^[^\S\r\n]*\#[^\r\n]*)|{_LAYOUT}|{_SIGNS}
    |(?P<nonterminal><[^<>|\s](?:[^<>|\r\n]*[^<>|\s])?>)
    |(?P<lone>[<>])
    |(?P<word>[^\s|<>:]+|\S)"""
_GRAPE = rf"""(?P<comment>\A{DECLARED}[^\r\n]*)|{_LAYOUT}|{_SIGNS}
    |(?P<nonterminal><[\w(),.-]+>)
    |(?P<word>[^\s|<:]+|\S)"""
_GEVA = rf"""(?P<comment>^[^\S\r\n]*\#[^\r\n]*|\\(?:\r\n|\n))|{_LAYOUT}|{_SIGNS}
    |(?P<nonterminal><[^<>|"\s](?:[^<>|"\r\n]*[^<>|"\s])?>)
    |(?P<quoted>"(?:\\[^\r\n]|[^"\\\r\n]++)*+")
    |(?P<unclosed>")
    |(?P<lone><)
    |(?P<word>(?:\\[^\r\n]|[^\s|"<:\\]++)++|\S)"""

_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_ANGLED = {"le": "<=", "ge": ">=", "l": "<", "g": ">", "eb": "|", "n": "\n"}


@dataclass(frozen=True)
class Escapes:
    """What backslashes mean: a pattern whose group is looked up, or else stands for itself."""

    pattern: str
    texts: Mapping[str, str]

    def read(self, text: str) -> str:
        """The text without its escapes."""
        return re.sub(self.pattern, lambda match: self.meant(match[1]), text) if "\\" in text else text

    def meant(self, key: str) -> str:
        """What the characters after a backslash mean."""
        if len(key) > 1 and key not in self.texts:  # the number of a character
            return chr(int(key[1:], 16) if key[0] in "xu" else int(key, 8))
        return self.texts.get(key, key)


@dataclass(frozen=True)
class Dialect:
    """How one system reads its grammar files."""

    name: str
    systems: str  # those that read so
    says: str  # what a reader of this dialect should know, after "read as …:"
    tokens: str  # a pattern with a group for each kind of token
    escapes: Escapes
    line_breaks: Literal["layout", "kept", "end"] = "layout"  # inside a production; or they end it
    keeps_blank: bool = True  # whether nothing between two bars is an empty production
    one_line: bool = True  # whether a rule must begin on a line of its own
    one_blank: bool = False  # whether any white space inside a production is one blank
    comments_divide: bool = False  # whether a comment ends the production before it
    nothing: str = ""  # a word that is an empty production
    ranges: bool = False  # whether GE_RANGE is known

    @property
    def notice(self) -> str:
        """What to tell somebody whose grammar was read so."""
        return f"read as {self.systems}: {self.says}"


GRAMARYE = Dialect(
    name="gramarye",
    systems="gramarye",
    says="line breaks inside productions are layout, quotes of both kinds delimit text",
    tokens=_GRAMARYE,
    escapes=Escapes(r"\\([ntr\\\"'|<>#{}])", _CONTROL),
    ranges=True,
)
PONYGE2 = Dialect(
    name="ponyge2",
    systems="PonyGE2",
    says="line breaks inside productions are kept, nothing between two bars is dropped",
    tokens=_PONYGE2,
    escapes=Escapes(r"\\([abfnrtv\\'\"]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[0-3][0-7]{2}|0)", _CONTROL),
    line_breaks="kept",
    keeps_blank=False,
    one_line=False,
    comments_divide=True,
    ranges=True,
)
SGE = Dialect(
    name="sge",
    systems="SGE, DSGE, PGE, PSGE",
    says=r"quotes are text, \le \ge \l \g \eb are <= >= < > |, None is an empty production",
    tokens=_SGE,
    escapes=Escapes(r"\\(le|ge|l|g|eb|n)", _ANGLED),
    nothing="None",
)
GRAPE = Dialect(
    name="grape",
    systems="GRAPE",
    says="quotes, backslashes and # are text, and any white space is one blank",
    tokens=_GRAPE,
    escapes=Escapes(r"(?!)()", {}),
    one_line=False,
    one_blank=True,
)
GEVA = Dialect(
    name="geva",
    systems="GEVA, libGE",
    says="double quotes delimit text, single ones are text, and white space is one blank",
    tokens=_GEVA,
    escapes=Escapes(r"\\([^\r\n])", _CONTROL),
    line_breaks="end",
    one_blank=True,
)
EBNF = Dialect(
    name="ebnf",
    systems="EBNF",
    says="groups, options and repetitions are rules now, and white space is layout",
    tokens="",  # it is read by ebnf.py
    escapes=GRAMARYE.escapes,
)
DIALECTS = {dialect.name: dialect for dialect in (GRAMARYE, PONYGE2, SGE, GRAPE, GEVA, EBNF)}

_DECLARED = re.compile(rf"{DECLARED}([\w-]+)([^\r\n]*)")
_COMMENT_LINE = re.compile(r"^[^\S\r\n]*#.*$", re.MULTILINE)
# Marks that only one system has. A backslash before them makes them text.
MARKS = (
    (r"\eb", re.compile(r"(?<!\\)\\eb"), SGE),
    ("<GECodonValue", re.compile(r"(?<!\\)<GECodonValue"), GEVA),
    ("{:", re.compile(r"(?<!\\)\{:"), PONYGE2),
    ("GE_RANGE:dataset_", re.compile(r"(?:::=|\|)\s*GE_RANGE:\s*dataset_"), PONYGE2),
    ("GE_GENERATE:", re.compile(r"(?:::=|\|)\s*GE_GENERATE:"), PONYGE2),
)
ANGLED = re.compile(r"(?<!\\)\\(?:le|ge)(?![a-z])")
SUFFIXES = {".pybnf": PONYGE2, ".ebnf": EBNF}


def named(name: str) -> Dialect:
    """The dialect of that name, or a SettingsError."""
    if str(name).lower() not in DIALECTS:
        raise SettingsError(_unknown(name))
    return DIALECTS[name.lower()]


def _unknown(name: str) -> str:
    system = str(name).lower()
    same = next((d.name for d in DIALECTS.values() if system in d.systems.lower().split(", ")), system)
    hint = did_you_mean(same, DIALECTS) or f"; choose from {', '.join(DIALECTS)}"
    return f"there is no dialect {name!r}{hint}"


def declares(text: str) -> bool:
    """Whether a comment at the beginning of a text names its dialect."""
    found = _DECLARED.match(text.removeprefix("\ufeff"))
    return found is not None and found[1].lower() in DIALECTS


def recognised(text: str, path: str = "") -> Dialect:
    """The dialect of a text: the one that it declares, that of a mark or of the file's suffix, or else our own."""
    declared = _DECLARED.match(text.removeprefix("\ufeff"))
    suffix = Path(path).suffix.lower()
    if declared and declared[1].lower() in DIALECTS:
        return DIALECTS[declared[1].lower()]
    if declared and not declared[2].strip():  # with more words, it is a sentence
        line = text.count("\n", 0, declared.end()) + 1
        raise GrammarError(f"{path or 'the grammar'}, line {line}: {_unknown(declared[1])}")
    if SUFFIXES.get(suffix) is EBNF:
        return EBNF
    written = _COMMENT_LINE.sub("", text)
    marked = (dialect for _, mark, dialect in MARKS if mark.search(written))
    found = next(marked, SUFFIXES.get(suffix, GRAMARYE))
    return SGE if found is PONYGE2 and ANGLED.search(written) else found  # the SGE family has blocks and .pybnf, too
