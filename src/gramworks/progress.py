"""Progress lines of long jobs: to the job's log and the screen, each with the time so far."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def progress_log(path: str | Path | None) -> Iterator[Callable[[str], None]]:
    """Open a log; yields a function that writes one line to it and to standard error.

    Parameters
    ----------
    path : path or None
        The log file; None writes to standard error only.
    """
    start = time.monotonic()
    file = None
    if path is not None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "w", encoding="utf-8")  # noqa: SIM115 - closed below

    def log(message: object) -> None:
        line = f"[{time.monotonic() - start:7.1f} s] {message}"
        print(line, file=sys.stderr, flush=True)
        if file is not None:
            print(line, file=file, flush=True)

    try:
        yield log
    except BaseException:
        log(traceback.format_exc())
        raise
    finally:
        if file is not None:
            file.close()
