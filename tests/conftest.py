"""What all tests share: how hard hypothesis looks."""

from __future__ import annotations

import os

from hypothesis import settings

# No deadline: the first example of a kernel includes its compilation.
settings.register_profile("default", deadline=None, max_examples=60)
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True, print_blob=True)
settings.register_profile("plain", deadline=None, max_examples=15, derandomize=True)  # kernels as plain Python

if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
    settings.load_profile("plain")
else:
    settings.load_profile("ci" if os.environ.get("CI") else "default")
