from __future__ import annotations

import errno
import inspect
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gramarye
from gramarye import kernels
from gramarye.kernels import compiler, flat
from gramarye.languages.arithmetic import kernels as arithmetic
from gramarye.languages.arithmetic.kernels import codes
from tests import twins

PACKAGE = Path(gramarye.__file__).parent

GENOTYPES = """
import numpy as np
from gramarye.kernels.flat import draw_codons
codons = np.empty((1, 3))
draw_codons(codons, 3, None, np.uint64(1), 0)
print(codons.tolist())
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package whose sources may be edited."""
    return Path(shutil.copytree(PACKAGE, tmp_path / "src" / "gramarye", ignore=shutil.ignore_patterns("__pycache__")))


def python(code: str, package: Path, cache: Path, **settings: str) -> str:
    """What a fresh interpreter prints."""
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    own = {"PYTHONPATH": str(package.parent), "GRAMARYE_CACHE": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=kept | own | settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def folders(cache: Path) -> list[Path]:
    return sorted((cache / "gramarye" / "kernels").iterdir())


def written(cache: Path) -> dict[Path, int]:
    """When each file of machine code was written."""
    return {path: path.stat().st_mtime_ns for path in cache.rglob("*.kernel")}


@pytest.mark.slow
@pytest.mark.compiled
def test_an_edited_helper_is_compiled_again_although_its_callers_did_not_change(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    before = python(GENOTYPES, package, cache)
    first = written(cache)
    assert first
    assert python(GENOTYPES, package, cache) == before
    assert written(cache) == first  # nothing was compiled again
    edit(package / "kernels" / "random.py", ">> _S11) * _TO_UNIT", ">> _S11) * _TO_UNIT / 2")
    after = python(GENOTYPES, package, cache)
    assert json.loads(after) == (np.array(json.loads(before)) / 2).tolist()
    assert len(folders(cache)) == 2


@pytest.mark.slow
@pytest.mark.compiled
def test_an_edited_kernel_leaves_the_machine_code_of_others_alone(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    before = python(GENOTYPES, package, cache)
    first = written(cache)
    for unrelated in ("kernels/bits.py", "kernels/trees.py", "languages/arithmetic/kernels/machine.py", "settings.py"):
        (package / unrelated).write_text((package / unrelated).read_text(encoding="utf-8") + "\nEDITED = True\n")
    assert python(GENOTYPES, package, cache) == before
    assert written(cache) == first


@pytest.mark.slow
@pytest.mark.compiled
def test_only_what_python_calls_has_machine_code_on_disk(package: Path, tmp_path: Path) -> None:
    python(GENOTYPES, package, tmp_path)
    assert {path.name.partition("-")[0] for path in written(tmp_path)} == {"draw_codons"}


@pytest.mark.slow
@pytest.mark.compiled
def test_an_edited_kernel_of_a_language_is_compiled_again(package: Path, tmp_path: Path) -> None:
    code = """
import numpy as np
from gramarye.languages.arithmetic.kernels import machine
print(machine.sizes(np.array([64, 16, 64, 1], np.int32), np.array([0, 4])).tolist())
"""
    assert python(code, package, tmp_path / "cache") == "[4]\n"
    edit(
        package / "languages" / "arithmetic" / "kernels" / "machine.py", "        nodes += 1\n", "        nodes += 2\n"
    )
    assert python(code, package, tmp_path / "cache") == "[8]\n"
    assert len(folders(tmp_path / "cache")) == 2


@pytest.mark.slow
@pytest.mark.compiled
def test_a_changed_layout_of_grammars_is_compiled_again(package: Path, tmp_path: Path) -> None:
    code = """
import numpy as np
from gramarye.grammar import Grammar
from gramarye.kernels.lists import permitted
out = np.zeros(3, np.int32)
arrays = Grammar.from_text("<a> ::= <a><a> | x | <a>").arrays
print(permitted(arrays, 0, 5, 1, 2, out), out.tolist())
"""
    before = python(code, package, tmp_path / "cache")
    first, second = (
        "    rule_start: Ints  # ",
        "    left: Ints  # ",
    )  # of one type: Numba takes both layouts for the same
    edit(package / "grammar" / "arrays.py", first, "    swapped")
    edit(package / "grammar" / "arrays.py", second, first)
    edit(package / "grammar" / "arrays.py", "    swapped", second)
    assert python(code, package, tmp_path / "cache") == before == "1 [1, 0, 0]\n"


@pytest.mark.slow
@pytest.mark.compiled
def test_without_a_place_for_machine_code_kernels_are_compiled_all_the_same(package: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.touch()
    code = f"""
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
{textwrap.indent(GENOTYPES, "    ")}
    from gramarye.kernels.random import stream
    stream(np.uint64(1), 0, 1, 2)
print([str(warning.message) for warning in caught])
"""
    genotypes, told = python(code, package, nowhere).splitlines()
    assert json.loads(genotypes) == twins.random_reals(1, 3, 1)
    assert told.count("machine code can't be kept in") == 1
    assert "Not a directory" in told
    assert "GRAMARYE_CACHE" in told


def fingerprint() -> list[Any]:
    """Short runs of the three methods, to the last bit."""
    import gramarye as gm

    found: list[Any] = []
    for method in (gm.GE, gm.PGE, gm.SGE):
        run = gm.evolve(gm.problems.load("pagie"), method(population=20, generations=4), seed=5)
        history = {name: [value.hex() for value in column.tolist()] for name, column in run.history.items()}
        learned = [value.hex() for value in run.probabilities.ravel().tolist()]
        found.append([history, learned, run.best.phenotype, run.best.fitness.hex(), repr(run.best.genotype)])
    return found


PRINT = "from typing import Any\n" + inspect.getsource(fingerprint) + "\nimport json\nprint(json.dumps(fingerprint()))"


@pytest.mark.slow
@pytest.mark.compiled
def test_compiled_and_plain_runs_are_the_same_to_the_last_bit(tmp_path: Path) -> None:
    plain = json.loads(python(PRINT, PACKAGE, tmp_path, NUMBA_DISABLE_JIT="1"))
    assert plain == fingerprint()
    assert not any(tmp_path.rglob("*.kernel"))


@pytest.mark.slow
def test_without_numba_kernels_run_as_plain_python_with_one_warning_and_the_same_results(tmp_path: Path) -> None:
    code = """
import sys, warnings
sys.modules["numba"] = None
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from gramarye import kernels
    kernels.lists, kernels.tournaments, kernels.interning
print([str(warning.message) for warning in caught], kernels.compiler.COMPILED)
"""
    said, genotypes = python(code + GENOTYPES, PACKAGE, tmp_path).splitlines()
    assert said.startswith("['Numba is missing")
    assert said.count("Numba") == 1
    assert said.endswith("] False")
    assert json.loads(genotypes) == twins.random_reals(1, 3, 1)


def test_a_missing_numba_is_told_once_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.warns(UserWarning, match="Numba is missing"):
        assert not compiler._has_numba()


@pytest.mark.compiled
@pytest.mark.parametrize(("setting", "off"), [("", False), ("0", False), ("1", True)])
def test_compilation_is_switched_off_by_the_setting_that_numba_knows(
    setting: str, off: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", setting)
    assert compiler._has_numba() is not off


# Where machine code is kept


@pytest.mark.compiled
@pytest.mark.parametrize(("number", "words"), [(errno.ENOSPC, "No space left"), (errno.EACCES, "Permission denied")])
def test_a_full_or_read_only_disk_costs_one_warning(
    number: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gramarye.kernels import code_cache

    def full(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setenv("GRAMARYE_CACHE", str(tmp_path))
    monkeypatch.setattr(code_cache, "_write", full)
    code_cache._tell.cache_clear()
    compiled = compiler.kernel(ratio)
    with pytest.warns(UserWarning, match=rf"can't be kept in .* \({words}"):
        assert compiled(1.0, 0.0) == np.inf
    assert compiled(np.float32(1.0), 0.0) == np.inf  # type: ignore[arg-type]  # told once


@pytest.mark.compiled
@pytest.mark.parametrize("damage", [b"", b"not machine code"])
def test_machine_code_that_can_not_be_read_is_compiled_again(
    damage: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAMARYE_CACHE", str(tmp_path))
    assert compiler.kernel(ratio)(1.0, 0.0) == np.inf
    (file,) = written(tmp_path)
    file.write_bytes(damage)
    assert compiler.kernel(ratio)(1.0, 0.0) == np.inf
    assert file.read_bytes() != damage


@pytest.mark.compiled
def test_a_version_of_numba_without_what_is_replaced_compiles_in_its_own_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gramarye.kernels import linking

    monkeypatch.setenv("GRAMARYE_CACHE", str(tmp_path))
    assert linking.can_link()
    monkeypatch.setattr(linking, "_replaced", lambda target: [(target, "no_such_method", None)])
    assert not linking.can_link()
    assert compiler.kernel(ratio)(1.0, 0.0) == np.inf
    assert not written(tmp_path)


@pytest.mark.compiled
def test_the_folder_is_named_after_a_module_and_the_sources_that_it_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gramarye.kernels import code_cache

    monkeypatch.setenv("GRAMARYE_CACHE", str(tmp_path))
    folder = code_cache.cache_folder(flat.__name__)
    assert folder == tmp_path / "gramarye" / "kernels" / f"flat-{code_cache.source_hash(flat.__name__)}"
    used = {path.relative_to(PACKAGE).as_posix() for path in code_cache._sources(flat.__name__)}
    assert used >= {
        *("kernels/flat.py", "kernels/random.py", "kernels/codes.py", "kernels/compiler.py"),
        "grammar/arrays.py",
    }
    assert not used & {"kernels/lists.py", "grammar/bnf.py", "settings.py"}


@pytest.mark.compiled
def test_imports_are_found_however_they_are_written() -> None:
    from gramarye.kernels import code_cache

    text = """
import a.b, c as d  # e
from f.g import h as i, j  # k
from l import (
    m,  # n
    o as p,
)
if True:
    from . import q
    from ..r import s
"""
    assert {*code_cache._names(text, "z.y")} == {
        *("a.b", "c", "f.g", "f.g.h", "f.g.j", "l", "l.m", "l.o", "z.y", "z.y.q", "z.r", "z.r.s")
    }


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "~/.cache"),
        ("linux", {"XDG_CACHE_HOME": "/elsewhere"}, "/elsewhere"),
        ("darwin", {}, "~/Library/Caches"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local"),
        ("win32", {}, "~"),
        ("linux", {"GRAMARYE_CACHE": "/mine", "XDG_CACHE_HOME": "/elsewhere"}, "/mine"),
    ],
)
def test_each_platform_has_its_own_place(
    platform: str, environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gramarye.kernels import code_cache

    for name in ("GRAMARYE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert code_cache.cache_root() == Path(expected).expanduser()


# The decorator


def ratio(a: float, b: float) -> float:
    """One number by another."""
    return a / b


def test_a_plain_kernel_divides_by_zero_without_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "COMPILED", False)
    plain = compiler.kernel(ratio)
    assert plain(np.float64(1), np.float64(0)) == np.inf
    assert (plain.__name__, plain.__doc__) == (ratio.__name__, ratio.__doc__)


@pytest.mark.compiled
def test_a_kernel_is_compiled_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAMARYE_CACHE", str(tmp_path))
    assert compiler.kernel(ratio)(1.0, 0.0) == np.inf
    kept = written(tmp_path)
    assert len(kept) == 1
    assert compiler.kernel(ratio)(1.0, b=np.float64(0.0)) == np.inf
    assert written(tmp_path) == kept


@pytest.mark.compiled
def test_a_kernel_may_be_called_by_python_by_kernels_and_by_functions_that_users_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numba

    monkeypatch.setenv("GRAMARYE_CACHE", str(tmp_path))

    @compiler.kernel
    def filled(n: int, value: int) -> np.ndarray:
        if n < 0:
            raise ValueError("less than nothing")
        return np.full(n, value)

    @compiler.kernel
    def total(n: int) -> int:
        return filled(n, 3).sum() + filled(2, n).sum()

    def doubled(n: int) -> int:
        return 2 * total(n) + np.full(n, 1.0).sum()

    assert (total(2), numba.njit(doubled)(2), filled(1, 7).tolist()) == (10, 22, [7])
    with pytest.raises(ValueError, match="less than nothing"):
        total(-1)


@pytest.mark.compiled
def test_a_kernel_may_stay_apart_from_its_callers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAMARYE_CACHE", str(tmp_path))

    @compiler.kernel
    def square(x: float) -> float:
        compiler.stays_apart()
        return x * x

    assert square(3.0) == 9.0
    dispatcher = square.dispatcher  # type: ignore[attr-defined]
    assert dispatcher(3.0) == 9.0
    (code,) = dispatcher.inspect_llvm().values()
    assert "noinline" in code


@pytest.mark.compiled
def test_a_kernel_without_a_source_file_is_compiled_without_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAMARYE_CACHE", str(tmp_path))
    scope: dict[str, Any] = {}
    exec("def twice(x):\n    return 2 * x", scope)
    assert compiler.kernel(scope["twice"])(21) == 42
    assert not any(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.compiled
def test_kernels_leave_scipy_to_those_who_multiply_matrices(tmp_path: Path) -> None:
    code = """
import sys
import numba
@numba.njit
def product(a, b):
    return (a @ b).sum()
print(*(name for name in sys.modules if name.startswith("scipy.linalg")))
print(product(np.eye(2), np.eye(2)), "scipy.linalg" in sys.modules)
"""
    _, loaded, used = python(GENOTYPES + code, PACKAGE, tmp_path).split("\n", 2)
    assert not loaded
    assert used == "2.0 True\n"


# The package of kernels


def test_kernels_are_loaded_when_they_are_asked_for() -> None:
    assert kernels.flat is flat
    assert arithmetic.codes is codes
    with pytest.raises(AttributeError, match="no attribute 'rightmost'"):
        _ = kernels.rightmost
    with pytest.raises(AttributeError, match=r"module 'gramarye.languages.arithmetic.kernels' has no attribute 'boo'"):
        _ = arithmetic.boo


def test_a_module_that_a_kernel_misses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise ModuleNotFoundError("No module named 'llvmlite'", name="llvmlite")

    monkeypatch.setattr("gramarye.kernels.importlib.import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="llvmlite"):
        _ = kernels.rightmost
