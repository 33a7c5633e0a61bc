"""`python -m gramarye.cli` is the command line too."""

from __future__ import annotations

from gramarye.cli import main

main()
