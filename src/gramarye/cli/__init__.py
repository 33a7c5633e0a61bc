"""The command line, `gramarye`; its commands are in `commands`."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import NoReturn

UNWRITABLE = ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EPIPE")  # what a standard stream may answer


def main() -> None:
    """The program `gramarye`."""
    try:
        # Loaded here, where Ctrl-C can be caught: it takes long enough for an impatient person.
        import os
        import warnings

        from gramarye.cli.app import app

        if os.environ.get("COLUMNS") == "0":  # what some programs say of a terminal whose width they don't know
            del os.environ["COLUMNS"]

        warnings.formatwarning = lambda message, *_, **__: f"warning: {message}\n"
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal that has no ≤ still gets the rest of the page
        try:
            app(prog_name="gramarye")
        finally:  # whether the last lines can be written must be known before the end
            if sys.stdout is not None:
                sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        _end(error)


def _end(error: OSError) -> NoReturn:
    """End in one line where a standard stream can't be written, silently where its reader has gone."""
    import errno
    import os

    if errno.errorcode.get(error.errno or 0) not in UNWRITABLE or error.filename is not None:
        raise error
    if error.errno != errno.EPIPE:
        with suppress(OSError, AttributeError):  # where standard error is full or closed, too
            sys.stderr.write(f"error: the output can't be written ({error.strerror})\n")
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, AttributeError):  # Python would try once more at its end
            with suppress(OSError, AttributeError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(1)
