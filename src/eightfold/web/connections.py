"""Connections: uvicorn's protocol, which here ends those that are too slow, and answers in more cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from eightfold.web.guard import is_chunked
from eightfold.web.responses import CLOSE, RETRY, error_response, our_headers, with_headers

SECONDS_OF_PATIENCE = 30.0
"""More than a body and its answer may take together."""
MOST_CONNECTIONS = 64


async def _crowded(scope: Scope, receive: Receive, send: Send) -> None:
    await error_response(503, "there are too many connections", {**RETRY, **CLOSE})(scope, receive, with_headers(send))


class _Unchunked(h11.Connection):
    """A connection that parses no chunks: a body of chunks of one byte takes seconds, and nobody is answered meanwhile.

    The application refuses such a body unseen.
    """

    _is_over = False

    def next_event(self) -> Any:
        if self._is_over:
            return h11.NEED_DATA
        event = super().next_event()
        self._is_over = isinstance(event, h11.Request) and is_chunked(event.headers)
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
    served: set[Any]
    _seen: Any = None
    _watch: Any = None
    _is_ended = False

    def connection_made(self, transport: Any) -> None:
        lingering: Any = _Lingering(transport, self._is_sending)
        super().connection_made(lingering)
        self.conn = _Unchunked(h11.SERVER)
        self._watch = self.loop.call_later(self.seconds, self._look)
        # A refused client may stay until its time is over, but takes no place.
        if len(self.served) < self.most_connections:
            self.served.add(self)
        else:
            self.app = _crowded

    def connection_lost(self, exc: Exception | None) -> None:
        self._watch.cancel()
        self.served.discard(self)
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
        answer = error_response(400, "the request is not HTTP/1.1, or its header is too long", CLOSE)
        headers = [*answer.raw_headers, *our_headers()]
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
    return type("Impatient", (_Impatient,), {"seconds": seconds, "most_connections": connections, "served": set()})


__all__ = ["protocol"]
