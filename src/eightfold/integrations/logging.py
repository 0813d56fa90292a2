r"""A filter that makes log records fit for handlers that write UTF-8.

>>> import io, logging
>>> handler = logging.StreamHandler(io.TextIOWrapper(io.BytesIO(), "utf-8"))
>>> handler.addFilter(ScrubFilter())
>>> handler.handle(logging.makeLogRecord({"msg": "%s has logged in", "args": ("Zo\ud83d",)})) is not False
True
>>> handler.flush()
>>> handler.stream.buffer.getvalue()
b'Zo\\ud83d has logged in\n'

Without the filter, `logging` prints a UnicodeEncodeError to standard error, and the record is lost.
"""

from __future__ import annotations

import logging
from typing import Any

from eightfold.forms.utf_8 import UTF_8
from eightfold.scrub import check_errors, scrub
from eightfold.text import AnyErrors, is_encodable


class ScrubFilter(logging.Filter):
    r"""Scrubs records, and drops none; a record in which there is nothing to do is left as it is.

    Add it to handlers: a filter of a logger does not see the records of the loggers below it. A record is changed in
    place, for the handlers after this one too.

    The message, its arguments, the text of exceptions and stacks, and what ``extra=`` added are scrubbed. Where an
    argument is an object whose str is unfit, such as an exception or a path, the message is formatted and its arguments
    are dropped. The exception itself stays as it is: a formatter that does not use ``exc_text`` may still meet it.

    Args:
        name: as for `logging.Filter`.
        errors: the policy for each unpaired surrogate. ``backslashreplace``, the default, keeps which it was: it writes
            ``\ud83d``. All policies of :func:`eightfold.scrub` may be named but ``strict``.

    Raises:
        ValueError: the policy is strict, so logging would raise; or it leaves surrogates (``surrogatepass``).
        LookupError: no such policy.

    >>> record = logging.makeLogRecord({"msg": "cut: %r %s", "args": (1, "\ud83d")})
    >>> ScrubFilter(errors="replace").filter(record), record.args, record.getMessage()
    (True, (1, '�'), 'cut: 1 �')
    """

    def __init__(self, name: str = "", errors: AnyErrors = "backslashreplace") -> None:
        check_errors(errors)
        if errors == "strict":
            raise ValueError("errors='strict' is refused here: a call that logs would raise")
        super().__init__(name)
        self.errors = errors

    def filter(self, record: logging.LogRecord) -> bool:
        """Scrub a record that `logging.Filter` lets pass; see the class."""
        if not super().filter(record):
            return False
        self._scrub_message(record)
        self._scrub_exception(record)
        for name, value in vars(record).items():
            if name not in _ELSEWHERE and type(value) not in _TEXTLESS:
                setattr(record, name, self._scrubbed(value))
        return True

    def _scrub_message(self, record: logging.LogRecord) -> None:
        message = _formatted(record)
        if message is None or is_encodable(message, UTF_8):
            return
        record.msg, record.args = self._scrubbed(record.msg), self._scrubbed(record.args)
        again = _formatted(record)
        if again is None or not is_encodable(again, UTF_8):
            record.msg, record.args = scrub(message, self.errors), ()

    def _scrub_exception(self, record: logging.LogRecord) -> None:
        """Write the text of an exception in the place that formatters look into first, where it needs scrubbing."""
        if record.exc_info and record.exc_info[0] and not record.exc_text:
            text = _FORMATTER.formatException(record.exc_info)
            if not is_encodable(text, UTF_8):
                record.exc_text = scrub(text, self.errors)

    def _scrubbed(self, value: Any) -> Any:
        try:
            return scrub(value, self.errors, unknown="ignore")
        except (TypeError, ValueError):
            # Two keys would become one, or something cannot be copied: its text has escapes and can be written.
            return scrub(repr(value), self.errors)


def _formatted(record: logging.LogRecord) -> str | None:
    """Return the message, or None where that fails: the handler reports it, as it does without a filter."""
    try:
        return record.getMessage()
    except Exception:
        return None


_FORMATTER = logging.Formatter()
_ELSEWHERE = frozenset({"args", "exc_info", "msg"})
_TEXTLESS = frozenset({bool, float, int, type(None)})

__all__ = ["ScrubFilter"]
