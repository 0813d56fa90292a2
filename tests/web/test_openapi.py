"""The OpenAPI document, and a fuzzer that reads it: the API accepts what it describes, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from eightfold.web.api import QUESTIONS, answer
from eightfold.web.openapi import ERRORS, document
from eightfold.web.server import application

CASES = Path(__file__).with_name("api_as_described.py")


def test_the_document_describes_every_question() -> None:
    found = TestClient(application(answer), base_url="http://localhost").get("/openapi.json").json()
    assert found == document()
    assert list(found["paths"]) == [f"/api/{name}" for name in QUESTIONS]
    for path in found["paths"].values():
        assert set(path["post"]["responses"]) == {"200", *map(str, ERRORS)}


@pytest.mark.skipif(find_spec("schemathesis") is None, reason="schemathesis is not installed")
def test_the_api_is_as_described() -> None:
    line = [sys.executable, "-m", "pytest", "-q", "-p", "schemathesis", "-p", "no:cacheprovider", str(CASES)]
    done = subprocess.run(line, capture_output=True, text=True, cwd=CASES.parents[2], check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(QUESTIONS)} passed" in done.stdout
