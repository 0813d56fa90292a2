"""The middleware for ASGI: hostile bodies of requests, alone and in Starlette."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from eightfold import scrub_report
from eightfold.integrations.asgi import LARGEST_BODY, WellFormedJSON
from eightfold.jsonpath import path_at

JSON = (b"content-type", b"application/json")
CUT = rb'{"messages": [{}, {"text": "cut: \ud83d"}]}'


class Answer:
    """What a client and an application have seen of one request."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.scope: Any = None
        self.received: list[Any] = []

    @property
    def status(self) -> int | None:
        return self.sent[0]["status"] if self.sent else None

    @property
    def problem(self) -> Any:
        assert dict(self.sent[0]["headers"])[b"content-type"] == b"application/problem+json"
        assert int(dict(self.sent[0]["headers"])[b"content-length"]) == len(self.sent[1]["body"])
        return json.loads(self.sent[1]["body"])

    @property
    def body(self) -> bytes:
        """What the application got."""
        return b"".join(message["body"] for message in self.received)

    @property
    def length(self) -> bytes | None:
        return dict(self.scope["headers"]).get(b"content-length")


def ask(
    *chunks: bytes, headers: Any = (JSON,), scope: Any = None, messages: Any = None, inside: Any = None, **options: Any
) -> Answer:
    """Send a request in chunks, or messages as they are, through the middleware to an application that reads it."""
    answer = Answer()
    if messages is None:
        bodies = chunks or (b"",)
        messages = [
            {"type": "http.request", "body": body, "more_body": at < len(bodies)} for at, body in enumerate(bodies, 1)
        ]
    waiting = [*messages, {"type": "http.disconnect"}]

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        answer.sent.append(message)

    async def application(scope: Any, receive: Any, send: Any) -> None:
        answer.scope = scope
        more = scope["type"] == "http"
        while more:
            message = await receive()
            answer.received.append(message)
            more = message.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    given = scope or {"type": "http", "method": "POST", "path": "/", "headers": list(headers)}
    asyncio.run(WellFormedJSON(inside or application, **options)(given, receive, send))
    return answer


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "path", "offset", "kind", "code_point"),
    [
        (CUT, "$.messages[1].text", 33, "unrepresentable", "U+D83D"),
        (rb'{"a\udc00": 1}', r'$["a\udc00"] (key)', 3, "unrepresentable", "U+DC00"),
        (rb'"\ude00\ud83d"', "$", 1, "unrepresentable", "U+DE00"),
        (b'[1, {"a b": ["x", "caf\xe9"]}]', '$[1]["a b"][1]', 22, "truncated", None),
        (b'{"a": {"b": "\xed\xa0\xbd"}}', "$.a.b", 13, "surrogate", "U+D83D"),
        (b'{"a": "\xc0\xaf"}', "$.a", 7, "overlong", "U+002F"),
        (b'{"a": 1, \xff', "$", 9, "invalid-byte", None),
        (b'{"a": "ok", "a": 1, "a": "\\uDFFF"}', "$.a", 26, "unrepresentable", "U+DFFF"),
    ],
)
def test_a_fault_is_named_with_its_path(body: bytes, path: str, offset: int, kind: str, code_point: str | None) -> None:
    answer = ask(body)
    problem = answer.problem
    assert (answer.status, answer.scope) == (400, None)
    assert (problem["status"], problem["title"]) == (400, "Bad Request")
    assert [problem[name] for name in ("path", "offset", "kind", "code_point")] == [path, offset, kind, code_point]
    assert problem["detail"]


@pytest.mark.parametrize("cut", range(1, len(CUT)))
def test_chunks_are_put_together(cut: int) -> None:
    assert ask(CUT[:cut], CUT[cut:]).problem["path"] == "$.messages[1].text"
    assert json.loads(ask(CUT[:cut], b"", CUT[cut:], errors="replace").body)["messages"][1] == {"text": "cut: �"}


@pytest.mark.parametrize("errors", ["strict", "replace"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-16"])
def test_other_encodings_that_parsers_find_out_for_themselves_are_refused(encoding: str, errors: str) -> None:
    body = CUT.decode().encode(encoding)
    assert scrub_report(json.loads(body)) != []  # Python's parser takes it
    answer = ask(body, errors=errors)
    assert (answer.status, answer.scope) == (400, None)
    assert "byte 00" in answer.problem["detail"]


@pytest.mark.parametrize("errors", ["strict", "replace"])
@pytest.mark.parametrize(
    "headers",
    [
        [(b"content-type", b"application/json; charset=utf-16")],
        [(b"content-type", b"application/json;charset=latin-1;charset=utf-8")],
        [(b"content-type", b"application/json; charset")],
        [JSON, (b"content-type", b'text/plain; charset="shift_jis"')],
        [JSON, (b"content-encoding", b"gzip")],
        [JSON, (b"Content-Encoding", b"identity, br")],
    ],
)
def test_what_cannot_be_looked_into_is_refused(headers: Any, errors: str) -> None:
    answer = ask(b"{}", headers=headers, errors=errors)
    assert (answer.status, answer.scope, answer.problem["title"]) == (415, None, "Unsupported Media Type")


# --- sizes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("declared", [b"3", b"", b"no", b"-1", b"9" * 5000, "٣".encode(), None])
def test_a_body_is_counted_whatever_is_declared(declared: bytes | None) -> None:
    headers = [JSON] if declared is None else [JSON, (b"content-length", declared)]
    assert ask(b'"', b"a" * 8, b'"', headers=headers, largest_body=10).status == 200
    assert ask(b'"', b"a" * 9, b'"', headers=headers, largest_body=10).status == 413


def test_a_body_that_is_declared_too_long_is_not_read() -> None:
    async def receive() -> Any:
        raise AssertionError("it was read")

    answer = ask(headers=[JSON, (b"content-length", b"11")], messages=[], largest_body=10)
    assert (answer.status, answer.scope) == (413, None)
    assert ask(headers=[JSON, (b"content-length", b"%d" % (LARGEST_BODY + 1))], messages=[]).status == 413


def test_no_more_is_read_than_what_may_be_there() -> None:
    messages = [{"type": "http.request", "body": b"a" * 6, "more_body": True}] * 2
    poison = [{"type": "never", "body": 1}]
    assert ask(messages=[*messages, *poison], largest_body=10).status == 413


@pytest.mark.parametrize("errors", ["strict", "replace", "ignore"])
@pytest.mark.parametrize(
    "body",
    [
        b"[" * LARGEST_BODY,
        b'{"a":' * (LARGEST_BODY // 5),
        b"\xff " * (LARGEST_BODY // 2),
        b'"",' * (LARGEST_BODY // 3),
        b'"' + b"\\" * (LARGEST_BODY - 1),
        b'"\\u' * (LARGEST_BODY // 3),
    ],
    ids=["arrays", "objects", "bytes", "strings", "backslashes", "escapes"],
)
def test_hostile_bodies_take_little_time(body: bytes, errors: str) -> None:
    hostile = body[:-4] + b'"\xff"'
    started = time.process_time()
    answer = ask(hostile, errors=errors)
    assert answer.status == (400 if errors == "strict" else 200)
    assert time.process_time() - started < 3  # a hundredth of that, but on the reference


def test_an_answer_is_short_whatever_is_in_the_body() -> None:
    deep = b'{"' + b"k" * 500 + b'": '
    answer = ask(deep * 1000 + rb'"\ud83d"')
    assert len(answer.sent[1]["body"]) < 8000
    assert " ... 968 steps ... " in answer.problem["path"]
    assert ask(b'{"\x1b[2J\xe2\x80\xae": "\\ud83d"}').problem["path"].isprintable()


def test_a_path_that_is_too_far_is_not_looked_for() -> None:
    assert path_at(b"[" * 100 + b"\xff", 100, most_tokens=99) is None
    assert path_at(b"[[\xff", 2, most_tokens=2) == "$[0][0]"
    answer = ask(b"[]" * 200_000 + b"\xff")
    assert (answer.status, answer.problem["path"], answer.problem["offset"]) == (400, None, 400_000)


# --- what is scrubbed -------------------------------------------------------------------------------------------------


def test_a_scrubbed_body_has_its_new_length() -> None:
    body = b'["\\ud83d", "\xff", 1.50]'
    headers = [JSON, (b"Content-Length", b"%d" % len(body)), (b"x-other", b"1")]
    answer = ask(body, headers=headers, errors="replace")
    fit = b'["\\ufffd", "\xef\xbf\xbd", 1.50]'
    assert answer.body == fit
    assert answer.scope["headers"] == [JSON, (b"Content-Length", b"%d" % len(fit)), (b"x-other", b"1")]
    assert headers[1][1] == b"%d" % len(body)


def test_a_body_in_chunks_gets_no_length() -> None:
    headers = [JSON, (b"transfer-encoding", b"chunked")]
    answer = ask(CUT, headers=headers, errors="backslashreplace")
    assert (answer.scope["headers"], json.loads(answer.body)["messages"][1]["text"]) == (headers, r"cut: \ud83d")


# --- what goes to the application as it is ----------------------------------------------------------------------------


@pytest.mark.parametrize("errors", ["strict", "replace"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b'{"text": "h\\ud83d\\ude00 \xf0\x9f\x98\x80", "n": 1.50}',
        b'{"text": ',
        b"not json",
        b"\xef\xbb\xbf{}",
        rb"\ud83d",
        b"[" * 5000,
        b"9" * 5000,
        rb'"\\ud83d"',
    ],
)
def test_what_is_fit_passes_byte_for_byte_also_where_it_is_no_json(body: bytes, errors: str) -> None:
    headers = [JSON, (b"content-length", b"%d" % len(body))]
    answer = ask(body, headers=headers, errors=errors)
    assert (answer.status, answer.body, answer.scope["headers"]) == (200, body, headers)


@pytest.mark.parametrize(
    "content_type",
    [b"text/plain", b"application/octet-stream", b"application/jsonp", b"application/json, text/plain", b"", None],
)
def test_what_is_not_declared_as_json_is_not_read(content_type: bytes | None) -> None:
    headers = [] if content_type is None else [(b"content-type", content_type)]
    assert ask(b"\xff\0", b"\xff", headers=headers, largest_body=1).body == b"\xff\0\xff"
    assert ask(b"\xff", headers=headers, applies=lambda scope: True).status == 400


@pytest.mark.parametrize(
    "headers",
    [
        [(b"Content-Type", b" Application/JSON ;charset=UTF-8")],
        [(b"content-type", b"application/vnd.api+json")],
        [(b"content-type", b'application/problem+JSON; charset="utf-8"; a=b')],
        [(b"content-type", b"text/json")],
        [(b"content-type", b"text/plain"), JSON],
        [JSON, (b"content-encoding", b"identity")],
    ],
)
def test_what_is_declared_as_json_is_read(headers: Any) -> None:
    assert ask(CUT, headers=headers).status == 400


@pytest.mark.parametrize("kind", ["websocket", "lifespan", "something.new"])
def test_other_connections_pass(kind: str) -> None:
    answer = ask(scope={"type": kind, "headers": [JSON]}, messages=[])
    assert (answer.scope["type"], answer.status) == (kind, 200)


def test_a_request_that_breaks_off_is_not_handed_on() -> None:
    answer = ask(messages=[{"type": "http.request", "body": b"{", "more_body": True}])
    assert (answer.sent, answer.scope) == ([], None)


def test_after_the_body_the_application_hears_from_the_server() -> None:
    heard: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        heard.extend([(await receive())["type"], (await receive())["type"]])

    ask(b"{}", inside=application)
    assert heard == ["http.request", "http.disconnect"]


def test_errors_of_the_application_are_its_own() -> None:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        raise UnicodeError("its own")

    with pytest.raises(UnicodeError, match="its own"):
        ask(b"{}", inside=application)


def test_settings_that_make_no_sense_are_refused() -> None:
    async def application(scope: Any, receive: Any, send: Any) -> None: ...

    for options, raised in (({"errors": "surrogatepass"}, ValueError), ({"errors": "nonesuch"}, LookupError)):
        with pytest.raises(raised):
            WellFormedJSON(application, **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="largest_body"):
        WellFormedJSON(application, largest_body=-1)


# --- with Starlette ---------------------------------------------------------------------------------------------------


def posted(body: Any, **options: Any) -> Any:
    """Return what Starlette answers, to a client that sends a body as it is or, from a list, in chunks."""
    pytest.importorskip("starlette", reason="Starlette is not installed: pip install 'eightfold[dev]'")
    httpx = pytest.importorskip("httpx", reason="httpx is not installed: pip install 'eightfold[dev]'")
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    async def echo(request: Any) -> Any:
        return PlainTextResponse((await request.json())["text"])

    async def chunks() -> Any:
        for chunk in body:
            yield chunk

    async def asked() -> Any:
        app = Starlette(routes=[Route("/", echo, methods=["POST"])], middleware=[Middleware(WellFormedJSON, **options)])
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
            content = body if isinstance(body, bytes) else chunks()
            return await client.post("/", content=content, headers={"content-type": "application/json"})

    return asyncio.run(asked())


def test_starlette_with_and_without() -> None:
    body = rb'{"text": "cut: \ud83d"}'
    with pytest.raises(UnicodeEncodeError):
        posted(body, applies=lambda scope: False)
    refused = posted(body)
    assert (refused.status_code, refused.json()["path"]) == (400, "$.text")
    assert posted(b'{"text": "fine"}').text == "fine"
    assert posted(body, errors="replace").text == "cut: �"
    assert posted([body[:15], body[15:]], errors="replace").text == "cut: �"
