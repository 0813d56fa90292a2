"""The filter of log records: no handler that writes UTF-8 loses one, and nothing else changes."""

from __future__ import annotations

import codecs
import io
import json
import logging
import logging.handlers
import pickle
import queue
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from eightfold.integrations.logging import ScrubFilter

UNFIT = "Zo\ud83d"


class UnfitError(Exception):
    def __str__(self) -> str:
        return UNFIT


class UnfitRepr:
    def __repr__(self) -> str:
        return f"<{UNFIT}>"


@dataclass
class Point:
    x: int

    def __str__(self) -> str:
        return f"{UNFIT} at {self.x}"


class Log:
    """A logger whose only handler writes UTF-8, and what it has written."""

    def __init__(self, handler: logging.StreamHandler[Any], logger: logging.Logger) -> None:
        self.handler = handler
        self.logger = logger

    @property
    def lines(self) -> list[str]:
        self.handler.flush()
        return self.handler.stream.buffer.getvalue().decode().splitlines()


@pytest.fixture
def log(request: pytest.FixtureRequest) -> Iterator[Log]:
    logger = logging.getLogger(f"eightfold.test.{request.node.name}")
    logger.propagate = False
    logger.setLevel(logging.DEBUG)
    handler = logging.StreamHandler(io.TextIOWrapper(io.BytesIO(), "utf-8"))
    handler.addFilter(ScrubFilter())
    logger.addHandler(handler)
    yield Log(handler, logger)
    logger.removeHandler(handler)


def test_without_the_filter_the_record_is_lost(log: Log, capsys: pytest.CaptureFixture[str]) -> None:
    log.handler.filters.clear()
    log.handler.handle(logging.makeLogRecord({"msg": UNFIT}))
    assert log.lines == []
    assert "UnicodeEncodeError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ((UNFIT,), r"Zo\ud83d"),
        (("%s and %d", UNFIT, 3), r"Zo\ud83d and 3"),
        (("%(name)s", {"name": UNFIT}), r"Zo\ud83d"),
        (("%r", UNFIT), r"'Zo\ud83d'"),
        (("%s", UnfitError()), r"Zo\ud83d"),
        ((UnfitError(),), r"Zo\ud83d"),
        (("%s", Path("caf\udce9")), r"caf\udce9"),
        (("%s", ["\ud800"]), r"['\ud800']"),
        (("\ud83d%s", "\ude00"), r"\ud83d\ude00"),
        (("fine %s", "😀"), "fine 😀"),
        (("[%.3s] %s", "ab\ud83dc", 1), r"[ab\ud83d] 1"),
        (("[%-5.*s]", 1, "\ud83d\ude00"), r"[\ud83d    ]"),
        (("[%(name)4.2s]", {"name": "b\udce9"}), r"[  b\udce9]"),
        (("[%-8s %.2f]", "\ud83d", 1), r"[\ud83d   1.00]"),
    ],
)
def test_messages_and_arguments(log: Log, given: tuple[Any, ...], line: str) -> None:
    log.logger.info(*given)
    assert log.lines == [line]


def test_exceptions_and_stacks(log: Log, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise UnfitError from ValueError("caused by \ud800")
    except UnfitError as raised:
        error = raised
        log.logger.exception("failed", stack_info=True)
    assert log.lines[0] == "failed"
    assert r"ValueError: caused by \ud800" in log.lines
    assert any(line.endswith(r"UnfitError: Zo\ud83d") for line in log.lines)
    assert str(error) == UNFIT
    assert capsys.readouterr().err == ""


def test_arguments_keep_their_places_where_they_can() -> None:
    record = logging.makeLogRecord({"msg": "%s of %s", "args": (UNFIT, 3)})
    assert ScrubFilter().filter(record)
    assert (record.msg, record.args) == ("%s of %s", (r"Zo\ud83d", 3))
    record = logging.makeLogRecord({"msg": "%s of %s", "args": (UnfitError(), 3)})
    assert ScrubFilter().filter(record)
    assert (record.getMessage(), record.args) == (r"Zo\ud83d of 3", ())


def test_what_extra_adds_is_scrubbed_too() -> None:
    extra = {"user": UNFIT, "request": {"path": [UNFIT]}, "size": 3, "clash": {"\ud800": 1, "\\ud800": 2}}
    record = logging.makeLogRecord({"msg": "fine", **extra})
    assert ScrubFilter().filter(record)
    json.dumps(record.__dict__, ensure_ascii=False, default=str).encode()
    assert (record.__dict__["user"], record.__dict__["request"]) == (r"Zo\ud83d", {"path": [r"Zo\ud83d"]})
    assert record.__dict__["clash"] == r"{'\ud800': 1, '\\ud800': 2}"
    assert extra["request"] == {"path": [UNFIT]}


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (ValueError("\udce9"), r"\udce9"),
        ([UnfitError()], "[UnfitError()]"),
        ({"k": {1: [UnfitRepr()]}}, r"{'k': {1: [<Zo\ud83d>]}}"),
        (UnfitRepr(), r"<Zo\ud83d>"),
        (Point(1), r"Zo\ud83d at 1"),
        (Path("caf\udce9"), r"caf\udce9"),
    ],
)
def test_objects_that_extra_adds_are_written_as_text(value: Any, line: str, log: Log) -> None:
    log.handler.setFormatter(logging.Formatter("%(message)s %(e)s"))
    log.logger.error("hi", extra={"e": value})
    assert log.lines == [f"hi {line}"]


def test_what_another_formatter_makes_of_objects_in_a_list_can_be_written() -> None:
    record = logging.makeLogRecord({"msg": "fine", "errors": [ValueError("\udce9")]})
    assert ScrubFilter().filter(record)
    assert r"\udce9" in json.dumps(vars(record), ensure_ascii=False, default=str).encode().decode()


class Lost(dict[str, int]):
    def items(self) -> Any:
        raise ConnectionError("the database is gone")


class Secret:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class Mute:
    def __repr__(self) -> str:
        raise RuntimeError("no text")


def growing(value: Any) -> dict[str, Any]:
    """Return a dict that grows while it is surveyed, as one may that another thread uses."""
    held: dict[str, Any] = {}

    class Growing(type):
        def __getattr__(cls, name: str) -> Any:
            held[name] = None
            raise AttributeError(name)

    held.update(first=Growing("Grown", (), {})(), second=value)
    return held


# Made in the test, because pytest examines parameters, too.
@pytest.mark.parametrize("make", [lambda: Lost(a=1), Secret, Mute, lambda: [Lost(a=1), Secret()]])
def test_a_call_that_logs_never_raises_and_what_cannot_be_examined_stays(make: Callable[[], Any], log: Log) -> None:
    value = make()
    log.logger.error("hi", extra={"u": value, "v": UNFIT})
    log.logger.error("%s %s", UNFIT, [1], extra={"u": value})
    assert log.lines == ["hi", r"Zo\ud83d [1]"]
    record = logging.makeLogRecord({"msg": "hi", "u": value, "v": UNFIT})
    assert ScrubFilter().filter(record)
    assert record.__dict__["u"] is value
    assert record.__dict__["v"] == r"Zo\ud83d"


def test_what_changes_while_it_is_surveyed_becomes_a_text_only_if_that_has_a_surrogate() -> None:
    fit, unfit = growing(1), growing(UnfitRepr())
    record = logging.makeLogRecord({"msg": "hi", "fit": fit, "unfit": unfit})
    assert ScrubFilter().filter(record)
    assert record.__dict__["fit"] is fit
    assert r"'second': <Zo\ud83d>" in record.__dict__["unfit"]


@pytest.mark.parametrize(("make", "shown"), [(lambda: Lost(a=1), "{'a': 1}"), (Secret, "<")])
def test_an_argument_that_cannot_be_examined_is_logged_beside_a_surrogate(
    make: Callable[[], Any], shown: str, log: Log
) -> None:
    log.logger.error("%s %s", UNFIT, make())
    assert log.lines[0].startswith(rf"Zo\ud83d {shown}")


def test_a_policy_that_raises_does_not_raise_out_of_a_call_that_logs() -> None:
    codecs.register_error("eightfold.test.raising", lambda error: 1 // 0)
    record = logging.makeLogRecord({"msg": UNFIT, "u": UNFIT})
    assert ScrubFilter(errors="eightfold.test.raising").filter(record)
    assert record.msg == UNFIT


def test_arguments_that_cannot_be_copied_are_written_as_without_the_filter(log: Log) -> None:
    log.logger.error("%s", [{"\ud800": 1, "\\ud800": UnfitRepr()}])
    assert log.lines == [r"[{'\ud800': 1, '\\ud800': <Zo\ud83d>}]"]


def test_an_interrupt_is_not_held_back() -> None:
    class Interrupting(dict[str, int]):
        def items(self) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ScrubFilter().filter(logging.makeLogRecord({"msg": "hi", "u": Interrupting(a=1)}))


def test_a_record_in_which_there_is_nothing_to_do_is_left_as_it_is() -> None:
    arguments = (["é"], {"k": object()}, iter(()))
    try:
        raise ValueError("é")
    except ValueError as error:
        record = logging.makeLogRecord({"msg": "%s %s %s", "args": arguments, "exc_info": (ValueError, error, None)})
    before = dict(vars(record))
    assert ScrubFilter().filter(record)
    assert vars(record) == before
    assert all(new is old for new, old in zip(record.args or (), arguments, strict=True))


def test_a_message_that_cannot_be_formatted_is_reported_by_the_handler(
    log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    for given in (("%d", (UNFIT,)), ("goes on", ())):
        log.handler.handle(logging.makeLogRecord(dict(zip(("msg", "args"), given, strict=True))))
    assert log.lines == ["goes on"]
    assert "TypeError" in capsys.readouterr().err


def test_the_names_of_filters_hold() -> None:
    record = logging.makeLogRecord({"name": "b.c", "msg": UNFIT})
    assert not ScrubFilter("a").filter(record)
    assert record.msg == UNFIT
    assert ScrubFilter("b").filter(record)


def test_other_policies() -> None:
    record = logging.makeLogRecord({"msg": UNFIT})
    assert ScrubFilter(errors="replace").filter(record)
    assert record.msg == "Zo�"
    for errors, raised in (("strict", ValueError), ("surrogatepass", ValueError), ("nonesuch", LookupError)):
        with pytest.raises(raised):
            ScrubFilter(errors=errors)


def test_files_queues_and_sockets(tmp_path: Path) -> None:
    file = logging.FileHandler(tmp_path / "log", encoding="utf-8")
    records: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    for handler in (logging.handlers.QueueHandler(records), file):
        handler.addFilter(ScrubFilter())
        handler.handle(logging.makeLogRecord({"msg": "%s", "args": (UNFIT,)}))
        handler.close()
    assert (tmp_path / "log").read_bytes() == b"Zo\\ud83d\n"
    assert pickle.loads(pickle.dumps(records.get())).getMessage() == r"Zo\ud83d"


def test_it_is_configured_by_name(tmp_path: Path) -> None:
    import logging.config

    handler = {"class": "logging.FileHandler", "filename": str(tmp_path / "log"), "encoding": "utf-8"}
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": {"fit": {"()": "eightfold.integrations.logging.ScrubFilter", "errors": "replace"}},
            "handlers": {"file": {**handler, "filters": ["fit"]}},
            "loggers": {"eightfold.test.configured": {"handlers": ["file"], "propagate": False}},
        }
    )
    logger = logging.getLogger("eightfold.test.configured")
    logger.warning(UNFIT)
    for each in logger.handlers[:]:
        logger.removeHandler(each)
        each.close()
    assert (tmp_path / "log").read_text(encoding="utf-8") == "Zo�\n"
