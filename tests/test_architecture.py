"""What the package promises as a whole: its layers, its quick start, its public names, its wheel."""

from __future__ import annotations

import ast
import subprocess
import sys
import types
import zipfile
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import gramarye

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "gramarye"

# A module imports only from the lines above its own; rooms on one line don't import each other. Inside a room, imports
# go one way: there are no cycles.
LAYERS = """
    errors direction identity text latex
    files
    settings execution
    grammar
    kernels
    derivations
    populations
    data
    languages
    export
    objectives
    problems
    representations learners selection replacement
    methods
    engine
    store statistics testing
    show
    records
    comparison analysis models
    priors
    terminal
    experiment
    studies
    sklearn
    cli
    __main__
"""
LAYER = {room: number for number, line in enumerate(LAYERS.strip().splitlines()) for room in line.split()}
# Rooms whose files are members of a family: a member imports from its siblings only what all of them share.
FAMILIES = {"representations", "learners", "selection", "replacement", "methods", "objectives", "problems"}
SHARED_IN_FAMILY = {
    *("base", "optional", "by_hand", "rows", "structured", "real_lists", "counts"),
    *("problem", "cache", "vicinity", "worth", "table_evaluator", "text_evaluator", "verdicts"),
}

# Too slow to load for those who ask for help only.
HEAVY = {
    *("numba", "llvmlite", "scipy", "matplotlib", "pandas", "polars", "sklearn", "IPython", "dask", "distributed"),
    "sympy",
}


def modules() -> list[str]:
    """Every module of the package but its root, as `kernels.random`; a folder's `__init__` as `kernels`."""
    paths = (path.relative_to(PACKAGE).with_suffix("") for path in PACKAGE.rglob("*.py"))
    names = (".".join(path.parts).removesuffix(".__init__") for path in paths)
    return sorted(name for name in names if name != "__init__")


def path_of(module: str) -> Path:
    path = PACKAGE.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def imports(source: str, known: set[str]) -> set[str]:
    """The modules of the package that a source imports, wherever the statement stands; "" is the root itself."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: write imports in full"
            module = node.module or ""
            inner = {f"{module}.{alias.name}" for alias in node.names}
            members = {name for name in inner if name.removeprefix("gramarye.") in known}
            found |= members | ({module} if inner - members else set())
    ours = {name for name in found if name.split(".")[0] == "gramarye"}
    return {name.removeprefix("gramarye").removeprefix(".") for name in ours}


def complaint(module: str, imported: str) -> str | None:
    """Why `module` may not import `imported`, or None where it may."""
    if not imported:
        return "imports the whole package"
    folder, other = module.partition(".")[0], imported.partition(".")[0]
    if folder != other:
        return None if LAYER[other] < LAYER[folder] else f"imports {imported}, which is not above it"
    if folder in FAMILIES and "." in module and imported.rpartition(".")[2] not in SHARED_IN_FAMILY:
        return f"imports its sibling {imported}: what both need belongs to base.py"
    return None


def test_every_module_has_a_layer() -> None:
    assert {name.split(".")[0] for name in modules()} <= set(LAYER)


@pytest.mark.parametrize("module", modules())
def test_a_module_imports_only_from_the_layers_above_its_own(module: str) -> None:
    found = imports(path_of(module).read_text(encoding="utf-8"), set(modules()))
    complaints = [problem for imported in sorted(found) if (problem := complaint(module, imported))]
    assert not complaints, f"gramarye.{module} {'; '.join(complaints)}"


@pytest.mark.parametrize(
    ("module", "source", "allowed"),
    [
        ("grammar.bnf", "from gramarye.errors import GrammarError", True),
        ("grammar.bnf", "from gramarye.derivations import Derivation", False),
        ("grammar.bnf", "def f():\n    from gramarye.derivations import Derivation", False),
        ("grammar.bnf", "if TYPE_CHECKING:\n    import gramarye.derivations", False),
        ("grammar.bnf", "import gramarye", False),
        ("grammar.bnf", "from gramarye import errors", True),
        ("grammar.bnf", "from gramarye import cli", False),
        ("store", "import gramarye.statistics", False),
        ("methods.pge", "from gramarye.methods.base import Method", True),
        ("methods.pge", "from gramarye.methods.ge import GE", False),
        ("methods", "from gramarye.methods.ge import GE", True),
        ("kernels.arithmetic", "from gramarye.kernels.vectormath import sine", True),
    ],
)
def test_the_rule_itself(module: str, source: str, allowed: bool) -> None:
    known = {*LAYER, "methods.base", "methods.ge", "kernels.vectormath"}
    complaints = [complaint(module, imported) for imported in imports(source, known)]
    assert complaints, "the import was not seen"
    assert (complaints == [None]) is allowed


def loaded_by(code: str) -> set[str]:
    """The packages that a fresh interpreter has loaded after running the code."""
    report = "import sys\nprint(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return set(run.stderr.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = loaded_by("import gramarye")
    assert "gramarye" in loaded
    assert not loaded & HEAVY


def test_asking_for_help_loads_nothing_heavy() -> None:
    code = """
import sys
from gramarye.cli import main
sys.argv = ["gramarye", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""
    loaded = loaded_by(code)
    assert "typer" in loaded
    assert not loaded & HEAVY


def test_every_public_name_can_be_imported() -> None:
    missing = [name for name in gramarye.__all__ if not hasattr(gramarye, name)]
    assert not missing


def test_every_importable_name_is_listed_as_public() -> None:
    for name in gramarye.__all__:  # lazy names appear once they were asked for
        getattr(gramarye, name)
    found = {
        name
        for name, value in vars(gramarye).items()
        if not name.startswith("_")
        and not isinstance(value, types.ModuleType)
        and name not in ("annotations", "Any", "TYPE_CHECKING")
    }
    assert found <= set(gramarye.__all__)
    assert len(set(gramarye.__all__)) == len(gramarye.__all__)
    assert set(gramarye.__all__) <= set(dir(gramarye))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_is_typed_and_runs_on_any_platform(wheel: zipfile.ZipFile) -> None:
    assert "gramarye/py.typed" in wheel.namelist()
    assert str(wheel.filename).endswith("-py3-none-any.whl")


def test_the_wheel_carries_the_grammars_and_the_data(wheel: zipfile.ZipFile) -> None:
    kept = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert {path.relative_to(PACKAGE.parent).as_posix() for path in kept} <= set(wheel.namelist())
    assert "gramarye/problems/data/boston.csv" in wheel.namelist()


def test_there_are_few_modules_at_the_top() -> None:
    assert len([name for name in modules() if path_of(name).parent == PACKAGE]) <= 8


def test_no_imports_go_in_circles() -> None:
    """Wherever the import stands: at the top, inside a function, or for type checkers only."""
    known = set(modules())
    graph = {name: imports(path_of(name).read_text(encoding="utf-8"), known) & known for name in known}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" → ".join(reversed(error.args[1])), pytrace=False)


def test_reading_results_loads_no_engine() -> None:
    code = "import sys, gramarye.store; print(*sorted(m for m in sys.modules if m.startswith('gramarye.')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "gramarye.store.reading" in loaded
    assert "gramarye.engine" not in loaded
    assert "gramarye.methods" not in loaded


def test_comparing_methods_loads_no_study() -> None:
    code = "import sys, gramarye; gramarye.compare; gramarye.Comparison; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "gramarye.comparison" in loaded
    assert "gramarye.studies" not in loaded
