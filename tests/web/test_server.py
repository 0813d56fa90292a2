"""The explorer over HTTP: what it serves, and everything that it must refuse."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import Mock

import pytest
import uvicorn
from starlette.testclient import TestClient
from uvicorn.server import ServerState

from eightfold.web.api import QUESTIONS, answer
from eightfold.web.connections import protocol
from eightfold.web.openapi import MOST_BODY_BYTES
from eightfold.web.responses import HEADERS
from eightfold.web.server import MOST_WAITING, NOT_SERVED, address_of, application, static_files
from eightfold.web.worker import TookTooLongError, Worker

OURS = "http://127.0.0.1:8008"


def client(answering: Any = answer, host: str = "127.0.0.1", base: str = OURS) -> TestClient:
    return TestClient(application(answering, host), base_url=base, raise_server_exceptions=True)


def ask(name: str = "identify", request: Any = None, **headers: str) -> Any:
    content = json.dumps({"bytes": "41"} if request is None else request)
    sent = {"content-type": "application/json", **{key.replace("_", "-"): value for key, value in headers.items()}}
    return client().post(f"/api/{name}", content=content, headers=sent)


def test_a_question_is_answered() -> None:
    found = ask("read", {"bytes": "EDA080", "form": "utf-8"})
    assert found.status_code == 200
    assert found.headers["content-type"] == "application/json"
    assert found.json() == json.loads(json.dumps(answer("read", {"bytes": "EDA080", "form": "utf-8"})))


def test_the_page_and_its_files_are_served() -> None:
    page = client().get("/")
    assert page.status_code == 200
    assert page.text.startswith("<!doctype html>")
    names = re.findall(r'(?:src|href)="([\w.-]+)"', page.text)
    for name in {*names, *static_files()}:
        found = client().get(f"/{name}")
        assert found.status_code == 200, name
        assert found.headers["content-type"] == static_files()[name][1]


def test_every_module_that_is_imported_is_served() -> None:
    for name, (content, _) in static_files().items():
        for imported in re.findall(rb'(?:from|import) "\./([\w.-]+)"', content):
            assert imported.decode() in static_files(), (name, imported)


def test_modules_of_the_page_without_a_server_are_not_served() -> None:
    for name in NOT_SERVED:
        assert client().get(f"/{name}").status_code == 404


def test_the_page_asks_for_nothing_outside_and_has_nothing_inline() -> None:
    for name, (content, _) in static_files().items():
        text = content.decode("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//\w+\.\w", text), name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", text), (
            name
        )
        if name.endswith(".html"):
            assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text), name


# --- headers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/app.js", "/openapi.json", "/nothing", "/api/about"])
def test_every_answer_has_the_headers(path: str) -> None:
    found = client().get(path)
    assert {name: found.headers[name] for name in HEADERS} == HEADERS
    assert "access-control-allow-origin" not in found.headers


def test_the_policy_allows_nothing_inline_and_no_frame() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert {"default-src 'none'", "frame-ancestors 'none'", "script-src 'self'", "base-uri 'none'"} <= set(
        policy.split("; ")
    )


def test_a_refusal_has_the_headers_too() -> None:
    found = client(base="http://evil.example").get("/")
    assert (found.status_code, found.headers["x-content-type-options"]) == (403, "nosniff")


# --- hosts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1:8008", "localhost", "LOCALHOST:1", "[::1]:8008"])
def test_our_own_names_are_answered(host: str) -> None:
    assert client().get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8008", "127.0.0.1.evil.example", "localhost.evil.example",
     "evil.example@localhost.x", "192.168.1.5", "", "[::1", "127.0.0.1,evil.example", "localhost\\evil.example",
     "evil.example@127.0.0.1", "localhost/evil.example", "localhost?evil.example", "localhost#.evil.example",
     "localhost:evil", "localhost:123456", "localhost.", "127.1", "[::1]evil.example", "[::1%eth0]"],
)  # fmt: skip
def test_other_hosts_are_refused(host: str) -> None:
    for path in ("/", "/openapi.json"):
        assert client().get(path, headers={"host": host}).status_code == 403
    found = client().post("/api/about", json={}, headers={"host": host})
    assert found.json() == {"error": "the Host is not one of this server"}


def test_the_host_that_was_asked_for_is_ours() -> None:
    assert client(host="box.local").get("/", headers={"host": "box.local:8008"}).status_code == 200
    assert client(host="box.local").get("/", headers={"host": "192.168.1.5"}).status_code == 403


def test_every_address_is_ours_where_all_are_listened_on_but_no_name() -> None:
    for any_address in ("0.0.0.0", "::", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0"):
        assert client(host=any_address).get("/", headers={"host": "192.168.1.5:8008"}).status_code == 200
        assert client(host=any_address).get("/", headers={"host": "evil.example"}).status_code == 403


@pytest.mark.parametrize(
    ("bound", "host"),
    [
        ("::ffff:127.0.0.2", "[::ffff:7f00:2]:8008"),
        ("::ffff:127.0.0.2", "127.0.0.2"),
        ("fe80::1%eth0", "[fe80::1]:8008"),
        ("2001:DB8::A", "[2001:db8:0:0:0:0:0:a]"),
    ],
)
def test_an_address_is_ours_however_a_browser_writes_it(bound: str, host: str) -> None:
    assert client(host=bound).get("/", headers={"host": host}).status_code == 200
    assert client(host=bound).get("/", headers={"host": "[::ffff:7f00:3]:8008"}).status_code == 403


# --- questions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "json"])
def test_a_form_of_another_site_cannot_ask(type: str) -> None:
    assert ask(content_type=type).status_code == 415


@pytest.mark.parametrize(
    "headers",
    [{"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://127.0.0.1:9"},
     {"origin": "http://["}, {"origin": "http://a[b]:1"}, {"origin": ""},
     {"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site"}],
)  # fmt: skip
def test_a_script_of_another_origin_cannot_ask(headers: dict[str, str]) -> None:
    assert ask(**headers).status_code == 403


def test_a_second_origin_is_not_passed_over() -> None:
    given = [("content-type", "application/json"), ("origin", OURS), ("origin", "http://evil.example")]
    assert client().post("/api/about", content="{}", headers=given).status_code == 403


def test_our_own_page_can() -> None:
    assert ask(origin=OURS, sec_fetch_site="same-origin").status_code == 200
    assert ask(content_type="application/json; charset=utf-8").status_code == 200


def test_a_compressed_body_is_refused() -> None:
    assert ask(content_encoding="gzip").status_code == 415


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"bytes": NaN}', b"[" * 100_000, b'{"bytes": "\xed\xa0\x80"}'])
def test_what_is_not_json_is_refused(body: bytes) -> None:
    found = client().post("/api/identify", content=body, headers={"content-type": "application/json"})
    assert (found.status_code, found.json()) == (400, {"error": "the body is not JSON in UTF-8"})


def test_a_question_that_does_not_fit_is_refused() -> None:
    found = ask(request={"bytes": 1})
    assert (found.status_code, found.json()["error"].partition(":")[0]) == (400, "bytes")


def test_a_body_that_is_nested_deeply_is_refused_at_any_depth() -> None:
    worker = Worker()
    try:
        page = client(worker.answer)
        for depth in range(780, 981, 20):
            body = b"[" * depth + b"]" * depth
            found = page.post("/api/identify", content=body, headers={"content-type": "application/json"})
            assert found.status_code == 400, depth
        assert page.post("/api/about", json={}).status_code == 200
    finally:
        worker.close()


def test_a_body_that_is_too_large_is_refused_before_it_is_read() -> None:
    seen = 0

    def endless() -> Any:
        nonlocal seen
        while seen < 10 * MOST_BODY_BYTES:
            seen += 1 << 16
            yield b" " * (1 << 16)

    headers = {"content-type": "application/json", "content-length": str(10 * MOST_BODY_BYTES)}
    found = client().post("/api/identify", content=endless(), headers=headers)
    assert found.status_code == 413


def test_the_largest_question_fits() -> None:
    assert ask(request={"bytes": "FF" * 65792}).status_code == 200


def test_work_that_takes_too_long_is_reported() -> None:
    def slow(name: str, request: Any) -> dict[str, Any]:
        raise TookTooLongError

    found = client(slow).post("/api/about", json={})
    assert (found.status_code, found.json()) == (503, {"error": "the work took too long and was stopped"})


def test_a_slow_answer_does_not_hold_up_the_page() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(name: str, request: Any) -> dict[str, Any]:
        begun.set()
        go_on.wait(60)
        return {}

    with client(slow) as page:
        thread = threading.Thread(target=page.post, args=("/api/about",), kwargs={"json": {}})
        thread.start()
        assert begun.wait(60)
        assert page.get("/app.js").status_code == 200
        go_on.set()
        thread.join()


def test_one_question_too_many_is_refused_at_once_and_the_others_are_answered() -> None:
    waiting, go_on = threading.Semaphore(0), threading.Event()

    def slow(name: str, request: Any) -> dict[str, Any]:
        waiting.release()
        go_on.wait(60)
        return {}

    with client(slow) as page, ThreadPoolExecutor(MOST_WAITING) as threads:
        asked = [threads.submit(page.post, "/api/about", json={}) for _ in range(MOST_WAITING)]
        assert all(waiting.acquire(timeout=60) for _ in asked)
        refused = [page.post("/api/about", json={}) for _ in range(60 - MOST_WAITING)]
        go_on.set()
        assert {each.status_code for each in refused} == {503}
        assert {each.headers["retry-after"] for each in refused} == {"1"}
        assert refused[0].json() == {"error": "too many questions are waiting"}
        assert {each.result().status_code for each in asked} == {200}
        assert page.post("/api/about", json={}).status_code == 200


def test_a_question_that_fails_gives_its_place_back() -> None:
    def slow(name: str, request: Any) -> dict[str, Any]:
        raise TookTooLongError

    page = client(slow)
    errors = [page.post("/api/about", json={}).json()["error"] for _ in range(MOST_WAITING + 1)]
    assert set(errors) == {"the work took too long and was stopped"}


# --- slow clients -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def impatient() -> Iterator[tuple[str, int]]:
    """Return the place of a server that waits for next to nothing."""
    with serving(protocol(0.05)) as place:
        yield place


@contextmanager
def serving(http: Any) -> Iterator[tuple[str, int]]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        settings = uvicorn.Config(
            application(answer),
            http=http,
            lifespan="off",
            ws="none",
            log_level="error",
            timeout_keep_alive=600,
        )
        server = uvicorn.Server(settings)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield listener.getsockname()
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: 127",
        b"POST /api/about HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{",
        b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n" + b"GET / HTTP/1.1\r\nHost:",
    ],
    ids=["silence", "half a header", "half a body", "a request, then half of one"],
)
def test_a_client_that_is_too_slow_loses_its_connection(impatient: tuple[str, int], sent: bytes) -> None:
    with socket.create_connection(impatient, timeout=60) as connection:
        connection.sendall(sent)
        try:
            while connection.recv(65536):
                pass
        except ConnectionResetError:
            pass


def test_a_body_in_chunks_is_refused_and_not_parsed(patient: tuple[str, int]) -> None:
    """Parsed, the body would be an error, as it is not one."""
    with socket.create_connection(patient, timeout=60) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n")
        answered = whole(connection)
    assert answered.startswith(b"HTTP/1.1 411 ")
    assert b"\r\nconnection: close\r\n" in answered
    assert answered.endswith(b'{"error":"the body must have a Content-Length"}')


@pytest.mark.parametrize(
    "sent", [b"no request\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000]
)
def test_what_is_not_http_is_refused_as_all_else_is(patient: tuple[str, int], sent: bytes) -> None:
    with socket.create_connection(patient, timeout=60) as connection:
        connection.sendall(sent)
        answered = whole(connection)
    assert answered.startswith(b"HTTP/1.1 400 ")
    assert b"\r\nconnection: close\r\n" in answered.lower()
    assert all(f"\r\n{name}: ".lower().encode() in answered for name in HEADERS)
    assert answered.endswith(b'{"error":"the request is not HTTP/1.1, or its header is too long"}')


@pytest.fixture(scope="module")
def patient() -> Iterator[tuple[str, int]]:
    """Return the place of a server as it is used."""
    with serving(protocol()) as place:
        yield place


POST = b"POST /api/about HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
GET = b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_a_body_that_is_announced_as_too_large_is_not_waited_for(patient: tuple[str, int]) -> None:
    with socket.create_connection(patient, timeout=60) as connection:
        connection.sendall(POST + b"1" + b"0" * 19 + b"\r\n\r\n{")
        answered = whole(connection)
    assert answered.startswith(b"HTTP/1.1 413 ")
    assert b"\r\nconnection: close\r\n" in answered


@pytest.mark.parametrize(
    ("sent", "statuses"),
    [
        (POST + b"2\r\n\r\n{}", [200]),
        (POST + b"3\r\n\r\n{}", [400]),
        (GET + POST + b"2\r\n\r\n{}" + GET, [200, 200, 200]),
        (GET + POST + b"3\r\n\r\n{}", [200, 400]),
        (GET + GET[:9], [200]),
        (b"", []),
    ],
    ids=["a question", "half a body", "three requests", "a request, then half a body", "half a request", "nothing"],
)
def test_a_client_that_ends_its_side_is_answered(patient: tuple[str, int], sent: bytes, statuses: list[int]) -> None:
    with socket.create_connection(patient, timeout=60) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        answered = whole(connection)
    assert [int(each) for each in re.findall(rb"HTTP/1\.1 (\d+) ", answered)] == statuses
    assert answered.count(b'{"error":"the body is not complete"}') == statuses.count(400)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (POST + b"33554432\r\n\r\n", b"413"),
        (b"PUT / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 33554432\r\n\r\n", b"405"),
        (b"PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", b"411"),
        (b"GET / HTTP/1.1\r\nX: ", b"400"),
    ],
    ids=["too large", "of no use", "in chunks", "no body"],
)
def test_a_client_that_sends_all_before_it_reads_has_its_answer(
    patient: tuple[str, int], head: bytes, status: bytes
) -> None:
    with socket.create_connection(patient, timeout=60) as connection:
        connection.sendall(head)
        connection.sendall(b"x" * 32 * 1024 * 1024)
        answered = whole(connection)
    assert answered[9:12] == status
    assert answered.endswith(b'"}')


def test_a_client_that_never_ends_its_body_loses_its_connection(impatient: tuple[str, int]) -> None:
    with socket.create_connection(impatient, timeout=60) as connection:
        connection.sendall(POST + b"1" + b"0" * 19 + b"\r\n\r\n")
        with pytest.raises(ConnectionError):
            flood(connection)


def flood(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"x" * 65536)


def whole(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65536), b""))


def test_one_connection_too_many_is_refused_and_the_others_are_answered() -> None:
    with serving(protocol(connections=2)) as place, ExitStack() as kept:
        early = [kept.enter_context(socket.create_connection(place, timeout=60)) for _ in range(2)]
        late = kept.enter_context(socket.create_connection(place, timeout=60))
        for each in (late, *early):
            each.sendall(b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        refused, *answered = map(whole, (late, *early))
    assert refused.startswith(b"HTTP/1.1 503 ")
    assert all(f"\r\n{name}: ".lower().encode() in refused for name in ("Retry-After", *HEADERS))
    assert refused.endswith(b'{"error":"there are too many connections"}')
    assert [each.partition(b"\r\n")[0] for each in answered] == [b"HTTP/1.1 200 OK"] * 2


def test_who_was_refused_takes_no_place() -> None:
    unfinished = b"POST /api/explain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"
    with serving(protocol(connections=1)) as place, ExitStack() as kept:
        early, *late = (kept.enter_context(socket.create_connection(place, timeout=60)) for _ in range(3))
        for each in late:
            each.sendall(unfinished)
            assert whole(each).startswith(b"HTTP/1.1 503 ")
        for _ in range(2):
            early.sendall(b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert whole(early).startswith(b"HTTP/1.1 200 ")
            early = kept.enter_context(socket.create_connection(place, timeout=60))


def test_those_who_were_refused_are_not_counted_again_and_again() -> None:
    class Uncounted(set[Any]):
        def __iter__(self) -> Any:
            raise AssertionError("all connections are looked at for a new one")

    settings, state, loop = uvicorn.Config(application(answer), ws="none"), ServerState(), asyncio.new_event_loop()
    settings.load()
    state.connections = Uncounted()
    http = protocol(connections=2)
    served = [http(settings, state, {}, loop) for _ in range(4)]
    for each in served:
        each.connection_made(Mock(get_extra_info=lambda name: None))
    assert [each.app is settings.loaded_app for each in served] == [True, True, False, False]
    served[0].connection_lost(None)
    served[0].connection_made(Mock(get_extra_info=lambda name: None))
    assert served[0].app is settings.loaded_app
    loop.close()


# --- paths ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "/../server.py", "/..%2fserver.py", "/%2e%2e/server.py", "/static/app.js", "/server.py",
     "//etc/passwd", "/java.json.gz", "/api", "/api/", "/api/nothing", "/app.js/", "/C:/Windows", "/app.js%00.html"],
)  # fmt: skip
def test_no_path_reaches_the_disk(path: str) -> None:
    found = client().get(path, follow_redirects=False)
    assert found.status_code in (404, 405)
    assert b"import" not in found.content


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_only_posted(name: str) -> None:
    for method in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS"):
        found = client().request(method, f"/api/{name}")
        assert (found.status_code, found.headers["allow"]) == (405, "POST")


def test_the_address_is_one_that_a_browser_takes() -> None:
    assert address_of("0.0.0.0", 80, "0.0.0.0") == "http://127.0.0.1:80/"
    assert address_of("0", 80, "0.0.0.0") == "http://127.0.0.1:80/"
    assert address_of("0:0:0:0:0:0:0:0", 80, "::") == "http://[::1]:80/"
    assert address_of("::1", 80, "::1") == "http://[::1]:80/"
    assert address_of("box.local", 80, "192.168.1.5") == "http://box.local:80/"
