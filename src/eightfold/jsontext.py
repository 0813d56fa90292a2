r"""JSON and JSON Lines as text: escapes of unpaired surrogates and ill-formed bytes replaced, all else byte for byte.

Nothing is parsed to objects, and nothing is refused for being no JSON: only strings and the escapes in them are told
from the rest. For objects there is `scrub`, and the two agree: what Python's `json` loads from scrubbed text is the
scrubbed object.

Two layers, each in one pass. First the bytes become well-formed UTF-8, wherever they stand; only then are escapes
looked at, so that a raw byte between two escapes counts by what the policy made of it. Inside strings ``\uD83D\uDE00``
is a pair and stays as it is, in whatever case; ``\uD83D`` or ``\uDE00`` in no pair meets the policy. A raw surrogate
(``ED A0 BD``) is ill-formed bytes and no half of a pair.

A string ends at its quote, and at a raw U+000A too, which no JSON string holds: so a line that was cut short does not
spoil the lines after it.

Source: RFC 8259 section 7 (strings, escapes) and 8.1 (UTF-8); jsonlines.org.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from eightfold._engine import bind, choose
from eightfold.faults import ConversionError, Fault
from eightfold.forms.utf_8 import CONTINUATION, UTF_8
from eightfold.policy import REPLACEMENT, raise_conversion
from eightfold.reference import LEADS, SURROGATES, TRAILS, fault_at, sequence_at
from eightfold.scrub import check_errors
from eightfold.scrub.copies import instead_of
from eightfold.text import AnyErrors, Data, bytes_of, convert, is_well_formed

SOURCE = "json"
"""The name by which errors know the text that is scrubbed."""
LONGEST_SEQUENCE = max(len(name.unit_ranges) for name in UTF_8.names)
_AT_ONCE = frozenset({"ignore", "replace"})
"""Policies that never raise, and write no more than UTF-8 that needs no escape: all bytes can be converted at once."""
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")


def _first_digits(surrogates: range) -> str:
    # Leads and trails are whole blocks of 0x100 code points, so the first two hex digits tell.
    blocks = "|".join(f"{block:02x}" for block in range(surrogates.start >> 8, surrogates.stop >> 8))
    return f"(?i:{blocks})"


_HEX_DIGIT = "[0-9A-Fa-f]"
_LEAD, _TRAIL = (rf"\\u{_first_digits(half)}{_HEX_DIGIT}{{2}}" for half in (LEADS, TRAILS))
_PAIR, _UNPAIRED = f"{_LEAD}{_TRAIL}", f"{_LEAD}|{_TRAIL}"
_CUT_SHORT = rf"\\u{_HEX_DIGIT}{{0,3}}(?!{_HEX_DIGIT})"
_EVENT_IN_STRING = re.compile(
    rf'"|\n|(?P<pair>{_PAIR})|(?P<unpaired>{_UNPAIRED})|(?P<cut_short>{_CUT_SHORT})|\\[^\n]?'.encode()
)
"""What can change the state of things inside a string; escapes of other kinds are passed over."""
_SURROGATE_BEGUN = re.compile(rf"\\u{_first_digits(SURROGATES)}".encode())
_ESCAPE = re.compile(rf"{_PAIR}|\\u{_HEX_DIGIT}{{4}}".encode())
_SOME_PAIR = rf"\u{LEADS.start:04x}\u{TRAILS.start:04x}".encode()
_REPLACEMENT = json.dumps(REPLACEMENT)[1:-1].encode()


def scrub(data: Data, errors: AnyErrors = "replace") -> bytes:
    r"""Return JSON text that every reader can load: without escapes of unpaired surrogates, in well-formed UTF-8.

    Bytes in which there is nothing to do come back as the very same object. Names that become equal are left so.

    Args:
        data: JSON or JSON Lines in UTF-8, as any bytes-like object; with a byte order mark or without.
        errors: what to write for an unpaired escape, and for each ill-formed decoding unit of bytes: ``replace``
            (``\ufffd`` for an escape, ``EF BF BD`` for bytes), ``ignore`` (nothing; but ``\ufffd`` where the halves of
            a broken escape would meet and make another one), ``backslashreplace`` (the text
            ``\ud83d`` or ``\xff``, which JSON writes with two backslashes), ``strict``; ``xmlcharrefreplace`` and
            ``namereplace`` have an answer for escapes only; or a handler known to :func:`codecs.lookup_error`, which
            is called as by :func:`eightfold.convert`, and whose text is escaped as JSON needs it.

    Raises:
        ConversionError: there is something to do, and the policy is strict; offsets count bytes of the data.
        ValueError: the policy is ``surrogatepass`` or ``surrogateescape``, which leave what is ill-formed as it is.
        LookupError: no such policy, or one that utf-8 does not have (``escape``).

    Source: RFC 8259 sections 7, 8.1 and 8.2 (which says that unpaired escapes lead to unpredictable readers).

    >>> scrub(b'{"grin": "\\ud83d\\ude00", "cut": "\\ud83d", "raw": "\xff"}')
    b'{"grin": "\\ud83d\\ude00", "cut": "\\ufffd", "raw": "\xef\xbf\xbd"}'
    """
    scrubber = Scrubber(errors)
    content = bytes_of(data)
    if _is_utf_8(content) and not may_hold_unpaired(content):
        return content
    scrubbed = scrubber.scrub(content, final=True)
    return content if scrubbed == content else scrubbed


class Scrubber:
    r"""Scrubs JSON text piece by piece: whatever the cuts, the pieces add up to :func:`scrub` of the whole.

    At most sixteen bytes are held between calls. A call that raises leaves the scrubber as it was.

    Args:
        errors: the policy, as for :func:`scrub`; a foreign handler is called with no more of the text than the bytes
            above 7F that stand together in one piece.

    Raises:
        LookupError, ValueError: as :func:`scrub`.

    >>> scrubber = Scrubber()
    >>> scrubber.scrub(b'"\\ud8'), scrubber.scrub(b'3d"'), scrubber.scrub(b"", final=True)
    (b'"', b'\\ufffd"', b'')
    """

    def __init__(self, errors: AnyErrors = "replace") -> None:
        check_errors(errors)
        self.errors = errors
        self.reset()

    def reset(self) -> None:
        r"""Begin anew: what was held is forgotten, and offsets count from 0.

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
        """Return as much of the text as can be scrubbed now; the rest is held for the next call.

        With ``final`` the text ends here, and another may follow: nothing is held, and offsets count from 0 again.

        Raises:
            ConversionError: with offsets into the whole text.
        """
        content = self._held + bytes_of(chunk)
        decided = len(content) if final else _decided(content)
        escapes = replace(self._escapes)
        if self.errors in _AT_ONCE:
            written = [escapes.scrub(_converted(content[:decided], self.errors), 0, final=final)]
        else:
            written = self._written_run_by_run(escapes, content, decided, final=final)
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
                well_formed = _made_well_formed(run[0], self.errors, ended=ended)
            except ConversionError as error:
                escapes.scrub(b"", 0, final=True)  # an escape that is still undecided stands before the fault
                raise_conversion(SOURCE, UTF_8.name, self._offset + run.start(), error.fault, (error.start, error.end))
            written.append(escapes.scrub(well_formed, self._offset + run.start()))
            done = run.end()
        written.append(escapes.scrub(content[done:decided], self._offset + done, final=final))
        return written


# --- the first layer: well-formed UTF-8 -------------------------------------------------------------------------------


def _decided(content: bytes) -> int:
    """Return up to where no further byte can change a sequence or its fault: only the last lead byte can begin one."""
    for at in range(len(content) - 1, max(len(content) - LONGEST_SEQUENCE, -1), -1):
        if content[at] > CONTINUATION[1]:
            return at if _can_go_on(content, at) else len(content)
    return len(content)


def _can_go_on(content: bytes, at: int) -> bool:
    step = sequence_at(UTF_8, content, at, final=False)
    return step is None or (step.code_point is None and fault_at(UTF_8, content, at, final=False) is None)


def _is_decoded(data: bytes) -> bool:
    # The interpreter's own decoder is as exact (the tests compare them), and fast without the core.
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


_is_utf_8 = choose(lambda data: is_well_formed(data, UTF_8), _is_decoded)


def _converted(content: bytes, errors: AnyErrors) -> bytes:
    """Return content in well-formed UTF-8, by a policy that counts no offsets."""
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


def _made_well_formed(run: bytes, errors: AnyErrors, *, ended: bool) -> bytes:
    # Whether the input ends here or a sequence is cut short by another: any ASCII character stands in for that.
    stand_in = b"" if ended else b"\0"
    well_formed = convert(run + stand_in, UTF_8, UTF_8, errors).removesuffix(stand_in)
    # What a handler wrote goes into a string; of what was there, all above U+007F, nothing needs an escape.
    return json.dumps(well_formed.decode(), ensure_ascii=False)[1:-1].encode()


# --- the second layer: escapes ----------------------------------------------------------------------------------------


@bind
def may_hold_unpaired(text: bytes) -> bool:
    """Say whether an escape of a surrogate may stand in no pair; the core looks closer, and says so less often."""
    return _SURROGATE_BEGUN.search(text) is not None


@dataclass(slots=True)
class _Escapes:
    """Scrubs the escapes of well-formed UTF-8.

    Attributes:
        errors: the policy.
        in_string: whether what comes next is inside a string.
        after_cut_short: whether what comes next follows an escape with too few digits, which it must not complete.
        held: the beginning of an escape, or of two that can be a pair, inside a string.
        origins: for each byte that is held its offset in the source.
    """

    errors: AnyErrors
    in_string: bool = False
    after_cut_short: bool = False
    held: bytes = b""
    origins: tuple[int, ...] = ()

    def scrub(self, text: bytes, origin: int, *, final: bool = False) -> bytes:
        """Return what can be scrubbed now; ``origin`` is the offset of the text in the source."""
        whole = self.held + text
        origins = _Origins(self.origins, origin)
        written: list[bytes] = []
        done, end, cut_short_end = 0, len(whole), 0 if self.after_cut_short else -1
        for found in self._in_strings(whole):
            if not final and _is_undecided(whole, found.start()):
                end = found.start()
                break
            if found["unpaired"]:
                replaced = self._replaced(found, origins)
                if cut_short_end == found.start():
                    replaced = replaced or _REPLACEMENT
                written += (whole[done : found.start()], replaced)
                done = found.end()
            elif found["cut_short"]:
                cut_short_end = found.end()
        self.after_cut_short = cut_short_end == end
        self.held, self.origins = whole[end:], tuple(map(origins.of, range(end, len(whole))))
        return b"".join((*written, whole[done:end]))

    def _in_strings(self, text: bytes) -> Iterator[re.Match[bytes]]:
        """Yield the escapes inside strings on each line that has a surrogate escape, and on the last.

        Other lines are passed over: their strings end with them, and it does not matter where they began.
        """
        at = 0
        while at < len(text):
            found = _SURROGATE_BEGUN.search(text, at)
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

    def _replaced(self, found: re.Match[bytes], origins: _Origins) -> bytes:
        surrogate = chr(int(found[0].removeprefix(rb"\u"), 16))
        try:
            # An escape is answered in escapes.
            return json.dumps(instead_of(surrogate, self.errors))[1:-1].encode()
        except ConversionError:
            start, end = origins.of(found.start()), origins.of(found.end() - 1) + 1
            fault = Fault("unrepresentable", UTF_8.name, start, end, b"", ord(surrogate), "target")
            raise_conversion(SOURCE, UTF_8.name, 0, fault, (start, end))


class _Origins(NamedTuple):
    """Where the bytes of a text come from: the first were held, the others follow each other in the source."""

    held: tuple[int, ...]
    rest: int

    def of(self, at: int) -> int:
        return self.held[at] if at < len(self.held) else self.rest + at - len(self.held)


def _is_undecided(text: bytes, at: int) -> bool:
    """Say whether the text ends before it is known what begins at a backslash inside a string."""
    there = text[at : at + len(_SOME_PAIR)]
    could_be = _ESCAPE.match(there + _SOME_PAIR[len(there) :])
    return could_be is not None and could_be.end() > len(there)


__all__ = ["Scrubber", "scrub"]
