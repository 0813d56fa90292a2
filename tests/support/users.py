"""Users of the system, as whom a test may run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

needs_users = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users as POSIX has them")


@contextmanager
def unprivileged() -> Iterator[None]:
    """Be somebody whom permissions hold back; root is not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
