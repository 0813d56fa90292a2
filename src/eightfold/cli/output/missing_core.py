"""The message for an installation without a compiled core: it is missing, and how to get it."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from shutil import which
from urllib.parse import unquote, urlsplit

import eightfold
from eightfold._engine import CORE_IS_BUILT
from eightfold.files.path_text import shown


def missing_core() -> str:
    """Return, in one line, that there is no compiled core and how to get it; an empty str if there is one."""
    if CORE_IS_BUILT:
        return ""
    install = "run: " if which("cargo") else "install cargo (https://rustup.rs), then run: "
    command = _reinstall()
    where = " (SOURCE: its repository or .tar.gz, not the wheel)" if command.endswith(" SOURCE") else ""
    return f"no compiled core, so this is slow; to get it, {install}{command}{where}"


def _reinstall() -> str:
    """Return the command that installs this package again, with the core or not at all."""
    # pip may have cached a wheel that it built without the core.
    options = ("--force-reinstall", "--no-deps", "--no-cache-dir")
    command = shlex.join([sys.executable, "-m", "pip", "install", *options, *_origin()])
    # Without a C++ compiler the core is built without its library: see setup.py.
    build = "native" if which("c++") else "rust"
    return f"{'' if os.name == 'nt' else f'EIGHTFOLD_BUILD={build} '}{shown(command)}"


def _origin() -> Sequence[str]:
    """Return what to give to pip: the folder, archive or repository that it installed this package from.

    That is the index where it noted nothing else, and the source that runs where pip did not install it.
    """
    try:
        recorded = metadata.distribution("eightfold").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return (str(Path(eightfold.__file__).parents[2]),)
    origin = json.loads(recorded) if recorded else {}
    url, kept = origin.get("url", ""), origin.get("vcs_info")
    if not url:
        return ("--no-binary", "eightfold", "eightfold")
    if url.endswith(".whl"):
        return ("SOURCE",)
    if kept:
        return (f"{kept['vcs']}+{url}@{kept['commit_id']}",)
    place = unquote(urlsplit(url).path) if url.startswith("file:") else url
    return ("--editable", place) if origin.get("dir_info", {}).get("editable") else (place,)
