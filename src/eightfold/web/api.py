r"""The questions that the explorer asks: plain functions, dict in, dict out, every value ready for JSON.

A question is checked against its description before it is answered, and its size bounds the work: input, rows in an
answer and rows of a typed form are limited by :data:`LIMITS`, and every answer takes time in proportion to its input.
Text travels as code points and bytes as hex digits, so that unpaired surrogates survive any encoder of JSON.

A question that fits its description always has an answer. If there is nothing to say, as for a policy that cannot
repair a fault or a typed form whose rows clash, the answer is empty and has the reason as ``problem``.

>>> answer("read", {"bytes": "EDA080", "form": "utf-8"})["rows"][0]["fault"]["sentence"]
'surrogate U+D800 (ED A0 80), which utf-8 cannot hold'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from eightfold.forms import forms
from eightfold.repair import POLICIES
from eightfold.web import own_forms
from eightfold.web.answers import NoAnswerError
from eightfold.web.answers.about import answer_about
from eightfold.web.answers.comparing import answer_check, answer_family, answer_table
from eightfold.web.answers.reading import answer_faults, answer_identify, answer_peers, answer_read
from eightfold.web.answers.repairing import answer_repair
from eightfold.web.answers.writing import GAP, answer_encode, answer_name, answer_write
from eightfold.web.limits import LIMITS
from eightfold.web.parameters import (
    Fields,
    Flag,
    Lines,
    Octets,
    OneOf,
    Parameter,
    Points,
    Schema,
    Whole,
    WrongRequestError,
)

_LARGEST = 0xFFFFFFFF
_NAMES = tuple(each.name for each in forms())


class Question(NamedTuple):
    """A question: what it asks, what it needs, and what the answer has.

    Attributes:
        summary: one line for people.
        fields: the parameters.
        function: gives the answer to checked parameters.
        answer: the JSON Schema of each value in the answer.
    """

    summary: str
    fields: Fields
    function: Callable[[dict[str, Any]], dict[str, Any]]
    answer: Mapping[str, Schema]


def answer(name: str, request: Any) -> dict[str, Any]:
    """Answer a question.

    Args:
        name: a key of :data:`QUESTIONS`.
        request: the parameters, as JSON has them.

    Raises:
        KeyError: there is no such question.
        WrongRequestError: the parameters are not those of the question.

    >>> answer("identify", {"bytes": "C3A9"})["candidates"][0]["form"]
    'utf-8'
    """
    question = QUESTIONS[name]
    checked = question.fields.read(request, "the request")
    try:
        return question.function(checked)
    except NoAnswerError as error:
        return {"problem": str(error)}


class _UnitBits(Whole):
    """8, 16 or 32."""

    def schema(self) -> Schema:
        return {"type": "integer", "enum": [8, 16, 32]}

    def read(self, given: Any, name: str) -> int:
        bits = super().read(given, name)
        if bits not in (8, 16, 32):
            raise WrongRequestError(f"{name}: not 8, 16 or 32")
        return bits


_OWN = Fields(
    {
        "rows": Lines(own_forms.MOST_CHARACTERS),
        "unit_bits": _UnitBits(8, 32),
        "longest_match": Flag(),
        "joins_pairs": Flag(),
    },
    {"unit_bits": 8, "longest_match": False, "joins_pairs": False},
)
_FORM: dict[str, Parameter] = {"form": OneOf((*_NAMES, own_forms.NAME)), "own": _OWN}
_BYTES: dict[str, Parameter] = {"bytes": Octets(LIMITS["bytes"])}
_PAGE: dict[str, Parameter] = {"skip": Whole(0, LIMITS["bytes"]), "limit": Whole(1, LIMITS["faults"])}
_NO_OWN: dict[str, Any] = {"own": None}
_FIRST_PAGE: dict[str, Any] = {"skip": 0, "limit": LIMITS["faults"]}


class _SomeForms:
    """Names of forms; none stands for all."""

    def schema(self) -> Schema:
        return {"type": "array", "maxItems": len(_NAMES), "items": OneOf(_NAMES).schema()}

    def read(self, given: Any, name: str) -> list[str]:
        if not isinstance(given, list) or len(given) > len(_NAMES):
            raise WrongRequestError(f"{name}: not a list of at most {len(_NAMES)} forms")
        return [OneOf(_NAMES).read(each, name) for each in given]


_LIST: Schema = {"type": "array"}
_OBJECT: Schema = {"type": "object"}
_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_YES_OR_NO: Schema = {"type": "boolean"}

QUESTIONS: Mapping[str, Question] = {
    "about": Question(
        "The forms, the kinds of fault, the policies of a repair and the limits",
        Fields({}, {}),
        answer_about,
        {"version": _TEXT, "engine": _TEXT, "python": _TEXT, "forms": _LIST, "kinds": _OBJECT, "policies": _OBJECT,
         "limits": _OBJECT},
    ),
    "identify": Question(
        "Every form that bytes could be in, best first",
        Fields(_BYTES, {}),
        answer_identify,
        {"candidates": _LIST},
    ),
    "read": Question(
        "Bytes, sequence by sequence: bits, code point, the row that fits or the fault",
        Fields({**_BYTES, **_FORM, "start": Whole(0, LIMITS["bytes"]), "limit": Whole(1, LIMITS["rows"])},
               {**_NO_OWN, "start": 0, "limit": LIMITS["rows"]}),
        answer_read,
        {"rows": _LIST, "end": _COUNT, "more": _YES_OR_NO, "form": _TEXT},
    ),
    "faults": Question(
        "The faults of bytes, with their spans, sentences and sources",
        Fields({**_BYTES, **_FORM, **_PAGE}, {**_NO_OWN, **_FIRST_PAGE}),
        answer_faults,
        {"faults": _LIST, "count": _COUNT, "kinds": _OBJECT, "form": _TEXT},
    ),
    "peers": Question(
        "What other programs make of a few bytes: this Python, and Java from recorded results",
        Fields({"bytes": Octets(LIMITS["bytes_for_peers"]), **_FORM}, _NO_OWN),
        answer_peers,
        {"own": _LIST, "python": _LIST, "java": _LIST},
    ),
    "write": Question(
        "Code points in every form, side by side; -1 is a place without a code point",
        Fields({"points": Points(GAP, _LARGEST, LIMITS["points_beside"]), "forms": _SomeForms(), "own": _OWN},
               {"forms": [], **_NO_OWN}),
        answer_write,
        {"lines": _LIST},
    ),
    "encode": Question(
        "Text in one form, as a lenient program would write it",
        Fields({"points": Points(0, _LARGEST, LIMITS["points"]), **_FORM}, _NO_OWN),
        answer_encode,
        {"bytes": _TEXT, "cut": _YES_OR_NO, "lenient": _COUNT, "lacking": _COUNT, "problems": _LIST, "form": _TEXT},
    ),
    "name": Question(
        "The names of code points, and how to show them",
        Fields({"points": Points(0, _LARGEST, LIMITS["points_beside"])}, {}),
        answer_name,
        {"points": _LIST},
    ),
    "repair": Question(
        "Bytes repaired to UTF-8, and which ways lead back to the original",
        Fields({**_BYTES, **_FORM, "errors": OneOf(tuple(POLICIES)), **_PAGE}, {**_NO_OWN, **_FIRST_PAGE}),
        answer_repair,
        {"changes": _LIST, "count": _COUNT, "lossy": _COUNT, "result": _TEXT, "result_length": _COUNT,
         "result_sha256": _TEXT, "original_sha256": _TEXT, "ways": _LIST},
    ),
    "table": Question(
        "The table of a form, and how it compares with the others",
        Fields(_FORM, _NO_OWN),
        answer_table,
        {"form": _TEXT, "rows": _LIST, "units": _LIST, "names": _LIST, "shown": _OBJECT},
    ),
    "check": Question(
        "Whether typed rows are a form",
        Fields({"own": _OWN}, {}),
        answer_check,
        {"rows": _LIST, "count": _COUNT},
    ),
    "family": Question(
        "Which forms contain which, and which conversions are lossless; own is one of them if it is given",
        Fields({"own": _OWN}, _NO_OWN),
        answer_family,
        {"forms": _LIST, "edges": _LIST, "same": _LIST},
    ),
}  # fmt: skip
"""Every question by its name."""

__all__ = ["LIMITS", "QUESTIONS", "Question", "WrongRequestError", "answer"]
