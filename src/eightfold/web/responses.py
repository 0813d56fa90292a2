"""What every answer of the server has: its headers, and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response
from starlette.types import Send

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
RETRY = {"Retry-After": str(SECONDS_TO_RETRY)}
CLOSE = {"Connection": "close"}


def with_headers(send: Send) -> Send:
    """Return a function that sends an answer with the headers of every answer."""

    async def sent(message: Any) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *our_headers()]}
        await send(message)

    return sent


def our_headers() -> list[tuple[bytes, bytes]]:
    """Return the headers of every answer, as ASGI has them."""
    return [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


def error_response(status: int, reason: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an answer that says what is wrong."""
    return json_response({"error": reason}, status, headers)


def json_response(values: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return an answer in JSON."""
    content = json.dumps(values, separators=(",", ":")).encode("ascii")
    return Response(content, status, headers, media_type="application/json")


__all__ = ["CLOSE", "HEADERS", "RETRY", "error_response", "json_response", "our_headers", "with_headers"]
