"""The verbs on arrays: which values are well-formed, conversion, and repair. Only values that change are rewritten."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eightfold.arguments import AnyErrors, AnyForm
from eightfold.columns.arguments import policy_argument, thread_count
from eightfold.columns.arrow import (
    array_of,
    as_type,
    binary_type,
    column_of,
    compute,
    no_rows,
    pyarrow,
    table_of,
    type_name,
)
from eightfold.columns.nested import Leaf, blaming_column, check_depth, holds_text
from eightfold.columns.rebuilding import Change, rebuilt
from eightfold.columns.reports import engine_for, leaves_of, named
from eightfold.columns.splicing import changed_rows, pieces_spliced, spliced
from eightfold.columns.steps import children, shown_name
from eightfold.columns.unsupported import refuse_pickled
from eightfold.columns.values import BrokenColumnError, Changes, Column, each_value, numbers, row_place
from eightfold.faults import ConversionError
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.forms.utf_8 import UTF_8
from eightfold.forms.xtf_8 import XTF_8
from eightfold.policy import check_policy
from eightfold.repair import repair as repair_value
from eightfold.text import convert as convert_value


def is_well_formed(array: Any, form: AnyForm = "utf-8", *, threads: int | None = None) -> Any:
    r"""Return for each value of an array whether it is well-formed in a form; null stays null.

    A value of a nested type is well-formed if all text that it shows is.

    Args:
        array: an Array or a ChunkedArray of pyarrow, or anything else with the Arrow PyCapsule interface.
        form: a Form or its name.
        threads: the maximum number of threads; None for as many as the machine has.

    Returns:
        a BooleanArray, or a ChunkedArray of them for a ChunkedArray or a stream.

    Raises:
        BrokenColumnError: buffers contradict each other; it is a ValueError.
        ModuleNotFoundError: pyarrow is not installed. LookupError: unknown form.
        ValueError: ``threads`` is below 1. TypeError: the array has no text and no binary values.

    >>> import pyarrow
    >>> is_well_formed(pyarrow.array([b"caf\xc3\xa9", b"caf\xe9", None])).to_pylist()
    [True, False, None]
    """
    given, found, count = array_of(array), form_named(form), thread_count(threads)
    _check_holds_text(given)
    return _by_chunks(given, lambda chunk, row: _verdicts(chunk, row, found, count))


def _check_holds_text(array: Any) -> None:
    refuse_pickled(array.type)
    check_depth(array.type)
    if not holds_text(array.type) and not pyarrow().types.is_null(array.type):
        raise TypeError(f"an array of text or of binary values is required, not of {array.type}")


def _verdicts(array: Any, first_row: int, form: Form, threads: int) -> Any:
    verdicts, valid = _well_formed(array, first_row, form, threads), _validity(array)
    return (
        verdicts
        if valid.true_count == len(array)
        else compute().if_else(valid, verdicts, pyarrow().scalar(None, pyarrow().bool_()))
    )


def _validity(array: Any) -> Any:
    """Return for each row whether it is not null, also by the value of its run, in its dictionary or of its member.

    Not every pyarrow looks at these.
    """
    pa = pyarrow()
    if isinstance(array, pa.ExtensionArray):
        return _validity(array.storage)
    if pa.types.is_union(array.type):
        return _validity_of_union(array)
    if pa.types.is_dictionary(array.type):
        valid = _validity(array.dictionary)
        is_all = valid.true_count == len(valid)
        return array.indices.is_valid() if is_all else valid.take(array.indices).fill_null(False)
    if not pa.types.is_run_end_encoded(array.type):
        return array.is_valid()
    runs, valid = array.run_ends, _validity(array.values)
    type, inner = pa.run_end_encoded(runs.type, pa.bool_()), [runs, valid]
    encoded = pa.RunEndEncodedArray.from_buffers(type, len(array), [None], 0, array.offset, children=inner)
    return compute().run_end_decode(encoded)


def _validity_of_union(array: Any) -> Any:
    pa, count, valid = pyarrow(), len(array), array.is_valid()
    for member, step in children(array):
        nulls = compute().invert(_validity(member)).cast(pa.uint8())
        marks = step.marked(bytearray(memoryview(nulls.buffers()[1])[: len(member)]))
        hidden = pa.Array.from_buffers(pa.uint8(), count, [None, pa.py_buffer(marks)])
        valid = compute().and_(valid, compute().equal(hidden, pa.scalar(0, pa.uint8())))
    return valid


def _well_formed(array: Any, first_row: int, form: Form, threads: int) -> Any:
    """Return for each row, null or not, whether no value that it shows is ill-formed."""
    pa, count, marked = pyarrow(), len(array), None
    for leaf in leaves_of(array, "", first_row, True):
        with _Naming("", first_row, leaf):
            read = leaf.form or form
            rows = bytes(engine_for(read).ill_formed_rows(leaf.column, read, threads=threads))
        if leaf.way is None:
            return _but(count, rows, form)
        if rows:
            marks = pa.Array.from_buffers(pa.uint8(), count, [None, pa.py_buffer(leaf.marked(numbers(rows)))])
            marked = marks if marked is None else compute().bit_wise_or(marked, marks)
    return _but(count, b"", form) if marked is None else compute().equal(marked, pa.scalar(0, pa.uint8()))


def _but(count: int, rows: bytes, form: Form) -> Any:
    """Return a BooleanArray, all true but some rows."""
    pa, bits = pyarrow(), engine_for(form).cleared_bits(count, rows)
    return pa.Array.from_buffers(pa.bool_(), count, [None, pa.py_buffer(bits)])


def convert(
    array: Any, source: AnyForm, target: AnyForm, errors: AnyErrors = "strict", *, threads: int | None = None
) -> Any:
    r"""Return an array converted from one form to another, value by value; null stays null.

    Strings stay strings if the target is UTF-8, and else become binary values; binary values stay binary. If no value
    changes, the result has the same buffers. Carriers give the binary values that they store. Any other extension type
    is kept if the target is UTF-8, and else gives the binary values.

    Args:
        array: an Array or a ChunkedArray of pyarrow, or anything else with the Arrow PyCapsule interface.
        source, target: Forms or names.
        errors: a policy, as for :func:`eightfold.convert`.
        threads: the maximum number of threads; None for as many as the machine has.

    Raises:
        ConversionError: a value cannot be converted, and the policy is strict; a note names the row.
        BrokenColumnError: buffers contradict each other; it is a ValueError.
        OverflowError: the result does not fit the offsets of its type: cast the array to large_string or large_binary.
        ModuleNotFoundError: pyarrow is not installed. LookupError: unknown form or policy.
        ValueError: a form refuses the policy, or ``threads`` is below 1.
        TypeError: the array has no text and no binary values.

    >>> import pyarrow
    >>> convert(pyarrow.array([b"\xed\xa0\xbd\xed\xb8\x80", None]), "cesu-8", "utf-8").to_pylist()
    [b'\xf0\x9f\x98\x80', None]
    """
    given, from_form, to_form = array_of(array), form_named(source), form_named(target)
    _check_holds_text(given)
    check_policy(errors, from_form, to_form)
    work = _Conversion(from_form, to_form, errors, thread_count(threads))
    return _by_chunks(given, lambda chunk, row: _converted(chunk, row, work))


def _converted(array: Any, first_row: int, work: _Conversion) -> Any:
    def change(leaf: Leaf) -> Any:
        with _Naming("", first_row, leaf):
            return work.applied(_variable(leaf), leaf, first_row, "")

    return _rebuilt(array, change, first_row, "", carriers=True)


def _variable(leaf: Leaf) -> Any:
    """Return an array of values of any size."""
    return leaf.array.cast(pyarrow().binary()) if type_name(leaf.array.type) == "fixed" else leaf.array


def repair(table: Any, errors: str = "escape", *, binary: bool = True, threads: int | None = None) -> Any:
    r"""Return a table, or an array, whose text is repaired to UTF-8. Only values that change are rewritten.

    A column in which nothing changes comes back with the same buffers. In a table or a ChunkedArray, a long column may
    come back in more chunks than it had: two megabytes without a change keep their buffers. Under ``escape`` the bytes
    of a fault become U+EF80 to U+EFFF, and well-formed values that hold these code points are escaped too, so that
    ``convert(array, "utf-8", "xtf-8")`` returns every value as it was. Carriers are left alone.

    Args:
        table: anything with the Arrow PyCapsule interface: a table, a record batch, a stream or a single array.
        errors: a policy, as for :func:`eightfold.repair.repair`: ``escape``, ``replace``, ``strict``, ``pairs``,
            ``latin-1`` or ``cp1252``.
        binary: whether to repair binary columns too; False if they hold images, keys or hashes.
        threads: the maximum number of threads; None for as many as the machine has.

    Returns:
        a Table; a RecordBatch, an Array or a ChunkedArray for such a one; a ChunkedArray for any other single column.

    Raises:
        ConversionError: the policy cannot repair a value; a note names column and row.
        BrokenColumnError: buffers contradict each other, or a value no longer fits its fixed size; the message names
            column and row. It is a ValueError.
        OverflowError: a value is too large for the offsets of its type.
        ModuleNotFoundError: pyarrow is not installed.
        ValueError: unknown policy; ``threads`` is below 1; or a str in a pandas frame has a surrogate, which Arrow
            cannot hold: use :mod:`eightfold.columns.pandas`.
        TypeError: ``table`` is something else, or a column of lists of views that holds text, or of objects that Ray
            has pickled.

    >>> import pyarrow
    >>> repair(pyarrow.table({"name": [b"caf\xc3\xa9", b"caf\xe9"]}), "latin-1")["name"].to_pylist()
    [b'caf\xc3\xa9', b'caf\xc3\xa9']
    """
    pa, work = pyarrow(), _Repair(policy_argument(errors), thread_count(threads))
    if isinstance(table, pa.Array):
        return _repaired(table, 0, "", work, binary)
    if isinstance(table, pa.ChunkedArray):
        return _repaired_column("", table, work, binary)
    given = table_of(table)
    if isinstance(table, pa.RecordBatch):
        chunks = [column.chunk(0) if column.num_chunks else no_rows(column.type) for column in given.columns]
        columns = [
            _repaired(chunk, 0, shown_name(name), work, binary) for name, chunk in zip(given.names, chunks, strict=True)
        ]
        return _assembled(pa.RecordBatch, columns, table.schema, given.names)
    columns = [
        _repaired_column(shown_name(name), column, work, binary)
        for name, column in zip(given.names, given.columns, strict=True)
    ]
    return columns[0] if given.given is None else _assembled(pa.Table, columns, given.given.schema, given.names)


def repair_column(column: Any, name: str, errors: str, *, binary: bool = True) -> Any:
    r"""Return a ChunkedArray repaired as :func:`repair` does; errors name the column.

    >>> repair_column(pyarrow().chunked_array([[b"\xff"]]), "name", "replace").to_pylist()
    [b'\xef\xbf\xbd']
    """
    shown = shown_name(name) if name else ""
    return _repaired_column(shown, column, _Repair(policy_argument(errors), thread_count(None)), binary)


def _assembled(make: Any, columns: list[Any], schema: Any, names: Sequence[str]) -> Any:
    """Return a table or a record batch of columns, which pyarrow checks."""
    invalid = pyarrow().ArrowInvalid
    try:
        return make.from_arrays(columns, schema=schema)
    except invalid:
        for name, column in zip(names, columns, strict=True):
            try:
                column.validate()
            except invalid as error:
                raise BrokenColumnError(0, str(error), shown_name(name)) from None
        raise


def _repaired_column(shown: str, column: Any, work: _Repair, binary: bool) -> Any:
    def repaired(chunk: Any, first_row: int) -> Iterator[Any]:
        try:
            yield from _repaired_pieces(chunk, first_row, shown, work, binary)
        except OverflowError as error:
            if len(chunk) < 2:
                raise OverflowError(f"{row_place(shown, first_row)}: {error}") from None
            half = len(chunk) // 2
            yield from repaired(chunk[:half], first_row)
            yield from repaired(chunk[half:], first_row + half)

    before, row = column.chunks, 0
    chunks: list[Any] = []
    for chunk in before:
        chunks += repaired(chunk, row)
        row += len(chunk)
    is_same = len(chunks) == len(before) and all(map(operator.is_, chunks, before))
    return column if is_same else pyarrow().chunked_array(chunks, column.type)


def _repaired_pieces(array: Any, first_row: int, name: str, work: _Repair, binary: bool) -> list[Any]:
    """Return an array repaired, as one array or as several."""
    # Not views: some readers check the whole of a buffer that views point into.
    if type_name(array.type) not in ("string", "large_string", *(("binary", "large_binary") if binary else ())):
        return [_repaired(array, first_row, name, work, binary)]
    leaf = Leaf(array, column_of(array), None, None)
    with _Naming(name, first_row, leaf):
        return work.pieces(leaf, first_row, name)


def _repaired(array: Any, first_row: int, name: str, work: _Repair, binary: bool) -> Any:
    def change(leaf: Leaf) -> Any:
        with _Naming(name, first_row, leaf):
            return work.applied(leaf.array, leaf, first_row, name)

    return _rebuilt(array, change, first_row, name, binary=binary)


def _rebuilt(
    array: Any, change: Change, first_row: int, name: str, *, binary: bool = True, carriers: bool = False
) -> Any:
    with blaming_column(name, first_row):
        return rebuilt(array, change, binary=binary, carriers=carriers)


def _by_chunks(given: Any, work: Callable[[Any, int], Any]) -> Any:
    """Return an Array or a ChunkedArray with work done on each chunk; it gets the number of the chunk's first row."""
    pa = pyarrow()
    if not isinstance(given, pa.ChunkedArray):
        return work(given, 0)
    before, made, row = given.chunks or [no_rows(given.type)], [], 0
    for chunk in before:
        made.append(work(chunk, row))
        row += len(chunk)
    return given if all(map(operator.is_, made, before)) else pa.chunked_array(made)


# --- the work ---------------------------------------------------------------------------------------------------------


class _Naming:
    """Names the column and the row in errors about an array inside a column."""

    def __init__(self, name: str, first_row: int, leaf: Leaf) -> None:
        self._place = (name, first_row, leaf)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, BrokenColumnError):
            raise named(error, *self._place) from None


class _Work:
    """A change of values: what the engine changes itself, and what a verb answers for the rows that it asks about."""

    def applied(self, array: Any, leaf: Leaf, first_row: int, name: str) -> Any:
        """Return an array of text with the change applied."""
        column = column_of(array)
        changes = self._complete(column, leaf, first_row, name)
        if column.kind == "fixed":
            changes = _without_hidden(changes, column.width, leaf)
        type = self.type(array.type)
        return spliced(array, column, changes, type) if changes.rows else as_type(array, type)

    def pieces(self, leaf: Leaf, first_row: int, name: str) -> list[Any]:
        """Return an array of text with the change applied, in pieces: those without a change keep their buffers."""
        changes = self._complete(leaf.column, leaf, first_row, name)
        return list(pieces_spliced(leaf.array, changes)) if changes.rows else [leaf.array]

    def _complete(self, column: Column, leaf: Leaf, first_row: int, name: str) -> Changes:
        """Return what changes, also by the answers of a verb."""
        changes = self.changes(column)
        return (
            _with_answers(changes, self._answers(column, leaf, first_row, name, changes)) if changes.asked else changes
        )

    def _answers(self, column: Column, leaf: Leaf, first_row: int, name: str, changes: Changes) -> dict[int, bytes]:
        answers = {}  # A generator would make a RuntimeError of the StopIteration of a handler.
        for row, value in each_value(column, numbers(changes.asked)):
            try:
                new = self.answer(value)
            except ConversionError as error:
                place = leaf.shown(row)
                if place is None:  # nobody sees it
                    continue
                error.add_note(row_place(f"{name}{place.step}", first_row + place.row))
                raise
            if new != value:
                answers[row] = new
        return answers

    def changes(self, column: Column) -> Changes:
        raise NotImplementedError

    def answer(self, value: bytes) -> bytes:
        raise NotImplementedError

    def type(self, type: Any) -> Any:
        return type


class _Conversion(_Work):
    """A conversion from one form to another."""

    def __init__(self, source: Form, target: Form, errors: str, threads: int) -> None:
        self._forms, self._errors, self._threads = (source, target), errors, threads

    def changes(self, column: Column) -> Changes:
        work = engine_for(*self._forms).column_changes
        return Changes(*work(column, *self._forms, self._errors, threads=self._threads))

    def answer(self, value: bytes) -> bytes:
        return convert_value(value, *self._forms, self._errors)

    def type(self, type: Any) -> Any:
        return type if self._forms[1] is UTF_8 else binary_type(type)


_CONVERSIONS = {"escape": (XTF_8, "escape"), "replace": (UTF_8, "replace"), "strict": (UTF_8, "strict")}
"""The policies of a repair that are a conversion to UTF-8: from which form, and under which policy."""


class _Repair(_Work):
    """A repair of UTF-8."""

    def __init__(self, errors: str, threads: int) -> None:
        self._errors, self._threads = errors, threads

    def changes(self, column: Column) -> Changes:
        if column.is_of_no_bytes:
            return changed_rows(())
        engine = engine_for(UTF_8)
        if self._errors in _CONVERSIONS:
            source, errors = _CONVERSIONS[self._errors]
            return Changes(*engine.column_changes(column, source, UTF_8, errors, threads=self._threads))
        return Changes(b"", b"", b"", engine.ill_formed_rows(column, UTF_8, threads=self._threads))

    def answer(self, value: bytes) -> bytes:
        return repair_value(value, UTF_8, self._errors)


def _without_hidden(changes: Changes, width: int, leaf: Leaf) -> Changes:
    """Return changes without the values of another size that no row shows: what they hide stays as it is."""
    if all(len(value) == width for _, value in changes.items()):
        return changes
    return changed_rows(each for each in changes.items() if len(each[1]) == width or leaf.shown(each[0]) is not None)


def _with_answers(changes: Changes, answers: dict[int, bytes]) -> Changes:
    """Return changes with the answers of a verb among them."""
    return changed_rows(sorted({**dict(changes.items()), **answers}.items()))


__all__ = ["convert", "is_well_formed", "repair", "repair_column"]
