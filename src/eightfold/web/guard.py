"""Which requests are ours: those for a host that the server listens on, with a body that is not in chunks."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from eightfold.web.responses import CLOSE, error_response, with_headers

LOOPBACK = ("localhost", "127.0.0.1", "::1")
LOOPBACK_OF_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""The addresses that stand for all of a machine, each with the one that reaches this one."""
_HOST = re.compile(r"(?:(?P<name>[a-z0-9._-]+)|\[(?P<address>[0-9a-f:.]+)\])(?::[0-9]{1,5})?", re.ASCII | re.IGNORECASE)


class Guard:
    """Refuses requests for other hosts and bodies in chunks, and puts the headers on every answer.

    Args:
        app: the application behind it.
        hosts: the names and addresses that the server listens on.
    """

    def __init__(self, app: ASGIApp, *hosts: str) -> None:
        self._app = app
        self._names = set(map(compared, (*LOOPBACK, *hosts)))
        self._any_address = not self._names.isdisjoint(LOOPBACK_OF_ANY)
        if self._any_address:
            self._names.add(socket.gethostname().lower())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        app: ASGIApp = self._refusal(scope) or self._app
        await app(scope, receive, with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        if not self._is_ours(scope):
            return error_response(403, "the Host is not one of this server")
        if is_chunked(scope["headers"]):
            return error_response(411, "the body must have a Content-Length", CLOSE)
        return None

    def _is_ours(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name == b"host"]
        if len(given) != 1:
            return False
        name = _host_name(given[0].decode("latin-1"))
        return name in self._names or (self._any_address and _is_address(name))


def _host_name(host: str) -> str:
    """Return the name in a Host header, or nothing if it has anything but a name and a port.

    The port may be any: where a port is forwarded, a browser sends the other one, and no page can choose it.
    """
    found = _HOST.fullmatch(host)
    return "" if found is None else compared(found["name"] or found["address"])


def compared(host: str) -> str:
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


def is_chunked(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether the headers of a request announce a body in chunks."""
    return any(name == b"transfer-encoding" for name, _ in headers)


__all__ = ["LOOPBACK_OF_ANY", "Guard", "compared", "is_chunked"]
