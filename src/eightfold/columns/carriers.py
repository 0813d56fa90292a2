r"""Extension types for values that are not UTF-8: `eightfold.wtf8`, and one for each other form of 8-bit units.

A carrier keeps the bytes of its form in binary storage, which every engine leaves alone, and its name says what they
are. Importing `eightfold.columns` registers the types with pyarrow, if it is installed.

>>> array = from_pylist(["ok\ud83d", None])
>>> array.type.extension_name, array.storage.to_pylist()
('eightfold.wtf8', [b'ok\xed\xa0\xbd', None])
>>> array.to_pylist()
['ok\ud83d', None]
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import Any

from eightfold.arguments import AnyErrors, AnyForm
from eightfold.columns.arrow import chunks_of, column_of, pyarrow, type_name
from eightfold.columns.values import each_value
from eightfold.forms import Form, forms
from eightfold.forms import form as form_named
from eightfold.text import decode, encode

_STORAGES = ("binary", "large_binary", "binary_view")


def extension_name(form: AnyForm) -> str:
    """Return the name of the extension type for a form: that of the form without hyphens, behind ``eightfold.``.

    Raises:
        LookupError: unknown form. ValueError: its units are wider than a byte.

    >>> extension_name("wtf-8")
    'eightfold.wtf8'
    """
    found = form_named(form)
    if found.unit_bits != 8:
        raise ValueError(f"a carrier holds a form of 8-bit units; {found.name} has {found.unit_bits}-bit units")
    return f"eightfold.{found.name.replace('-', '')}"


@cache
def _classes() -> dict[str, Any]:
    """Make the extension types, one for each form."""
    pa = pyarrow()

    class CarriedText(pa.ExtensionScalar):  # type: ignore[misc, name-defined, unused-ignore]
        """A value of a carrier."""

        def as_py(self, **options: Any) -> str | None:
            """Return the value decoded."""
            storage = self.value
            return None if storage is None or not storage.is_valid else decode(storage.as_py(), self.type.form)

    class Carrier(pa.ExtensionType):  # type: ignore[misc, name-defined, unused-ignore]
        """An extension type that carries text of a form in binary storage."""

        form: Form

        def __init__(self, storage: Any = None) -> None:
            super().__init__(pa.binary() if storage is None else storage, extension_name(self.form))

        def __arrow_ext_serialize__(self) -> bytes:
            return b""

        @classmethod
        def __arrow_ext_deserialize__(cls, storage: Any, serialized: bytes) -> Any:
            if type_name(storage) not in _STORAGES:
                raise TypeError(f"{extension_name(cls.form)} is stored as binary, not as {storage}")
            return cls(storage)

        def __arrow_ext_scalar_class__(self) -> Any:
            return CarriedText

        def __reduce__(self) -> tuple[Any, ...]:
            return carrier, (self.form.name, self.storage_type)

    named = [form for form in forms() if form.unit_bits == 8]
    return {form.name: type(extension_name(form), (Carrier,), {"form": form}) for form in named}


def carrier(form: AnyForm = "wtf-8", storage: Any = None) -> Any:
    """Return the extension type that carries text of a form.

    Args:
        form: a Form of the family or its name; its units are bytes.
        storage: binary (if None), large_binary or binary_view.

    Raises:
        LookupError: unknown form, or one of your own. TypeError: other storage. ValueError: wider units.
        ModuleNotFoundError: pyarrow is not installed.

    >>> carrier("cesu-8").extension_name
    'eightfold.cesu8'
    """
    found = form_named(form)
    extension_name(found)
    made = _classes().get(found.name)
    if made is None or made.form is not found:
        raise LookupError(f"there is no carrier for {found.name}, which is not of the family")
    return made() if storage is None else made.__arrow_ext_deserialize__(storage, b"")


def carried_form(type: Any) -> Form | None:
    """Return the form that a type carries, or None if it is not a carrier.

    >>> carried_form(pyarrow().string()) is None
    True
    """
    form = getattr(type, "form", None)
    return form if isinstance(form, Form) and isinstance(type, pyarrow().ExtensionType) else None


def from_pylist(values: Iterable[str | None], form: AnyForm = "wtf-8", errors: AnyErrors = "strict") -> Any:
    r"""Return an array of a carrier made of str.

    Args:
        values: any str, or None for null.
        form: a Form of the family or its name.
        errors: a policy, as for :func:`eightfold.encode`.

    Raises:
        EncodeError: the form cannot write a code point. LookupError: unknown form or policy.
        ModuleNotFoundError: pyarrow is not installed. TypeError: the values are not an iterable of str.

    >>> from_pylist(["ok\ud83d"]).storage.to_pylist()
    [b'ok\xed\xa0\xbd']
    """
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes)):
        raise TypeError(f"values must be an iterable of str, not {type(values).__name__}")
    pa, made = pyarrow(), carrier(form)
    encoded = [None if value is None else encode(value, made.form, errors) for value in values]
    return pa.ExtensionArray.from_storage(made, pa.array(encoded, pa.binary()))


def to_pylist(array: Any, form: AnyForm | None = None, errors: AnyErrors = "strict") -> list[str | None]:
    r"""Return the values of an array of text, of binary values or of a carrier as str; None for nulls.

    Args:
        array: an Array or a ChunkedArray.
        form: a Form or its name; None for the form that a carrier carries, and for UTF-8 otherwise.
        errors: a policy, as for :func:`eightfold.decode`.

    Raises:
        DecodeError: a value is ill-formed. BrokenColumnError: the buffers contradict each other.
        ModuleNotFoundError: pyarrow is not installed. LookupError: unknown form or policy.
        TypeError: an array of another type.

    >>> to_pylist(from_pylist(["ok\ud83d", None]))
    ['ok\ud83d', None]
    """
    if not isinstance(array, (pyarrow().Array, pyarrow().ChunkedArray)):
        raise TypeError(f"array must be an Array or a ChunkedArray of pyarrow, not {type(array).__name__}")
    chosen = carried_form(array.type) or "utf-8" if form is None else form
    values: list[str | None] = []
    for chunk in chunks_of(array):
        storage = chunk.storage if isinstance(chunk, pyarrow().ExtensionArray) else chunk
        if not type_name(storage.type):
            raise TypeError(f"an array of text or of binary values is required, not of {storage.type}")
        found = dict(each_value(column_of(storage)))
        values += [decode(found[row], chosen, errors) if row in found else None for row in range(len(chunk))]
    return values


def register() -> None:
    """Register the extension types with pyarrow; a second call changes nothing.

    >>> register()
    """
    pa = pyarrow()
    for made in _classes().values():
        with suppress(pa.ArrowKeyError):  # registered already
            pa.register_extension_type(made())


__all__ = ["carried_form", "carrier", "extension_name", "from_pylist", "register", "to_pylist"]
