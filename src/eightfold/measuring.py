"""How long a result would be, without building it: the lengths of `encode`, `convert` and `decode_code_points`.

The functions marked with `bind` are the reference implementation: when the core is active, each of them is replaced by
the core's own function.
"""

from __future__ import annotations

from eightfold._engine import bind, twins_of
from eightfold.arguments import AnyForm, Data, bytes_of, text_of
from eightfold.forms import form as form_named
from eightfold.policy import check_policy, writing
from eightfold.reference import signed
from eightfold.run import Stretch, encoded_pieces
from eightfold.text import conversion_of, decoding_of


@bind
def encoded_length(text: str, form: AnyForm) -> int:
    r"""Return the number of bytes that a str takes in a form: ``len(encode(text, form))``, without building the bytes.

    The bytes of a signature that the form writes count.

    Args:
        text: any str.
        form: a Form or its name.

    Raises:
        EncodeError: the form cannot write a code point, as for :func:`~eightfold.encode`.
        LookupError: unknown form. ValueError: the form refuses the policy ``strict``.
        TypeError: the text is not a str, or another argument is of the wrong type.

    >>> encoded_length("naïve €", "utf-8"), encoded_length("naïve €", "utf-16")
    (10, 16)
    """
    asked = form_named(form)
    check_policy("strict", asked)
    plain, mark = signed(asked)
    return len(mark) + sum(map(len, encoded_pieces(writing(plain, "strict", asked.name), text_of(text))))


@bind
def converted_length(data: Data, source: AnyForm, target: AnyForm) -> int:
    r"""Return the number of bytes of a conversion: ``len(convert(data, source, target))``, without building the result.

    Args:
        data: any bytes-like object, in the source form.
        source, target: Forms or names.

    Raises:
        ConversionError: the data cannot be converted, as for :func:`~eightfold.convert`.
        LookupError: unknown form. ValueError: a form refuses the policy ``strict``.
        TypeError: the data are not bytes-like, or another argument is of the wrong type.

    >>> converted_length("€".encode(), "utf-8", "utf-16-le")
    2
    """
    source_form, target_form = form_named(source), form_named(target)
    check_policy("strict", source_form, target_form)
    mark, pieces = conversion_of(source_form, target_form, "strict", bytes_of(data))
    return len(mark) + sum(map(len, pieces))


@bind
def code_point_count(data: Data, form: AnyForm) -> int:
    r"""Return the number of code points in bytes: ``len(decode_code_points(data, form))``, without building the array.

    Args:
        data: any bytes-like object.
        form: a Form or its name.

    Raises:
        DecodeError: the data are ill-formed.
        LookupError: unknown form. ValueError: the form refuses the policy ``strict``.
        TypeError: the data are not bytes-like, or another argument is of the wrong type.

    >>> code_point_count(b"\xf0\x9f\x98\x80!", "utf-8"), code_point_count(b"\xed\xa0\xbd\xed\xb8\x80", "cesu-8")
    (2, 1)
    """
    asked = form_named(form)
    check_policy("strict", asked)
    pieces = decoding_of(asked, bytes_of(data), "strict").pieces(final=True)
    return sum(len(piece.text if isinstance(piece, Stretch) else piece.code_points) for piece in pieces)


TWINS = twins_of(__name__)
"""The reference implementation of each verb, whichever engine is active."""

__all__ = ["code_point_count", "converted_length", "encoded_length"]
