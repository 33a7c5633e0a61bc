"""docs/paper.md names files, functions and tests that exist, and has the paper's numbers and those of our runs."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

import pytest

import gramarye as gm
from gramarye.studies.pge2021.paper import CLAIMS, FITNESS, PARAMETERS, POST_HOC, PROBABILITIES

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
MAKER = runpy.run_path(str(ROOT / "tests" / "pages" / "make_paper.py"))
NAMED = re.compile(r"\b(?:src|tests)/[\w/.]+(?:::\w+)*")


def defined(tree: ast.AST, name: str) -> ast.AST | None:
    """What a module or a class calls by this name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return node
    return None


def complaint(named: str) -> str | None:
    """Why `path::Class::name` is not in the checkout, or None where it is."""
    path, *names = named.split("::")
    file = ROOT / path.rstrip(".")
    if not file.exists():
        return f"there is no {path}"
    tree: ast.AST | None = ast.parse(file.read_text(encoding="utf-8")) if names else None
    for name in names:
        tree = defined(tree, name) if tree is not None else None
    return f"{path} has no {'::'.join(names)}" if names and tree is None else None


def rows(heading: str) -> list[list[str]]:
    """The rows of the table below a heading, without its head."""
    section = PAGE.partition(f"\n{heading}")[2].partition("\n#")[0]
    table = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip().replace("**", "") for cell in row] for row in table[2:]]


@pytest.mark.parametrize("named", sorted(set(NAMED.findall(PAGE))))
def test_every_file_function_and_test_that_the_page_names_exists(named: str) -> None:
    assert complaint(named) is None


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("src/gramarye/nothing.py", "there is no src/gramarye/nothing.py"),
        ("src/gramarye/engine/loop.py::walk", "src/gramarye/engine/loop.py has no walk"),
        ("tests/test_paper_page.py::complaint::inner", "tests/test_paper_page.py has no complaint::inner"),
        ("tests/test_paper_page.py::Nobody::test_it", "tests/test_paper_page.py has no Nobody::test_it"),
    ],
)
def test_a_name_that_does_not_exist_is_noticed(named: str, told: str) -> None:
    assert complaint(named) == told


def test_its_means_are_the_paper_s() -> None:
    printed = {(data, method): paper for data, method, _, _, paper, *_ in rows("### Table 2")}
    assert printed == {
        (outcome.name, method): f"{fitness.mean:.2f} ± {fitness.deviation:.2f}"
        for (outcome, method), fitness in FITNESS.items()
    }


def test_its_p_values_are_the_paper_s() -> None:
    printed = {(row[0], row[1]): (row[4], row[6]) for row in rows("### Table 3")}
    assert printed == {
        (outcome.name, " – ".join(pair)): (test.p or "–", f"{test.better} better" if test.better else "none")
        for (outcome, pair), test in POST_HOC.items()
    }


def test_its_probabilities_are_the_paper_s() -> None:
    (names, _, _, paper) = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.partition("### Table 4")[2].partition("\n<!-- end")[0].strip().splitlines()[-4:]
    )
    assert dict(zip(names[1:], map(float, paper[1:]), strict=True)) == PROBABILITIES


def test_it_goes_through_all_claims_and_parameters() -> None:
    assert len(rows("### Claims of the text")) == len(CLAIMS)
    settings = [row[2] for row in rows("## Problems and parameters")]
    assert {p.setting for p in PARAMETERS} <= {re.split(r"[`=]", setting)[1] for setting in settings if "`" in setting}


def test_it_goes_through_every_line_of_both_algorithms() -> None:
    for heading, last in (("## Algorithm 1", 20), ("## Algorithm 2", 16)):
        ranges = [[int(number) for number in row[0].split("–")] for row in rows(heading)]
        assert [line for first, *end in ranges for line in range(first, (end or [first])[0] + 1)] == [
            *range(1, last + 1)
        ]


@pytest.mark.parametrize("page", MAKER["PAGES"])
def test_our_numbers_are_those_of_the_runs_that_were_kept(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert MAKER["page"](page) == text, "write it again: python tests/pages/make_paper.py"


def test_there_are_a_thousand_runs_of_each_method_on_each_problem() -> None:
    kept = [(row["problem"], row["method"], int(row["seed"])) for row in MAKER["kept"]("paper")]
    cells = [(problem, method) for method in ("PGE", "GE", "SGE") for problem in ("pagie", "boston")]
    assert sorted(kept) == sorted((*cell, seed) for cell in cells for seed in range(1, 1001))


@pytest.mark.compiled
@pytest.mark.parametrize("seed", [1, 617])
@pytest.mark.parametrize(("problem", "method"), [("pagie", "PGE"), ("boston", "GE")])
def test_these_runs_still_end_as_they_did(problem: str, method: str, seed: int) -> None:
    (row,) = (
        row
        for row in MAKER["kept"]("paper")
        if (row["problem"], row["method"], row["seed"]) == (problem, method, str(seed))
    )
    run = gm.evolve(gm.problems.load(problem), gm.methods.find(method.lower())(), seed=seed)
    assert run.best.fitness == float(row["fitness"])
    assert row["test"] == "" or run.best.test_fitness == float(row["test"])
