"""Half as many examples, for what takes long and is tried with every form; `make test-search` draws ten times more."""

from math import ceil

from hypothesis import settings

HALF_AS_MANY = settings(max_examples=ceil(settings().max_examples / 2))
