r"""A filter that scrubs log records so that handlers can write them as UTF-8.

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
import re
from contextlib import suppress
from typing import Any

from eightfold.arguments import AnyErrors
from eightfold.forms.utf_8 import UTF_8
from eightfold.scrub import check_errors, scrub
from eightfold.scrub.survey import Survey
from eightfold.text import is_encodable


class ScrubFilter(logging.Filter):
    r"""Scrubs log records and never drops one; a record that needs no change stays unchanged.

    Add the filter to handlers: a filter of a logger does not see the records of its child loggers. The filter changes
    records in place, so later handlers see the change too.

    It scrubs the message, its arguments, the text of exceptions and stacks, and attributes added by ``extra=``. If the
    str of an argument, such as an exception or a path, contains surrogates, or the message has a precision (``%.8s``),
    which would cut what the policy writes, it formats the message and drops the arguments; an attribute that is or
    holds such an object is replaced by its str. The exception itself is not changed: a formatter that ignores
    ``exc_text`` may still fail on it.

    A call that logs never raises because of the filter: an object whose own methods raise stays as it is.

    Args:
        name: as for `logging.Filter`.
        errors: the policy for each unpaired surrogate. The default, ``backslashreplace``, preserves its value: it
            writes ``\ud83d``. Every policy of :func:`eightfold.scrub` except ``strict`` is allowed.

    Raises:
        ValueError: the policy is ``strict``, with which logging would raise, or keeps surrogates (``surrogatepass``).
        LookupError: unknown policy.

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
        r"""Scrub a record that `logging.Filter` accepts; see the class.

        Returns:
            False for a record that `logging.Filter` refuses by its name, otherwise True.

        >>> record = logging.makeLogRecord({"name": "app.db", "msg": "cut: \ud83d"})
        >>> ScrubFilter("web").filter(record), ScrubFilter("app").filter(record), record.msg
        (False, True, 'cut: \\ud83d')
        """
        if not super().filter(record):
            return False
        for scrub_part in (self._scrub_message, self._scrub_exception, self._scrub_attributes):
            with suppress(Exception):  # Objects of the caller and a registered policy may raise anything.
                scrub_part(record)
        return True

    def _scrub_message(self, record: logging.LogRecord) -> None:
        message = _formatted(record)
        if message is None or is_encodable(message, UTF_8):
            return
        again = None
        if not (record.args and _PRECISION.search(str(record.msg))):
            with suppress(Exception):
                record.msg = scrub(record.msg, self.errors, unknown="ignore")
                record.args = scrub(record.args, self.errors, unknown="ignore")
            again = _formatted(record)
        if again is None or not is_encodable(again, UTF_8):
            record.msg, record.args = scrub(message, self.errors), ()

    def _scrub_exception(self, record: logging.LogRecord) -> None:
        """Store scrubbed text of an exception, if it needs scrubbing, where formatters look first."""
        if record.exc_info and record.exc_info[0] and not record.exc_text:
            text = _FORMATTER.formatException(record.exc_info)
            if not is_encodable(text, UTF_8):
                record.exc_text = scrub(text, self.errors)

    def _scrub_attributes(self, record: logging.LogRecord) -> None:
        for name, value in vars(record).items():
            if name not in _ELSEWHERE and not _is_plain(value):
                with suppress(Exception):
                    setattr(record, name, self._scrubbed(value))

    def _scrubbed(self, value: Any) -> Any:
        """Return a value that can be written: the value itself, a scrubbed copy, or its scrubbed str."""
        try:
            survey = Survey(value)
        except Exception:  # One of its methods raises.
            return value if _has_writable_text(value) else scrub(str(value), self.errors)
        with suppress(Exception):  # Two keys would become equal, or an object cannot be copied.
            scrubbed = scrub(value, self.errors, unknown="ignore")
            if all(map(_has_writable_text, (scrubbed, *(place.value for place in survey.unexamined)))):
                return scrubbed
        return scrub(str(value), self.errors)


def _is_plain(value: Any) -> bool:
    return is_encodable(value, UTF_8) if type(value) is str else type(value) in _TEXTLESS


def _has_writable_text(value: Any) -> bool:
    """Return whether UTF-8 can write what a formatter makes of a value, as far as the value has a text."""
    try:
        return is_encodable(f"{value!s}{value!r}", UTF_8)
    except Exception:
        return True


def _formatted(record: logging.LogRecord) -> str | None:
    """Return the message, or None if formatting fails: the handler then reports it, as it does without a filter."""
    try:
        return record.getMessage()
    except Exception:
        return None


_FORMATTER = logging.Formatter()
_PRECISION = re.compile(r"[%)][-#+ *\d]*\.[*\d]*[hlL]?[sra]", re.ASCII)
"""A precision of text in a format; that of a number cuts nothing."""
_ELSEWHERE = frozenset({"args", "exc_info", "msg"})
_TEXTLESS = frozenset({bool, float, int, type(None)})

__all__ = ["ScrubFilter"]
