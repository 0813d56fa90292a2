"""The explorer over HTTP: a fixed list of files, and the API. Needs the extra ``web`` (starlette, uvicorn).

What a request may do: read a file of a fixed list, or ask a question of :mod:`eightfold.web.api`. No path of a
request reaches the disk. A page of another site can do neither: the Host must be one of ours (DNS rebinding), a body
must be declared as JSON, which other origins may not send without asking, and the Origin, if given, must be ours.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import re
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import anyio
import h11
from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from eightfold.web.api import QUESTIONS, WrongRequestError
from eightfold.web.openapi import MOST_BODY_BYTES, document
from eightfold.web.worker import Answering, TookTooLongError

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""The types of the files; a file with another ending is not served."""
NOT_SERVED = ("backend-pyodide.js", "pyodide-worker.js")
"""Files of the explorer without a server."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
LOOPBACK_OF_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""The addresses that stand for all of a machine, each with the one that reaches this one."""
_HOST = re.compile(r"(?:(?P<name>[a-z0-9._-]+)|\[(?P<address>[0-9a-f:.]+)\])(?::[0-9]{1,5})?", re.ASCII | re.IGNORECASE)
SECONDS_FOR_BODY = 10.0
SECONDS_OF_PATIENCE = 30.0
"""More than a body and its answer may take together."""
MOST_WAITING = 16
"""How many questions wait or are answered at once; the page itself asks a few. One more would only wait in vain."""
MOST_CONNECTIONS = 64
SECONDS_TO_RETRY = 1
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-store",
}
"""The headers of every answer."""
_RETRY = {"Retry-After": str(SECONDS_TO_RETRY)}
_CLOSE = {"Connection": "close"}
_HEADERS_OF_REFUSALS = {408: _CLOSE, 413: _CLOSE, 503: _RETRY}


class RefusedError(Exception):
    """A request that is not answered; the status says why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Places:
    """The places of those who wait for an answer. Only the event loop counts them, so nothing can come between.

    Args:
        count: how many there are.
    """

    def __init__(self, count: int) -> None:
        self._free = count

    @contextmanager
    def one(self) -> Iterator[None]:
        """Hold a place during the block.

        Raises:
            RefusedError: none is free.
        """
        if self._free == 0:
            raise RefusedError(503, "too many questions are waiting")
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1


class Guard:
    """Refuses requests for other hosts and bodies in chunks, and puts the headers on every answer.

    Args:
        app: the application behind it.
        hosts: the names and addresses that the server listens on.
    """

    def __init__(self, app: ASGIApp, *hosts: str) -> None:
        self._app = app
        self._names = set(map(_compared, (*LOOPBACK, *hosts)))
        self._any_address = not self._names.isdisjoint(LOOPBACK_OF_ANY)
        if self._any_address:
            self._names.add(socket.gethostname().lower())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        app: ASGIApp = self._refusal(scope) or self._app
        await app(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        if not self._is_ours(scope):
            return _error(403, "the Host is not one of this server")
        if _is_chunked(scope["headers"]):
            return _error(411, "the body must have a Content-Length", _CLOSE)
        return None

    def _is_ours(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name == b"host"]
        if len(given) != 1:
            return False
        name = _host_name(given[0].decode("latin-1"))
        return name in self._names or (self._any_address and _is_address(name))


def _with_headers(send: Send) -> Send:
    async def sent(message: Any) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *_our_headers()]}
        await send(message)

    return sent


def _our_headers() -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


def _host_name(host: str) -> str:
    """Return the name in a Host header, or nothing if it has anything but a name and a port."""
    found = _HOST.fullmatch(host)
    return "" if found is None else _compared(found["name"] or found["address"])


def _compared(host: str) -> str:
    """Return a name, or an address however it is written, in the one spelling in which it is compared."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])  # Without the interface, which no browser sends.
    except ValueError:
        return host.lower()
    return str(getattr(address, "ipv4_mapped", None) or address)


def _is_address(name: str) -> bool:
    """Return whether a name is an address: another site cannot make its name one."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_chunked(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name == b"transfer-encoding" for name, _ in headers)


def application(answering: Answering, *hosts: str) -> ASGIApp:
    """Return the application.

    Args:
        answering: answers a question, such as :meth:`~eightfold.web.worker.Worker.answer`.
        hosts: the names and addresses that the server listens on; requests for other hosts than these and loopback
            are refused.
    """
    places = Places(MOST_WAITING)

    async def ask(request: Request) -> Response:
        try:
            _check_origin(request)
            question = await _json_of(request)
            with places.one():
                found = await to_thread.run_sync(answering, request.path_params["name"], question)
        except RefusedError as error:
            return _error(error.status, str(error), _HEADERS_OF_REFUSALS.get(error.status))
        except WrongRequestError as error:
            return _error(400, str(error))
        except TookTooLongError:
            return _error(503, "the work took too long and was stopped")
        return _json(found)

    routes = [Route(f"/api/{name}", _named(ask, name), methods=["POST"]) for name in QUESTIONS]
    routes += [Route(f"/{name}", _constant(*file), methods=["GET"]) for name, file in static_files().items()]
    routes += [Route("/", _constant(*static_files()["index.html"]), methods=["GET"])]
    described = json.dumps(document()).encode("ascii")
    routes += [Route("/openapi.json", _constant(described, "application/json"), methods=["GET"])]
    app = Starlette(routes=routes, exception_handlers={404: _http_error, 405: _http_error})
    app.router.redirect_slashes = False
    return Guard(app, *hosts)


def static_files() -> Mapping[str, tuple[bytes, str]]:
    """Return the files of the page by name, each with its type."""
    found = ((each.name, each) for each in (files("eightfold.web") / "static").iterdir())
    return {
        name: (each.read_bytes(), TYPES[ending])
        for name, each in found
        if (ending := f".{name.rpartition('.')[2]}") in TYPES and name not in NOT_SERVED
    }


def _named(ask: Any, name: str) -> Any:
    async def asked(request: Request) -> Response:
        request.path_params["name"] = name
        answered: Response = await ask(request)
        return answered

    return asked


def _constant(content: bytes, type: str) -> Any:
    async def given(request: Request) -> Response:
        return Response(content, media_type=type)

    return given


def _check_origin(request: Request) -> None:
    if any(_authority(origin) != request.headers["host"] for origin in request.headers.getlist("origin")):
        raise RefusedError(403, "the question comes from a page of another origin")
    if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        raise RefusedError(403, "the question comes from a page of another site")


def _authority(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


async def _json_of(request: Request) -> Any:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RefusedError(415, "the content type must be application/json")
    if request.headers.get("content-encoding", "identity") != "identity":
        raise RefusedError(415, "the body must not be compressed")
    body = await _body_of(request)
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise RefusedError(400, "the body is not JSON in UTF-8") from None


def _no_number(name: str) -> Any:
    raise ValueError(name)


async def _body_of(request: Request) -> bytes:
    announced = int(request.headers.get("content-length", "0"))
    if announced > MOST_BODY_BYTES:
        raise RefusedError(413, f"the body has more than {MOST_BODY_BYTES} bytes")
    try:
        with anyio.fail_after(SECONDS_FOR_BODY):
            body = await request.body()
    except TimeoutError:
        raise RefusedError(408, "the body did not arrive in time") from None
    except ClientDisconnect:
        raise RefusedError(400, "the body is not complete") from None
    if len(body) != announced:
        raise RefusedError(400, "the body is not complete")
    return body


async def _http_error(request: Request, error: Any) -> Response:
    return _error(error.status_code, error.detail, error.headers)


def _error(status: int, reason: str, headers: Mapping[str, str] | None = None) -> Response:
    return _json({"error": reason}, status, headers)


def _json(values: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    content = json.dumps(values, separators=(",", ":")).encode("ascii")
    return Response(content, status, headers, media_type="application/json")


async def _crowded(scope: Scope, receive: Receive, send: Send) -> None:
    await _error(503, "there are too many connections", {**_RETRY, **_CLOSE})(scope, receive, _with_headers(send))


class _Unchunked(h11.Connection):
    """A connection that parses no chunks: a body of chunks of one byte takes seconds, and nobody is answered meanwhile.

    The application refuses such a body unseen.
    """

    _is_over = False

    def next_event(self) -> Any:
        if self._is_over:
            return h11.NEED_DATA
        event = super().next_event()
        self._is_over = isinstance(event, h11.Request) and _is_chunked(event.headers)
        return event


class _Lingering:
    """A transport that, when it is closed while its client still sends, ends its own side and leaves the rest open.

    To close a socket with unread input resets the connection, and the client may lose an answer that it has not read.

    Args:
        transport: the transport of asyncio.
        is_sending: returns whether the client may have more to send. Closing twice closes at once nevertheless.
    """

    def __init__(self, transport: Any, is_sending: Callable[[], bool]) -> None:
        self._transport = transport
        self._is_sending = is_sending
        self._lingers = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        return self._lingers or self._transport.is_closing()

    def close(self) -> None:
        if self.is_closing() or not self._is_sending():
            self._transport.close()
            return
        self._lingers = True
        try:
            self._transport.write_eof()
        except OSError:  # The client has gone.
            self._transport.close()
        else:
            self._transport.resume_reading()


class _Impatient(H11Protocol):
    """uvicorn's protocol, which ends a connection besides if its client is too slow, and answers in more cases.

    uvicorn does not limit for how long a connection may say nothing, send a header byte by byte or leave its answer
    unread; some dozen such connections would shut all others out. uvicorn refuses what is not HTTP, and requests on one
    connection too many, in plain text without our headers: here these refusals are like all others. It loses answers to
    clients that have ended their side of the connection, or that still send a body that is refused: here both get
    theirs, and what is sent after a refusal is dropped.
    """

    seconds: float
    most_connections: int
    _seen: Any = None
    _watch: Any = None
    _is_ended = False

    def connection_made(self, transport: Any) -> None:
        lingering: Any = _Lingering(transport, self._is_sending)
        super().connection_made(lingering)
        self.conn = _Unchunked(h11.SERVER)
        self._watch = self.loop.call_later(self.seconds, self._look)
        if len(self.connections) > self.most_connections:
            self.app = _crowded

    def connection_lost(self, exc: Exception | None) -> None:
        self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():
            super().data_received(data)

    def eof_received(self) -> bool:  # type: ignore[override]
        self._is_ended = True
        return self._is_answering()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_ended and not self._is_answering():
            self.transport.close()

    def _is_answering(self) -> bool:
        """Return whether a client that has ended its side is owed an answer, to what it has sent of a request."""
        if self.cycle is None or self.cycle.response_complete:
            return False
        self.cycle.more_body = False
        self.cycle.message_event.set()
        return True

    def _is_sending(self) -> bool:
        return not self._is_ended and self.conn.their_state in (h11.SEND_BODY, h11.ERROR)

    def send_400_response(self, msg: str) -> None:
        answer = _error(400, "the request is not HTTP/1.1, or its header is too long", _CLOSE)
        headers = [*answer.raw_headers, *_our_headers()]
        begun = h11.Response(status_code=400, reason=b"Bad Request", headers=headers)
        for event in (begun, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event))
        self.transport.close()

    def _look(self) -> None:
        if self.cycle is self._seen:
            self.transport.abort()
        else:
            self._seen = self.cycle
            self._watch = self.loop.call_later(self.seconds, self._look)


def protocol(seconds: float = SECONDS_OF_PATIENCE, connections: int = MOST_CONNECTIONS) -> type[Any]:
    """Return the protocol of connections, for uvicorn.

    Args:
        seconds: how long a connection may do without a new request.
        connections: how many connections there may be; the requests of others are refused.
    """
    return type("Impatient", (_Impatient,), {"seconds": seconds, "most_connections": connections})


def quiet_server(settings: Any, begun: Callable[[], object], end_work: Callable[[], object]) -> Any:
    """Return uvicorn's server, which at its end first ends the work, and does not report the requests that it cuts off.

    Args:
        settings: those of uvicorn.
        begun: called once the server hears the signals that stop it.
        end_work: ends all answering, for which threads wait that cannot be cancelled.
    """

    class Quiet(Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            begun()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            end_work()
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
            await super().shutdown(sockets)

    return Quiet(settings)


def address_of(host: str, port: int, bound: str) -> str:
    """Return the address under which a browser reaches the server.

    Args:
        host: the name or address that was asked for.
        port: the port.
        bound: the address that the server listens on.
    """
    shown = LOOPBACK_OF_ANY.get(_compared(bound), host)
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"


__all__ = ["HEADERS", "MOST_WAITING", "Guard", "address_of", "application", "protocol", "quiet_server", "static_files"]
