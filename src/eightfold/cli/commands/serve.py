"""`eightfold serve`: the explorer in a browser, from this machine and, by default, for this machine alone."""

from __future__ import annotations

import argparse
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from eightfold.cli.options.arguments import CommandParser, count_argument
from eightfold.cli.output.ending import NOTHING_WRONG, UsageError
from eightfold.cli.output.lines import say
from eightfold.extras import installing
from eightfold.files.parallel.signals import signals_held

PORT = 8008
_MOST_PORT = 65535


@dataclass
class Options:
    """The options of `serve`."""

    host: str = "127.0.0.1"
    port: int = PORT
    open: bool = False


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "serve",
        "[OPTIONS]",
        "Serve the explorer: one page that shows text and bytes in every form side by\n"
        "side, with every bit, fault and repair, and the tables behind them. It reads\n"
        "nothing from this machine but what you type or drop into the page, and sends\n"
        "nothing anywhere. Ctrl-C stops it. It needs the extra `web`: starlette, uvicorn.\n"
        "By default only this machine can reach it. With another --host everyone who can\n"
        "reach that address can use it; there is no password.",
        [
            ("eightfold serve --open", "open the explorer in the browser"),
            ("eightfold serve --port 0", "on any free port; the address is printed"),
        ],
    )
    command.add_argument(
        "--host", type=host_argument, metavar="ADDRESS", help="the address to listen on (default: 127.0.0.1)"
    )
    command.add_argument(
        "--port", type=port_argument, metavar="N", help=f"the port to listen on (default: {PORT}; 0: any free one)"
    )
    command.add_argument("--open", action="store_true", help="open the page in the browser")
    return command


def host_argument(given: str) -> str:
    """Return the name or address of a host.

    Raises:
        argparse.ArgumentTypeError: it is neither.
    """
    if not given.strip():
        raise argparse.ArgumentTypeError("empty address (an unset shell variable?)")
    if given == "*":  # The system takes it for this machine alone.
        raise argparse.ArgumentTypeError("'*' is not an address; use 0.0.0.0 or :: to listen on every one")
    return given


def port_argument(given: str) -> int:
    """Return a port.

    Raises:
        argparse.ArgumentTypeError: it is not one.
    """
    with suppress(argparse.ArgumentTypeError):
        if (port := count_argument(given)) <= _MOST_PORT:
            return port
    raise argparse.ArgumentTypeError(f"{given!r} is not a port from 0 to {_MOST_PORT}")


def run(options: Options) -> int:
    """Serve until stopped; return the exit status."""
    try:
        import uvicorn

        from eightfold.web.connections import protocol
        from eightfold.web.server import address_of, application, quiet_server
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise UsageError(f"serve needs {package}, which is not installed: {installing('web')}") from error
    from eightfold.web.worker import Worker

    with _listening(options) as listener:
        bound, port, *_ = listener.getsockname()
        address = address_of(options.host, port, bound)
        worker = Worker()
        try:
            worker.start()
            app = application(worker.answer, options.host, bound)
            say(f"explorer at {address} (Ctrl-C stops it)")
            if options.open:
                _open(address)
            with signals_held() as let_signals_come:
                quiet_server(_settings(uvicorn, app, protocol()), let_signals_come, worker.close).run([listener])
        finally:
            worker.close()
    return NOTHING_WRONG


def _listening(options: Options) -> socket.socket:
    """Return a socket that listens, so that the browser can connect before the server runs."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen()
        except OSError:
            listener.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot listen on {options.host} port {options.port}: {reason}") from error
    return listener


def _settings(uvicorn: Any, app: Any, protocol: Any) -> Any:
    return uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        http=protocol,
        loop="asyncio",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=1,
    )


def _open(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        say(f"cannot open a browser: visit {address}")
