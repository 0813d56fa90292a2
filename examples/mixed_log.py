"""Write gateway.log: one log file that three programs append to, each in its own format.

A web service logs in UTF-8, an old gateway logs in Latin-1, and a debug switch dumps frames as they come from the wire:
raw bytes between two marks.
"""

import logging
import struct
from pathlib import Path

LOG = Path(__file__).with_name("gateway.log")


def log(name: str, encoding: str, *lines: str) -> None:
    """Append lines as a program that logs in this encoding."""
    handler = logging.FileHandler(LOG, encoding=encoding)
    handler.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))
    for line in lines:
        handler.handle(logging.LogRecord(name, logging.INFO, "", 0, line, None, None))
    handler.close()


def dump_frame(number: int, payload: bytes) -> None:
    """Append a frame as it comes from the wire: magic byte, number, length, payload, check byte."""
    frame = struct.pack(">BIH", 0xFE, number, len(payload)) + payload
    with LOG.open("ab") as file:
        file.write(b"frame <" + frame + bytes([-sum(frame) % 256]) + b">\n")


if __name__ == "__main__":
    LOG.unlink(missing_ok=True)
    log("web", "utf-8", "login user=José from=10.0.0.7", "upload name=Übersicht.pdf 👍")
    log("gateway", "latin-1", "relay to=José Ibáñez", "reject to=Zoë, queue voll für 5 s")
    dump_frame(65, b"\x80\x00\xc3(temperature=21\xb0)")
    dump_frame(66, bytes(range(0xD0, 0xE0)))
    log("web", "utf-8", "logout user=José")
