r"""Types for pydantic 2 models: a str that UTF-8 can write (checked), or a str made so (scrubbed).

>>> from pydantic import BaseModel
>>> class Message(BaseModel):
...     user: WellFormedStr
...     text: ScrubbedStr
>>> Message(user="Zoë", text="well done \ud83d").model_dump_json()
'{"user":"Zoë","text":"well done �"}'
>>> try:
...     Message(user="Zo\ud83d", text="")
... except ValidationError as error:
...     print(error)
1 validation error for Message
user
  U+D83D cannot be written in utf-8, at offset 2 [type=ill_formed_text, input_value='Zo\\ud83d', input_type=str]

Both run before pydantic's own validation, which cannot apply a constraint (`max_length`, `pattern`) to a str with
surrogates. They pass other values to pydantic. They do not see JSON text, and pydantic's parser refuses escapes of
unpaired surrogates: use `eightfold.jsontext.scrub` before `model_validate_json`.

pydantic shows a pattern in the JSON schema only if it stands before a validator:
``Annotated[str, Field(pattern=...), BeforeValidator(scrubbed)]``.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from eightfold.extras import needed_by
from eightfold.faults import code_point_name
from eightfold.forms.utf_8 import UTF_8
from eightfold.scrub import scrub
from eightfold.text import encode_faults, is_encodable

with needed_by("eightfold.integrations.pydantic", "pydantic", "pydantic"):
    from pydantic import BeforeValidator, ValidationError
    from pydantic_core import InitErrorDetails, PydanticCustomError


def check(value: Any) -> Any:
    r"""Return a value unchanged, unless it is a str that UTF-8 cannot write: the validator of `WellFormedStr`.

    Raises:
        pydantic.ValidationError: with type ``ill_formed_text``; its context has the ``offset`` in code points, the
            ``code_point`` as U+XXXX and the ``fault`` as text. It shows its input with escapes, so that the errors can
            be written as JSON, for example in a response to a client.

    >>> check("fine"), check(3)
    ('fine', 3)
    """
    fault = next(encode_faults(value, UTF_8, 1), None) if _is_text(value) else None
    if fault is None:
        return value
    assert fault.code_point is not None  # an encoding fault always has one
    about = {"fault": str(fault), "offset": fault.start, "code_point": code_point_name(fault.code_point)}
    error = PydanticCustomError("ill_formed_text", "{fault}, at offset {offset}", about)
    shown = scrub(str.__str__(value), "backslashreplace")
    raise ValidationError.from_exception_data("str", [InitErrorDetails(type=error, input=shown)])


def scrubbed(value: Any) -> Any:
    r"""Return a value, scrubbed if it is a str that UTF-8 cannot write: the validator of `ScrubbedStr`.

    >>> scrubbed("well done \ud83d"), scrubbed(3)
    ('well done �', 3)
    """
    return scrub(str.__str__(value)) if _is_text(value) and not is_encodable(value, UTF_8) else value


def _is_text(value: Any) -> bool:
    return issubclass(type(value), str)  # not isinstance, which a proxy object can deceive


WellFormedStr: TypeAlias = Annotated[str, BeforeValidator(check)]
"""A str without surrogates; the error gives the offset and code point of the first. JSON schema: ``string``."""

ScrubbedStr: TypeAlias = Annotated[str, BeforeValidator(scrubbed)]
"""A str scrubbed by :func:`eightfold.scrub`: split pairs are joined, each remaining surrogate becomes U+FFFD.

A scrubbed dict key may become equal to another key; pydantic then keeps the last value. For another policy, use
``Annotated[str, BeforeValidator(...)]`` with your own call of ``scrub``.
"""

__all__ = ["ScrubbedStr", "WellFormedStr", "check", "scrubbed"]
