"""Each question of the API, asked by schemathesis as the document describes it and otherwise.

`test_openapi.py` runs this file in a process of its own: schemathesis makes all its cases when it is collected, which
takes seconds that every run of other tests would spend, too.
"""

import os

import schemathesis
from hypothesis import HealthCheck, settings

from eightfold.web.api import answer
from eightfold.web.server import application

EXAMPLES = int(os.environ.get("EIGHTFOLD_FUZZ", "5"))

app = application(answer)
described = schemathesis.openapi.from_asgi("/openapi.json", app, headers={"Host": "localhost"})


@described.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_api_is_as_described(case: schemathesis.Case) -> None:
    case.call_and_validate(headers={"Host": "localhost"})
