"""The vectors of a form: for each planted fault the first input that shows it, and inputs that no table speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from eightfold import FaultRow, Form, Row, reference
from generator.answers import ANSWERS, Answer, Machine
from generator.mutants import EVERY_READING, Entry, Mutant, middles, mutants

Subject = Any
"""The bytes or the list of code points that an operation is asked about."""
INPUTS_TRIED = 200
"""For each planted fault; it is one of the simple ones that shows it."""


class Choice(NamedTuple):
    """One question: an operation, its subject, and the sizes of the pieces if it comes in pieces."""

    operation: str
    subject: Subject
    chunks: tuple[int, ...] = ()

    @property
    def key(self) -> tuple[str, str, tuple[int, ...]]:
        """The question as text."""
        return self.operation, repr(self.subject), self.chunks


class Selection:
    """The questions chosen for a form, and what they were chosen for."""

    def __init__(self, form: Form, mark: bytes = b"") -> None:
        self.form, self.mark = form, mark
        self.sound = Machine(form, mark)
        self.chosen: dict[tuple[str, str, tuple[int, ...]], tuple[Choice, str]] = {}
        self.unseen: list[Mutant] = []
        self._by_entry: dict[int, list[Choice]] = {}
        self._answers: dict[tuple[str, str, tuple[int, ...]], Answer] = {}
        self._inputs: dict[int, list[bytes]] = {}

    def answer(self, choice: Choice) -> Answer:
        """Return the right answer."""
        if choice.key not in self._answers:
            self._answers[choice.key] = ANSWERS[choice.operation](self.sound, choice.subject)
        return self._answers[choice.key]

    def shows(self, choice: Choice, mutant: Mutant) -> bool:
        """Return whether a question tells a mutant from the form."""
        if choice.operation not in mutant.operations:
            return False
        return ANSWERS[choice.operation](mutant.machine, choice.subject) != self.answer(choice)

    def add(self, choice: Choice, source: str) -> None:
        """Add a question, unless it is there."""
        self.chosen.setdefault(choice.key, (choice, source))

    def select(self, mutant: Mutant) -> None:
        """Add the first question that shows a mutant, unless one that was chosen for the same entry shows it."""
        before = self._by_entry.setdefault(id(mutant.entry), [])
        if any(self.shows(choice, mutant) for choice in before):
            return
        for choice in self.questions(mutant):
            if self.shows(choice, mutant):
                before.append(choice)
                self.add(choice, mutant.entry.source or self.form.source)
                return
        self.unseen.append(mutant)

    def questions(self, mutant: Mutant) -> Iterator[Choice]:
        """Yield the questions that may show a mutant."""
        if mutant.operations == ("encode",):
            assert isinstance(mutant.entry, Row)
            row = mutant.entry
            for units in middles(row):
                yield Choice("encode", [reference.value(row.first, row.unit_ranges, units)])
            for point in (row.first, row.last, row.first - 1, row.last + 1):
                yield Choice("encode", [point])
            return
        inputs = self._inputs.setdefault(id(mutant.entry), [])
        inputs += () if inputs else dict.fromkeys(islice(inputs_of(self.form, mutant.entry), INPUTS_TRIED))
        for operation in mutant.operations:
            for data in inputs:
                yield Choice(operation, self.mark + data)


def _written(form: Form, units: list[int]) -> bytes:
    return b"".join(unit.to_bytes(form.unit_bytes, form.byte_order) for unit in units)


def _samples(entry: Entry) -> list[list[int]]:
    """Return the sequences of an entry at its corners and two in the middle, each a list of units."""
    low, high = [low for low, _ in entry.unit_ranges], [high for _, high in entry.unit_ranges]
    return [low, high, *middles(entry)]


def followers(form: Form, entry: Entry) -> list[bytes]:
    """Return what may stand after a sequence: a letter, the sequence itself, the first of every other."""
    letter = reference.encoded(form, 0x41) or _written(form, _samples(form.rows[0])[2])
    others = [_written(form, _samples(other)[0]) for other in (entry, *form.sequences)]
    return list(dict.fromkeys([letter, *others]))


def inputs_of(form: Form, entry: Entry) -> Iterator[bytes]:
    """Yield inputs around an entry, the simplest first: its sequences, its neighbours, and all that is cut short."""
    samples = _samples(entry)
    first, last = samples[:2]
    top = (1 << form.unit_bits) - 1
    yield from (_written(form, units) for units in samples)
    for at, (low, high) in enumerate(entry.unit_ranges):
        for changed in ([*first[:at], low - 1, *first[at + 1 :]], [*last[:at], high + 1, *last[at + 1 :]]):
            if 0 <= changed[at] <= top:
                yield _written(form, changed)
    after = followers(form, entry)
    prefixes = [_written(form, units[:count]) for count in range(1, len(first)) for units in (first, last)]
    wholes = [_written(form, first), _written(form, last)]
    yield from prefixes
    yield from (prefix + after[0] for prefix in prefixes)
    yield from (prefix + follower for prefix in prefixes for follower in after[1:])
    if isinstance(entry, FaultRow):
        yield from _runs(form, entry, wholes[0], after[0])
    yield from (whole + follower for whole in wholes for follower in after)
    yield from (prefix + 2 * after[0] for prefix in (*prefixes, *wholes))
    yield from (whole + follower + after[0] for whole in wholes for follower in after)


def _runs(form: Form, entry: FaultRow, whole: bytes, letter: bytes) -> Iterator[bytes]:
    """Yield a sequence of unbounded length with one more unit, at the edges of those that continue it."""
    for low, high in entry.run:
        for unit in (low, high, low - 1, high + 1):
            if 0 <= unit < 1 << form.unit_bits:
                yield whole + _written(form, [unit])
                yield whole + _written(form, [unit]) + letter


# --- what no table speaks of ------------------------------------------------------------------------------------------

PAIRS = (
    *([0xD800, 0xDC00], [0xDBFF, 0xDFFF], [0xD83D, 0xDCA9], [0xD7FF, 0xDC00], [0xD800, 0xDBFF]),
    *([0xDC00, 0xD800], [0xDBFF, 0xE000], [0xD800, 0xD800, 0xDC00], [0xD800, 0xDC00, 0xDC00]),
    *([0xD800, 0x41], [0x41, 0xDC00], [0x41, 0xD800]),
)
"""Surrogates in code points: joined, kept apart or refused, by the form."""
BEYOND = (0x10FFFF, 0x110000)


def add_pairs(selection: Selection) -> None:
    """Add what becomes of surrogates on encoding, also where a piece of the text ends between the two."""
    form = selection.form
    for points in PAIRS:
        selection.add(Choice("encode", points), form.source)
    for point in BEYOND:
        selection.add(Choice("encode", [0x41, point]), form.source)
    if reference.encoded(form, 0xD800) is not None or form.joins_pairs:
        for points in PAIRS[2], PAIRS[7], PAIRS[9]:
            selection.add(Choice("encode-stream", points, (1,) * len(points)), form.source)


def add_odd_lengths(selection: Selection) -> None:
    """Add inputs that end inside a code unit: alone, after a letter, and after each first unit."""
    form, mark = selection.form, selection.mark
    for row in form.rows:
        begun = _written(form, _samples(row)[0])
        for data in (b"", begun, begun[: form.unit_bytes]):
            for count in range(1, form.unit_bytes):
                for operation in ("decode", "replace"):
                    selection.add(Choice(operation, mark + data + begun[:count]), form.source)


def add_streams(selection: Selection) -> None:
    """Add every sequence byte by byte, and every beginning of one, with the rest of the input in a later piece."""
    form = selection.form
    letter = followers(form, form.rows[0])[0]
    for entry in form.sequences:
        whole = _written(form, _samples(entry)[2])
        source = entry.source or form.source
        selection.add(Choice("decode-stream", whole + letter, (1,) * len(whole + letter)), source)
        for size in range(1, len(whole)):
            selection.add(Choice("decode-stream", whole[:size] + letter, (size, 0, len(letter))), source)
        if len(whole) > 1:
            selection.add(Choice("decode-stream", letter + whole[:-1], (len(letter), len(whole) - 1, 0)), source)


def add_signatures(selection: Selection, asked: Form) -> None:
    """Add what a signature is: absent, alone, twice, cut short, in pieces; and that it is written."""
    form, mark, source = selection.form, selection.mark, asked.source
    letter = followers(form, form.rows[0])[0]
    for data in (mark, mark + mark + letter, mark + letter):
        selection.add(Choice("decode", data), source)
    selection.add(Choice("decode-stream", mark + letter, (1,) * len(mark + letter)), source)
    if len(asked.signatures) == 1:
        for points in ([], [0x41]):
            selection.add(Choice("encode", points), source)


def select(form: Form, mark: bytes = b"", *, asked: Form | None = None) -> Selection:
    """Return the questions of a form; if it is the one that a signature of ``asked`` announces, fewer."""
    selection = Selection(form, mark)
    if asked:
        add_signatures(selection, asked)
    else:
        selection.add(Choice("decode", b""), form.source)
    for mutant in mutants(form, mark):
        if not asked or set(mutant.operations) <= set(EVERY_READING):
            selection.select(mutant)
    if form.unit_bytes > 1:
        add_odd_lengths(selection)
    if not asked:
        add_streams(selection)
        if not form.decode_only:
            add_pairs(selection)
    return selection
