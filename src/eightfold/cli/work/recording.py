"""Checks in another process: what is reported there is recorded, sent here part by part, and reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eightfold.cli.output.reports.findings import Cell, Checked, Context
from eightfold.cli.output.reports.report import Report
from eightfold.cli.work.checking import FileCheck, Task
from eightfold.files.walk.walking import Found
from eightfold.stream import Located

if TYPE_CHECKING:
    from eightfold.files.parallel.processes import BatchWork, Send

_EVENTS_IN_A_PART = 1000
Event = tuple[str, tuple[Any, ...]]
"""The name of a method of the report, and its arguments."""


class _Recorder(Report):
    """Records the results of a check, to be reported elsewhere: see :func:`replay`."""

    def __init__(self, send: Send) -> None:
        super().__init__()
        self._send = send
        self._events: list[Event] = []

    def begin_file(self, path: str, form: str) -> None:
        self._note("begin_file", path, form)

    def fault(self, path: str, found: Located, context: Context | None) -> None:
        self._note("fault", path, found, context)

    def cell(self, path: str, found: Cell) -> None:
        self._note("cell", path, found)

    def end_file(self, checked: Checked) -> None:
        self._note("end_file", checked)

    def skip_binary(self, path: str) -> None:
        self._note("skip_binary", path)

    def tell(self, sentence: str) -> None:
        self._note("tell", sentence)

    def _note(self, name: str, *arguments: Any) -> None:
        self._events.append((name, arguments))
        if len(self._events) == _EVENTS_IN_A_PART:
            self.send()

    def send(self) -> None:
        self._send(self._events)
        self._events = []


def start(task: Task, send: Send) -> BatchWork:
    """Return a function that checks batches of files and sends the results: the work of a process."""
    recorder = _Recorder(send)
    each = FileCheck(task, recorder)

    def work(batch: list[Found]) -> None:
        for found in batch:
            each.check(found)
        recorder.send()

    return work


def replay(part: list[Event], report: Report) -> None:
    """Report the events that another process recorded."""
    for name, arguments in part:
        getattr(report, name)(*arguments)
