"""What there is to choose from: methods with their settings, ready-made problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, get_args, get_type_hints

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from gramarye.methods.base import MethodBase
from gramarye.objectives.regression import Regression
from gramarye.report.terminal.parts import heading, listing, measure_name, pairs, rules_table
from gramarye.report.terminal.parts import page as page_of

OPTIONS = ("population", "generations", "elitism", "tournament", "crossover", "mutation")
VALUES_WIDTH = 24  # columns for a setting's values; more values take more lines

# One sentence for each setting, of whatever method.
MEANINGS = {
    "population": "individuals in a generation",
    "generations": "populations that are evaluated, the first one included",
    "elitism": "the best that go on: below 1 a share, from 1 on a count",
    "tournament": "individuals drawn for a tournament",
    "crossover": "rate of children with two parents",
    "mutation": "rate at which each codon is drawn anew",
    "initialisation": "how the first genotypes are made: at random, or from trees",
    "initial_size": "expansions of the largest tree that ptc2 draws",
    "unique": "whether the first programs are different from one another",
    "selected": "share of the population that is learned from",
    "learning_rate": "how far probabilities move towards the frequencies",
    "context": "what a rule's probabilities depend on: the production it stands in (parent), its place there (slot)",
    "backoff": "how many uses the frequencies over all contexts count for in each",
    "sigma": "standard deviation of a mutated codon's step",
    "borders": "what a codon does that steps out of [0, 1]",
    "facilitated": "whether each individual carries its own rates of mutation, which change too",
    "grammar_mutation": "rate at which a production's own probability changes",
    "grammar_sigma": "standard deviation of such a change",
    "codons": "length of a genotype when it is drawn",
    "wraps": "how often a genotype is read again from its beginning",
    "consume_single": "whether a rule with one production reads a codon too",
    "codon_max": "largest codon that is drawn",
    "length": "whether crossover keeps the length of genotypes",
    "cuts": "where crossover may cut: anywhere, or in the codons that were used",
    "learning_factor": "how much is learned from one individual",
    "unexpanded": "what happens to rules that the individual does not use",
    "normalise": "how a sum of 1 is restored: equal shares, or division by the sum",
    "first": "which best teaches first: that of the run, or of the generation",
    "generation_best": "who may be the best of a generation: offspring only, or all",
    "remap_elites": "whether elites are mapped again by the new probabilities",
    "floor": "share of a uniform distribution that is mixed in",
    "initial_depth": "depth limit of the first trees",
    "max_depth": "depth limit of trees later on",
    "depth_rule": "what is chosen where a tree must not grow deeper",
    "recursion": "levels over which recursion is written out",
    "pairs": "length of a genotype, in pairs of integers",
    "insertion": "where the non-terminals of a production wait: in its place, first or last",
    "number_all": "whether genes also name productions that are the only ones of their rule",
    "bits": "length of a genotype, in bits",
    "power_depth": "levels of a tree that are counted for the weight of a non-terminal",
}

_NO_PARENTS = "changes nothing: offspring have no parents"
_NO_TREES = "changes nothing: bits are not made from trees"

# Where a setting means something else to a method.
OWN_MEANINGS = {
    ("sge", "max_depth"): "depth from which on trees end by the depth rule; only that called height keeps it exactly",
    ("sge", "mutation"): "rate at which each codon that was used becomes another",
    ("staticsge", "mutation"): "rate at which a list has one of its used codons changed",
    ("psge", "mutation"): "rate at which each codon that was used takes a random step",
    ("copsge", "mutation"): "rate at which each codon that was used takes a random step",
    ("cfggp", "mutation"): "rate at which an individual has one of its subtrees grown anew",
    ("pige", "mutation"): "rate at which each integer is drawn anew",
    ("whge", "mutation"): "rate at which each bit flips",
    ("whge", "initialisation"): "random only: there is no way back from a tree to bits",
    ("whge", "initial_depth"): _NO_TREES,
    ("whge", "initial_size"): _NO_TREES,
    **{(eda, name): _NO_PARENTS for eda in ("pcfgeda", "pmbge") for name in ("tournament", "crossover", "mutation")},
}


def meaning(method: type[MethodBase], setting: str) -> str:
    """What a setting of a method means, in one sentence."""
    return OWN_MEANINGS.get((method.__name__.lower(), setting)) or MEANINGS.get(setting, "")


def methods_page(methods: Sequence[type[MethodBase]]) -> RenderableType:
    """All methods, each with what it has for itself."""
    common = [field.name for field in fields(MethodBase)]
    parts: list[RenderableType] = []
    for method in methods:
        own = [name for name in method().settings if name not in common]
        about = [("paper", method.paper), ("genotype", method.genotype), ("learns", method.learns)]
        head = Text.assemble((method.__name__.lower(), "bold"), f": {method.title}")
        parts += [head, Padding(pairs([*about, ("settings", ", ".join(own) or "–")]), (0, 0, 1, 4))]
    everywhere = Text.assemble(("all have", "bold"), f" {', '.join(common)}")
    return page_of(*parts, everywhere, Text("gramarye methods NAME tells what each setting means", style="dim"))


def method_page(method: type[MethodBase]) -> RenderableType:
    """One method with its settings."""
    table = listing(["setting", "default", "values", "meaning"])
    for column in table.columns[:2]:
        column.no_wrap = True
    table.columns[2].max_width = VALUES_WIDTH
    for name, default in method().settings.items():
        table.add_row(Text(name, style="bold"), _text(default), _values(method, name), meaning(method, name))
    about = [("paper", method.paper), ("genotype", method.genotype), ("learns", method.learns)]
    head = Text.assemble((method.__name__, "bold"), f": {method.title}")
    return page_of(head, Text(""), pairs(about), heading("Settings"), table, Text(""), pairs(_how(method)))


def _how(method: type[MethodBase]) -> list[tuple[str, str]]:
    """How settings are set: on the command line, and in Python."""
    name, default = list(method().settings.items())[-1]
    options = ", ".join(f"--{option}" for option in OPTIONS)
    return [
        ("options", options),
        ("others", f"--set {name}={_text(default)}"),
        ("in Python", f"gm.{method.__name__}(population=200, {name}={default!r})"),
    ]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _values(method: type[MethodBase], name: str) -> str:
    kind = get_type_hints(method)[name]
    names = {int: "integer", float: "number", bool: "true, false"}
    return ", ".join(get_args(kind)) or names[kind]


def method_facts(method: type[MethodBase]) -> dict[str, Any]:
    """One method, for JSON."""
    return {
        "name": method.__name__.lower(),
        "title": method.title,
        "paper": method.paper,
        "genotype": method.genotype,
        "learns": method.learns,
        "settings": {
            name: {"default": default, "values": _values(method, name), "meaning": meaning(method, name)}
            for name, default in method().settings.items()
        },
    }


def problems_page(problems: Sequence[Regression]) -> RenderableType:
    """All problems in a table."""
    table = listing(["name", "rows", "columns", "error", "description"], right=["rows", "columns"])
    table.columns[0].no_wrap = True
    for problem in problems:
        name = Text(problem.name, style="bold")
        size = [str(problem.table.rows), str(len(problem.table.columns))]
        table.add_row(name, *size, measure_name(problem.error), problem.description)
    return page_of(table, Text(""), Text("gramarye problems NAME shows the grammar of one", style="dim"))


def problem_page(problem: Regression) -> RenderableType:
    """One problem with its grammar."""
    rows: list[tuple[str, RenderableType]] = [
        ("rows", f"{problem.table.rows}, {problem.test_rows or 'none'} of them kept for testing"),
        ("columns", str(len(problem.table.columns))),
        ("error", measure_name(problem.error)),
    ]
    about = Text.assemble((problem.name, "bold"), f": {problem.description}")
    return page_of(about, Text(""), pairs(rows), heading("Grammar"), rules_table(problem.grammar))


def problem_facts(problem: Regression) -> dict[str, Any]:
    """One problem, for JSON."""
    return {
        "name": problem.name,
        "description": problem.description,
        "rows": problem.table.rows,
        "test_rows": problem.test_rows,
        "columns": len(problem.table.columns),
        "error": problem.error,
        "grammar": problem.grammar.text,
    }
