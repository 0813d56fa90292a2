"""Plan files: what has to change in several files, as one JSON file.

A file's name stands there as XTF-8 text, so that a name that is no UTF-8 comes back to the byte and the JSON is valid
Unicode. What a plan is, and how it is applied, is in :mod:`eightfold.repair`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import BinaryIO

from eightfold import xtf8
from eightfold.files import FileError
from eightfold.files.reading import opened
from eightfold.repair import PLAN_VERSION, Plan, PlanError, versioned


def write_plans(file: BinaryIO, plans: Mapping[str, Plan]) -> None:
    r"""Write plans, by the names of their files, as JSON.

    >>> from io import BytesIO
    >>> from eightfold.repair import plan
    >>> write_plans(file := BytesIO(), {"caf\udce9.txt": plan(b"\xff")})
    >>> b'"path": "caf\\uefe9.txt"' in file.getvalue()
    True
    """
    values = [{"path": _as_text(path), **plan.as_dict()} for path, plan in plans.items()]
    file.write(json.dumps({"version": PLAN_VERSION, "files": values}, indent=2).encode() + b"\n")


def read_plans(path: str) -> dict[str, Plan]:
    """Return the plans of a plan file, by the names of their files.

    Raises:
        FileError: it cannot be read, or is no plan file.
    """
    with opened(path) as source:
        content = b"".join(chunk for chunk, _ in source.pieces())
    try:
        return dict(map(_named_plan, _files(versioned(content))))
    except PlanError as error:
        raise FileError(path, str(error)) from error


def _files(values: object) -> list[object]:
    files = values.get("files") if isinstance(values, dict) else None
    if not isinstance(files, list):
        raise PlanError("this is no plan: it has no list of files")
    return files


def _named_plan(values: object) -> tuple[str, Plan]:
    path = values.get("path") if isinstance(values, dict) else None
    if not isinstance(path, str) or not path:
        raise PlanError("this is no plan: one of its files has no path")
    return _as_path(path), Plan.from_dict(values)


def _as_text(path: str) -> str:
    return xtf8.encode(os.fsencode(path), "escape").decode()


def _as_path(text: str) -> str:
    return os.fsdecode(xtf8.decode(text.encode()))
