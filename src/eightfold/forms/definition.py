"""What defines an encoding: its rows and fault rows, and the few rules that tables cannot express; and its self-check.

Data only: :mod:`eightfold.reference` defines what the rows mean. A form that contradicts itself cannot be built.
"""

from __future__ import annotations

import operator
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, wraps
from itertools import accumulate
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, SupportsIndex, TypeVar

from eightfold.forms.rows import FaultRow, Fixed, Range, Row, check_fault_row, check_type

ByteOrder = Literal["little", "big"]
_Derived = TypeVar("_Derived")

MOST_ENTRIES = 1024
"""The maximum number of rows, of units and of names. The largest form here has 13."""
MOST_UNITS_IN_ALL = 8192
"""The maximum number of code units of all these together, ranges of runs included."""


class Variant(NamedTuple):
    """Alternative rows of a form, used under a policy that the form declares.

    >>> from eightfold.forms import form
    >>> form("mutf-8").variants[0].policy
    'java'

    Attributes:
        policy: the value of ``errors`` that selects the variant.
        form: the form to use instead.
        encodes: whether encoding uses it too; if false, encoding uses the form's own rows.
    """

    policy: str
    form: Form
    encodes: bool = True


class Signature(NamedTuple):
    r"""Bytes that may begin an input and are not part of its text.

    >>> from eightfold.forms import form
    >>> form("utf-8-sig").signatures[0].mark
    b'\xef\xbb\xbf'

    Attributes:
        mark: the bytes.
        form: the form of the bytes that follow.
        counted: whether offsets in exceptions include the mark.
    """

    mark: bytes
    form: Form
    counted: bool = True


class Form(Fixed):
    """An encoding: its name, three tables, and the rules that tables cannot express.

    Args:
        name: the form's name, as used in errors and faults.
        rows: the well-formed sequences, at most 1024; the longest matching row wins. All sequences together have at
            most 8192 code units, ranges of runs included.
        unit_bits: the width of a code unit: 8, 16 or 32.
        units: ill-formed sequences that are one decoding unit; elsewhere the unit is the maximal subpart by the rows.
        names: fault rows that only name faults; they do not change how the input is divided.
        aliases: other names; :func:`~eightfold.form` knows those of built-in forms.
        longest_match: allows a row to be the beginning of another.
        joins_pairs: encoding joins a lead directly followed by a trail into the supplementary code point; if the form
            lacks that, the pair is one error.
        prescribes_joining: the form's own definition prescribes joining, so joining is not reported as a loss.
        byte_order: the byte order of 16- and 32-bit units; native by default.
        signatures: marks that may begin an input, each with the form that it announces. Encoding writes the first.
        refuses: policies that the form does not accept, each with the reason. It does not accept those of an
            announced form either.
        variants: alternative rows, each selected by a policy.
        decode_only: rows may share code points, since the form is meant for decoding; encoding takes the first row
            that has a code point.
        cpython_reasons: CPython's wording for a fault; a form that has it behaves as CPython's codec.
        note: what to know before using the form.
        source: the document that defines the form.

    A form is immutable, and equal to nothing but itself. Copying returns the same object, and so does unpickling a
    built-in form; another that is unpickled is a form of its own, which reads and writes the same. A subclass whose
    constructor takes other arguments is unpickled without it: its attributes are restored.

    Raises:
        ValueError: two rows share a code point, or begin alike (the message names both), there are too many rows,
            units, names or code units, a signature announces a form that itself has signatures, a mark begins with an
            earlier one, a variant is for ``strict`` or for the policy of another, a fault row gives only one of its
            intended code points or breaks another rule of :func:`fault_row`, or the name is empty.
        TypeError: an argument, or a part of one, is not of the declared type: `unit_bits` is not an int, a row not a
            :class:`Row`, the mark of a signature not bytes, and so on.

    >>> Form("two", [Row(0, 0x7F, (0, 0x7F)), Row(0x80, 0x7FF, (0xC2, 0xDF), (0x80, 0xBF))]).name
    'two'
    """

    name: str
    rows: tuple[Row, ...]
    unit_bits: Literal[8, 16, 32]
    units: tuple[FaultRow, ...]
    names: tuple[FaultRow, ...]
    aliases: tuple[str, ...]
    longest_match: bool
    joins_pairs: bool
    prescribes_joining: bool
    byte_order: ByteOrder
    signatures: tuple[Signature, ...]
    refuses: Mapping[str, str]
    variants: tuple[Variant, ...]
    decode_only: bool
    cpython_reasons: Mapping[str, str]
    note: str
    source: str
    sequences: tuple[Row | FaultRow, ...]
    """What input is divided into, the rows and the ill-formed sequences that are one decoding unit."""
    run_unit: FaultRow | None
    """The ill-formed sequence of unbounded length, if the form has one."""
    derived: dict[str, Any]
    """A cache of the data that an engine derives from the tables."""

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
        rows, units = _parts(name, "row", rows, Row), _parts(name, "unit", units, FaultRow)
        vars(self).update(
            name=name,
            rows=rows,
            unit_bits=operator.index(unit_bits) if isinstance(unit_bits, SupportsIndex) else unit_bits,
            units=units,
            names=_parts(name, "name", names, FaultRow),
            aliases=_parts(name, "alias", aliases, str),
            longest_match=longest_match,
            joins_pairs=joins_pairs,
            prescribes_joining=prescribes_joining,
            byte_order=byte_order,
            signatures=_parts(name, "signature", signatures, Signature),
            refuses=_texts(name, "refuses", refuses),
            variants=_parts(name, "variant", variants, Variant),
            decode_only=decode_only,
            cpython_reasons=_texts(name, "cpython_reasons", cpython_reasons),
            note=note,
            source=source,
            sequences=(*rows, *units),
            run_unit=next((unit for unit in units if unit.run), None),
            derived={},
        )
        _check(self)
        announced = {policy: reason for each in self.signatures for policy, reason in each.form.refuses.items()}
        vars(self).update(refuses=MappingProxyType(announced | dict(self.refuses)))

    @cached_property
    def unit_bytes(self) -> int:
        """The width of a code unit in bytes."""
        return self.unit_bits // 8

    @property
    def is_foreign(self) -> bool:
        """Whether it only stands for a charset of Python's registry (see :mod:`eightfold.legacy`), unlike a form."""
        return False

    def variant(self, policy: str) -> Variant | None:
        """Return the variant that this policy selects, or None.

        >>> from eightfold.forms import form
        >>> form("utf-8").variant("java") is None
        True
        """
        return next((variant for variant in self.variants if variant.policy == policy), None)

    def __repr__(self) -> str:
        return f"<Form {self.name}>"

    def _repr_html_(self) -> str:
        from eightfold.forms.as_html import html_table

        named = [(entry.kind, entry, entry.run) for entry in (*self.units, *self.names)]
        caption = f"{self.name}: {self.note}" if self.note else self.name
        return html_table(caption, self, [*(("", row, ()) for row in self.rows), *named])

    def __copy__(self) -> Form:
        return self

    def __deepcopy__(self, memo: object) -> Form:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a form by its tables. Built-in forms are pickled by name: see :mod:`eightfold.forms`."""
        arguments = {name: getattr(self, name) for name in ("name", "rows", *(Form.__init__.__kwdefaults__ or ()))}
        arguments |= {"refuses": dict(self.refuses), "cpython_reasons": dict(self.cpython_reasons)}
        of_subclass = {name: fact for name, fact in vars(self).items() if name not in Form.__annotations__}
        return _built, (type(self), arguments), of_subclass


def derived(name: str) -> Callable[[Callable[[Form], _Derived]], Callable[[Form], _Derived]]:
    """Decorate a function that derives something from a form: call it once for each, and keep the result in the form.

    Args:
        name: the key of the result in :attr:`Form.derived`.

    >>> @derived("row_count")
    ... def row_count(form):
    ...     return len(form.rows)
    >>> one = Form("one", [Row(0x41, 0x41, 0x41)])
    >>> row_count(one), one.derived
    (1, {'row_count': 1})
    """

    def decorated(derive: Callable[[Form], _Derived]) -> Callable[[Form], _Derived]:
        @wraps(derive)
        def kept(form: Form) -> _Derived:
            if name not in form.derived:
                form.derived.setdefault(name, derive(form))
            found: _Derived = form.derived[name]
            return found

        return kept

    return decorated


def _built(cls: type[Form], arguments: dict[str, Any]) -> Form:
    built = cls.__new__(cls)
    Form.__init__(built, **arguments)
    return built


def _parts(form: str, what: str, given: Iterable[Any], kind: type) -> tuple[Any, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"{form}: not a sequence of {kind.__name__}: {given!r}")
    parts = tuple(given)
    for part in parts:
        if not isinstance(part, kind):
            raise TypeError(f"{form}: each {what} must be a {kind.__name__}, not {part!r}")
    return parts


def _texts(form: str, what: str, given: Mapping[str, str]) -> Mapping[str, str]:
    check_type(f"{form}: {what}", given, Mapping)
    keys, values = _parts(form, f"key of {what}", given, str), _parts(form, f"value of {what}", given.values(), str)
    return MappingProxyType(dict(zip(keys, values, strict=True)))


def _check(form: Form) -> None:
    _check_types(form)
    try:
        for row in (*form.units, *form.names):
            check_fault_row(row)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{form.name}: {error}") from None
    _check_arguments(form)
    _check_announced(form)
    for entry in (*form.sequences, *form.names):
        if any(high >= 1 << form.unit_bits for _, high in (*entry.unit_ranges, *_run_of(entry))):
            raise ValueError(f"{form.name}: {entry} has a value that {form.unit_bits} bits cannot hold")
    _check_apart(form)
    if form.run_unit is not None:
        _check_run_is_decided(form, form.run_unit)


def _run_of(entry: Row | FaultRow) -> tuple[Range, ...]:
    return entry.run if isinstance(entry, FaultRow) else ()


def _check_run_is_decided(form: Form, unit: FaultRow) -> None:
    """Refuse a run that more input could turn into another sequence: streams skip a run piece by piece."""
    for other in form.sequences:
        if len(other.unit_ranges) > len(unit.unit_ranges) and _overlap(unit, other):
            raise ValueError(f"{form.name}: {unit} has a run, so {other} cannot begin as it does")


_TYPES_OF_FORM = (
    *(("name", str), ("unit_bits", int), ("byte_order", str), ("note", str), ("source", str)),
    *((rule, bool) for rule in ("longest_match", "joins_pairs", "prescribes_joining", "decode_only")),
)
_TYPES_OF_SIGNATURE = (("mark", bytes), ("form", Form), ("counted", bool))
_TYPES_OF_VARIANT = (("policy", str), ("form", Form), ("encodes", bool))


def _check_types(form: Form) -> None:
    of_parts = (_TYPES_OF_FORM, [form]), (_TYPES_OF_SIGNATURE, form.signatures), (_TYPES_OF_VARIANT, form.variants)
    for types, parts in of_parts:
        for part in parts:
            for name, kind in types:
                check_type(f"{form.name}: {type(part).__name__}.{name}", getattr(part, name), kind)


def _check_arguments(form: Form) -> None:
    if not form.name:
        raise ValueError("a form needs a name")
    if form.unit_bits not in (8, 16, 32):
        raise ValueError(f"{form.name}: a code unit has 8, 16 or 32 bits, not {form.unit_bits}")
    if form.byte_order not in ("little", "big"):
        raise ValueError(f"{form.name}: the byte order is 'little' or 'big', not {form.byte_order!r}")
    if not form.rows:
        raise ValueError(f"{form.name}: a form needs at least one row")
    for entries, kind in ((form.rows, "rows"), (form.units, "units"), (form.names, "names")):
        if len(entries) > MOST_ENTRIES:
            raise ValueError(f"{form.name}: a form has at most {MOST_ENTRIES} {kind}, not {len(entries)}")
    units = sum(len(entry.unit_ranges) + len(_run_of(entry)) for entry in (*form.sequences, *form.names))
    if units > MOST_UNITS_IN_ALL:
        raise ValueError(f"{form.name}: its sequences have at most {MOST_UNITS_IN_ALL} units in all, not {units}")
    if sum(bool(unit.run) for unit in form.units) > 1:
        raise ValueError(f"{form.name}: only one decoding unit can have an unbounded length")


def _check_announced(form: Form) -> None:
    if form.variant("strict"):
        raise ValueError(f"{form.name}: a variant is for another policy than 'strict', which means the form's own rows")
    policies = [variant.policy for variant in form.variants]
    if len(set(policies)) < len(policies):
        raise ValueError(f"{form.name}: two variants are for the same policy: {', '.join(policies)}")
    marks = tuple(signature.mark for signature in form.signatures)
    for index, mark in enumerate(marks):
        if mark.startswith(marks[:index]):
            raise ValueError(f"{form.name}: the mark {mark!r} begins with an earlier one, so it would never be found")
    others = [*(signature.form for signature in form.signatures), *(variant.form for variant in form.variants)]
    for other in others:
        if other.signatures:
            raise ValueError(f"{form.name}: {other.name} has signatures of its own and cannot be announced")


def _check_apart(form: Form) -> None:
    if not form.decode_only:
        code_points = [((row.first, row.last),) for row in form.rows]
        _check_clash(form, form.rows, _clash(code_points), "share a code point")
    units = [row.unit_ranges for row in form.rows]
    _check_clash(form, form.rows, _clash(units, of_one_length=form.longest_match), "begin alike")
    for entries in (form.sequences if form.units else (), form.names):
        units = [entry.unit_ranges for entry in entries]
        _check_clash(form, entries, _clash(units, of_one_length=True), "hold the same sequence")


def _check_clash(form: Form, entries: Sequence[Row | FaultRow], found: tuple[int, int] | None, what: str) -> None:
    if found:
        one, other = found
        raise ValueError(f"{form.name}: {entries[one]} and {entries[other]} {what}")


def _overlap(one: Row | FaultRow, other: Row | FaultRow) -> bool:
    """Return whether some sequence of one entry equals a sequence of the other, or is the beginning of one."""
    return all(
        low <= other_high and other_low <= high
        for (low, high), (other_low, other_high) in zip(one.unit_ranges, other.unit_ranges, strict=False)
    )


def _clash(sequences: Sequence[Sequence[Range]], *, of_one_length: bool = False) -> tuple[int, int] | None:
    """Return the places of the first two sequences whose ranges overlap as far as both go; None if there are none.

    An int is a set of places, a bit for each, so that one operation compares a sequence with all others.

    Args:
        sequences: the ranges of each.
        of_one_length: whether only two of the same length count.
    """
    lengths = [len(ranges) for ranges in sequences]
    everywhere = (1 << len(sequences)) - 1
    alike = [everywhere] * len(sequences)
    if of_one_length:
        sets = {length: _set_of(at for at, each in enumerate(lengths) if each == length) for length in {*lengths}}
        alike = [sets[length] for length in lengths]
    for unit in range(max(lengths, default=0)):
        there = [at for at, length in enumerate(lengths) if length > unit]
        ended = everywhere - _set_of(there)
        for at, overlapping in zip(there, _overlapping([sequences[at][unit] for at in there], there), strict=True):
            alike[at] &= overlapping | ended
    for at, others in enumerate(alike):
        if later := others >> (at + 1):
            return at, at + (later & -later).bit_length()
    return None


def _set_of(places: Iterable[int]) -> int:
    found = 0
    for place in places:
        found |= 1 << place
    return found


def _overlapping(ranges: Sequence[Range], places: Sequence[int]) -> Iterator[int]:
    """Yield for each of some ranges the set of those that overlap it; each has a place."""
    (lows, begun), (highs, ended) = (_growing([each[end] for each in ranges], places) for end in (0, 1))
    for low, high in ranges:
        yield begun[bisect_right(lows, high)] & ~ended[bisect_left(highs, low)]


def _growing(values: Sequence[int], places: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return values in order, and the set of the places of the first of them: of none, of one, and so on."""
    pairs = sorted(zip(values, places, strict=True))
    return [value for value, _ in pairs], [*accumulate((1 << place for _, place in pairs), operator.or_, initial=0)]
