"""Settings of all tests. Hypothesis has no deadline: the reference engine is slow, and machines are shared."""

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from itertools import groupby
from math import ceil
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

# Where CI is set, Hypothesis takes the same examples each time. `make test-search` looks for new ones.
settings.register_profile("eightfold", deadline=None)
settings.register_profile("search", deadline=None, derandomize=False, max_examples=1000)
settings.load_profile("eightfold")

# A shell has what it starts in the background ignore Ctrl-C, and nohup has it ignore SIGHUP; so do the processes below,
# and the tests that send these signals would never end.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# What the command and Matplotlib keep for a user is kept for these tests only, and for what they start. Each worker is
# a user of its own: the folders of all lie in one, and whenever a run ends, others cannot lock that for a moment.
if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    STATE = os.path.join(os.environ["XDG_STATE_HOME"], worker)
else:
    STATE = tempfile.mkdtemp(prefix="eightfold-state-")
    atexit.register(shutil.rmtree, STATE, ignore_errors=True)
os.environ["XDG_STATE_HOME"] = os.environ["LOCALAPPDATA"] = os.environ["MPLCONFIGDIR"] = STATE


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for machines on which all cases would take hours."""
    parser.addoption("--one-in", type=int, default=1, help="of the cases and examples of each test, run one in so many")


def pytest_configure(config: pytest.Config) -> None:
    """Draw fewer examples where fewer cases are run; and let a run of several processes end by SIGTERM as by Ctrl-C."""
    if config.getoption("dist", "no") != "no":
        # Stopped because it takes too long, it says what has failed so far, and takes its folders away.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    if (one_in := config.getoption("one_in")) > 1:
        settings.register_profile("sampled", deadline=None, max_examples=ceil(100 / one_in))
        settings.load_profile("sampled")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not asked for: no test altogether, and of each one the same cases every time."""
    one_in = config.getoption("one_in")
    kept: list[pytest.Item] = []
    for test, group in groupby(items, lambda item: item.nodeid.partition("[")[0]):
        cases = list(group)
        kept += Random(test).sample(cases, ceil(len(cases) / one_in)) if one_in > 1 else cases
    if one_in > 1:
        config.hook.pytest_deselected(items=list(set(items).difference(kept)))
    items[:] = kept


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the collector from going through the tests again and again while there are more and more of them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.fixture
def threads_change_places_often() -> Iterator[None]:
    """Let a thread run for a hundredth of a millisecond where others wait."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def pytest_collection_finish() -> None:
    """Keep the collector from going through fifteen thousand tests each time that it is called."""
    registers_its_random_generator()
    gc.collect()
    gc.freeze()


@settings(derandomize=True, database=None, max_examples=1)
@given(st.none())
def registers_its_random_generator(_: None) -> None:
    """Have Hypothesis ask the collector who refers to its generator while it can tell: of what is frozen it cannot."""
