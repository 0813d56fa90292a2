r"""Middleware for ASGI applications (Starlette, FastAPI, Litestar, Django, ...) that checks JSON request bodies.

It refuses or scrubs a body with ill-formed bytes, or with an escape of an unpaired surrogate (``"\ud83d"``), before the
application sees it:

>>> from starlette.applications import Starlette
>>> from starlette.middleware import Middleware
>>> refusing = Starlette(middleware=[Middleware(WellFormedJSON)])
>>> scrubbing = Starlette(middleware=[Middleware(WellFormedJSON, errors="replace")])

No framework is needed. The middleware does not trust the client: it counts sizes itself, and refuses bodies that it
cannot examine.

Source: RFC 8259 (JSON), RFC 9110 (415, 413, Content-Length), RFC 9457 (the answers), ASGI 3.0, HTTP message format.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from typing import Any, TypeAlias

from eightfold.arguments import AnyErrors
from eightfold.faults import ConversionError, code_point_name
from eightfold.jsonpath import path_at
from eightfold.jsontext import scrub
from eightfold.scrub import check_errors

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers: TypeAlias = Iterable[tuple[bytes, bytes]]

LARGEST_BODY = 1 << 20
"""The maximum size of a body in bytes, unless ``largest_body`` is given: 1 MiB."""
_UTF_8 = frozenset({b"utf-8", b"utf8", b"us-ascii"})
_TITLES = {400: "Bad Request", 413: "Content Too Large", 415: "Unsupported Media Type"}


class WellFormedJSON:
    r"""Refuses or scrubs JSON bodies that are not well-formed UTF-8, or contain escapes of unpaired surrogates.

    It responds to refused requests with ``application/problem+json``:

    - 400: the body has such a fault, and the policy is strict; the response has the ``path``, the ``offset`` in bytes,
      the ``kind`` and the ``code_point``. Or the body contains the byte 00: it is in UTF-16 or UTF-32, which some
      parsers detect, or it is not JSON.
    - 413: the body is longer than ``largest_body``. The middleware stops reading there.
    - 415: the request declares a charset other than UTF-8, or a compressed body, which the middleware cannot examine.
      Put middleware that decompresses before this one.

    Everything else goes to the application: bodies that are not valid JSON, byte for byte (its parser reports them),
    websockets, and server events. If a client disconnects before its body is complete, the application is not called.

    A scrubbed body gets a new ``Content-Length``. Check a signature over the body before this middleware.

    Args:
        app: the application.
        errors: ``strict`` refuses; any other policy of :func:`eightfold.jsontext.scrub` scrubs the body.
        largest_body: the maximum size of a body in bytes.
        applies: takes a scope and returns whether to check its body; by default, whether the request declares a JSON
            type. FastAPI, and ``request.json()`` of Starlette, also parse bodies of other types; if all bodies are
            JSON, pass ``lambda scope: True``.

    Raises:
        ValueError, LookupError: `jsontext` does not accept the policy, or the size is negative.

    >>> import asyncio
    >>> async def application(scope, receive, send):
    ...     print((await receive())["body"])
    >>> async def receive():
    ...     return {"type": "http.request", "body": b'{"text": "cut: \\ud83d"}'}
    >>> async def send(message):
    ...     print(message.get("body") or message["status"])
    >>> scope = {"type": "http", "headers": [(b"content-type", b"application/json")]}
    >>> asyncio.run(WellFormedJSON(application)(scope, receive, send))
    400
    b'{"title": "Bad Request", "status": 400, "detail": "U+D83D cannot be written in utf-8", "path": "$.text", "offset": 15, "kind": "unrepresentable", "code_point": "U+D83D"}'
    >>> asyncio.run(WellFormedJSON(application, errors="replace")(scope, receive, send))
    b'{"text": "cut: \\ufffd"}'
    """  # noqa: E501

    def __init__(
        self,
        app: Application,
        *,
        errors: AnyErrors = "strict",
        largest_body: int = LARGEST_BODY,
        applies: Callable[[Scope], bool] | None = None,
    ) -> None:
        check_errors(errors)
        if largest_body < 0:
            raise ValueError(f"largest_body must be 0 or more, not {largest_body}")
        self.app = app
        self.errors = errors
        self.largest_body = largest_body
        self.applies: Callable[[Scope], bool] = applies or declares_json

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a connection; this is the ASGI interface."""
        if scope["type"] != "http" or not self.applies(scope):
            return await self.app(scope, receive, send)
        try:
            body = await self._body(scope, receive)
            if body is None:
                return None
            fit = self._fit(body)
        except _RefusalError as refusal:
            return await refusal.answer(send)
        if fit != body:
            scope = {**scope, "headers": _with_length(scope["headers"], len(fit))}
        return await self.app(scope, _replayed(fit, receive), send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """Return the body, or None if the client disconnects before its end."""
        _check_readable(scope["headers"])
        if _declared_length(scope["headers"]) > self.largest_body:
            raise self._too_large()
        body, more = bytearray(), True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return None
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self.largest_body:
                raise self._too_large()
        return bytes(body)

    def _too_large(self) -> _RefusalError:
        return _RefusalError(413, f"the body is longer than {self.largest_body} bytes")

    def _fit(self, body: bytes) -> bytes:
        if (at := body.find(0)) >= 0:
            raise _RefusalError(400, "byte 00, which JSON in UTF-8 cannot contain", path=path_at(body, at), offset=at)
        try:
            return scrub(body, self.errors)
        except ConversionError as error:
            raise _RefusalError(400, str(error.fault), **_about(error, body)) from None


def declares_json(scope: Scope) -> bool:
    """Return whether a request declares its body to be JSON: ``application/json``, ``text/json`` or any ``+json``.

    >>> declares_json({"headers": [(b"content-type", b"application/problem+json; charset=utf-8")]})
    True
    """
    return any(_is_json(value) for value in _values(scope["headers"], b"content-type"))


def _is_json(content_type: bytes) -> bool:
    essence = content_type.partition(b";")[0].strip().lower()
    return essence in (b"application/json", b"text/json") or essence.endswith(b"+json")


def _values(headers: Headers, name: bytes) -> Iterator[bytes]:
    return (value for each, value in headers if each.lower() == name)


def _check_readable(headers: Headers) -> None:
    """Refuse a request whose headers declare another charset than UTF-8, or a compressed body."""
    for content_type in _values(headers, b"content-type"):
        for parameter in content_type.split(b";")[1:]:
            name, _, value = parameter.partition(b"=")
            if name.strip().lower() == b"charset" and value.strip(b' \t"').lower() not in _UTF_8:
                raise _RefusalError(415, "JSON is UTF-8, but the request declares another charset")
    if any(coding.strip().lower() not in (b"", b"identity") for coding in _values(headers, b"content-encoding")):
        raise _RefusalError(415, "the body is compressed and cannot be examined")


def _declared_length(headers: Headers) -> int:
    """Return the length that the client declares; 0 if it is not a number, because the body is counted anyway."""
    declared = next(_values(headers, b"content-length"), b"")
    return int(declared) if declared.isdigit() and len(declared) < 20 else 0


def _with_length(headers: Headers, length: int) -> list[tuple[bytes, bytes]]:
    """Return headers with a new length if they have one; the headers of a chunked body have none."""
    return [(name, b"%d" % length if name.lower() == b"content-length" else value) for name, value in headers]


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` callable that yields the body and then the messages of the server."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return messages.pop() if messages else await receive()

    return replayed


def _about(error: ConversionError, body: bytes) -> dict[str, Any]:
    fault = error.fault
    code_point = None if fault.code_point is None else code_point_name(fault.code_point)
    return {
        "path": path_at(body, error.start),
        "offset": error.start,
        "kind": fault.kind,
        "code_point": code_point,
    }


class _RefusalError(Exception):
    """A request that is refused, and the response to it."""

    def __init__(self, status: int, detail: str, **about: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.about = about

    async def answer(self, send: Send) -> None:
        """Send the response, which is pure ASCII and short, whatever the body contains."""
        problem = {"title": _TITLES[self.status], "status": self.status, "detail": str(self), **self.about}
        body = json.dumps(problem).encode()
        headers = [(b"content-type", b"application/problem+json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


__all__ = ["LARGEST_BODY", "WellFormedJSON", "declares_json"]
