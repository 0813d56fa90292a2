"""What several tests of verbs need."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from typing import Any

import pytest


@pytest.fixture
def handler() -> Iterator[Callable[[Callable[[Any], Any]], str]]:
    """Return a function that registers a handler and returns its name; the next one replaces it."""
    answers: list[Callable[[Any], Any]] = []
    codecs.register_error("verbs-test", lambda error: answers[-1](error))
    yield lambda answer: (answers.append(answer), "verbs-test")[1]
    answers.append(codecs.strict_errors)
