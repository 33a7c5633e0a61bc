"""The command line, `gramarye`; its commands are in `commands`."""

from __future__ import annotations

import sys


def main() -> None:
    """The program `gramarye`."""
    try:
        # Loaded here, where Ctrl-C can be caught: it takes long enough for an impatient person.
        import warnings

        from gramarye.cli.app import app

        warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal that has no ≤ still gets the rest of the page
        app(prog_name="gramarye")
    except KeyboardInterrupt:
        sys.exit(130)
