"""The core has floors: its files import up one list only, and no two of them import each other in a circle.

The list is data, `ORDER`; the imports are read from the text of the files, see `rust_imports`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.rust_imports import Crate

CORE = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").is_file()) / "rust/core/src"

# From the bottom to the top: a file imports from its own line and from those above it. A folder is one room.
ORDER = (
    ("chunk", "code_point", "memory", "once"),
    ("tables",),
    ("policy",),
    ("derive",),
    ("kernels",),
    ("form", "code_units"),
    ("read",),
    ("write",),
    ("columns",),
    ("lib",),
)
RANKS = {room: rank for rank, line in enumerate(ORDER) for room in line}


def room_of(file: str) -> str:
    return file.partition("/")[0].removesuffix(".rs")


def breaches(sources: dict[str, str]) -> list[str]:
    """Return what breaks the order in sources: the text of files by their path below `src`."""
    found = [f"{file} has no place in the order" for file in sources if room_of(file) not in RANKS]
    for file, target, path in Crate(sources).imports():
        if RANKS.get(room_of(target), -1) > RANKS.get(room_of(file), len(ORDER)):
            found.append(f"{file} imports {path}, which stands below it, in {target}")
    return list(dict.fromkeys(found))


def circles(sources: dict[str, str]) -> list[list[str]]:
    """Return the files that import each other in a circle, each circle in order."""
    reached: dict[str, set[str]] = {file: set() for file in sources}
    for file, target, _ in Crate(sources).imports():
        reached[file].add(target)
    for through in sources:
        for targets in reached.values():
            if through in targets:
                targets |= reached[through]
    tied = {
        frozenset({file, *(other for other in targets if file in reached[other])}) for file, targets in reached.items()
    }
    return sorted(sorted(circle) for circle in tied if len(circle) > 1)


def core_sources() -> dict[str, str]:
    return {path.relative_to(CORE).as_posix(): path.read_text(encoding="utf-8") for path in sorted(CORE.rglob("*.rs"))}


def test_files_import_up_the_list_only() -> None:
    assert breaches(core_sources()) == []


def test_the_table_for_contributors_has_the_same_order() -> None:
    page = (CORE.parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page.partition("| where in `rust/core/src/` |")[2].partition("\n\n")[0]
    cells = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `")]
    rows = tuple(tuple(re.findall(r"`(\w+)(?:\.rs|/)`", cell)) for cell in cells)
    assert rows == tuple(row for row in ORDER if row != ("lib",))


def test_no_file_imports_itself_by_way_of_others() -> None:
    assert circles(core_sources()) == []


def test_every_room_was_read() -> None:
    assert {room_of(file) for file in core_sources()} == set(RANKS)


# --- planted faults ---------------------------------------------------------------------------------------------------

BLANK = {
    "lib.rs": "mod tables; mod policy; mod kernels; mod form; mod read; pub use form::Form; pub const LARGEST: u8 = 1;",
    "tables.rs": "pub struct Row;",
    "policy.rs": "pub enum Answer {}",
    "kernels/mod.rs": "mod text; mod x86; pub use text::Text; pub use crate::form::Form as Compiled;",
    "kernels/text.rs": "pub enum Text {}",
    "kernels/x86/mod.rs": "pub mod avx2;",
    "kernels/x86/avx2.rs": "",
    "form.rs": "pub struct Form; pub mod inner { pub struct Deep; }",
    "read/mod.rs": "pub mod pass;",
    "read/pass.rs": "use crate::form::Form; pub struct Pass;",
}
FACE = "kernels/mod.rs imports crate::form::Form, which stands below it, in form.rs"


def planted(file: str, source: str) -> list[str]:
    return breaches({**BLANK, "kernels/mod.rs": "pub mod text; pub mod x86;", file: source})


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("use crate::form::Form;", "crate::form::Form"),
        ("pub use crate::form::Form;", "crate::form::Form"),
        ("pub(crate) use crate::form::Form as Other;", "crate::form::Form"),
        ("use crate::{tables::Row, form::{Form, inner}};", "crate::form::Form"),
        ("use crate::form::{self, inner::Deep};", "crate::form"),
        ("use super::super::super::form::Form;", "super::super::super::form::Form"),
        ("use super::super::super::{form::Form, tables};", "super::super::super::form::Form"),
        ("use crate::form::*;", "crate::form::*"),
        ("use crate::Form;", "crate::Form"),
        ("fn ask(form: &crate::form::Form) {}", "crate::form::Form"),
        ("fn ask() { let _ = <crate::form::inner::Deep as Default>::default(); }", "crate::form::inner::Deep"),
        ("impl crate::form::Form { fn own(&self) {} }", "crate::form::Form"),
        ("fn later() { use crate::form; form::Form }", "crate::form"),
        ("mod inside { use super::super::super::super::form::Form; }", "super::super::super::super::form::Form"),
        ("macro_rules! made { () => { $crate::form::Form } }", "crate::form::Form"),
        ("/* \" */ const QUOTE: char = '\"'; use crate::form::Form; const END: char = '\"';", "crate::form::Form"),
        ("fn of<'a>(_: &'a str) -> crate::form::Form { r#\"\"#; }", "crate::form::Form"),
        ("#[cfg(test)] use crate::form::Form;", "crate::form::Form"),
        ("#[cfg(not(test))] mod inside { use crate::form::Form; }", "crate::form::Form"),
        ("pub(in crate::kernels) struct Own(crate::form::Form);", "crate::form::Form"),
    ],
)
def test_a_planted_import_is_caught(source: str, path: str) -> None:
    file = "kernels/x86/avx2.rs"
    assert planted(file, source)[0] == f"{file} imports {path}, which stands below it, in form.rs"


@pytest.mark.parametrize(
    "source",
    [
        "use crate::tables::Row; use crate::policy::Answer; use crate::kernels::text::Text; use super::super::text;",
        "use std::form::Form; use form::Form; fn read() { form::Form; std::mem::take(); }",
        '// use crate::form::Form;\n/// [`crate::form::Form`]\n/* crate::form::Form */ const A: &str = "crate::form";',
        "#[cfg(test)] mod tests { use crate::form::Form; use super::*; }",
        "#[cfg(test)]\n#[allow(missing_docs)]\npub(crate) mod tests { use crate::form::Form; }",
        "pub(in crate::form) struct Own;",
        "fn own() { self::crate_form(); value.form::<u8>(); }",
    ],
)
def test_an_import_up_the_list_is_not(source: str) -> None:
    assert planted("kernels/x86/avx2.rs", source) == []


def test_what_a_folder_hands_on_stands_where_it_is_defined() -> None:
    assert breaches(BLANK) == [FACE]
    source = "use super::super::{Compiled, Text};"
    found = breaches({**BLANK, "kernels/x86/avx2.rs": source})
    assert found == [FACE, "kernels/x86/avx2.rs imports super::super::Compiled, which stands below it, in form.rs"]
    through = "use crate::kernels; fn ask(form: kernels::Compiled) {}"
    assert breaches({**BLANK, "tables.rs": through}) == [
        "tables.rs imports crate::kernels, which stands below it, in kernels/mod.rs",
        "tables.rs imports kernels::Compiled, which stands below it, in form.rs",
        FACE,
    ]


def test_what_stands_in_the_crate_itself_is_below_all() -> None:
    message = "tables.rs imports crate::LARGEST, which stands below it, in lib.rs"
    assert planted("tables.rs", "use crate::LARGEST;") == [message]
    assert planted("tables.rs", "const OWN: u32 = super::LARGEST;") == [message.replace("crate::", "super::")]


def test_a_file_without_a_place_is_caught() -> None:
    assert planted("utils.rs", "") == ["utils.rs has no place in the order"]


@pytest.mark.parametrize(
    "sources",
    [
        {"kernels/text.rs": "use super::x86::avx2::Bytes;", "kernels/x86/avx2.rs": "use crate::kernels::text::Text;"},
        {"kernels/text.rs": "use super::x86::avx2::Bytes;", "kernels/x86/avx2.rs": "use crate::kernels::Text;"},
        {"kernels/text.rs": "use super::x86::avx2;", "kernels/x86/avx2.rs": "use super::super::*;"},
        {"kernels/text.rs": "fn f() { super::x86::avx2::f() }", "kernels/x86/avx2.rs": "pub use crate::kernels::Text;"},
        {
            "kernels/text.rs": "fn f() { crate::kernels::x86::avx2::f() }",
            "kernels/x86/avx2.rs": "use crate::kernels::{Text as T};",
        },
    ],
)
def test_a_planted_circle_is_caught(sources: dict[str, str]) -> None:
    tied = {"kernels/text.rs", "kernels/x86/avx2.rs"}
    assert any(tied <= set(circle) for circle in circles({**BLANK, **sources}))


def test_a_circle_of_three_is_one() -> None:
    sources = {
        "tables.rs": "use crate::policy::Answer;",
        "policy.rs": "fn ask() -> crate::kernels::text::Text {}",
        "kernels/text.rs": "use super::super::{policy, tables::{self, Row}};",
        "read/pass.rs": "use crate::tables::Row;",
    }
    assert circles({**BLANK, "kernels/mod.rs": "pub mod text;", **sources}) == [
        ["kernels/text.rs", "policy.rs", "tables.rs"]
    ]


def test_a_folder_may_stand_below_its_files_or_above_them_but_not_both() -> None:
    below = {"kernels/mod.rs": "pub mod text; pub struct Load;", "kernels/text.rs": "use super::Load;"}
    assert circles({**BLANK, **below}) == []
    both = {**below, "kernels/mod.rs": "pub mod text; pub struct Load; fn all() { text::read() }"}
    assert circles({**BLANK, **both}) == [["kernels/mod.rs", "kernels/text.rs"]]
