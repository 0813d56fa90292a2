"""What a configuration file may contain, and where it is wrong.

A file comes with a tree, so it may be hostile: its size is bounded, an unknown key or a wrong value is an error that
names the line if that is known, and nothing in it decides what is written. A number of jobs is limited to the number of
processors.
"""

from __future__ import annotations

import argparse
import codecs
import os
import re
from collections.abc import Callable, Mapping, Sized
from contextlib import suppress
from typing import Any, NamedTuple

from eightfold.cli.options.arguments import OneOf, end_named, form_or_auto, mapped
from eightfold.cli.output.reports import FORMATS
from eightfold.files import FileError, blaming
from eightfold.files.parallel.threads import processors
from eightfold.files.path_text import shown
from eightfold.files.paths.entries import Entry
from eightfold.files.walk.globs import Pattern, of_files, pattern
from eightfold.files.walk.rules import Ruled, Rules
from eightfold.text import faults, locate

SHARED = "pyproject.toml"
"""The file that other programs have tables in too."""
_MOST_BYTES = 1 << 20
_MOST_PATTERNS = 1_000
_LONGEST_PATTERN = 4_096
_MENTIONS = re.compile(rb"""eightfold["']?\s*[].=]|\\[uUx]""")
"""What is in every file that has our table: TOML can escape the letters of a key."""
_LONG_KEY = re.compile(rb"""(?:\.[ \t]*(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*){65}""")
"""A dotted key of more parts than any is: Python's parser takes a time that grows with the square of their number."""
_AT_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_MARKS = ("=", ".")
_ONLY_GIVEN = (
    *("apply", "backup", "certificate", "errors", "in-place", "lossy", "no-ignore", "output", "output-file", "plan"),
    *("root", "to", "undo", "config", "no-config"),
)
"""Options that a configuration must not set, because they decide what is written, where, and how."""


class Configuration(NamedTuple):
    """What one file says.

    Attributes:
        path: the file.
        rules: which files it selects, and their forms.
        values: every key that it has, with its value as TOML has it.
    """

    path: str
    rules: Rules
    values: dict[str, Any]

    def ruled(self, way: bytes = b"") -> Ruled:
        """Return the rules for a folder, given the path to it from the folder of the file."""
        return Ruled(self.rules, way)


class _WrongError(Exception):
    """A value that a key cannot have; the message says why."""


def configuration(path: str) -> Configuration | None:
    """Read a file; return None if it is a `pyproject.toml` without our table.

    Raises:
        FileError: it cannot be read, or is wrong.
    """
    shared = os.path.basename(path) == SHARED
    data = _content(path).removeprefix(codecs.BOM_UTF8)
    if shared and not _MENTIONS.search(data):
        return None
    text = _text(path, data)
    table: Any = _parsed(path, data, text)
    for name in ("tool", "eightfold") if shared else ():
        table = table.get(name) if isinstance(table, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        raise FileError(_shown(path), "tool.eightfold is not a table")
    values = {key: _value(path, text, key, value) for key, value in table.items()}
    rules = Rules(
        _shown(path),
        values.get("include", ()),
        values.get("exclude", ()),
        values.get("form-map", ()),
        values.get("form", ""),
    )
    return Configuration(_shown(path), rules, {key.replace("-", "_"): value for key, value in values.items()})


def _shown(path: str) -> str:
    """Return a path as it is shown: from the current folder on, if it lies there, and otherwise as it was given."""
    here = os.path.join(os.path.realpath(os.curdir), "")
    inside = os.path.abspath(path).removeprefix(here)
    return path if os.path.isabs(inside) else inside


def _content(path: str) -> bytes:
    with blaming(_shown(path)), open(_descriptor(path), "rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise FileError(_shown(path), f"a configuration has at most {_MOST_BYTES:,} bytes")
    return data


def _descriptor(path: str) -> int:
    # A link is followed, as by others that read such a file; a pipe or a device is not waited for.
    return Entry(path).open_regular()


def _text(path: str, data: bytes) -> str:
    first = next(iter(faults(data, "utf-8", 1)), None)
    if first is None:
        return data.decode()
    line, column = locate(data, first)
    raise FileError(f"{_shown(path)}:{line}:{column}", f"not UTF-8: {first}")


def _parsed(path: str, data: bytes, text: str) -> dict[str, Any]:
    import tomllib  # Most projects mention no table of ours.

    long = _LONG_KEY.search(data)
    if long is not None:
        raise _error(path, data.count(b"\n", 0, long.start()) + 1, "a key has too many parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise _error(path, None, "nested too deeply") from None
    except ValueError as error:
        # Not only TOMLDecodeError: a number may have more digits than Python reads.
        found = _AT_LINE.search(str(error))
        last = text.rstrip("\n").count("\n") + 1
        line = int(found[1] or last) if found else None
        raise _error(path, line, f"not TOML: {str(error)[: found.start()] if found else error}") from None


def _error(path: str, line: int | None, reason: str) -> FileError:
    return FileError(_shown(path) if line is None else f"{_shown(path)}:{line}", reason)


def _value(path: str, text: str, key: str, value: Any) -> Any:
    """Return the value of a key as the program has it.

    Raises:
        FileError: there is no such key, or the value is wrong.
    """
    line = _line_of(text, key, shared=os.path.basename(path) == SHARED)
    if key not in KEYS:
        raise _error(path, line, _unknown(key))
    try:
        return KEYS[key](value)
    except (_WrongError, argparse.ArgumentTypeError) as error:
        raise _error(path, line, f"{key}: {error}") from None


def _unknown(key: str) -> str:
    if key in _ONLY_GIVEN:
        return f"'{key}' can only be given on the command line"
    from difflib import get_close_matches

    near = get_close_matches(key.replace("_", "-").lower()[:100], KEYS, n=1)
    hint = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(KEYS)}"
    return f"unknown key '{shown(key, 100)}': {hint}"


def _line_of(text: str, key: str, *, shared: bool) -> int | None:
    """Return the line of a key, if just one line begins like it. Python's parser does not say where a key is."""
    table = f"tool.eightfold.{key}" if shared else key
    inside, found = not shared, []
    for number, line in enumerate(map(str.strip, text.split("\n")), start=1):
        if line.startswith("["):
            inside = shared and line.startswith("[tool.eightfold]")
            is_found = line.startswith((f"[{table}]", f"[{table}."))
        else:
            is_found = inside and _sets(line, key)
        if is_found:
            found.append(number)
    return found[0] if len(found) == 1 else None


def _sets(line: str, key: str) -> bool:
    """Return whether a line begins with a key, quoted or not, and a value or the next part of the key follows."""
    bare = line.lstrip("\"'")
    return bare.startswith(key) and bare.removeprefix(key).lstrip("\"' \t").startswith(_MARKS)


# --- the keys ---------------------------------------------------------------------------------------------------------


def _globs(value: Any) -> tuple[Pattern, ...]:
    if not isinstance(value, list):
        raise _WrongError("a list of patterns is expected, such as ['vendor/']")
    _check_count(value)
    return tuple(map(_glob, value))


def _file_globs(value: Any) -> tuple[Pattern, ...]:
    return tuple(map(of_files, _globs(value)))


def _check_count(patterns: Sized) -> None:
    """Refuse more patterns than a person writes: each is compiled, and matched against each file."""
    if len(patterns) > _MOST_PATTERNS:
        raise _WrongError(f"at most {_MOST_PATTERNS:,} patterns are allowed")


def _glob(value: Any) -> Pattern:
    if not isinstance(value, str):
        raise _WrongError(f"a pattern is expected, not {_kind(value)}")
    if len(value) > _LONGEST_PATTERN:
        raise _WrongError(f"a pattern has at most {_LONGEST_PATTERN:,} characters")
    found = pattern(value.encode())
    if found is None:
        raise _WrongError(f"'{shown(value, 100)}' is not a pattern")
    return found


def _form(value: Any) -> str:
    if not isinstance(value, str):
        raise _WrongError(f"the name of a form is expected, not {_kind(value)}")
    with suppress(LookupError):
        if end_named(value[:100]).is_foreign:
            raise _WrongError(f"{shown(value)} is a legacy charset, which a configuration cannot name: use -f")
    found = form_or_auto(value[:100])
    return "auto" if found is None else found.name


def _form_map(value: Any) -> tuple[tuple[Pattern, str], ...]:
    if not isinstance(value, dict):
        raise _WrongError("a table of patterns and forms is expected, such as { '*.class' = 'mutf-8' }")
    _check_count(value)
    return tuple((mapped(of_files(_glob(glob)), glob), _form(name)) for glob, name in value.items())


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _WrongError(f"true or false is expected, not {_kind(value)}")
    return value


def _jobs(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _WrongError("a number is expected, 0 or more")
    return min(value, processors())


def _format(value: Any) -> str:
    if not isinstance(value, str):
        raise _WrongError(f"the name of a format is expected, not {_kind(value)}")
    return OneOf(FORMATS)(value[:100])


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "a date or time")


_KINDS = {str: "a string", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "a table"}
KEYS: Mapping[str, Callable[[Any], Any]] = {
    "include": _file_globs,
    "exclude": _globs,
    "form": _form,
    "form-map": _form_map,
    "strict": _switch,
    "jobs": _jobs,
    "output-format": _format,
}
"""Every key, with what reads its value."""
