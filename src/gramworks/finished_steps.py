"""Steps of a long computation, kept as they are done, so that a killed job goes on where it was.

Each step is a file of its own in a folder beside the job's output, named by a digest of all that
the step depends on: what was made from other data, parameters or code has another name and is
never found. The folder goes when the job has ended.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from gramworks.digests import content_digest
from gramworks.errors import FileDamaged
from gramworks.shared import read_shared, write_shared


class FinishedSteps:
    """The steps of one job.

    Parameters
    ----------
    folder : path, optional
        Where they are kept; None keeps nothing.
    identity : iterable
        What all steps depend on, such as data, parameters and a fingerprint of the code: as of
        `gramworks.digests.content_digest`.
    """

    def __init__(self, folder: str | Path | None = None, identity: Iterable[object] = ()) -> None:
        self.folder = None if folder is None else Path(folder)
        self._identity = content_digest(identity)

    def get(self, *inputs: object) -> dict[str, np.ndarray] | None:
        """Give the arrays of the step with these inputs, None where it was not finished.

        A damaged file counts as a step that was not finished.
        """
        if self.folder is None or not (path := self._path(inputs)).is_file():
            return None
        try:
            return read_shared(path)
        except FileDamaged:
            path.unlink(missing_ok=True)
            return None

    def keep(self, arrays: dict[str, np.ndarray], *inputs: object) -> None:
        """Keep the arrays of a step that is finished."""
        if self.folder is not None:
            write_shared(self._path(inputs), arrays, {})

    def remove(self) -> None:
        """Forget all steps: the job has ended."""
        if self.folder is not None and self.folder.is_dir():
            shutil.rmtree(self.folder)

    def _path(self, inputs: tuple) -> Path:
        return self.folder / f"{content_digest((self._identity, *inputs))[:32]}.h5"
