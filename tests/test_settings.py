"""Settings explain themselves: what a field says is what is checked, what is read and what help shows."""

from __future__ import annotations

import pickle
import pydoc
import subprocess
import sys
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

import gramarye as gm
from gramarye.errors import GramaryeError, SettingsError
from gramarye.methods import MethodBase
from gramarye.settings import HasSettings, Setting, as_in, describe, read, setting

if TYPE_CHECKING:
    from collections.abc import Sequence

FAMILIES: list[Any] = [
    MethodBase,
    gm.Method,
    *gm.methods.METHODS.values(),
    *gm.representations.REPRESENTATIONS.values(),
    *gm.learners.LEARNERS.values(),
    *gm.selection.SELECTIONS.values(),
]
ALL = [(kind, each) for kind in FAMILIES for each in describe(kind)]
NAMES = [f"{kind.__name__}-{each.name}" for kind, each in ALL]


@dataclass(frozen=True)
class Custom(HasSettings):
    """A class of a third party.

    It does nothing.
    """

    size: float = 0.5
    selected: int = 100
    steps: int | None = setting(5, low=1, doc="number of steps")
    rate: float | None = setting(None, low=0, high=1, doc="learning rate")
    shape: Literal["round", "square"] | None = None
    level: Literal[1, 2] = 1
    below: float = setting(-1.0, high=0)
    title: str = "x"
    values: Sequence[int] = ()
    both: int | str = 3
    extra: list[int] = field(default_factory=list)

    if TYPE_CHECKING:  # it is given wrong values too

        def __init__(self, **settings: Any) -> None: ...


class TestEverySetting:
    @pytest.mark.parametrize(("kind", "each"), ALL, ids=NAMES)
    def test_has_a_meaning_and_a_number_has_a_range(self, kind: type, each: Setting) -> None:
        assert each.doc
        assert each.doc == each.doc.strip(". ")
        if each.kind in (int, float):
            assert each.low is not None
            assert each.high is not None

    @pytest.mark.parametrize(("kind", "each"), ALL, ids=NAMES)
    def test_can_have_its_default_and_nothing_out_of_its_range(self, kind: type, each: Setting) -> None:
        if each.default is MISSING:
            return
        assert each.fits(each.default)
        if each.kind in (int, float):
            assert each.low is not None
            assert each.high is not None
            assert each.fits(each.low)
            assert each.fits(each.high)
            assert not each.fits(each.low - 1)
            assert not each.fits(each.high + 1)

    @pytest.mark.parametrize("kind", gm.methods.METHODS.values(), ids=gm.methods.METHODS)
    def test_of_a_method_reads_back_from_text(self, kind: type[MethodBase]) -> None:
        for name, value in kind().settings.items():
            assert read(kind, name, str(value)) == value
            for choice in {each.name: each for each in describe(kind)}[name].choices:
                assert read(kind, name, choice) == choice

    @pytest.mark.parametrize("kind", FAMILIES)
    def test_is_in_the_help_of_its_class(self, kind: type) -> None:
        page = pydoc.render_doc(kind, renderer=pydoc.plaintext)  # type: ignore[attr-defined]
        text = page.partition("Parameters\n |  ----------\n")[2]
        places = [text.index(f" |  {each.name} : {each.python}") for each in describe(kind)]
        assert places == sorted(places)
        assert places

    def test_of_a_method_means_what_it_means_to_the_part_that_gets_it(self) -> None:
        of = {
            kind: {each.name: each for each in describe(kind)}
            for kind in (gm.PGE, gm.PSGE, gm.learners.AlternatingBest)
        }
        assert of[gm.PGE]["floor"] == of[gm.learners.AlternatingBest]["floor"]
        assert of[gm.PSGE]["normalise"] == replace(of[gm.learners.AlternatingBest]["normalise"], default="divide")


def test_help_shows_settings_as_numpydoc_does() -> None:
    assert gm.PGE.__doc__ is not None
    lines = gm.PGE.__doc__.splitlines()
    assert lines[0].startswith("Probabilistic grammatical evolution: ")
    assert lines[2:6] == [
        "Parameters",
        "----------",
        "population : int ≥ 1, default 1000",
        "    Number of individuals.",
    ]
    assert "unexpanded : {'keep', 'decay'}, default 'keep'" in lines
    assert "crossover : float in [0, 1], default 0.9" in lines
    assert "inner : Learner" in str(gm.learners.EntropyBounded.__doc__).splitlines()
    assert max(map(len, lines)) <= 120


def test_help_of_a_custom_class() -> None:
    assert Custom.__doc__ is not None
    assert Custom.__doc__.splitlines() == [
        "A class of a third party.", "", "It does nothing.", "", "Parameters", "----------",
        "size : float, default 0.5", "selected : int, default 100",
        "steps : int ≥ 1 or None, default 5", "    Number of steps.",
        "rate : float in [0, 1] or None, default None", "    Learning rate.",
        "shape : {'round', 'square'} or None, default None", "level : {1, 2}, default 1",
        "below : float ≤ 0, default -1.0", "title : str, default 'x'", "values : Sequence[int], default ()",
        "both : int | str, default 3", "extra : list[int], default []",
    ]  # fmt: skip


def test_a_class_without_a_docstring_or_without_settings_works() -> None:
    @dataclass(frozen=True)
    class Silent(HasSettings):
        steps: int = 3

    class Nothing(HasSettings):
        """Has no settings."""

    @dataclass(frozen=True)
    class Empty(HasSettings):
        """Has none either."""

    assert Silent(4).steps == 4
    assert (Nothing.__doc__, Empty.__doc__) == ("Has no settings.", "Has none either.")
    with pytest.raises(TypeError, match=r"Nothing\(\) takes no arguments"):
        Nothing(3)
    with pytest.raises(SettingsError, match="Nothing has no setting 'steps'; the settings are none"):
        Nothing(steps=3)


def test_without_docstrings_everything_works_too() -> None:
    code = "import gramarye as gm; print(gm.PGE(population=3).population, gm.representations.FlatReal(4).codons)"
    run = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("3 4\n", "")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gm.PGE(population=0), "population is 0: it must be an integer ≥ 1"),
        (lambda: gm.PGE(population=10**12), "population is 1000000000000: it must be an integer from 1 to 2147483647"),
        (lambda: gm.PGE(crossover=2), "crossover is 2: it must be a number in [0, 1]"),
        (lambda: gm.PGE(codons=99999999999), "codons is 99999999999: it must be an integer from 1 to 16777216"),
        (lambda: gm.representations.FlatReal(-3), "codons is -3: it must be an integer ≥ 1"),
        (lambda: gm.representations.FlatReal(wraps=0.5), "wraps is 0.5: it must be an integer ≥ 0"),  # type: ignore[arg-type]
        (lambda: gm.representations.FlatInteger(codon_max=-1), "codon_max is -1: it must be an integer ≥ 0"),
        (
            lambda: gm.representations.FlatInteger(cuts="nowhere"),  # type: ignore[arg-type]
            "cuts is 'nowhere': it must be one of 'anywhere', 'used'",
        ),
        (lambda: gm.representations.IntegerLists(max_depth=0), "max_depth is 0: it must be an integer ≥ 1"),
        (lambda: gm.representations.Bits(power_depth=65), "power_depth is 65: it must be an integer from 0 to 64"),
        (lambda: gm.learners.AlternatingBest(5.0), "learning_factor is 5.0: it must be a number in [0, 1]"),
        (lambda: gm.learners.AlternatingBest(first="x"), "first is 'x': it must be one of 'overall', 'generation'"),  # type: ignore[arg-type]
        (lambda: gm.learners.AlternatingBest(remap_elites=1), "remap_elites is 1: it must be True or False"),  # type: ignore[arg-type]
        (
            lambda: gm.learners.EntropyBounded(gm.learners.NoLearning(), 2),
            "entropy is 2: it must be a number in [0, 1]",
        ),
        (lambda: gm.learners.NoLearning(remap_elites="no"), "remap_elites is 'no': it must be True or False"),  # type: ignore[arg-type]
        (lambda: gm.selection.Tournament(0), "size is 0: it must be an integer ≥ 1"),
        (lambda: Custom(size="large"), "size is 'large': it must be a number"),
        (lambda: Custom(size=float("nan")), "size is nan: it must be a number"),
        (lambda: Custom(size=None), "size is None: it must be a number"),
        (lambda: Custom(selected=1.5), "selected is 1.5: it must be an integer"),
        (lambda: Custom(selected=True), "selected is True: it must be an integer"),
        (lambda: Custom(steps=0), "steps is 0: it must be an integer ≥ 1 or None"),
        (lambda: Custom(rate=1.5), "rate is 1.5: it must be a number in [0, 1] or None"),
        (lambda: Custom(shape="oval"), "shape is 'oval': it must be one of 'round', 'square' or None"),
        (lambda: Custom(level=True), "level is True: it must be one of 1, 2"),
        (lambda: Custom(below=3), "below is 3: it must be a number ≤ 0"),
        (lambda: Custom(title=3), "title is 3: it must be a text"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(SettingsError) as error:
        make()
    assert str(error.value) == message


def test_settings_of_a_third_party_are_its_own_whatever_their_names() -> None:
    custom = Custom(size=-7, selected=10**12, steps=None, rate=1, shape=None, values=3, both="x", extra=[1])
    assert (custom.size, custom.selected, custom.steps, custom.rate) == (-7, 10**12, None, 1)
    assert pickle.loads(pickle.dumps(custom)) == custom == replace(custom, steps=None)

    @dataclass(frozen=True, kw_only=True)
    class Mine(gm.PGE):
        """PGE with more settings, one of them with another meaning."""

        strength: float = 1.0
        floor: float = as_in(gm.PGE, "floor", default=0.25, doc="has no effect")

    assert Mine(strength=-7).settings["strength"] == -7
    assert {each.name: each.doc for each in describe(Mine)}["floor"] == "has no effect"
    assert list(Mine().settings) == [*gm.PGE().settings, "strength"]
    with pytest.raises(SettingsError, match=r"floor is 2: it must be a number in \[0, 1\]"):
        Mine(floor=2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gm.PGE(popluation=10), "PGE has no setting 'popluation'; did you mean 'population'?"),  # type: ignore[call-arg]
        (lambda: gm.Method(lerner=3), "Method has no setting 'lerner'; did you mean 'learner'?"),  # type: ignore[call-arg]
        (lambda: gm.representations.FlatReal(codon=3), "FlatReal has no setting 'codon'; did you mean 'codons'?"),  # type: ignore[call-arg]
        (lambda: gm.learners.Frequencies(select=0.2), "Frequencies has no setting 'select'; did you mean 'selected'?"),  # type: ignore[call-arg]
        (lambda: gm.selection.Tournament(sise=3), "Tournament has no setting 'sise'; did you mean 'size'?"),  # type: ignore[call-arg]
        (lambda: gm.selection.Tournament(zzz=3), "Tournament has no setting 'zzz'; the settings are size"),  # type: ignore[call-arg]
        (
            lambda: gm.learners.EntropyBounded(remap_elites=1),  # type: ignore[call-arg]
            "EntropyBounded has no setting 'remap_elites'; the settings are in",
        ),
        (lambda: replace(gm.PGE(), populaton=3), "PGE has no setting 'populaton'; did you mean 'population'?"),  # type: ignore[call-arg]
        (lambda: Custom(levle=2), "Custom has no setting 'levle'; did you mean 'level'?"),
        (lambda: read(gm.PGE, "wrap", "1"), "PGE has no setting 'wrap'; did you mean 'wraps'?"),
    ],
)
def test_a_misspelt_setting_is_answered_with_the_nearest(make: Callable[[], object], message: str) -> None:
    with pytest.raises(GramaryeError) as error:
        make()
    assert str(error.value).startswith(message)


def test_a_part_with_its_own_constructor_takes_what_that_takes() -> None:
    class Own(HasSettings):
        """Not a dataclass."""

        def __init__(self, alpha: int, **others: int) -> None:
            self.settings = {"alpha": alpha, **others}

    assert Own(alpha=1, beta=2).settings == {"alpha": 1, "beta": 2}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("size", "3", 3.0), ("selected", "7", 7), ("steps", "none", None), ("steps", "4", 4), ("rate", "None", None),
        ("shape", "round", "round"), ("shape", "none", None), ("level", "2", 2), ("title", "none", "none"),
    ],
)  # fmt: skip
def test_text_becomes_a_value_of_the_type_of_the_setting(name: str, text: str, value: Any) -> None:
    found = read(Custom, name, text)
    assert (found, type(found)) == (value, type(value))
    assert getattr(Custom(**{name: found}), name) == value


@pytest.mark.parametrize(
    ("kind", "name", "text", "message"),
    [
        (gm.PGE, "population", "x", "population is 'x': it must be an integer ≥ 1"),
        (gm.PGE, "consume_single", "maybe", "consume_single is 'maybe': it must be true or false"),
        (Custom, "steps", "x", "steps is 'x': it must be an integer ≥ 1 or None"),
        (gm.Method, "learner", "x", "learner can't be given as text: set it in Python"),
    ],
)
def test_text_that_is_no_value_is_refused(kind: type, name: str, text: str, message: str) -> None:
    with pytest.raises(SettingsError) as error:
        read(kind, name, text)
    assert str(error.value) == message


def test_numbers_of_numpy_become_plain_ones() -> None:
    method = gm.PGE(population=np.int64(5), mutation=np.float32(0.5), consume_single=np.True_)  # type: ignore[arg-type]
    assert method == gm.PGE(population=5, mutation=0.5, consume_single=True)
    assert type(method.population) is int
