"""Every file of vectors is documented, complete, and used."""

from pathlib import Path

import pytest

from support.vector_files import FOLDER, documented, lines

FILES = {path.name.removesuffix(".jsonl.gz") for path in FOLDER.glob("*.jsonl.gz")}


def test_the_table_names_every_file():
    assert set(documented()) == FILES
    assert len(FILES) == 20


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_number_of_lines_is_the_documented_one(name):
    assert len(lines(name)) == documented()[name]


@pytest.mark.parametrize("name", sorted(FILES))
def test_some_test_compares_with_the_file(name):
    others = (path for path in Path(__file__).parent.glob("test_*.py") if path != Path(__file__))
    assert any(f'"{name}"' in path.read_text("utf-8") for path in others)
