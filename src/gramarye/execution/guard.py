"""Scripts without `if __name__ == "__main__"`: workers of a local Dask cluster load the script of their driver, too."""

from __future__ import annotations

import sys
from pathlib import Path

NAME = "Dask Worker process"  # how the processes of a local Dask cluster are called
NO_GUARD = 96  # the exit code of a worker that was about to start workers of its own


def ask_for_guard() -> str:
    """What to do about workers that don't start, most likely."""
    script = getattr(sys.modules["__main__"], "__file__", None)  # there is none in a notebook, or at a prompt
    if script is None:
        return "try `import gramarye` in a new process"
    if not Path(script).is_file():  # read from standard input
        return "save the script as a file, or use one worker: Dask's workers load the script too"
    return f'put the work of {script} under `if __name__ == "__main__":`, for Dask\'s workers load the script too'


def check_guard() -> None:
    """End this process, if it is a worker that still loads the script: then nothing guards what the script does."""
    if "--multiprocessing-fork" not in sys.orig_argv:
        return
    from multiprocessing import current_process, parent_process

    loading = parent_process() is None  # it learns of its parent after the script
    if loading and current_process().name.startswith(NAME):
        raise SystemExit(NO_GUARD)
