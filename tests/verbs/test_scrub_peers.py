r"""What writers and readers of UTF-8 refuse, and take once it is scrubbed: orjson, msgspec, pydantic, pyarrow, polars.

They are peers, no dependencies: ``pip install 'eightfold[peers]'``. For each case there stands what the peer said, and
in which version; another version may say it otherwise, but must refuse too. Where a peer takes a text in silence and
spoils it, that is recorded as well.
"""

from __future__ import annotations

import importlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from typing import Any, NamedTuple

import pytest

from eightfold import jsontext, scrub
from support.needed import peer

RECORDED_FROM = {"orjson": "3.13.0", "msgspec": "0.22.0", "pydantic": "2.14.3", "pyarrow": "26.0.1", "polars": "2.1.0"}

MESSAGE = {"role": "user", "content": "cut off: \ud83d", "split": "\ud83d\ude00"}
SCRUBBED_MESSAGE = {"role": "user", "content": "cut off: �", "split": "😀"}
NOT_ALLOWED = "surrogates not allowed"


class Case(NamedTuple):
    """Something that a peer does with data, and with what it refuses them."""

    peer: str
    action: str
    do: Callable[[Any, Any], Any]
    data: Any
    error: str
    said: str

    def __str__(self) -> str:
        return f"{self.action} {self.data!r:.30}"

    def done(self, data: Any) -> Any:
        return self.do(peer(self.peer), data)


def refusal(case: Case) -> tuple[str, str]:
    """Return the type and the words with which a peer refuses the data as they are."""
    peer(case.peer)
    try:
        done = case.done(case.data)
    except Exception as error:
        return f"{type(error).__module__}.{type(error).__qualname__}", str(error)
    pytest.fail(f"{case.peer} took it: {done!r}")


def check_refusal(case: Case) -> None:
    error, said = refusal(case)  # which fails where there is none
    if metadata.version(case.peer) == RECORDED_FROM[case.peer]:
        assert error == case.error
        assert case.said in said


# --- writers of objects -----------------------------------------------------------------------------------------------


@dataclass
class Chat:
    title: str
    messages: list[dict[str, str]]


ENCODE_ERROR = "builtins.UnicodeEncodeError"
MESSAGE_SAID = rf"'utf-8' codec can't encode character '\ud83d' in position 9: {NOT_ALLOWED}"
PAIR_SAID = f"'utf-8' codec can't encode characters in position 0-1: {NOT_ALLOWED}"
KEY_SAID = rf"'utf-8' codec can't encode character '\udcff' in position 4: {NOT_ALLOWED}"
ORJSON_SAID = f"str is not valid UTF-8: {NOT_ALLOWED}"


def orjson_dumps(orjson: Any, data: Any) -> Any:
    return orjson.loads(orjson.dumps(data))


def msgspec_json(msgspec: Any, data: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(data))


def msgspec_msgpack(msgspec: Any, data: Any) -> Any:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(data))


def pydantic_dump(pydantic: Any, data: Any) -> Any:
    return json.loads(pydantic.TypeAdapter(Any).dump_json(data))


def pydantic_model(pydantic: Any, data: Any) -> Any:
    model = pydantic.create_model("Message", role=(str, ...), content=(str, ...), split=(str, ...))
    return json.loads(model(**data).model_dump_json())


def pyarrow_array(pyarrow: Any, data: Any) -> Any:
    array = pyarrow.array(data)
    array.validate(full=True)
    return array.to_pylist()


def pyarrow_table(pyarrow: Any, data: Any) -> Any:
    table = pyarrow.Table.from_pylist(data)
    table.validate(full=True)
    return table.to_pylist()


def polars_series(polars: Any, data: Any) -> Any:
    return polars.Series(data).to_list()


def polars_frame(polars: Any, data: Any) -> Any:
    return polars.DataFrame(data).to_dicts()


PYDANTIC_ERROR = "pydantic_core._pydantic_core.PydanticSerializationError"
PYDANTIC_SAID = "Error serializing to JSON: UnicodeEncodeError: "
WRITERS = [
    Case("orjson", "dumps", orjson_dumps, {"messages": [MESSAGE]}, "builtins.TypeError", ORJSON_SAID),
    Case("orjson", "dumps", orjson_dumps, {"name\udcff": 1}, "builtins.TypeError", ORJSON_SAID),
    Case("orjson", "dumps", orjson_dumps, ["\ud83d\ude00"], "builtins.TypeError", ORJSON_SAID),
    Case("orjson", "dumps", orjson_dumps, Chat("\udcff", [MESSAGE]), "builtins.TypeError", ORJSON_SAID),
    Case("msgspec", "json", msgspec_json, {"messages": [MESSAGE]}, ENCODE_ERROR, MESSAGE_SAID),
    Case("msgspec", "json", msgspec_json, {"name\udcff": 1}, ENCODE_ERROR, KEY_SAID),
    Case("msgspec", "json", msgspec_json, ["\ud83d\ude00"], ENCODE_ERROR, PAIR_SAID),
    Case("msgspec", "json", msgspec_json, Chat("fine", [MESSAGE]), ENCODE_ERROR, MESSAGE_SAID),
    Case("msgspec", "msgpack", msgspec_msgpack, [MESSAGE], ENCODE_ERROR, MESSAGE_SAID),
    Case("pydantic", "dump_json", pydantic_dump, {"messages": [MESSAGE]}, PYDANTIC_ERROR, PYDANTIC_SAID + MESSAGE_SAID),
    Case("pydantic", "dump_json", pydantic_dump, ["\ud83d\ude00"], PYDANTIC_ERROR, PYDANTIC_SAID + PAIR_SAID),
    Case("pydantic", "model_dump_json", pydantic_model, MESSAGE, PYDANTIC_ERROR, PYDANTIC_SAID + MESSAGE_SAID),
    Case("pyarrow", "array", pyarrow_array, ["fine", "cut off: \ud83d"], ENCODE_ERROR, MESSAGE_SAID),
    Case("pyarrow", "array", pyarrow_array, ["\ud83d\ude00"], ENCODE_ERROR, PAIR_SAID),
    Case("pyarrow", "Table.from_pylist", pyarrow_table, [MESSAGE], ENCODE_ERROR, MESSAGE_SAID),
    Case("polars", "Series", polars_series, ["fine", "cut off: \ud83d"], ENCODE_ERROR, MESSAGE_SAID),
    Case("polars", "Series", polars_series, ["\ud83d\ude00"], ENCODE_ERROR, PAIR_SAID),
    Case("polars", "DataFrame", polars_frame, [MESSAGE], ENCODE_ERROR, MESSAGE_SAID),
]


@pytest.mark.parametrize("case", WRITERS, ids=lambda case: f"{case.peer} {case}".encode("ascii", "replace").decode())
def test_a_writer_refuses_the_object_and_takes_it_scrubbed(case: Case) -> None:
    check_refusal(case)
    scrubbed = scrub(case.data)
    written = case.done(scrubbed)
    assert written == (scrubbed if not isinstance(scrubbed, Chat) else vars(scrubbed))


def test_the_scrubbed_message_is_what_a_person_would_write() -> None:
    assert scrub(MESSAGE) == SCRUBBED_MESSAGE


# --- readers of JSON text ---------------------------------------------------------------------------------------------

CUT = rb'{"a": "cut off: \ud83d"}'
BEFORE_ESCAPE = rb'{"a": "cut \ud83d\n"}'
TRAIL = rb'{"a": "\ude00 alone"}'
RAW = b'{"a": "caf\xe9"}'
SURROGATE_BYTES = b'{"a": "\xed\xa0\xbd"}'
READ = {
    CUT: "cut off: �",
    BEFORE_ESCAPE: "cut �\n",
    TRAIL: "� alone",
    RAW: "caf�",
    SURROGATE_BYTES: "���",
}


def orjson_loads(orjson: Any, data: bytes) -> Any:
    return orjson.loads(data)["a"]


def msgspec_decode(msgspec: Any, data: bytes) -> Any:
    return msgspec.json.decode(data)["a"]


def pydantic_from_json(_: Any, data: bytes) -> Any:
    return importlib.import_module("pydantic_core").from_json(data)["a"]


def polars_read_ndjson(polars: Any, data: bytes) -> Any:
    return polars.read_ndjson(data + b"\n")["a"].to_list()[0]


def polars_read_json(polars: Any, data: bytes) -> Any:
    return polars.read_json(io.BytesIO(b"[" + data + b"]"))["a"].to_list()[0]


def pyarrow_read_json(_: Any, data: bytes) -> Any:
    column = importlib.import_module("pyarrow.json").read_json(io.BytesIO(data + b"\n"))["a"]
    column.validate(full=True)
    return column.to_pylist()[0]


ORJSON_ERROR, MSGSPEC_ERROR = "orjson.JSONDecodeError", "msgspec.DecodeError"
POLARS_ERROR, ARROW_ERROR = "polars.exceptions.ComputeError", "pyarrow.lib.ArrowInvalid"
READERS = [
    Case("orjson", "loads", orjson_loads, CUT, ORJSON_ERROR, "no low surrogate in string: line 1 column 17 (char 16)"),
    Case("orjson", "loads", orjson_loads, BEFORE_ESCAPE, ORJSON_ERROR, "no low surrogate in string"),
    Case("orjson", "loads", orjson_loads, TRAIL, ORJSON_ERROR, "invalid high surrogate in string"),
    Case("orjson", "loads", orjson_loads, RAW, ORJSON_ERROR, ORJSON_SAID),
    Case("orjson", "loads", orjson_loads, SURROGATE_BYTES, ORJSON_ERROR, ORJSON_SAID),
    Case("msgspec", "json.decode", msgspec_decode, CUT, MSGSPEC_ERROR, "Input data was truncated"),
    Case("msgspec", "json.decode", msgspec_decode, BEFORE_ESCAPE, MSGSPEC_ERROR, "Input data was truncated"),
    Case("msgspec", "json.decode", msgspec_decode, TRAIL, MSGSPEC_ERROR, "invalid utf-16 surrogate pair"),
    Case("msgspec", "json.decode", msgspec_decode, RAW, "builtins.UnicodeDecodeError", "can't decode byte 0xe9"),
    Case("msgspec", "json.decode", msgspec_decode, SURROGATE_BYTES, "builtins.UnicodeDecodeError", "byte 0xed"),
    Case("pydantic", "from_json", pydantic_from_json, CUT, "builtins.ValueError", "unexpected end of hex escape"),
    Case("pydantic", "from_json", pydantic_from_json, TRAIL, "builtins.ValueError", "lone leading surrogate"),
    Case("pydantic", "from_json", pydantic_from_json, RAW, "builtins.ValueError", "invalid unicode code point"),
    Case("polars", "read_ndjson", polars_read_ndjson, TRAIL, POLARS_ERROR, "InvalidUnicodeCodepoint"),
    Case("polars", "read_ndjson", polars_read_ndjson, RAW, POLARS_ERROR, "stream did not contain valid UTF-8"),
    Case("polars", "read_ndjson", polars_read_ndjson, SURROGATE_BYTES, POLARS_ERROR, "did not contain valid UTF-8"),
    Case("polars", "read_json", polars_read_json, TRAIL, POLARS_ERROR, "InvalidUnicodeCodepoint"),
    Case("polars", "read_json", polars_read_json, RAW, POLARS_ERROR, "InvalidUtf8"),
    Case("pyarrow", "read_json", pyarrow_read_json, CUT, ARROW_ERROR, "The surrogate pair in string is invalid"),
    Case("pyarrow", "read_json", pyarrow_read_json, TRAIL, ARROW_ERROR, "The surrogate pair in string is invalid"),
    Case("pyarrow", "read_json and validate", pyarrow_read_json, RAW, ARROW_ERROR, "Invalid UTF8 sequence"),
]


@pytest.mark.parametrize("case", READERS, ids=lambda case: f"{case.peer} {case}")
def test_a_reader_refuses_the_text_and_takes_it_scrubbed(case: Case) -> None:
    check_refusal(case)
    assert case.done(jsontext.scrub(case.data)) == READ[case.data]


@pytest.mark.parametrize("read", [polars_read_ndjson, polars_read_json], ids=lambda read: read.__name__)
@pytest.mark.parametrize("data", [CUT, BEFORE_ESCAPE], ids=["at the end", "before an escape"])
def test_polars_makes_a_nul_of_a_lead_in_silence_and_none_of_scrubbed_text(
    read: Callable[[Any, bytes], str], data: bytes
) -> None:
    polars = peer("polars")
    if metadata.version("polars") == RECORDED_FROM["polars"]:
        assert read(polars, data) == READ[data].replace("�", "\0")
    assert read(polars, jsontext.scrub(data)) == READ[data]


def test_pyarrow_keeps_ill_formed_bytes_in_silence_and_has_none_of_scrubbed_text() -> None:
    peer("pyarrow")
    read_json = importlib.import_module("pyarrow.json").read_json
    if metadata.version("pyarrow") == RECORDED_FROM["pyarrow"]:
        assert read_json(io.BytesIO(RAW))["a"].combine_chunks().buffers()[2].to_pybytes() == b"caf\xe9"
    scrubbed = read_json(io.BytesIO(jsontext.scrub(RAW)))["a"].combine_chunks()
    assert scrubbed.buffers()[2].to_pybytes() == "caf�".encode()
