"""What all tests share: how hard hypothesis looks, and figures that are not painted."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# No deadline: the first example of a kernel includes its compilation.
settings.register_profile("default", deadline=None, max_examples=60)
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True, print_blob=True)
settings.register_profile("plain", deadline=None, max_examples=15, derandomize=True)  # kernels as plain Python

if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
    settings.load_profile("plain")
else:
    settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture
def unpainted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of figures are empty, for tests that look at what is written next to them: each takes half a second."""
    monkeypatch.setattr("gramarye.show.figures.saving.write", lambda figure, path, **how: path.touch())
