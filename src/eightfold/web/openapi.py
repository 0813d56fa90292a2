"""The OpenAPI document of the API, written from the questions' own descriptions."""

from __future__ import annotations

from typing import Any

from eightfold.version import __version__
from eightfold.web.api import LIMITS, QUESTIONS, Question
from eightfold.web.parameters import Schema

MOST_BODY_BYTES = 8 * LIMITS["bytes"]
_ERROR: Schema = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
_PROBLEM: Schema = {
    "type": "object",
    "properties": {"problem": {"type": "string"}},
    "required": ["problem"],
    "additionalProperties": False,
}
ERRORS = {
    400: "The body is not a question of this kind.",
    403: "The request does not come from the explorer's own page.",
    408: "The body did not arrive in time.",
    411: "The body comes in chunks, without a Content-Length.",
    413: "The body is too large.",
    415: "The body is not declared as JSON.",
    503: "The work took too long, or there is too much of it.",
}
"""Every status of an error, with its meaning; the body says more."""


def document() -> dict[str, Any]:
    """Return the document.

    >>> sorted(document()["paths"])[:2]
    ['/api/about', '/api/check']
    """
    return {
        "openapi": "3.1.0",
        "info": {"title": "eightfold explorer", "version": __version__, "description": _DESCRIPTION},
        "paths": {f"/api/{name}": {"post": _operation(name, each)} for name, each in QUESTIONS.items()},
        "components": {"schemas": {"Error": _ERROR, "Problem": _PROBLEM}},
    }


_DESCRIPTION = (
    "Every question is a POST of a JSON object. Text is a list of code points and bytes are hex digits, so that "
    "unpaired surrogates survive. If there is no answer, `problem` says why."
)


def _operation(name: str, question: Question) -> dict[str, Any]:
    answer: Schema = {"type": "object", "properties": dict(question.answer), "required": list(question.answer)}
    schema: Schema = {"anyOf": [answer, {"$ref": "#/components/schemas/Problem"}]}
    return {
        "operationId": name,
        "summary": question.summary,
        "requestBody": {"required": True, "content": _json(question.fields.schema())},
        "responses": {
            "200": {"description": "The answer.", "content": _json(schema)},
            **{str(status): _error(description) for status, description in ERRORS.items()},
        },
    }


def _error(description: str) -> dict[str, Any]:
    return {"description": description, "content": _json({"$ref": "#/components/schemas/Error"})}


def _json(schema: Schema) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


__all__ = ["ERRORS", "MOST_BODY_BYTES", "document"]
