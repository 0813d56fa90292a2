"""The explorer over HTTP: a fixed list of files, and the API. Needs the extra ``web`` (starlette, uvicorn).

What a request may do: read a file of a fixed list, or ask a question of :mod:`eightfold.web.api`. No path of a
request reaches the disk. A page of another site can do neither: the Host must be one of ours (DNS rebinding), a body
must be declared as JSON, which other origins may not send without asking, and the Origin, if given, must be ours.
The Host is checked in `guard`; what a connection may do is in `connections`.
"""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import anyio
from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn import Server

from eightfold.web.api import QUESTIONS, WrongRequestError
from eightfold.web.guard import LOOPBACK_OF_ANY, Guard, compared
from eightfold.web.openapi import MOST_BODY_BYTES, document
from eightfold.web.responses import CLOSE, RETRY, error_response, json_response
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
SECONDS_FOR_BODY = 10.0
MOST_WAITING = 16
"""How many questions wait or are answered at once; the page itself asks a few. One more would only wait in vain."""
_HEADERS_OF_REFUSALS = {408: CLOSE, 413: CLOSE, 503: RETRY}


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
            return error_response(error.status, str(error), _HEADERS_OF_REFUSALS.get(error.status))
        except WrongRequestError as error:
            return error_response(400, str(error))
        except TookTooLongError:
            return error_response(503, "the work took too long and was stopped")
        return json_response(found)

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
    return error_response(error.status_code, error.detail, error.headers)


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
    shown = LOOPBACK_OF_ANY.get(compared(bound), host)
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"


__all__ = ["MOST_WAITING", "address_of", "application", "quiet_server", "static_files"]
