"""Messages of real programs: each can be reproduced, and is in the table by which people find the remedy.

The libraries are peers, no dependencies: ``pip install 'eightfold[peers]'``.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sqlite3
import xml.etree.ElementTree
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from support.command_line import ROOT
from support.needed import peer

TABLE = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "examples"
CESU_8 = str(EXAMPLES / "customers-cesu-8.csv")
HALF = '{"text": "well done \\ud83d"}'


def stored() -> object:
    with closing(sqlite3.connect(":memory:")) as database:
        return database.execute("SELECT CAST(x'5A6FEB' AS TEXT)").fetchall()


def ill_formed_strings() -> Any:
    arrow = peer("pyarrow")
    offsets, data = (arrow.py_buffer(each) for each in (b"\0\0\0\0\3\0\0\0\6\0\0\0", b"AnaZo\xeb"))
    return arrow.Array.from_buffers(arrow.string(), 2, [None, offsets, data])


MESSAGES: dict[str, Callable[[], object]] = {
    "surrogates not allowed": lambda: json.loads(HALF)["text"].encode(),
    "str is not valid UTF-8: surrogates not allowed": lambda: peer("orjson").dumps("\ud83d"),
    "no low surrogate in string": lambda: peer("orjson").loads(HALF),
    "'utf-8' codec can't decode byte 0xed": lambda: peer("pandas").read_csv(CESU_8),
    "'utf-8' codec can't decode byte 0xe9": lambda: (EXAMPLES / "invoice-latin-1.txt").read_text(encoding="utf-8"),
    "'utf-8' codec can't decode byte 0xc0": lambda: b"name\xc0\x80".decode(),
    "can't decode byte 0xca in position 0": lambda: (EXAMPLES / "Greeting.class").read_text(encoding="utf-8"),
    "can't decode byte 0xff in position 0": lambda: "hello".encode("utf-16").decode(),
    "'charmap' codec can't decode byte 0x81": lambda: b"\x81".decode("windows-1252"),
    "'ascii' codec can't decode byte": lambda: "€".encode().decode("ascii"),
    "'gbk' codec can't decode byte": lambda: "5 €!".encode().decode("gbk"),
    "Unexpected UTF-8 BOM (decode using utf-8-sig)": lambda: json.loads("\ufeff{}"),
    "not well-formed (invalid token)": lambda: xml.etree.ElementTree.fromstring(b"<a>caf\xe9 noir</a>"),
    "Could not decode to UTF-8 column": stored,
    "Invalid UTF8 payload": lambda: peer("pyarrow").array([b"\xeb"]).cast("string"),
    "Invalid UTF8 sequence at string index": lambda: ill_formed_strings().validate(full=True),
    "invalid utf-8 sequence": lambda: peer("polars").read_csv(CESU_8),
    "This file is not utf-8 encoded": lambda: peer("duckdb").read_csv(CESU_8).fetchall(),
    "File name too long": lambda: os.stat("é" * 256),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_is_as_the_program_says_it_and_leads_to_its_page(message: str) -> None:
    with pytest.raises(Exception, match=re.escape(message)):
        MESSAGES[message]()
    assert message in TABLE


def test_a_column_that_is_binary_comes_without_a_message() -> None:
    peer("pyarrow")
    read = importlib.import_module("pyarrow.csv").read_csv(CESU_8)
    assert str(read.schema.field("note").type) == "binary"
    assert "a column that pyarrow reads as `binary`" in TABLE
