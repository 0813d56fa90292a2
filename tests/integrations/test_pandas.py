"""After `register_codecs`, pandas reads and writes the forms that Python does not have, with each of its engines."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import eightfold

pandas: Any = pytest.importorskip("pandas", reason="the peer pandas is not installed: pip install 'eightfold[peers]'")

CUSTOMERS = Path(__file__).parents[2] / "examples" / "customers-cesu-8.csv"
ENGINES = ("c", "python")


@pytest.fixture(autouse=True)
def codecs() -> Iterator[None]:
    eightfold.register_codecs()
    yield
    eightfold.unregister_codecs()


def read(data: bytes, encoding: str, engine: str, **options: Any) -> Any:
    return pandas.read_csv(io.BytesIO(data), encoding=encoding, engine=engine, **options)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_in_cesu_8(engine: str) -> None:
    if not CUSTOMERS.is_file():
        pytest.skip("the examples are not here")
    with pytest.raises(UnicodeDecodeError, match="0xed"):
        pandas.read_csv(CUSTOMERS, engine=engine)
    frame = pandas.read_csv(CUSTOMERS, encoding="cesu-8", engine=engine)
    assert frame["note"].tolist() == ["likes 🍰 and 🐈", "𠮷野家 on Fridays", "no note"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rows", [1, 5000])
def test_tables_of_any_length(engine: str, rows: int) -> None:
    text = "name,n\n" + "".join(f"😀é{row},{row}\n" for row in range(rows))
    frame = read(eightfold.encode(text, "cesu-8"), "cesu-8", engine)
    assert frame["name"].tolist() == [f"😀é{row}" for row in range(rows)]
    pieces = read(eightfold.encode(text, "mutf-8"), "mutf-8", engine, chunksize=700)
    assert sum(len(piece) for piece in pieces) == rows


@pytest.mark.parametrize("engine", ENGINES)
def test_a_fault_is_named_and_policies_hold(engine: str) -> None:
    data = b"name,n\n\xff,1\n"
    with pytest.raises(eightfold.DecodeError, match="byte FF cannot begin a sequence"):
        read(data, "cesu-8", engine)
    assert read(data, "cesu-8", engine, encoding_errors="replace")["name"][0] == "�"
    assert read(data, "xtf-8", engine)["name"][0] == "\uefff"


def test_what_is_written_is_in_the_form() -> None:
    written = io.BytesIO()
    pandas.DataFrame({"name": ["😀"]}).to_csv(written, index=False, encoding="cesu-8", lineterminator="\n")
    assert written.getvalue() == b"name\n\xed\xa0\xbd\xed\xb8\x80\n"
