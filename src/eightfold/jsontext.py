r"""Scrubs JSON and JSON Lines as text: replaces escapes of unpaired surrogates and ill-formed bytes, nothing else.

The text is not parsed into objects, and invalid JSON is not refused: scrubbing only recognises strings and the escapes
in them. For objects, use `scrub`; the two agree: loading scrubbed text with Python's `json` gives the scrubbed object.

There are two layers, each a single pass. The first makes the bytes well-formed UTF-8, everywhere in the text. The
second examines escapes, so a raw byte between two escapes counts as whatever the policy replaced it with. Inside
strings, ``\uD83D\uDE00`` is a pair and stays unchanged, with hex digits in upper or lower case; the policy applies to
an unpaired ``\uD83D`` or ``\uDE00``. A raw surrogate (``ED A0 BD``) is ill-formed bytes, not half of a pair.

A string ends at its quote, and also at a raw U+000A, which a JSON string cannot contain. A line that was cut short
therefore does not affect the lines after it.

Source: RFC 8259 section 7 (strings, escapes) and 8.1 (UTF-8); jsonlines.org.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from eightfold._engine import choose
from eightfold.arguments import AnyErrors, Data, bytes_of
from eightfold.faults import ConversionError, Fault
from eightfold.forms.utf_8 import CONTINUATION, UTF_8
from eightfold.jsonescapes import (
    CUT_SHORT,
    PAIR,
    SURROGATE_BEGUN,
    UNPAIRED,
    is_undecided,
    replacement,
    unpaired_escapes,
)
from eightfold.policy import raise_conversion
from eightfold.reference import fault_at, sequence_at
from eightfold.scrub import check_errors
from eightfold.stream.turns import Copied, in_turn, in_use
from eightfold.text import convert, is_well_formed

SOURCE = "json"
"""The name of the scrubbed text in errors."""
LONGEST_SEQUENCE = max(len(name.unit_ranges) for name in UTF_8.names)
_AT_ONCE = frozenset({"ignore", "replace"})
"""Policies that never raise, and whose output never needs escapes, so all bytes can be converted at once."""
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")
_EVENT_IN_STRING = re.compile(
    rf'"|\n|(?P<pair>{PAIR})|(?P<unpaired>{UNPAIRED})|(?P<cut_short>{CUT_SHORT})|\\[^\n]?'.encode()
)
"""Matches everything inside a string that matters: its end, surrogate escapes, and other escapes to skip."""


def scrub(data: Data, errors: AnyErrors = "replace") -> bytes:
    r"""Return JSON text that every reader can load: without escapes of unpaired surrogates, in well-formed UTF-8.

    A `bytes` object that needs no change is returned itself. Names that become equal are left equal.

    Args:
        data: JSON or JSON Lines in UTF-8, as any bytes-like object; with a byte order mark or without.
        errors: what to write for an unpaired escape, and for each ill-formed decoding unit of bytes: ``replace``
            (``\ufffd`` for an escape, ``EF BF BD`` for bytes), ``ignore`` (nothing; but ``\ufffd`` if the halves of
            a broken escape would otherwise meet and form another one), ``backslashreplace`` (the text
            ``\ud83d`` or ``\xff``, which JSON writes with two backslashes) or ``strict``; ``xmlcharrefreplace`` and
            ``namereplace``, which apply to escapes only; or a handler known to :func:`codecs.lookup_error`, which
            is called as by :func:`eightfold.convert`, with only the adjacent bytes above 7F, and whose text is escaped
            as JSON requires.

    Raises:
        ConversionError: the text needs a change, and the policy is strict; offsets count bytes of the data.
        ValueError: the policy is ``surrogatepass`` or ``surrogateescape``, which would leave the text ill-formed.
        LookupError: unknown policy, or one that utf-8 does not declare (``escape``).

    Source: RFC 8259 sections 7, 8.1 and 8.2 (which says that readers treat unpaired escapes unpredictably).

    >>> scrub(b'{"grin": "\\ud83d\\ude00", "cut": "\\ud83d", "raw": "\xff"}')
    b'{"grin": "\\ud83d\\ude00", "cut": "\\ufffd", "raw": "\xef\xbf\xbd"}'
    """
    scrubber = Scrubber(errors)
    content = bytes_of(data)
    if _is_utf_8(content) and not unpaired_escapes(content, limit=1)[0]:
        return content
    scrubbed = scrubber.scrub(content, final=True)
    return content if scrubbed == content else scrubbed


@in_turn("scrub", "reset", "__getstate__")
class Scrubber(Copied):
    r"""Scrubs JSON text piece by piece: however the text is divided, the pieces add up to :func:`scrub` of the whole.

    At most sixteen bytes are held between calls. A call that raises leaves the scrubber unchanged.

    Args:
        errors: the policy, as for :func:`scrub`; a foreign handler is called with only the adjacent bytes above 7F of
            one piece, not with the whole text.

    Raises:
        LookupError, ValueError: as for :func:`scrub`.

    >>> scrubber = Scrubber()
    >>> scrubber.scrub(b'"\\ud8'), scrubber.scrub(b'3d"'), scrubber.scrub(b"", final=True)
    (b'"', b'\\ufffd"', b'')
    """

    def __init__(self, errors: AnyErrors = "replace") -> None:
        check_errors(errors)
        self._errors = errors
        self.reset()

    @property
    def errors(self) -> AnyErrors:
        """The policy."""
        return self._errors

    def reset(self) -> None:
        r"""Discard held bytes and start a new text: offsets count from 0.

        >>> scrubber = Scrubber()
        >>> scrubber.scrub(rb'"\ud83d')
        b'"'
        >>> scrubber.reset()
        >>> scrubber.scrub(b"[]", final=True)
        b'[]'
        """
        self._held = b""
        self._offset = 0
        self._escapes = _Escapes(self.errors)

    def scrub(self, chunk: Data, final: bool = False) -> bytes:
        r"""Scrub as much of the text as possible and hold the rest for the next call.

        With ``final`` the text ends here and nothing is held; the next call starts a new text, with offsets from 0.

        Raises:
            ConversionError: with offsets into the whole text.
            RuntimeError: an error handler has scrubbed with this scrubber meanwhile. The piece was not taken.

        >>> scrubber = Scrubber()
        >>> scrubber.scrub(rb'"\ud83d'), scrubber.scrub(rb'\ude00"', final=True)
        (b'"', b'\\ud83d\\ude00"')
        """
        content = self._held + bytes_of(chunk)
        decided = len(content) if final else _decided(content)
        before = self._escapes
        escapes = replace(before)
        if self.errors in _AT_ONCE:
            written = [escapes.scrub(_converted(content[:decided], self.errors), 0, final=final)]
        else:
            written = self._written_run_by_run(escapes, content, decided, final=final)
        if self._escapes is not before:
            raise in_use(self)
        if final:
            self.reset()
        else:
            self._held, self._offset, self._escapes = content[decided:], self._offset + decided, escapes
        return b"".join(written)

    def _written_run_by_run(self, escapes: _Escapes, content: bytes, decided: int, *, final: bool) -> list[bytes]:
        written, done = [], 0
        for run in _ill_formed_runs(content, decided):
            written.append(escapes.scrub(content[done : run.start()], self._offset + done))
            ended = final and run.end() == len(content)
            try:
                well_formed = _made_well_formed(run[0], self.errors)
            except ConversionError as error:
                escapes.scrub(b"", 0, final=True)  # an undecided escape precedes the fault and is reported first
                fault = error.fault if ended else replace(error.fault, at_end=False)
                raise_conversion(SOURCE, UTF_8.name, self._offset + run.start(), fault, (error.start, error.end))
            written.append(escapes.scrub(well_formed, self._offset + run.start()))
            done = run.end()
        written.append(escapes.scrub(content[done:decided], self._offset + done, final=final))
        return written


# --- the first layer: well-formed UTF-8 -------------------------------------------------------------------------------


def _decided(content: bytes) -> int:
    """Return the offset up to which more bytes cannot change anything: only the last lead byte can be undecided."""
    for at in range(len(content) - 1, max(len(content) - LONGEST_SEQUENCE, -1), -1):
        if content[at] > CONTINUATION[1]:
            return at if _can_go_on(content, at) else len(content)
    return len(content)


def _can_go_on(content: bytes, at: int) -> bool:
    step = sequence_at(UTF_8, content, at, final=False)
    return step is None or (step.code_point is None and fault_at(UTF_8, content, at, final=False) is None)


def _is_decoded(data: bytes) -> bool:
    # The interpreter's decoder accepts the same bytes (the tests compare them) and is fast without the core.
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


_is_utf_8 = choose(lambda data: is_well_formed(data, UTF_8), _is_decoded)


def _converted(content: bytes, errors: AnyErrors) -> bytes:
    """Return content as well-formed UTF-8, under a policy that does not need offsets."""
    return content if _is_utf_8(content) else _all_converted(content, errors)


_all_converted: Callable[[bytes, AnyErrors], bytes] = choose(
    lambda content, errors: convert(content, UTF_8, UTF_8, errors),
    lambda content, errors: content.decode("utf-8", errors).encode(),
)


def _ill_formed_runs(content: bytes, end: int) -> Iterator[re.Match[bytes]]:
    """Yield the runs of bytes above 7F in which something is ill-formed; no sequence reaches beyond such a run."""
    if _is_utf_8(content[:end]):
        return
    for run in _NOT_ASCII.finditer(content, 0, end):
        if not _is_utf_8(run[0]):
            yield run


def _made_well_formed(run: bytes, errors: AnyErrors) -> bytes:
    # For a handler the input ends with the run: what it answers may depend on all bytes that it sees.
    well_formed = convert(run, UTF_8, UTF_8, errors)
    # A handler's text goes into a string. The original text is all above U+007F, so none of it needs an escape.
    return json.dumps(well_formed.decode(), ensure_ascii=False)[1:-1].encode()


# --- the second layer: escapes ----------------------------------------------------------------------------------------


@dataclass
class _Escapes:
    """Scrubs the escapes of well-formed UTF-8.

    Attributes:
        errors: the policy.
        in_string: whether the next byte is inside a string.
        after_cut_short: whether the next byte follows an escape with too few digits, which it must not complete.
        held: the beginning of an escape, or of a possible pair of escapes, inside a string.
        origins: the offset in the source of each held byte.
    """

    errors: AnyErrors
    in_string: bool = False
    after_cut_short: bool = False
    held: bytes = b""
    origins: tuple[int, ...] = ()

    def scrub(self, text: bytes, origin: int, *, final: bool = False) -> bytes:
        """Scrub as much as possible; ``origin`` is the offset of the text in the source."""
        whole = self.held + text
        origins = _Origins(self.origins, origin)
        written: list[bytes] = []
        done, end, cut_short_end = 0, len(whole), 0 if self.after_cut_short else -1
        for found in self._in_strings(whole):
            if not final and is_undecided(whole, found.start()):
                end = found.start()
                break
            if found["unpaired"]:
                replaced = self._replaced(found, origins, after_cut_short=cut_short_end == found.start())
                written += (whole[done : found.start()], replaced)
                done = found.end()
            elif found["cut_short"]:
                cut_short_end = found.end()
        self.after_cut_short = cut_short_end == end
        self.held, self.origins = whole[end:], tuple(map(origins.of, range(end, len(whole))))
        return b"".join((*written, whole[done:end]))

    def _in_strings(self, text: bytes) -> Iterator[re.Match[bytes]]:
        """Yield the escapes inside strings on each line that has a surrogate escape, and on the last line.

        Other lines can be skipped, because strings end with their line at the latest.
        """
        at = 0
        while at < len(text):
            found = SURROGATE_BEGUN.search(text, at)
            here = found.start() if found else len(text)
            line = text.rfind(b"\n", at, here) + 1
            if line:
                at, self.in_string = line, False
            end = text.find(b"\n", here) + 1 or len(text)
            yield from self._in_strings_of_line(text, at, end)
            at = end

    def _in_strings_of_line(self, text: bytes, start: int, end: int) -> Iterator[re.Match[bytes]]:
        at = start
        while True:
            if not self.in_string:
                at = text.find(b'"', at, end) + 1
                if at == 0:
                    return
                self.in_string = True
            event = _EVENT_IN_STRING.search(text, at, end)
            if event is None:
                return
            at = event.end()
            if event[0].startswith(b"\\"):
                yield event
            else:
                self.in_string = False

    def _replaced(self, found: re.Match[bytes], origins: _Origins, *, after_cut_short: bool) -> bytes:
        surrogate = int(found[0].removeprefix(rb"\u"), 16)
        try:
            return replacement(surrogate, self.errors, after_cut_short=after_cut_short)
        except ConversionError:
            start, end = origins.of(found.start()), origins.of(found.end() - 1) + 1
            fault = Fault("unrepresentable", UTF_8.name, start, end, b"", surrogate, "target")
            raise_conversion(SOURCE, UTF_8.name, 0, fault, (start, end))


class _Origins(NamedTuple):
    """Maps offsets in a text to offsets in the source: the first bytes were held, the others are contiguous."""

    held: tuple[int, ...]
    rest: int

    def of(self, at: int) -> int:
        return self.held[at] if at < len(self.held) else self.rest + at - len(self.held)


__all__ = ["Scrubber", "scrub"]
