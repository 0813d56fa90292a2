"""What tests send to the workers of an engine, which import it: this folder is on their path."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


class DyingOnce:
    """Passes batches on; but the first process that is asked to ends at once, as if it were killed."""

    def __init__(self, attempted: Path) -> None:
        self._attempted = str(attempted)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        self.die()
        yield from batches

    def die(self) -> None:
        """End this process, unless another has ended before."""
        try:
            os.close(os.open(self._attempted, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os._exit(1)

    def batch(self, batch: Any) -> Any:
        """Pass one batch on."""
        self.die()
        return batch


class DyingWork:
    """Work that is done, and then the process dies: the first one, or each if no file says which that was."""

    def __init__(self, work: Any, attempted: Path | None) -> None:
        self._work = work
        self._dying = None if attempted is None else DyingOnce(attempted)

    def __call__(self, item: Any) -> Any:
        result = self._work(item)
        if self._dying is None:
            os._exit(1)
        self._dying.die()
        return result
