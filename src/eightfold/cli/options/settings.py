"""`--show-settings`: the settings of a file or a folder, and where each comes from, as TOML for a configuration."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from eightfold.cli.options.configuration_file import Configuration
from eightfold.cli.output.lines import put
from eightfold.files.path_text import shown
from eightfold.files.walk.globs import Pattern

_DEFAULT = "default"
_COMMAND_LINE = "command line"


def put_settings(options: Any) -> None:
    """Print the settings of `check` for the first path.

    Args:
        options: those of `check`.

    Raises:
        FileError: a configuration cannot be read, or is wrong.
    """
    path = options.paths[0] if options.paths else os.curdir
    found = options.configurations.of(path if os.path.isdir(path) else os.path.dirname(path))
    put(f"# Settings of eightfold check for {shown(path)}")
    put(f"# Configuration: {shown(found.path) if found else 'none'}")
    here = options.configurations.here()
    if here is not None and here != found:
        put(f"# Configuration of the run: {shown(here.path)}")
    for name, value, origin in _settings(options, found, here):
        put(f"{name} = {value}  # {origin}")


def _settings(options: Any, found: Configuration | None, here: Configuration | None) -> Iterator[tuple[str, str, str]]:
    for name in ("include", "exclude"):
        given = getattr(options, name)
        patterns, origin = (given, _COMMAND_LINE) if given else _configured(found, name, ())
        yield name, _list(patterns), origin
    yield "form", *_form(options, found)
    mapped: dict[str, str] = {}
    origins = []
    configured, origin = _configured(found, "form_map", ())
    # -f overrides a configuration, and --form-map overrides both.
    if configured and not options.form_is_given:
        mapped |= {_written(glob): name for glob, name in configured}
        origins.append(origin)
    if options.form_map:
        mapped |= {_written(glob): name or "auto" for glob, name in options.form_map}
        origins.append(_COMMAND_LINE)
    entries = ", ".join(f"{_string(glob)} = {_string(name)}" for glob, name in mapped.items())
    yield "form-map", f"{{ {entries} }}" if entries else "{}", " and ".join(origins) or _DEFAULT
    for name in ("strict", "jobs", "output_format"):
        given = name in options.configurations.given
        value, origin = (getattr(options, name), _COMMAND_LINE) if given else _configured(here, name, None)
        value = getattr(options, name) if origin == _DEFAULT else value
        yield name.replace("_", "-"), _toml(value), origin


def _configured(found: Configuration | None, name: str, otherwise: Any) -> tuple[Any, str]:
    if found is None or name not in found.values:
        return otherwise, _DEFAULT
    return found.values[name], shown(found.path)


def _form(options: Any, found: Configuration | None) -> tuple[str, str]:
    if options.form_is_given:
        return _string("auto" if options.form is None else options.form.name), _COMMAND_LINE
    name, origin = _configured(found, "form", "utf-8")
    return _string(name), origin


def _toml(value: bool | int | str) -> str:
    return _string(value) if isinstance(value, str) else str(value).lower()


def _list(patterns: Sequence[Pattern]) -> str:
    return f"[{', '.join(_string(_written(each)) for each in patterns)}]"


def _written(glob: Pattern) -> str:
    return glob.written.decode(errors="backslashreplace")


def _string(text: str) -> str:
    r"""Return a string of TOML, without anything that a terminal acts on.

    >>> print(_string('a "b"'), _string("back\\slash"))
    "a \"b\"" "back\\slash"
    """
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(each if each.isprintable() else f"\\U{ord(each):08X}" for each in quoted) + '"'
