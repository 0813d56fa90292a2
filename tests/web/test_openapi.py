"""The OpenAPI document, and a fuzzer that reads it: the API accepts what it describes, and nothing else."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from starlette.testclient import TestClient

from eightfold.web.api import QUESTIONS, answer
from eightfold.web.openapi import ERRORS, document
from eightfold.web.server import application

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
EXAMPLES = int(os.environ.get("EIGHTFOLD_FUZZ", "5"))

app = application(answer)
described = schemathesis.openapi.from_asgi("/openapi.json", app, headers={"Host": "localhost"})


def test_the_document_describes_every_question() -> None:
    found = TestClient(app, base_url="http://localhost").get("/openapi.json").json()
    assert found == document()
    assert list(found["paths"]) == [f"/api/{name}" for name in QUESTIONS]
    for path in found["paths"].values():
        assert set(path["post"]["responses"]) == {"200", *map(str, ERRORS)}


@described.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_api_is_as_described(case: object) -> None:
    case.call_and_validate(headers={"Host": "localhost"})  # type: ignore[attr-defined]
