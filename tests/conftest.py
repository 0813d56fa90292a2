"""Settings of all tests. Hypothesis has no deadline: the reference engine is slow, and machines are shared."""

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Where CI is set, Hypothesis takes the same examples each time. `make test-search` looks for new ones.
settings.register_profile("eightfold", deadline=None)
settings.register_profile("search", deadline=None, derandomize=False, max_examples=1000)
settings.load_profile("eightfold")

# A shell has what it starts in the background ignore Ctrl-C, and nohup has it ignore SIGHUP; so do the processes below,
# and the tests that send these signals would never end.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# What the command keeps for a user is kept for these tests only, and for the processes that they start.
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["XDG_STATE_HOME"] = os.environ["LOCALAPPDATA"] = tempfile.mkdtemp(prefix="eightfold-state-")
    atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)


@pytest.fixture
def threads_change_places_often() -> Iterator[None]:
    """Let a thread run for a hundredth of a millisecond where others wait."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def pytest_collection_finish() -> None:
    """Keep the collector from going through fifteen thousand tests each time that it is called."""
    gc.collect()
    gc.freeze()
