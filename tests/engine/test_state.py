from __future__ import annotations

import dataclasses
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import gramarye as gm
from gramarye.errors import OutputError, SettingsError
from gramarye.methods import MethodBase
from gramarye.representations.base import RowGenotypes

PROBLEM = gm.problems.load("quartic")
PGE = gm.PGE(population=20, generations=6)
METHODS: list[MethodBase] = [PGE, gm.GE(population=20, generations=6), gm.SGE(population=20, generations=6)]


def same(a: Any, b: Any) -> bool:
    """Whether two states, or parts of them, hold the same bits."""
    if dataclasses.is_dataclass(a):
        return type(a) is type(b) and all(same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return bool(a == b) or str(a) == str(b) == "nan"


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
@pytest.mark.parametrize("problem", [PROBLEM, gm.problems.load("boston")], ids=lambda p: p.name)
def test_a_saved_state_reads_back_to_the_same_bits(tmp_path: Path, method: MethodBase, problem: gm.Regression) -> None:
    setup = gm.engine.Setup(problem, method, 2**64 - 1)
    state = gm.engine.step(setup, gm.engine.start(setup))
    state.save(tmp_path / "state.npz")
    assert same(gm.State.load(tmp_path / "state.npz"), state)
    assert list(tmp_path.iterdir()) == [tmp_path / "state.npz"]  # nothing temporary stays behind


def test_a_state_of_which_nothing_is_valid_is_saved_too(tmp_path: Path) -> None:
    problem = gm.Objective(lambda _: float("inf"), PROBLEM.grammar)
    state = gm.engine.start(gm.engine.Setup(problem, PGE, 1))
    state.save(str(tmp_path / "state"))
    assert same(gm.State.load(str(tmp_path / "state")), state)


def saved(folder: Path) -> Path:
    path = folder / "state.npz"
    gm.engine.start(gm.engine.Setup(PROBLEM, PGE, 1)).save(path)
    return path


def test_no_pickle_is_ever_written_or_read(tmp_path: Path) -> None:
    path = saved(tmp_path)
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)
    np.savez(path, values=np.array([{}], object))
    with pytest.raises(OutputError, match="not a saved state"):
        gm.State.load(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"nowhere.npz does not exist"):
        gm.State.load(tmp_path / "nowhere.npz")


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"\x80\x04K\x01.", b"PK\x03\x04rubbish"], ids=["empty", "text", "pickle", "half a zip"]
)
def test_a_file_that_is_no_state_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.npz"
    path.write_bytes(content)
    with pytest.raises(OutputError, match=r"state\.npz is not a saved state of a run, or is damaged"):
        gm.State.load(path)


def test_an_array_or_another_archive_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "array.npy", np.zeros(3))
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    np.savez(tmp_path / "list.npz", values=np.array("[1]"))
    with zipfile.ZipFile(tmp_path / "plain.zip", "w") as file:
        file.writestr("values", "x")
    for name in ("array.npy", "other.npz", "list.npz", "plain.zip"):
        with pytest.raises(OutputError, match="not a saved state"):
            gm.State.load(tmp_path / name)
    with pytest.raises(OutputError, match="can't be read: Is a directory"):
        gm.State.load(tmp_path)


def test_a_truncated_or_damaged_file_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path)
    content = path.read_bytes()
    for length in range(0, len(content), len(content) // 25):
        path.write_bytes(content[:length])
        with pytest.raises(OutputError, match="not a saved state"):
            gm.State.load(path)
    damaged = bytearray(content)
    damaged[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(damaged))
    with pytest.raises(OutputError, match="not a saved state"):
        gm.State.load(path)


def rewritten(path: Path, values: dict[str, Any], without: str = "") -> None:
    with np.load(path) as file:
        arrays = dict(file)
    old = json.loads(str(arrays.pop("values")))
    arrays.pop(without, None)
    np.savez(path, values=np.array(json.dumps(old | values)), **arrays)


def test_a_file_of_another_version_says_so(tmp_path: Path) -> None:
    path = saved(tmp_path)
    for version in (2, 99):
        rewritten(path, {"version": version})
        why = rf"it was written by another version of gramarye \(format {version}, this version reads format 5\)"
        with pytest.raises(OutputError, match=why):
            gm.State.load(path)


def test_a_file_with_something_missing_or_unknown_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path)
    rewritten(path, {}, without="evaluation.fitness")
    with pytest.raises(OutputError, match=r"not a saved state of a run, or is damaged: 'evaluation\.fitness'"):
        gm.State.load(path)
    path = saved(tmp_path)
    rewritten(path, {"genotypes": "CloudGenotypes"})
    with pytest.raises(
        OutputError, match="npz can't be read: its genotypes are of the class CloudGenotypes, which is not"
    ):
        gm.State.load(path)


@dataclasses.dataclass(frozen=True)
class WeatherGenotypes(RowGenotypes):
    """What someone else might write: it is found by being there."""

    codons: NDArray[np.float64]
    length: NDArray[np.int32]
    used: NDArray[np.int32]


@dataclasses.dataclass(frozen=True)
class Weather(gm.representations.FlatReal):  # type: ignore[misc]
    def initial(self, *arguments: Any) -> Any:
        found: Any = super().initial(*arguments)
        return WeatherGenotypes(found.codons, found.length, found.used)

    def vary(self, *arguments: Any) -> Any:
        found: Any = super().vary(*arguments)
        return WeatherGenotypes(found.codons, found.length, found.used)


def test_genotypes_of_someone_else_are_saved_too(tmp_path: Path) -> None:
    method = gm.Method(representation=Weather(16), population=20, generations=4)
    setup = gm.engine.Setup(PROBLEM, method, 1)
    state = gm.engine.step(setup, gm.engine.start(setup))
    state.save(tmp_path / "state.npz")
    loaded = gm.State.load(tmp_path / "state.npz")
    assert type(loaded.genotypes) is WeatherGenotypes
    assert same(loaded, state)
    assert same(gm.engine.step(setup, loaded), gm.engine.step(setup, state))


def test_genotypes_that_would_not_be_found_again_are_not_saved(tmp_path: Path) -> None:
    state: Any = gm.engine.start(gm.engine.Setup(PROBLEM, PGE, 1))
    with pytest.raises(
        OutputError, match=r"of the class Alien can't be saved: derive it from gramarye\.representations"
    ):
        dataclasses.replace(state, genotypes=Alien(np.zeros(3))).save(tmp_path / "state.npz")
    earlier = type("TwiceGenotypes", (WeatherGenotypes,), {})
    type("TwiceGenotypes", (WeatherGenotypes,), {})
    genotypes = earlier(state.genotypes.codons, state.genotypes.length, state.genotypes.used)
    with pytest.raises(
        OutputError, match="of the class TwiceGenotypes can't be saved: it has the name of a later class"
    ):
        dataclasses.replace(state, genotypes=genotypes).save(tmp_path / "state.npz")
    assert not list(tmp_path.iterdir())


@dataclasses.dataclass(frozen=True)
class Alien:
    codons: NDArray[np.float64]


def test_a_place_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    state = gm.engine.start(gm.engine.Setup(PROBLEM, PGE, 1))
    with pytest.raises(OutputError, match=r"nowhere/state\.npz: can't be written \(No such file or directory\)"):
        state.save(tmp_path / "nowhere" / "state.npz")


def test_a_file_that_was_there_is_replaced_whole(tmp_path: Path) -> None:
    path = saved(tmp_path)
    later = gm.engine.step(gm.engine.Setup(PROBLEM, PGE, 1), gm.engine.start(gm.engine.Setup(PROBLEM, PGE, 1)))
    later.save(path)
    assert gm.State.load(path).generation == 1


TABLE = PROBLEM.dataset
OTHERS = {
    "another problem": (gm.problems.load("pagie"), PGE),
    "another grammar": (gm.problems.load("quartic", gm.Grammar.from_text("<a> ::= x | 1.0")), PGE),
    "another method": (PROBLEM, gm.GE(population=20, generations=6)),
    "other settings": (PROBLEM, gm.PGE(population=20, generations=6, mutation=0.1)),
    "other data": (gm.Regression(TABLE.columns.T * 2, TABLE.target, PROBLEM.grammar, name="quartic"), PGE),
    "another target": (gm.Regression(TABLE.columns.T, TABLE.target * 2, PROBLEM.grammar, name="quartic"), PGE),
    "another error": (gm.Regression(TABLE.columns.T, TABLE.target, PROBLEM.grammar, name="quartic", error="mae"), PGE),
    "a function": (gm.Objective(len, PROBLEM.grammar, name="quartic"), PGE),
}


@pytest.mark.parametrize("other", OTHERS)
def test_a_state_goes_on_only_with_what_it_began_with(other: str) -> None:
    state = gm.engine.start(gm.engine.Setup(PROBLEM, PGE, 1))
    gm.Evolution(gm.problems.load("quartic"), gm.PGE(population=20, generations=6), state=state)
    problem, method = OTHERS[other]
    with pytest.raises(SettingsError, match=r"the saved state belongs to another run: .* was .* and is now"):
        gm.Evolution(problem, method, state=state)


def test_what_is_maximised_is_another_problem() -> None:
    state = gm.engine.start(gm.engine.Setup(gm.Objective(len, PROBLEM.grammar), PGE, 1))
    with pytest.raises(SettingsError, match="the problem's direction was minimise and is now maximise"):
        gm.Evolution(gm.Objective(len, PROBLEM.grammar, maximise=True), PGE, state=state)


def test_a_state_goes_on_only_with_its_seed() -> None:
    state = gm.engine.start(gm.engine.Setup(PROBLEM, PGE, 1))
    assert gm.Evolution(PROBLEM, PGE, 1, state=state).seed == 1
    with pytest.raises(SettingsError, match="the saved state belongs to seed 1, not to 2"):
        gm.Evolution(PROBLEM, PGE, 2, state=state)


def test_generations_may_be_added_to_a_finished_run() -> None:
    short, long = gm.PGE(population=20, generations=3), gm.PGE(population=20, generations=6)
    first = gm.Evolution(PROBLEM, short, 1)
    for _ in first:
        pass
    second = gm.Evolution(PROBLEM, long, state=first.state)
    for _ in second:
        pass
    assert second.run.history["best"].tolist() == gm.evolve(PROBLEM, long, 1).history["best"].tolist()


def test_what_is_different_is_told() -> None:
    state = gm.engine.start(gm.engine.Setup(PROBLEM, gm.PGE(population=20), 1))
    with pytest.raises(SettingsError, match="population was 20 and is now 30"):
        gm.Evolution(PROBLEM, gm.PGE(population=30), state=state)
