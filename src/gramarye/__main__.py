"""`python -m gramarye` is the command line."""

from __future__ import annotations

from gramarye.cli import main

main()
