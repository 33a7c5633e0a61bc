"""Experiments written in TOML."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gramarye as gm
from gramarye.errors import SettingsError
from gramarye.experiment import EXAMPLE, read_experiment

METHODS = 'methods = ["pge"]\n'
PROBLEM = '[[problems]]\nproblem = "quartic"\n'
DATA = METHODS + '[[problems]]\ndata = "good.csv"\ngrammar = "good.bnf"\n'
FILES = {
    "good.bnf": "<e> ::= <e> <o> <e> | a | b\n<o> ::= + | *\n",
    "quartic.bnf": "<e> ::= <e> * <e> | x\n",
    "undefined.bnf": "<e> ::= <e> + <vra> | <var>\n<var> ::= x\n",
    "words.bnf": "<e> ::= while | x\n",
    "good.csv": "a,b,y\n1,2,3\n2,3,5\n4,1,4\n7,7,1\n",
    "ragged.csv": "a,b,y\n1,2,3\n2,3\n",
    "words.csv": "a,b,y\n1,2,3\n2,three,5\n",
    "unnamed.csv": "1,2,3\n2,3,5\n4,4,4\n",
    "missing.csv": "a,b,y\n1,nan,3\n2,3,5\n3,3,3\n",
    "same.csv": "a,b,y\n1,2,3\n2,3,3\n",
    "short.csv": "a,b,y\n",
    "scoring.py": "def score(text):\n    return len(text)\n\n\ndef unseen(text):\n    return 1.0\n\n\nnumber = 3\n",
    "failing.py": "1 / 0\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "wide.csv").write_text(FILES["good.csv"], encoding="utf-16")
    return tmp_path


def read(folder: Path, text: str) -> gm.experiment.Experiment:
    path = folder / "experiment.toml"
    path.write_text(text, encoding="utf-8")
    return read_experiment(path)


def test_the_example_describes_what_it_says(tmp_path: Path) -> None:
    experiment = read(tmp_path, EXAMPLE)
    assert experiment.name == "how fast should PGE learn?"
    assert (experiment.runs, experiment.seed, experiment.paper) == (30, 1, False)
    settings: dict[str, Any] = {"population": 200, "generations": 25}
    assert experiment.methods == {
        "PGE learning_factor=0.01": gm.PGE(**settings, learning_factor=0.01),
        "PGE learning_factor=0.05": gm.PGE(**settings, learning_factor=0.05),
        "plain GE": gm.GE(**settings),
    }
    assert list(experiment.problems) == ["quartic", "pagie"]


@pytest.mark.usefixtures("own_modules")
def test_the_example_with_its_comments_taken_away_is_an_experiment_too(folder: Path) -> None:
    (folder / "houses.csv").write_text("a,price,b\n" + "1,2,3\n4,5,7\n" * 40, encoding="utf-8")
    (folder / "houses.bnf").write_text(FILES["good.bnf"], encoding="utf-8")
    (folder / "my.bnf").write_text("<e> ::= <e> + <e> | x | y\n", encoding="utf-8")
    (folder / "mymodule.py").write_text("def fitness(text):\n    return 1.0\n\n\ntest = fitness\n", encoding="utf-8")
    keys = "seed|evaluations|data|target|grammar|error|test_rows|fitness|test_fitness|maximise|timeout|memory"
    experiment = read(folder, re.sub(rf"^# (?=\[\[|(?:{keys}) )", "", EXAMPLE, flags=re.MULTILINE))
    assert [method.generations for method in experiment.methods.values()] == [250, 250, 277]
    assert experiment.problems["pagie"].grammar.text == "<e> ::= <e> + <e> | x | y\n"
    houses = experiment.problems["houses"]
    assert {"error": "rrse", "rows": 80, "test_rows": 50}.items() <= houses.summary.items()
    assert houses.description == "houses.csv"
    assert experiment.problems["fitness"].direction == "maximise"


def test_little_is_enough(tmp_path: Path) -> None:
    experiment = read(tmp_path, 'methods = ["pge", "GE"]\nproblems = ["quartic"]\n')
    assert (experiment.name, experiment.runs, experiment.seed) == ("experiment", 30, 1)
    assert experiment.methods == {"PGE": gm.PGE(), "GE": gm.GE()}


def test_own_settings_win_over_those_for_all_which_reach_who_has_them(tmp_path: Path) -> None:
    tables = (
        '[settings]\npopulation = 50\nlearning_factor = 0.5\n[[methods]]\nmethod = "ge"\n[[methods]]\nmethod = "pge"\n'
    )
    experiment = read(tmp_path, f"{tables}population = 60\n{PROBLEM}")
    assert experiment.methods == {"GE": gm.GE(population=50), "PGE": gm.PGE(population=60, learning_factor=0.5)}


def test_lists_make_a_grid_of_methods(tmp_path: Path) -> None:
    tables = '[settings]\npopulation = [10, 20]\n[[methods]]\nmethod = "ge"\nlabel = "mine"\nwraps = [0, 1]\n'
    experiment = read(tmp_path, tables + PROBLEM)
    assert list(experiment.methods) == [
        f"mine population={population} wraps={wraps}" for population in (10, 20) for wraps in (0, 1)
    ]


def test_other_files_are_looked_for_beside_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "inner").mkdir()
    (folder / "inner" / "experiment.toml").write_text(
        METHODS + f'[[problems]]\ndata = "../good.csv"\ngrammar = "{folder / "good.bnf"}"\n'
        'target = "a"\nerror = "mae"\ntest_rows = 1\nfirst_index = 1\nname = "nice"\n',
        encoding="utf-8",
    )
    (folder / "good.bnf").write_text("<e> ::= b | y\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    (problem,) = read_experiment("inner/experiment.toml").problems.values()
    assert {"error": "mae", "rows": 4, "test_rows": 1}.items() <= problem.summary.items()
    assert problem.name == "nice"


def test_a_column_of_the_file_may_hold_weights(folder: Path) -> None:
    (folder / "good.bnf").write_text("<e> ::= b\n", encoding="utf-8")
    text = METHODS + '[[problems]]\ndata = "good.csv"\ngrammar = "good.bnf"\nsample_weight = "a"\n'
    (problem,) = read(folder, text).problems.values()
    assert problem.dataset is not None
    assert problem.dataset.names == ("b",)
    assert len(problem.dataset.weights) == 4


FITNESS = METHODS + '[[problems]]\nfitness = "scoring:score"\ngrammar = "quartic.bnf"\n'


@pytest.fixture
def own_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test imports is forgotten."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in ("scoring", "failing", "mymodule"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("own_modules")
def test_a_fitness_function_is_looked_for_beside_it_and_has_the_options_of_an_objective(folder: Path) -> None:
    options = 'timeout = 0.5\nmemory = "64MB"\nmaximise = true\nnoisy = true\non_error = "raise"\n'
    (problem,) = read(folder, FITNESS + options + 'test_fitness = "scoring:unseen"\n').problems.values()
    assert isinstance(problem, gm.Objective)
    assert problem.name == "score"
    assert problem.grammar.nonterminals == ("<e>",)
    assert [function("x * x") for function in problem.functions] == [5, 1.0]
    assert (problem.limits.seconds, problem.limits.memory) == (0.5, 64_000_000)
    assert (problem.direction, problem.noisy, problem.on_error) == ("maximise", True, "raise")
    (named,) = read(folder, FITNESS + 'name = "short"\nbatch = true\n').problems.values()
    assert isinstance(named, gm.Objective)
    assert (named.name, named.batch) == ("short", True)


def test_a_ready_made_objective_may_have_limits(folder: Path) -> None:
    text = METHODS + '[[problems]]\nproblem = "fizz-buzz"\ntimeout = 2\nmemory = "1GB"\n'
    (problem,) = read(folder, text).problems.values()
    assert isinstance(problem, gm.Objective)
    assert (problem.limits.seconds, problem.limits.memory) == (2.0, 10**9)


def test_a_problem_may_have_another_grammar_and_name(folder: Path) -> None:
    other = '[[problems]]\nproblem = "quartic"\ngrammar = "quartic.bnf"\nname = "only powers"\n'
    experiment = read(folder, METHODS + PROBLEM + other)
    assert list(experiment.problems) == ["quartic", "only powers"]
    assert experiment.problems["only powers"].grammar.text == FILES["quartic.bnf"]


def test_a_mark_before_utf_8_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "experiment.toml"
    path.write_text(METHODS + PROBLEM, encoding="utf-8-sig")
    assert list(read_experiment(path).methods) == ["PGE"]


def table(*lines: str) -> str:
    return PROBLEM + "".join('[[methods]]\nmethod = "pge"\n' + line + "\n" for line in lines)


AT_THE_TOP = [
    ("runs = \n", "not a valid TOML file: Invalid value (at line 1, column 8)"),
    ("a = " + "[" * 5000, "not a valid TOML file"),
    ("run = 3\n" + METHODS + PROBLEM, "an experiment has no 'run'; did you mean runs?"),
    ("zzz = 3\n" + METHODS + PROBLEM, "an experiment has no 'zzz'; there are name, runs, seed, eval"),
    *((f"runs = {value}\n{METHODS}{PROBLEM}", "runs is ") for value in ('"x"', "0", "true", "1.5", "[1]", "{}")),
    *((f"seed = {value}\n{METHODS}{PROBLEM}", "seed is ") for value in ('"x"', "-1", "true", "1.5", str(2**63))),
    *((f"evaluations = {v}\n{METHODS}{PROBLEM}", "evaluations is ") for v in ('"x"', "999", "true", "1e6", "[1]")),
    *((f"name = {value}\n{METHODS}{PROBLEM}", f"name is {value}: it must be a text") for value in ("5", "[]", "''")),
    ("settings = 3\n" + METHODS + PROBLEM, "settings is 3: write a table, [settings]"),
    (
        METHODS + PROBLEM + "[settings]\npopulatoin = 3\n",
        "these methods have no setting 'populatoin'; did you mean 'population'?",
    ),
    (
        'methods = ["ge"]\n' + PROBLEM + "[settings]\nfloor = 0.1\n",
        "these methods have no setting 'floor'; the settings are popul",
    ),
]
IN_METHODS = [
    (PROBLEM, 'methods is missing: write [[methods]] and method = "…" below it, or methods = '),
    ('methods = "pge"\n' + PROBLEM, "methods is 'pge': write"),
    ("methods = [1]\n" + PROBLEM, "methods is [1]: write"),
    ("methods = []\n" + PROBLEM, "methods is []: write"),
    (PROBLEM + '[methods]\nmethod = "pge"\n', "methods is {'method': 'pge'}: write"),
    ('methods = ["pge", "gee"]\n' + PROBLEM, "[[methods]] 2: no method is called 'gee'; did you mean ge?"),
    (PROBLEM + "[[methods]]\nmethod = 5\n", '[[methods]] 1: method is 5: write method = "pge"'),
    (PROBLEM + "[[methods]]\npopulation = 5\n", '[[methods]] 1: method is missing: write method = "pge"'),
    (PROBLEM + '[[methods]]\nmetod = "pge"\n', "1: method is called 'metod': write method = \"pge\""),
    (table("populatoin = 3"), "[[methods]] 1: PGE has no setting 'populatoin'; did you mean 'population'?"),
    (table('lable = "x"'), "PGE has no setting 'lable'; did you mean 'label'?"),
    (table("codon_max = 3\n"), "PGE has no setting 'codon_max'"),
    *((table(f"label = {value}"), "[[methods]] 1: label is ") for value in ("5", '["a", "b"]', '" "', "true")),
    (table('label = "a"', 'label = "a"'), "two methods are called 'a'; give one of them another label = "),
    (table("", 'label = "PGE"'), "two methods are called 'PGE'; give one"),
    ('methods = ["pge", "pge"]\n' + PROBLEM, "two methods are the same, 'PGE("),
    (table("mutation = [0.1, 0.1]"), "two methods are the same, 'PGE("),
    (table("population = []"), "[[methods]] 1: population is an empty list: give a value at least"),
    (table("population = [[1, 2]]"), "population is [1, 2]: it must be an integer"),
    (table("", 'population = "x"'), "[[methods]] 2: population is 'x': it must be an integer ≥ 1"),
    (table("population = {a = 1}"), "population is {'a': 1}"),
    (table("population = 2020-01-01"), "population is datetime.date"),
    (table("mutation = nan"), "mutation is nan: it must be a number in [0, 1]"),
    (table("unexpanded = {}"), "unexpanded is {}: it must be one of 'keep', 'decay'"),
    (table("population = 1\nelitism = 1"), "elitism is 1: 1 elite would leave no room"),
]
IN_PROBLEMS = [
    (METHODS, 'problems is missing: write [[problems]] and problem = "…" below it'),
    (METHODS + 'problems = "quartic"\n', "problems is 'quartic': write"),
    (
        METHODS + 'problems = ["quartik"]\n',
        "[[problems]] 1: no problem is called 'quartik'; did you mean quartic?",
    ),
    (
        METHODS + 'problems = ["quartic", "quartic"]\n',
        "two problems are called 'quartic'; give one of them another name",
    ),
    (METHODS + "[[problems]]\nproblem = 5\n", 'problem is 5: write problem = "pagie"'),
    (METHODS + '[[problems]]\nproblm = "quartic"\n', "a problem has no 'problm'; did you mean problem?"),
    (METHODS + '[[problems]]\nname = "x"\n', 'problem is missing: write problem = "pagie"'),
    (METHODS + PROBLEM + 'gramar = "x"\n', "a problem has no 'gramar'; did you mean grammar?"),
    (
        f'[[methods]]\nmethod = "pge"\ntournament = {list(range(1, 1001))}\nwraps = {list(range(1000))}\n' + PROBLEM,
        "[[methods]] 1: there are 1,000,000 methods to compare, at most 1,000 can be; choose fewer",
    ),
    (METHODS + PROBLEM + "grammar = 5\n", 'grammar is 5: write grammar = "my.bnf"'),
    (METHODS + PROBLEM + "name = 5\n", "name is 5: it must be a text"),
    (METHODS + PROBLEM + 'grammar = "none.bnf"\n', "none.bnf: there is no such file"),
    (METHODS + PROBLEM + 'grammar = "."\n', "is a folder; give the path of a grammar file"),
    (METHODS + PROBLEM + 'grammar = "undefined.bnf"\n', "undefined.bnf, line 1, column 15: no rule defines <vra>"),
    (METHODS + PROBLEM + 'grammar = "words.bnf"\n', "words.bnf, line 1: 'while' is neither a column"),
]
WITH_FITNESS = [
    (METHODS + '[[problems]]\nfitness = "scoring:score"\n', 'needs the grammar of the programs: grammar = "my.bnf"'),
    (FITNESS.replace("scoring:score", "scoring"), "fitness is 'scoring': write MODULE:FUNCTION"),
    (FITNESS.replace("scoring:score", "scoring:scor"), "fitness: scoring has no 'scor'; did you mean score?"),
    (FITNESS.replace("scoring:score", "scoring:number"), "fitness: scoring:number is 3, which is not a function"),
    (FITNESS.replace("scoring:score", "none:f"), "fitness: there is no module 'none', neither in "),
    (FITNESS.replace("scoring:score", "failing:f"), "failing.py, line 1: ZeroDivisionError: division by zero"),
    (FITNESS.replace('"scoring:score"', "5"), 'fitness is 5: write fitness = "mymodule:fitness"'),
    (FITNESS + 'test_fitness = "scoring:f"\n', "test_fitness: scoring has no 'f'"),
    (FITNESS + 'error = "mae"\n', "a problem with a fitness function has no 'error'; did you mean on_error?"),
    (FITNESS + 'problem = "quartic"\n', "a problem with a fitness function has no 'problem'"),
    (FITNESS + "timeout = 0\n", "timeout is 0: it must be a number of seconds > 0"),
    (FITNESS + 'timeout = "1"\n', "timeout is '1': it must be a number of seconds > 0"),
    (FITNESS + 'memory = "lots"\n', "memory is 'lots': it must be a size of at least 1MB, such as '512MB'"),
    (FITNESS + "maximise = 1\n", "maximise is 1: it must be True or False"),
    (FITNESS + 'on_error = "x"\n', "on_error is 'x': it must be 'worst' or 'raise'"),
    (FITNESS + "batch = true\ntimeout = 1\n", "a batch function runs in this process, without limits"),
    (METHODS + PROBLEM + "timeout = 1\n", "the problem 'quartic' has no option 'timeout'"),
    (DATA + "timeout = 1\n", "a problem with data has no 'timeout'"),
]
WITH_DATA = [
    (METHODS + '[[problems]]\ndata = "good.csv"\n', 'needs a grammar that knows its columns: grammar = "my.bnf"'),
    (DATA.replace('"good.csv"', "5"), 'data is 5: write data = "my.csv"'),
    (DATA + "targt = 3\n", "a problem with data has no 'targt'; did you mean target?"),
    (DATA + 'problem = "quartic"\n', "a problem with data has no 'problem'; there are data"),
    (DATA + "target = 3\n", "target is 3: it must be a text"),
    (DATA + 'target = "yy"\n', "good.csv: no column is called 'yy'; did you mean y?"),
    (DATA + "name = 5\n", "name is 5: it must be a text"),
    (DATA + 'error = "rsme"\n', "error is 'rsme': it must be one of 'rrse', 'rmse'"),
    (DATA + "error = []\n", "error is []: it must be a text"),
    *((DATA + f"test_rows = {value}\n", "test_rows is ") for value in ('"x"', "true", "1.5", "100", "-1")),
    *((DATA + f"first_index = {value}\n", "first_index is ") for value in ('"x"', "true", "0.5")),
    (DATA.replace("good.csv", "none.csv"), "none.csv: can't be read (No such file"),
    (DATA.replace("good.csv", "."), "can't be read (Is a directory)"),
    (DATA.replace("good.csv", "ragged.csv"), "ragged.csv, line 3: 2 values, but 3 columns"),
    (DATA.replace("good.csv", "words.csv"), "words.csv, line 3, column b: 'three' is not a number"),
    (DATA.replace("good.csv", "wide.csv"), "wide.csv: byte 0 is not valid UTF-8"),
    (
        DATA.replace("good.csv", "unnamed.csv"),
        "unnamed.csv, line 1: these are numbers; the first line must name the columns",
    ),
    (DATA.replace("good.csv", "missing.csv"), "column b: the value is nan"),
    (DATA.replace("good.csv", "same.csv"), "y is the same in every row"),
    (DATA.replace("good.csv", "short.csv"), "short.csv: it needs a header line and at least one row of data"),
]


@pytest.mark.parametrize(("text", "message"), AT_THE_TOP + IN_METHODS + IN_PROBLEMS + WITH_FITNESS + WITH_DATA)
@pytest.mark.usefixtures("own_modules")
def test_a_mistake_is_told_with_the_file_and_the_place_in_it(folder: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read(folder, text)
    assert str(caught.value).startswith(f"{folder / 'experiment.toml'}: ")
    assert message in str(caught.value)


def test_a_file_is_named_even_if_its_folder_is_called_as_a_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    Path("runs/a.toml").write_text("runs = 0\n" + METHODS + PROBLEM, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"^runs/a\.toml: runs is 0"):
        read_experiment("runs/a.toml")


def test_a_file_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml: can't be read \(No such file or directory\)"):
        read_experiment(tmp_path / "none.toml")
    with pytest.raises(SettingsError, match=r"can't be read \(Is a directory\)"):
        read_experiment(tmp_path)
    (tmp_path / "wide.toml").write_text(METHODS + PROBLEM, encoding="utf-16")
    with pytest.raises(SettingsError, match=r"wide\.toml: not a valid TOML file: 'utf-8' codec can't decode byte 0xff"):
        read_experiment(tmp_path / "wide.toml")


def test_limits_are_settings_and_none_lifts_one(folder: Path) -> None:
    text = """
        [settings]
        max_evaluations = [500, "none"]
        [[methods]]
        method = "tunedtrees"
        target = "none"
        max_time = 2.5
        [[problems]]
        problem = "quartic"
        clip = true
    """
    experiment = read(folder, text)
    assert [method.max_evaluations for method in experiment.methods.values()] == [500, None]
    assert {(method.target, method.max_time) for method in experiment.methods.values()} == {(None, 2.5)}
    assert list(experiment.methods) == ["TunedTrees max_evaluations=500", "TunedTrees max_evaluations=None"]
    problem = experiment.problems["quartic"]
    assert problem.summary["clip"] is True


def test_a_limit_of_time_alone_lifts_the_defaults_of_tuned_trees(folder: Path) -> None:
    text = '[[methods]]\nmethod = "tunedtrees"\nmax_time = 60\n[[problems]]\nproblem = "quartic"'
    experiment = read(folder, text)
    assert list(experiment.methods.values()) == [gm.TunedTrees(max_time=60)]
    assert experiment.cells()[0].limits == {
        "generations": 2**31 - 1, "max_evaluations": None, "max_time": 60, "target": None
    }  # fmt: skip


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ('population = "none"', "population is 'none': it must be an integer"),
        ('max_time = "soon"', "max_time is 'soon': it must be a number ≥ 0 or None"),
        ("max_evaluations = 0", "max_evaluations is 0: it must be an integer ≥ 1 or None"),
    ],
)
def test_a_limit_that_is_none_is_told(folder: Path, setting: str, message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        read(folder, f'[[methods]]\nmethod = "ge"\n{setting}\n{PROBLEM}')
