"""The documentation is whole and current: what is generated, what must be documented, and where links lead.

`make docs` builds the site; nothing here needs Sphinx. That the blocks of each page hold is shown by `test_readme.py`.
"""

from __future__ import annotations

import inspect
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

import eightfold
from docs import links
from docs.generator import __main__ as generator
from docs.generator import examples, family_picture, name_pages, policy_page, readme, summaries
from eightfold import Form, Row
from eightfold.cli.commands import COMMANDS
from eightfold.cli.commands.grammar import Command, commands
from eightfold.family import is_lossless
from eightfold.faults import KINDS
from eightfold.policy import POLICIES
from eightfold.repair import POLICIES as REPAIRS
from support.command_line import ENVIRONMENT

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]
HOW_TOS = [page for page in sorted((DOCS / "how-to").glob("*.md")) if page.name != "index.md"]
STUBS = DOCS / "project"
"""Pages that stand for files outside the site; its index is a page like others."""


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return generator.generated()


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# --- what is generated ------------------------------------------------------------------------------------------------


def test_what_is_generated_is_current(made: dict[str, str]) -> None:
    assert list(generator.stale(made)) == [], "run: python -m docs.generator"


def test_what_is_not_current_is_named(made: dict[str, str]) -> None:
    other = {**made, "docs/reference/faults.md": "", "docs/images/new.svg": ""}
    del other["docs/reference/policies.md"]
    assert list(generator.stale(other)) == [
        "docs/reference/faults.md is not current",
        "docs/images/new.svg is missing",
        "docs/reference/policies.md is not generated any more",
    ]


def test_a_second_run_gives_the_same(made: dict[str, str]) -> None:
    examples.of_form.cache_clear()
    examples.of_every_kind.cache_clear()
    assert generator.generated() == made


def test_wrong_use_of_the_generator_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert generator.main(["--chek"]) == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["no marks", "<!-- forms -->", "<!-- forms --> <!-- forms --> <!-- end of forms -->"])
def test_a_table_without_its_marks_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="must each occur once"):
        readme.filled(text, "forms", "table")


def test_a_form_without_a_line_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(summaries.IN_A_LINE, "wtf-8")
    with pytest.raises(KeyError):
        summaries.family_table()


# --- what must be documented ------------------------------------------------------------------------------------------


def headings(name: str) -> list[str]:
    return re.findall(r"^## (.*)$", text_of(name), re.MULTILINE)


def test_every_form_has_a_page() -> None:
    pages = {page.stem for page in (DOCS / "reference" / "forms").glob("*.md")}
    assert pages == {"index", *(form.name for form in eightfold.forms())}


def test_the_page_of_a_form_opens_without_words_about_its_neighbours() -> None:
    names = [form.name for form in eightfold.forms()]
    openings = [text_of(f"reference/forms/{name}.md").split("\n\n")[2] for name in names]
    assert [words for words in openings if words.startswith(("The same", "With", "Little-endian", "Big-endian"))] == []
    assert set(summaries.ON_ITS_PAGE) <= set(names)


def test_every_row_of_a_form_is_on_its_page_with_its_source() -> None:
    for form in eightfold.forms():
        page = text_of(f"reference/forms/{form.name}.md")
        for entry in (*form.rows, *form.units, *form.names):
            lines = [line for line in page.splitlines() if _units(form, entry) in line]
            assert any(entry.source in line for line in lines), (form.name, entry)


def _units(form: Form, entry: object) -> str:
    digits = form.unit_bits // 4
    ranges = entry.unit_ranges
    shown = [f"{low:0{digits}X}" if low == high else f"{low:0{digits}X}-{high:0{digits}X}" for low, high in ranges]
    return f"`{' '.join(shown)}"


def test_every_kind_of_fault_is_documented() -> None:
    assert headings("reference/faults.md") == list(KINDS)


def test_every_policy_is_documented() -> None:
    assert headings("reference/policies.md") == [*POLICIES, "Policies of repair"]
    assert set(policy_page.MEANINGS) == set(POLICIES)
    assert all(f"| `{name}` |" in text_of("reference/policies.md") for name in REPAIRS)


def takes(policy: str) -> bool:
    try:
        return eightfold.encode_code_points([0x61], "utf-8", policy) == b"a"
    except (LookupError, ValueError):
        return False


def test_the_policies_of_code_points_are_those_that_the_page_lists() -> None:
    (listed,) = re.findall(r"`encode_code_points` takes (.*?)\.", text_of("reference/policies.md"))
    assert re.findall(r"`([\w-]+)`", listed) == [policy for policy in POLICIES if takes(policy)]


def options_without_a_line(command: Command) -> list[str]:
    """Return the flags of a command that its section does not have as whole words."""
    section = text_of("cli.md").partition(f"\n## eightfold {command.name}\n")[2].partition("\n## ")[0]
    flags = [flag for option in command.options for flag in option.flags]
    return [flag for flag in flags if not re.search(rf"(?<![\w-]){flag}(?![\w-])", section)]


def test_every_command_and_option_is_documented() -> None:
    page = text_of("cli.md")
    assert [(command.name, found) for command in commands() if (found := options_without_a_line(command))] == []
    assert [name for name in COMMANDS if f"## eightfold {name}\n" not in page] == []


def documented() -> set[str]:
    """Return the public names that the Python reference describes."""
    pages = (path.read_text(encoding="utf-8") for path in (DOCS / "reference" / "python").glob("*.rst"))
    kinds = "autofunction|autoclass|autoexception|autodata|data|automodule"
    return set(re.findall(rf"^\.\. (?:{kinds}):: (eightfold\S*)$", "\n".join(pages), re.MULTILINE))


def test_every_public_name_is_documented() -> None:
    found = documented()
    for module in (eightfold, *(getattr(eightfold, name) for name in eightfold.__all__)):
        if inspect.ismodule(module):
            assert [name for name in module.__all__ if f"{module.__name__}.{name}" not in found] == []


def undescribed(module: ModuleType) -> Iterator[str]:
    """Yield each parameter of the functions and classes of a module that their docstrings do not name."""
    public = [getattr(module, name) for name in module.__all__]
    classes = [each for each in public if inspect.isclass(each) and not issubclass(each, (Exception, tuple))]
    for each in (*filter(inspect.isroutine, public), *classes):
        described = re.findall(r"\w+", inspect.getdoc(each) or "")
        for name in inspect.signature(each).parameters:
            if name not in described:
                yield f"{module.__name__}.{each.__name__}: {name}"


def test_every_parameter_of_a_public_name_is_described() -> None:
    modules = [each for name in eightfold.__all__ if inspect.ismodule(each := getattr(eightfold, name))]
    assert [each for module in (eightfold, *modules) for each in undescribed(module)] == []


SPACED_LITERAL = re.compile(r"(?<![^\s(])``(?:\s[^`]*|[^`]*\s)``")


def docstrings(module: ModuleType) -> Iterator[str]:
    """Yield the docstrings of the public names of a module and of the members that they define."""
    for each in (getattr(module, name) for name in module.__all__):
        yield inspect.getdoc(each) or ""
        members = vars(each).values() if inspect.isclass(each) else ()
        yield from (inspect.getdoc(member) or "" for member in members if not isinstance(member, str))


def test_a_literal_in_a_docstring_neither_begins_nor_ends_with_a_space() -> None:
    """Sphinx would show the backquotes."""
    assert SPACED_LITERAL.findall("`` (key)`` or ``( ``, not ``(key)`` or ``a`` (``b``)") == ["`` (key)``", "``( ``"]
    modules = [each for name in eightfold.__all__ if inspect.ismodule(each := getattr(eightfold, name))]
    for module in (eightfold, *modules):
        assert [found for text in docstrings(module) for found in SPACED_LITERAL.findall(text)] == []


def test_the_public_names_of_the_integrations_are_documented() -> None:
    folder = Path(eightfold.__file__).parent / "integrations"
    assert set(name_pages.INTEGRATIONS) == {path.stem for path in folder.glob("[a-z]*.py")}
    for path in folder.glob("[a-z]*.py"):
        public = re.findall(r'"(\w+)"', path.read_text(encoding="utf-8").rpartition("__all__ = ")[2])
        names = {f"eightfold.integrations.{path.stem}.{name}" for name in public}
        assert names
        assert names <= documented()


def test_every_value_is_described(made: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    pages = "".join(text for name, text in made.items() if name.startswith(name_pages.FOLDER))
    assert ".. data:: eightfold.integrations.asgi.LARGEST_BODY\n   :module:\n\n   The " in pages
    monkeypatch.delitem(name_pages.VALUES, "MAGIC")
    with pytest.raises(LookupError, match=r"eightfold\.corrected\.MAGIC has no description"):
        name_pages.files()


def test_every_how_to_is_found_by_what_people_see() -> None:
    table = text_of("README.md")
    assert [page.name for page in HOW_TOS if f"](how-to/{page.name})" not in table] == []


VERSION = re.compile(r"\w[\w)]* \(?v?\d+(?:\.\d+)+")
WRONG = re.compile(r"error|exception|FAIL|illegal|invalid|did not|cannot|differ$|matches$|\ufffd|\u00c3", re.IGNORECASE)
"""What is wrong, as a program says it, or as text shows it that no program complains of."""
LINES_BEFORE = 8


def lacks_at_its_opening(text: str) -> list[str]:
    """Return what a how-to lacks before its first heading: a block in its first lines, an error, a version."""
    opening = re.split(r"^## ", text, maxsplit=1, flags=re.MULTILINE)[0]
    blocks = re.findall(r"^```\w+\n(.*?)^```$", opening, re.MULTILINE | re.DOTALL)
    begins_early = opening.find("```") >= 0 and opening[: opening.find("```")].count("\n") <= LINES_BEFORE
    found = {
        "a block": begins_early,
        "an error": any(WRONG.search(line) for block in blocks for line in block.splitlines()),
        "a version": VERSION.search(opening),
    }
    return [name for name, is_there in found.items() if not is_there]


def test_an_option_without_a_line_is_seen() -> None:
    (check,) = (each for each in commands() if each.name == "check")
    for flag in ("--invented", "--conf", "--escape", "-y"):  # Two of them begin other options.
        added = check.options[0]._replace(flags=(flag,))
        assert options_without_a_line(check._replace(options=(*check.options, added))) == [flag]


def _invented(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], None]]:
    """Add one of each that must be documented, and return the tests that must fail."""
    here = sys.modules[__name__]
    monkeypatch.setattr(eightfold, "forms", partial(list, [*eightfold.forms(), Form("invented", [Row(0, 0, (0, 0))])]))
    monkeypatch.setitem(KINDS, "invented", "nothing that there is")
    monkeypatch.setattr(here, "POLICIES", (*POLICIES, "invented"))
    monkeypatch.setattr(here, "COMMANDS", {**COMMANDS, "invented": "nothing that there is"})
    monkeypatch.setattr(eightfold, "invented", None, raising=False)
    monkeypatch.setattr(eightfold, "__all__", [*eightfold.__all__, "invented"])
    return {
        "form": test_every_form_has_a_page,
        "kind": test_every_kind_of_fault_is_documented,
        "policy": test_every_policy_is_documented,
        "command": test_every_command_and_option_is_documented,
        "name": test_every_public_name_is_documented,
    }


@pytest.mark.parametrize("what", ["form", "kind", "policy", "command", "name"])
def test_what_is_not_documented_is_seen(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    test = _invented(monkeypatch)[what]
    with pytest.raises(AssertionError, match="invented"):
        test()


@pytest.mark.parametrize("page", HOW_TOS, ids=named)
def test_a_how_to_opens_with_an_error_and_the_version_of_the_program_that_says_it(page: Path) -> None:
    assert lacks_at_its_opening(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        ("# A\n\nPython 3.11.7:\n\n```text\nUnicodeError: bad\n```\n", []),
        ("# A\n\nPython:\n\n```text\nUnicodeError: bad\n```\n\n## Why\n\nPython 3.11.7\n", ["a version"]),
        ("# A\n\nUse Python 3.11.7:\n\n```python\nx = 1\n```\n", ["an error"]),
        ("# A\n\nPython 3.11.7\n" + "Words.\n" * 9 + "```text\nUnicodeError: bad\n```\n", ["a block"]),
        ("# A\n\nWords.\n", ["a block", "an error", "a version"]),
    ],
)
def test_a_how_to_that_opens_with_words_is_seen(text: str, lacking: list[str]) -> None:
    assert lacks_at_its_opening(text) == lacking


def names_of_no_test(text: str) -> list[str]:
    """Return the names of four words or more in a page that no test or function has."""
    files = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "rust" / "core").rglob("*.rs")]
    defined = {name for path in files for name in re.findall(r"\b(?:def|fn) (\w+)", path.read_text(encoding="utf-8"))}
    return [name for name in re.findall(r"`([a-z]+(?:_[a-z]+){3,})`", text) if name not in defined]


def test_the_tests_that_prove_something_exist() -> None:
    assert names_of_no_test(text_of("proofs.md")) == []
    assert names_of_no_test("`each_planted_fault_is_gone`") == ["each_planted_fault_is_gone"]


# --- examples of faults -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", eightfold.forms(), ids=str)
def test_no_shorter_input_has_the_fault(form: Form) -> None:
    units = examples.representatives(form)
    for kind, (smallest, *_) in examples.of_form(form).items():
        data = bytes.fromhex(smallest.shown)
        assert [fault.kind for fault in eightfold.faults(data, form)] == [kind]
        for shorter in ((), *((unit,) for unit in units)):
            if len(b"".join(shorter)) < len(data):
                assert kind not in {fault.kind for fault in eightfold.faults(b"".join(shorter), form)}


def test_a_kind_without_an_example_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "PROBES", ())
    examples.of_every_kind.cache_clear()
    with pytest.raises(LookupError, match="no example of unrepresentable, control"):
        examples.of_every_kind()


# --- pictures ---------------------------------------------------------------------------------------------------------


def test_pictures_are_titled_and_ask_for_nothing(made: dict[str, str]) -> None:
    pictures = {name: text for name, text in made.items() if name.endswith(".svg")}
    assert len(pictures) >= 7
    for name, text in pictures.items():
        drawn = ElementTree.fromstring(text)
        assert drawn.findtext("{http://www.w3.org/2000/svg}title"), name
        assert not re.search(r"href|url\(|<script|<image", text), name


def test_every_picture_is_shown_and_described() -> None:
    shown = {
        found
        for page in DOCS.rglob("*.md")
        for found in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    }
    assert {path.name for path in (DOCS / "images").rglob("*.svg")} <= {Path(name).name for name in shown}


def test_the_readme_shows_the_pictures_of_the_explorer() -> None:
    shown = re.findall(r"!\[[^\]]+\]\(docs/pictures/([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(shown) >= 2
    assert set(shown) == {path.name for path in (DOCS / "pictures").iterdir()}


def test_the_picture_of_the_family_says_what_converts() -> None:
    groups = family_picture.groups()
    drawn = family_picture.arrows(groups)
    assert sorted(name for group in groups for name in group) == sorted(form.name for form in eightfold.forms())
    for group in groups:
        assert all(is_lossless(one, other) for one in group for other in group)
    for one in groups:
        for other in groups:
            if one != other:
                assert is_lossless(one[0], other[0]) == _leads(drawn, one, other)


def _leads(drawn: set[tuple[family_picture.Group, family_picture.Group]], one: object, other: object) -> bool:
    return any(start == one and (end == other or _leads(drawn, end, other)) for start, end in drawn)


def test_the_automaton_reads_what_the_rows_hold() -> None:
    from docs.generator.engine_pictures import states

    found = states(eightfold.form("utf-8"))
    start = next(iter(found))

    def accepts(data: bytes) -> bool:
        state = start
        for byte in data:
            steps = [after for after, ranges in found[state].items() if any(a <= byte <= b for a, b in ranges)]
            if not steps:
                return False
            state = steps[0]
        return state == frozenset({()})

    for data in examples.strings(eightfold.form("utf-8"), 3):
        one_row = any(_in_row(row, data) for row in eightfold.form("utf-8").rows)
        assert accepts(data) == one_row, data


def _in_row(row: Row, data: bytes) -> bool:
    ranges = row.unit_ranges
    return len(ranges) == len(data) and all(a <= byte <= b for (a, b), byte in zip(ranges, data, strict=True))


# --- links ------------------------------------------------------------------------------------------------------------


def slugs(text: str) -> set[str]:
    """Return the anchors of a page, as GitHub and the site make them of its headings."""
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = [
        re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in re.findall(r"^#+ (.*)$", outside, re.MULTILINE)
    ]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_anchors(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\(([^)\s#:]*)#([^)\s]+)\)", text):
        file = page.parent / target if target else page
        if file.suffix == ".md" and anchor not in slugs(file.read_text(encoding="utf-8")):
            yield f"{target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_anchors_lead_to_a_heading(page: Path) -> None:
    assert list(broken_anchors(page)) == []


def test_a_broken_anchor_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One `two`\n\n[good](#one-two), [bad](#one), [bad](page.md#three), [out](https://e.org/#x)\n")
    assert list(broken_anchors(page)) == ["#one", "page.md#three"]


@pytest.fixture(scope="module")
def settings() -> Iterator[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EIGHTFOLD_ENGINE", eightfold.ENGINE)  # conf.py sets it, and it must not stay
        yield runpy.run_path(str(DOCS / "conf.py"))


@pytest.mark.parametrize(
    ("file", "page", "given", "expected"),
    [
        ("docs/guide.md", "guide.md", "[a](how-to/json.md#why)", "[a](how-to/json.md#why)"),
        ("docs/guide.md", "guide.md", "[a](../examples/SOURCES.md)", "[a](project/examples.md)"),
        ("docs/guide.md", "guide.md", "[a](README.md)", "[a](how-to/index.md)"),
        ("docs/README.md", "how-to/index.md", "[a](tutorial.md), [b](how-to/ci.md)", "[a](../tutorial.md), [b](ci.md)"),
        ("CONTRIBUTING.md", "project/contributing.md", "[a](docs/performance.md)", "[a](../performance.md)"),
        ("CONTRIBUTING.md", "project/contributing.md", "[the `x`](LICENSE)", "the `x`"),
        ("CONTRIBUTING.md", "project/contributing.md", "```text\n[a](LICENSE)\n```", "```text\n[a](LICENSE)\n```"),
        ("docs/a.md", "a.md", "[a](#b), [c](https://e.org/), ![p](images/p.svg)", None),
    ],
)
def test_links_lead_to_pages_of_the_site(
    settings: dict[str, Any], file: str, page: str, given: str, expected: str | None
) -> None:
    assert settings["linked"](given, file, page) == (given if expected is None else expected)


FOLLOWED = '{"filename": "a.md", "lineno": 3, "status": "%s", "code": %d, "uri": "https://%s/", "info": "%s"}'


@pytest.mark.parametrize(
    ("found", "status", "says"),
    [
        ([("working", 0, "a.example", ""), ("redirected", 301, "b.example", "")], 0, "2 links followed, 0 broken"),
        ([("working", 0, "a.example", ""), ("broken", 404, "b.example", "Not Found")], 1, "https://b.example/: Not Fo"),
        ([("working", 0, "a.example", ""), ("broken", 0, "b.example", "no such name")], 1, "docs/a.md:3: https://b.ex"),
        ([("working", 0, "a.example", ""), ("timeout", 0, "b.example", "")], 1, "https://b.example/: timeout"),
        ([("broken", 0, "b.example", "no such name"), ("broken", 0, "a.example", "")], 2, "no network here"),
        ([("unchecked", 0, "a.example", "")], 0, "0 links followed"),
    ],
)
def test_broken_links_are_told_from_a_lack_of_network(
    found: list[tuple[str, int, str, str]],
    status: int,
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "output.json"
    file.write_text("".join(FOLLOWED % each + "\n" for each in found), encoding="utf-8")
    assert links.main(str(file)) == status
    assert says in capsys.readouterr().err


def test_the_fields_of_a_tuple_are_described_by_the_class_alone(settings: dict[str, Any]) -> None:
    assert settings["skip_fields"](None, "class", "mark", eightfold.Signature.mark, False, None)
    assert settings["skip_fields"](None, "class", "variant", Form.variant, False, None) is None


def test_names_that_share_a_description_are_apart(settings: dict[str, Any]) -> None:
    lines = ["    start, end: the span."]
    settings["join_names"](None, "class", "Fault", None, None, lines)
    assert lines == ["    start,end: the span."]
    shown = {"body": "<strong>start</strong><strong>,</strong><strong>end</strong>"}
    settings["space_names"](None, "page", "page.html", shown, None)
    assert shown["body"] == "<strong>start</strong><strong>, </strong><strong>end</strong>"


def test_a_description_of_a_picture_is_one_line(settings: dict[str, Any]) -> None:
    assert settings["described"]("![half of an\nemoji](a.svg) and [a\nlink](b.md)") == (
        "![half of an emoji](a.svg) and [a\nlink](b.md)"
    )


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_no_link_is_written_in_html(page: Path) -> None:
    """What only the site has is a dead link on a page that a clone shows."""
    assert not re.search(r"<a\s", page.read_text(encoding="utf-8"))


def test_the_site_links_to_the_explorer(settings: dict[str, Any]) -> None:
    text = text_of("explorer.md")
    assert text.count(settings["LIVE"]) == 1
    assert '<a href="live/index.html">live/index.html</a>' in settings["with_the_explorer"](text)


def test_a_page_of_the_site_stands_for_each_file_of_the_project() -> None:
    stubs = {path.name: path.read_text(encoding="utf-8") for path in STUBS.glob("*.md") if path.name != "index.md"}
    for stub, text in stubs.items():
        target = re.search(r"\]\(([^)]+)\)", text)
        assert target is not None
        assert (STUBS / target[1]).is_file(), stub


def test_the_site_is_built_by_the_makefile() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ndocs:")[2].partition("\n\n")[0]
    assert {"--fail-on-warning", "--nitpicky"} <= set(recipe.split())
    assert "docs.generator --check" in recipe
    assert "run: make docs" in (ROOT / ".github" / "workflows" / "docs.yml").read_text(encoding="utf-8")
    assert shutil.which("make") is None or (ROOT / ".gitignore").read_text(encoding="utf-8").count("build/")


def test_the_module_for_polars_is_described_without_polars() -> None:
    """As in a clone where nothing is installed yet but what builds the documentation."""
    program = """
import importlib.util, runpy, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *of: None if name == "polars" else found(name, *of)
runpy.run_path(sys.argv[1])["stand_in_for_polars"]()
assert not hasattr(sys.modules["polars"], "__file__")
import eightfold.columns.polars
"""
    line = [sys.executable, "-c", program, str(DOCS / "conf.py")]
    done = subprocess.run(line, env=ENVIRONMENT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
