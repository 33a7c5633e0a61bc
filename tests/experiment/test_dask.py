"""An experiment on a real Dask cluster of this machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gramarye.experiment import carry_out
from gramarye.store import Store
from tests.experiment.small import Failing, kept, small

pytest.importorskip("distributed")


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_bits() -> None:
    alone, cluster = Store(), Store()
    carry_out(small(), alone, workers=1)
    carry_out(small(), cluster, workers=2, dask="local")
    assert kept(cluster.results()) == kept(alone.results())


@pytest.mark.slow
def test_a_run_that_fails_on_a_dask_cluster_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "moon").touch()
    experiment = replace(small(), problems={"quartic": Failing(tmp_path / "moon", 2)})
    store = Store()
    carry_out(experiment, store, workers=1, dask="local")
    results = store.results()
    assert [results.count(cell, "done") for cell in results.cells] == [2, 2, 2]
    assert [failure.seed for failure in results.failures] == [2, 2, 2]
    assert all("ArithmeticError: the moon" in failure.error for failure in results.failures)
