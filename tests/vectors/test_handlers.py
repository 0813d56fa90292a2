"""The protocol of error handlers against CPython's answers to right and wrong ones."""

import codecs
from collections.abc import Callable
from typing import Any

from eightfold import decode, encode
from support.vector_files import Comparisons, Line, lines, lines_agreeing, text

# The names are those of the probes.
ANSWERS: dict[str, Callable[[Any], Any]] = {
    "pos=end": lambda error: ("?", error.end),
    "pos=len": lambda error: ("?", len(error.object)),
    "pos=len+1": lambda error: ("?", len(error.object) + 1),
    "pos=-1": lambda error: ("?", -1),
    "pos=-len": lambda error: ("?", -len(error.object)),
    "pos=-len-1": lambda error: ("?", -len(error.object) - 1),
    "pos=2**31": lambda error: ("?", 2**31),
    "pos=2**63-1": lambda error: ("?", 2**63 - 1),
    "pos=2**63": lambda error: ("?", 2**63),
    "pos=-2**63": lambda error: ("?", -(2**63)),
    "not a tuple": lambda error: "?",
    "1-tuple": lambda error: ("?",),
    "3-tuple": lambda error: ("?", error.end, 0),
    "list": lambda error: ["?", error.end],
    "None": lambda error: None,
    "bytes replacement": lambda error: (b"?", error.end),
    "int replacement": lambda error: (63, error.end),
    "float pos": lambda error: ("?", float(error.end)),
    "empty replacement": lambda error: ("", error.end),
    "lone surrogate replacement": lambda error: ("\ud800", error.end),
    "astral replacement": lambda error: ("\N{PILE OF POO}", error.end),
    "skip further": lambda error: ("?", error.end + 1),
}
NAME = "cpython311_handler_protocol"
LOOPING = "looping (>50 calls)"

for _name, _answer in ANSWERS.items():
    codecs.register_error(f"probe {_name}", _answer)


def probed(line: Line, codec: dict[str, Callable[[Any, str, str], Any]]) -> Any:
    subject = bytes.fromhex(line["in"]) if line["dir"] == "decode" else text(line["cps"])
    try:
        return codec[line["dir"]](subject, "utf-8", f"probe {line['handler']}")
    except Exception as error:
        # A UnicodeError of ours is a kind of Python's own.
        kinds = [kind.__name__ for kind in type(error).__mro__]
        return line.get("raises") in kinds, str(error)


def expected(line: Line) -> Any:
    if "raises" in line:
        return True, line["message"]
    return text(line["result"]) if line["dir"] == "decode" else bytes.fromhex(line["result"])


def test_every_answer():
    def compared(line: Line) -> Comparisons:
        ours = probed(line, {"decode": decode, "encode": encode})
        if line.get("message") == LOOPING:
            # CPython loops for ever; here a RuntimeError ends it, and `raises` names that too.
            yield ours[0], True
        else:
            yield ours, expected(line)

    assert lines_agreeing(NAME, compared) == 44


def test_the_python_at_hand_answers_so_too():
    def compared(line: Line) -> Comparisons:
        if line.get("message") != LOOPING:
            yield probed(line, {"decode": bytes.decode, "encode": str.encode}), expected(line)

    assert lines_agreeing(NAME, compared) == 42


def test_every_probe_is_known():
    assert {line["handler"] for line in lines(NAME)} == set(ANSWERS)
