"""What an encoding is: rows, fault rows, and the few rules that tables cannot speak; and the self-check of a form.

Data only: what the rows mean is in :mod:`eightfold.reference`. A form that contradicts itself cannot be built.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from math import prod
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from eightfold.faults import KINDS, Kind, code_point_name

Range = tuple[int, int]
ByteOrder = Literal["little", "big"]

LARGEST_VALUE = 0xFFFFFFFF


def _range(given: int | Sequence[int]) -> Range:
    if isinstance(given, int):
        low = high = given
    elif isinstance(given, range):
        low, high = given[0], given[-1]
    elif isinstance(given, (tuple, list)) and len(given) == 2:
        low, high = given
    else:
        raise TypeError(f"the range of a code unit is (lowest, highest), a range or one value, not {given!r}")
    if not (isinstance(low, int) and isinstance(high, int)):
        raise TypeError(f"code units are integers, not {low!r} and {high!r}")
    if not 0 <= low <= high <= LARGEST_VALUE:
        raise ValueError(f"not a range of code units: {low:X}-{high:X}")
    return low, high


def _shown(ranges: Sequence[Range]) -> str:
    return " ".join(f"{low:02X}" if low == high else f"{low:02X}-{high:02X}" for low, high in ranges)


class Row:
    """A run of code points and the code units that write them: one line of an encoding's table.

    The code point is ``first`` plus the mixed-radix index of the units within their ranges, so the product of the
    ranges' widths must be the number of code points: a row proves itself.

    Args:
        first, last: the code points, both included.
        unit_ranges: for each code unit its lowest and highest value, both included; or a `range`; or one value.
        source: where the row comes from.

    Raises:
        ValueError: the widths do not give the number of code points.

    >>> Row(0x80, 0x7FF, (0xC2, 0xDF), (0x80, 0xBF))
    Row(U+0080-U+07FF: C2-DF 80-BF)
    """

    __slots__ = ("first", "last", "source", "unit_ranges")

    def __init__(self, first: int, last: int, *unit_ranges: int | Sequence[int], source: str = "") -> None:
        if not (isinstance(first, int) and isinstance(last, int)):
            raise TypeError(f"code points are integers, not {first!r} and {last!r}")
        self.first = first
        self.last = last
        self.unit_ranges = tuple(_range(given) for given in unit_ranges)
        self.source = source
        if not unit_ranges or not 0 <= first <= last <= LARGEST_VALUE:
            raise ValueError(f"{self} is empty or out of range")
        _check_count(self, self.unit_ranges, first, last)

    def __repr__(self) -> str:
        return f"Row({_points(self.first, self.last)}: {_shown(self.unit_ranges)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash(self._facts())

    def _facts(self) -> tuple[Any, ...]:
        return self.first, self.last, self.unit_ranges


class FaultRow(NamedTuple):
    """An ill-formed sequence that has a name. Made by :func:`fault_row`, which checks it.

    >>> fault_row("invalid-byte", (0xFE, 0xFF)).unit_ranges
    ((254, 255),)

    Attributes:
        kind: the kind of fault.
        unit_ranges: as in :class:`Row`.
        first, last: the code points that were meant, or None.
        run: ranges of units that go on belonging to the sequence, however many there are.
        source: where the row comes from.
    """

    kind: Kind
    unit_ranges: tuple[Range, ...]
    first: int | None = None
    last: int | None = None
    run: tuple[Range, ...] = ()
    source: str = ""


def fault_row(
    kind: Kind,
    *unit_ranges: int | Sequence[int],
    meant: Range | None = None,
    run: Sequence[Range] = (),
    source: str = "",
) -> FaultRow:
    """Return a checked :class:`FaultRow`; ``meant`` is the first and the last code point that its units would give.

    >>> fault_row("overlong", (0xC0, 0xC1), (0x80, 0xBF), meant=(0, 0x7F)).kind
    'overlong'
    """
    if kind not in KINDS:
        raise ValueError(f"unknown kind of fault: {kind!r}")
    first, last = meant or (None, None)
    row = FaultRow(kind, tuple(_range(given) for given in unit_ranges), first, last, tuple(run), source)
    if first is not None and last is not None:
        _check_count(row, row.unit_ranges, first, last)
    return row


def _points(first: int, last: int) -> str:
    return f"{code_point_name(first)}-{code_point_name(last)}"


def _check_count(row: object, unit_ranges: Sequence[Range], first: int, last: int) -> None:
    widths = prod(high - low + 1 for low, high in unit_ranges)
    if widths != last - first + 1:
        raise ValueError(f"{row}: the units have {widths} values for {last - first + 1} code points")


class Variant(NamedTuple):
    """Other rows of a form, under the name of a policy that the form declares.

    >>> from eightfold.forms import form
    >>> form("mutf-8").variants[0].policy
    'java'

    Attributes:
        policy: the name that ``errors`` takes.
        form: the form that holds instead.
        encodes: whether it holds on encoding too; where not, the form's own rows do.
    """

    policy: str
    form: Form
    encodes: bool = True


class Signature(NamedTuple):
    r"""Bytes that may begin an input and are no part of its text.

    >>> from eightfold.forms import form
    >>> form("utf-8-sig").signatures[0].mark
    b'\xef\xbb\xbf'

    Attributes:
        mark: the bytes.
        form: the form of what follows them.
        counted: whether offsets in exceptions count them.
    """

    mark: bytes
    form: Form
    counted: bool = True


class Form:
    """An encoding: its name, three tables, and the rules where tables cannot speak.

    Args:
        name: the form's name, as errors and faults give it.
        rows: what is well-formed; the longest row that matches wins.
        unit_bits: the width of a code unit: 8, 16 or 32.
        units: ill-formed sequences that are one decoding unit; elsewhere that is the maximal subpart by the rows.
        names: fault rows for the diagnosis only.
        longest_match: declares that a row may be the beginning of another.
        joins_pairs: on encoding, a lead directly followed by a trail is the supplementary code point.
        prescribes_joining: the form's own definition asks for that, so that it is not reported as a loss.
        byte_order: of 16- and 32-bit units; the machine's own where not given.
        signatures: marks that may begin an input, each with the form that it announces. The first is written.
        refuses: policies that the form does not take, each with the reason.
        variants: other rows under a policy's name.
        decode_only: the rows need not be injective, and nothing is encoded with them.
        cpython_reasons: CPython's words for a fault; a form that has them behaves as CPython's codec.
        note: what a person should know before using the form.
        source: the document that defines it.

    A form does not change, so a copy of it is itself; and it can be pickled.

    Raises:
        ValueError: two rows share a code point, or one begins as another does; both are named.

    >>> Form("two", [Row(0, 0x7F, (0, 0x7F)), Row(0x80, 0x7FF, (0xC2, 0xDF), (0x80, 0xBF))]).name
    'two'
    """

    def __init__(
        self,
        name: str,
        rows: Sequence[Row],
        *,
        unit_bits: Literal[8, 16, 32] = 8,
        units: Sequence[FaultRow] = (),
        names: Sequence[FaultRow] = (),
        aliases: Sequence[str] = (),
        longest_match: bool = False,
        joins_pairs: bool = False,
        prescribes_joining: bool = False,
        byte_order: ByteOrder = sys.byteorder,
        signatures: Sequence[Signature] = (),
        refuses: Mapping[str, str] = MappingProxyType({}),
        variants: Sequence[Variant] = (),
        decode_only: bool = False,
        cpython_reasons: Mapping[str, str] = MappingProxyType({}),
        note: str = "",
        source: str = "",
    ) -> None:
        self.name = name
        self.rows = tuple(rows)
        self.unit_bits = unit_bits
        self.units = tuple(units)
        self.names = tuple(names)
        self.aliases = tuple(aliases)
        self.longest_match = longest_match
        self.joins_pairs = joins_pairs
        self.prescribes_joining = prescribes_joining
        self.byte_order = byte_order
        self.signatures = tuple(signatures)
        self.refuses = refuses
        self.variants = tuple(variants)
        self.decode_only = decode_only
        self.cpython_reasons = cpython_reasons
        self.note = note
        self.source = source
        self.sequences: tuple[Row | FaultRow, ...] = (*self.rows, *self.units)
        """What the input is cut into: the rows, and the ill-formed sequences that are one decoding unit."""
        self.run_unit = next((unit for unit in self.units if unit.run), None)
        """The ill-formed sequence that has no fixed length, if the form has one."""
        self.derived: dict[str, Any] = {}
        """What an engine derives from the tables, kept with the form."""
        _check(self)

    @property
    def unit_bytes(self) -> int:
        """The width of a code unit in bytes."""
        return self.unit_bits // 8

    def variant(self, policy: str) -> Variant | None:
        """Return the variant that the form declares under this policy's name, or None.

        >>> from eightfold.forms import form
        >>> form("utf-8").variant("java") is None
        True
        """
        return next((variant for variant in self.variants if variant.policy == policy), None)

    def __repr__(self) -> str:
        return f"<Form {self.name}>"

    def __copy__(self) -> Form:
        return self

    def __deepcopy__(self, memo: object) -> Form:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a form of the family by its name, so that it is the same one again; any other by its tables."""
        from eightfold.forms import form, forms

        if any(self is each for each in forms()):
            return form, (self.name,)
        arguments = {name: getattr(self, name) for name in ("name", "rows", *(Form.__init__.__kwdefaults__ or ()))}
        return _built, ({**arguments, "refuses": dict(self.refuses), "cpython_reasons": dict(self.cpython_reasons)},)


def _built(arguments: dict[str, Any]) -> Form:
    return Form(**arguments)


def _check(form: Form) -> None:
    _check_arguments(form)
    for entry in (*form.sequences, *form.names):
        if any(high >= 1 << form.unit_bits for _, high in entry.unit_ranges):
            raise ValueError(f"{form.name}: {entry} has a value that {form.unit_bits} bits cannot hold")
    for one, other in combinations(form.rows, 2):
        _check_apart(form, one, other)
    for first, second in chain(combinations(form.sequences, 2), combinations(form.names, 2)):
        if _overlap(first, second) and len(first.unit_ranges) == len(second.unit_ranges):
            raise ValueError(f"{form.name}: {first} and {second} hold the same sequence")


def _check_arguments(form: Form) -> None:
    if form.unit_bits not in (8, 16, 32):
        raise ValueError(f"{form.name}: a code unit has 8, 16 or 32 bits, not {form.unit_bits}")
    if form.byte_order not in ("little", "big"):
        raise ValueError(f"{form.name}: the byte order is 'little' or 'big', not {form.byte_order!r}")
    if not form.rows:
        raise ValueError(f"{form.name}: a form needs a row")
    if other := [row for row in form.rows if not isinstance(row, Row)]:
        raise TypeError(f"{form.name}: a row is a Row, not {other[0]!r}")
    if sum(bool(unit.run) for unit in form.units) > 1:
        raise ValueError(f"{form.name}: only one decoding unit can be without a fixed length")


def _check_apart(form: Form, one: Row, other: Row) -> None:
    if not form.decode_only and one.first <= other.last and other.first <= one.last:
        raise ValueError(f"{form.name}: {one} and {other} share a code point")
    begins_alike = _overlap(one, other)
    same_length = len(one.unit_ranges) == len(other.unit_ranges)
    if begins_alike and (same_length or not form.longest_match):
        raise ValueError(f"{form.name}: {one} and {other} begin alike")


def _overlap(one: Row | FaultRow, other: Row | FaultRow) -> bool:
    """Say whether some sequence of one begins as some sequence of the other, or is the beginning of it."""
    return all(
        low <= other_high and other_low <= high
        for (low, high), (other_low, other_high) in zip(one.unit_ranges, other.unit_ranges, strict=False)
    )
