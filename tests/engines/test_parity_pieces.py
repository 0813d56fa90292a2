"""Streams on every engine against the reference: any form and policy, wherever the input is cut.

What is compared is all that a stream shows: results, errors with their faults, what handlers are asked, and the state
behind each piece, from which another coder may go on, under another policy too.
"""

from __future__ import annotations

import codecs
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import eightfold
from eightfold.stream import Converter, Decoder
from support.engines import COMPARED, FAST, REFERENCE, Engine, run_streams_on

pytestmark = pytest.mark.skipif(not COMPARED, reason="the reference is the engine: there is nothing to compare")

FORMS = eightfold.forms()
WITH_RUNS = [form for form in FORMS if form.run_unit is not None]
"""Forms with sequences that have no longest one: what a stream carries of these is a flag."""
POLICIES = (
    *("strict", "replace", "ignore", "backslashreplace", "surrogatepass", "surrogateescape", "xmlcharrefreplace"),
    *("escape", "private-use", "java", "eightfold-test-pieces", "eightfold-test-other-bytes"),
)
PARTS = (
    *(b"a", b"\0", b"\x80", b"\xbf", b"\xfe", b"\xff", b"\xfe\xfe\x80\x80", b"\xfd\xbf\xbf\xbf\xbf\xbf", b"\xff" * 70),
    *(b"\xc0\x80", b"\xc3\xa9", b"\xe4\xb8\xad", b"\xed\xa0\xbd", b"\xed\xb8\x80", b"\xf0\x9f\x98\x80", b"\xd8\xdc"),
)
COUNT = 200

Coder = Decoder | Converter


@contextmanager
def handlers(seed: float) -> Iterator[list[object]]:
    """Register two handlers, one that goes back into units and one that changes the input; yield what they saw."""
    seen: list[object] = []
    draw = random.Random(seed)

    def note(error: UnicodeError) -> None:
        seen.append((type(error), error.args, vars(error)))

    def go_on(error: Any) -> tuple[str, int]:
        note(error)
        return "?", draw.choice((error.start + 1, error.end))

    def change(error: Any) -> tuple[str, int]:
        note(error)
        if isinstance(error, UnicodeEncodeError):
            return "<", error.end
        error.object = error.object[: error.start] + b"ab" + error.object[error.end :]
        return "<", error.start

    codecs.register_error("eightfold-test-pieces", go_on)
    codecs.register_error("eightfold-test-other-bytes", change)
    yield seen


def shown(coder: Coder, piece: bytes, *, final: bool) -> tuple[object, ...]:
    """Give a coder a piece, and return all that it shows then."""
    result: object
    try:
        result = coder.decode(piece, final) if isinstance(coder, Decoder) else coder.convert(piece, final)
    except Exception as error:
        result = type(error), str(error), getattr(error, "fault", None)
    pairs = (coder.joined_pairs, coder.first_joined_pair) if isinstance(coder, Converter) else ()
    return result, coder.getstate(), pairs


def run(pieces: list[bytes], first: Callable[[], Coder], other: Callable[[], Coder] | None) -> list[object]:
    """Return what a coder shows piece by piece; another goes on from its state halfway."""
    coder, found = first(), []
    for at, piece in enumerate(pieces, 1):
        found.append(shown(coder, piece, final=at == len(pieces)))
        if other is not None and at == len(pieces) // 2:
            state, coder = coder.getstate(), other()
            coder.setstate(state)  # type: ignore[arg-type]
    return found


def by(engine: Engine, monkeypatch: pytest.MonkeyPatch, seed: float, *given: Any) -> tuple[object, object]:
    run_streams_on(engine, monkeypatch)
    with handlers(seed) as seen:
        return run(*given), seen


def cut(draw: random.Random) -> list[bytes]:
    data = b"".join(draw.choices(PARTS, k=draw.randrange(1, 12)))
    cuts = sorted(draw.choices(range(len(data) + 1), k=draw.randrange(5)))
    return [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


@pytest.mark.parametrize("engine", FAST, ids=lambda engine: engine.name)
@pytest.mark.parametrize("kind", [Decoder, Converter])
@pytest.mark.parametrize("forms", [FORMS, WITH_RUNS], ids=["all", "with runs"])
def test_pieces_are_those_of_the_reference(
    engine: Engine, kind: type[Coder], forms: list[eightfold.Form], monkeypatch: pytest.MonkeyPatch
) -> None:
    draw, compared = random.Random(13), 0
    while compared < COUNT:
        ends = (draw.choice(forms), draw.choice(FORMS))[: 1 if kind is Decoder else 2]
        coders = [lambda policy=policy: kind(*ends, policy) for policy in draw.sample(POLICIES, 2)]
        pieces, seed = cut(draw), draw.random()
        try:
            assert all(make() for make in coders)
        except (LookupError, ValueError):  # no policy of that form
            continue
        given = pieces, coders[0], draw.choice((None, coders[1]))
        assert by(engine, monkeypatch, seed, *given) == by(REFERENCE, monkeypatch, seed, *given), (ends, given)
        compared += 1
