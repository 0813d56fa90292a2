"""The configuration of a tree: which one holds for a file, what it may say, and that it can do no harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from eightfold.cli import main
from eightfold.cli.options.configuration_file import KEYS
from eightfold.cli.output.reports import FORMATS
from eightfold.files.parallel.threads import processors
from support.command_line import ENVIRONMENT, ROOT, command, run

LATIN = b"caf\xe9\n"
PAIRED = b"\xed\xa0\xbd\xed\xb8\x80\n"
FILES = {
    "a.txt": LATIN,
    "dump.sql": PAIRED,
    "sub/b.txt": LATIN,
    "sub/deep/c.txt": LATIN,
    "vendor/d.txt": LATIN,
}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with ill-formed files, in which the test runs."""
    for name, data in FILES.items():
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_bytes(data)
    monkeypatch.chdir(tmp_path / "tree")
    return tmp_path / "tree"


def configure(folder: Path, text: str, name: str = "eightfold.toml") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def faulty(capsys: pytest.CaptureFixture[str], *arguments: str) -> set[str]:
    """Return the files in which `check` finds faults, from the tree on."""
    main(["check", "--output-format", "jsonl", *arguments])
    lines = map(json.loads, capsys.readouterr().out.splitlines())
    return {os.path.relpath(line["path"]) for line in lines if line["type"] == "fault"}


def summary(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, int]:
    main(["check", "--output-format", "json", *arguments])
    found: dict[str, int] = json.loads(capsys.readouterr().out)["summary"]
    return found


# --- which configuration holds ----------------------------------------------------------------------------------------

EVERYWHERE = {"a.txt", "dump.sql", "sub/b.txt", "sub/deep/c.txt", "vendor/d.txt"}


def test_without_a_configuration_all_are_checked(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert faulty(capsys, ".") == EVERYWHERE


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("eightfold.toml", 'exclude = ["vendor/"]'),
        ("eightfold.toml", "\ufeffexclude = ['vendor/']\r\n"),
        ("pyproject.toml", '[tool.eightfold]\nexclude = ["vendor/"]'),
        ("pyproject.toml", 'tool.eightfold.exclude = ["vendor/"]'),
        ("pyproject.toml", '[tool]\neightfold = { exclude = ["vendor/"] }'),
        ("pyproject.toml", '[tool."eightfol\\u0064"]\nexclude = ["vendor/"]'),
        ("pyproject.toml", '[tool . "eightfold"  ]\nexclude = ["vendor/"]'),
    ],
)
def test_a_configuration_is_found(name: str, text: str, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, text, name)
    assert faulty(capsys, ".") == EVERYWHERE - {"vendor/d.txt"}
    assert faulty(capsys, str(tree)) == EVERYWHERE - {"vendor/d.txt"}


def test_a_pattern_of_folders_is_for_the_files_in_them(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, 'include = ["sub/"]')
    assert faulty(capsys, ".") == {path for path in EVERYWHERE if path.startswith("sub/")} != set()
    (tree / "sub" / "dump.sql").write_bytes(PAIRED)
    configure(tree, 'form-map = { "sub/" = "cesu-8" }')
    assert "sub/dump.sql" not in faulty(capsys, ".") >= {"dump.sql"}
    assert "sub/dump.sql" not in faulty(capsys, "sub/dump.sql", "sub")


def test_the_nearest_one_holds_alone(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, 'exclude = ["vendor/", "deep/"]\nform-map = { "*.sql" = "cesu-8" }')
    assert faulty(capsys, ".") == {"a.txt", "sub/b.txt"}
    configure(tree / "sub", "")
    assert faulty(capsys, ".") == {"a.txt", "sub/b.txt", "sub/deep/c.txt"}
    (tree / "sub" / "dump.sql").write_bytes(PAIRED)
    assert faulty(capsys, ".", "dump.sql", "sub/dump.sql") >= {"sub/dump.sql"}
    assert "dump.sql" not in faulty(capsys, ".", "dump.sql")


def test_a_file_has_the_same_one_whether_it_is_walked_or_given(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "form = 'cesu-8'")
    configure(tree / "sub", "form = 'utf-8'")
    (tree / "sub" / "dump.sql").write_bytes(PAIRED)
    walked = faulty(capsys, ".")
    assert walked == {"a.txt", "sub/b.txt", "sub/deep/c.txt", "vendor/d.txt", "sub/dump.sql"}
    given = [str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file() and path.suffix != ".toml"]
    assert faulty(capsys, *given) == walked


def test_eightfold_toml_goes_before_pyproject_toml(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "[tool.eightfold]\nexclude = ['*']", "pyproject.toml")
    assert faulty(capsys, ".") == set()
    configure(tree, "exclude = ['*.sql']")
    assert faulty(capsys, ".") == EVERYWHERE - {"dump.sql"}


def test_a_project_without_the_table_does_not_count(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "exclude = ['vendor/', 'deep/']")
    configure(tree / "sub", '[project]\nname = "x"\ndependencies = ["eightfold==1", "eightfold.x"]\n', "pyproject.toml")
    (tree / "sub" / "deep" / "pyproject.toml").mkdir()
    assert faulty(capsys, ".") == {"a.txt", "dump.sql", "sub/b.txt"}
    assert faulty(capsys, "sub") == {"sub/b.txt"}


def test_patterns_are_relative_to_the_configuration(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "sub" / "vendor").mkdir()
    (tree / "sub" / "vendor" / "e.txt").write_bytes(LATIN)
    configure(tree, "exclude = ['/vendor/', 'sub/deep/*.txt']")
    expected = {"a.txt", "dump.sql", "sub/b.txt", "sub/vendor/e.txt"}
    assert faulty(capsys, ".") == faulty(capsys, str(tree)) == faulty(capsys, "..") == expected
    assert faulty(capsys, "sub") == {"sub/b.txt", "sub/vendor/e.txt"}
    os.chdir("sub")
    assert faulty(capsys, ".") == {"b.txt", "vendor/e.txt"}


def test_links_on_the_way_are_resolved(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "exclude = ['deep/']")
    (tree.parent / "link").symlink_to(tree / "sub")
    assert faulty(capsys, str(tree.parent / "link")) == {"../link/b.txt"}


def test_config_is_the_only_one(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "exclude = ['*']")
    configure(tree / "sub", "exclude = ['*']")
    configure(tree, "exclude = ['/sub/', '*.sql']\nform = 'cesu-8'", "other.toml")
    assert faulty(capsys, "--config", "other.toml", ".") == {"a.txt", "vendor/d.txt"}
    assert faulty(capsys, "--config", "other.toml", "sub") == {"sub/b.txt", "sub/deep/c.txt"}
    assert faulty(capsys, "--no-config", ".") == EVERYWHERE
    assert faulty(capsys, ".") == set()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("missing.toml", "missing.toml: No such file or directory"),
        (".", ".: Is a directory"),
        ("../missing.toml", "../missing.toml: No such file or directory"),
        ("pyproject.toml", "pyproject.toml: has no table [tool.eightfold]"),
        ("sub", "sub: Is a directory"),
    ],
)
def test_config_must_be_one(name: str, says: str, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "[project]\nname = 'x'", "pyproject.toml")
    assert main(["check", "--config", name, "."]) == 2
    assert capsys.readouterr().err == f"eightfold: {says}\n"


# --- what it says -----------------------------------------------------------------------------------------------------


def test_what_is_excluded_is_counted(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "exclude = ['vendor/', '*.sql']")
    assert main(["check", "."]) == 1
    assert capsys.readouterr().err == (
        "eightfold: 4 files checked, 2 excluded (eightfold.toml), 3 ill-formed: 3 errors\n"
    )
    assert summary(capsys, ".")["excluded"] == summary(capsys, "-j", "2", ".")["excluded"] == 2
    assert summary(capsys, "--no-config", ".")["excluded"] == 0
    assert main(["check", "--output-format", "github", "."]) == 1
    assert "4 files checked, 2 excluded (eightfold.toml), 3 truncated" in capsys.readouterr().out


def test_what_is_not_included_is_counted(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "include = ['*.sql']")
    assert faulty(capsys, ".") == {"dump.sql"}
    assert summary(capsys, ".") == {**summary(capsys, "."), "files": 1, "excluded": 5}


def test_an_excluded_tree_is_not_called_clean(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "exclude = ['*']\nstrict = true")
    assert main(["check", "."]) == 1
    told = capsys.readouterr().err
    assert "eightfold: 0 files checked, 5 excluded (eightfold.toml): nothing was read\n" in told
    assert "warning: no file was read; see --no-ignore, --no-config" in told


def test_forms_come_by_pattern_then_by_default(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "form = 'utf-16-le'\nform-map = { '*.txt' = 'utf-8', 'd.*' = 'xtf-8', '*.sql' = 'auto' }")
    (tree / "e.bin").write_bytes("né".encode("utf-16-le"))
    main(["check", "--output-format", "jsonl", "."])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    forms = {os.path.relpath(line["path"]): line["form"] for line in lines if line["type"] == "file"}
    assert forms == {
        **dict.fromkeys(("a.txt", "sub/b.txt", "sub/deep/c.txt"), "utf-8"),
        "dump.sql": "cesu-8",
        "e.bin": "utf-16-le",
        "eightfold.toml": "utf-16-le",
        "vendor/d.txt": "xtf-8",
    }


def test_strict_and_the_format_hold_for_the_run(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "strict = true\noutput-format = 'github'\nform = 'corrected-utf-8'")
    (tree / "letter.txt").write_bytes(b"clean\n")
    assert main(["check", "letter.txt"]) == 1
    assert capsys.readouterr().out.startswith("::error file=letter.txt,line=1")
    os.chdir("..")
    assert main(["check", "tree/letter.txt"]) == 0
    assert capsys.readouterr().out.startswith("tree/letter.txt:1:")


@pytest.mark.parametrize("jobs", [0, 1, 10**9])
def test_jobs_are_at_most_the_processors(jobs: int, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, f"jobs = {jobs}")
    assert main(["check", "--show-settings"]) == 0
    shown = tomllib.loads(capsys.readouterr().out)["jobs"]
    assert shown == min(jobs, processors())


def test_standard_input_has_the_form_of_the_current_folder(tree: Path) -> None:
    configure(tree, "form = 'cesu-8'\nform-map = { '*' = 'utf-16' }")
    assert run("check", cwd=tree, input=PAIRED).returncode == 0
    assert run("check", "-f", "utf-8", cwd=tree, input=PAIRED).returncode == 1
    refused = run("convert", "-t", "utf-8", cwd=tree, input=PAIRED)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert refused.stderr.startswith(b"eightfold: -: eightfold.toml gives it the form cesu-8; use -f cesu-8")


# --- the command line goes before it ----------------------------------------------------------------------------------


def test_the_command_line_goes_first(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "exclude = ['vendor/']\ninclude = ['*.txt']\nform = 'cesu-8'\nform-map = { 'a.*' = 'xtf-8' }")
    assert faulty(capsys, ".") == {"sub/b.txt", "sub/deep/c.txt"}
    assert faulty(capsys, "--exclude", "deep/", ".") == {"sub/b.txt", "vendor/d.txt"}
    assert faulty(capsys, "--include", "*.sql", ".") == set()
    assert faulty(capsys, "--include", "*.sql", "-f", "utf-8", ".") == {"dump.sql"}
    assert faulty(capsys, "-f", "utf-8", ".") == {"a.txt", "sub/b.txt", "sub/deep/c.txt"}
    assert faulty(capsys, "--form-map", "b.*=xtf-8", ".") == {"sub/deep/c.txt"}


def test_a_folder_is_not_excluded_by_a_pattern_for_what_is_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "build" / "build").mkdir(parents=True)
    (tmp_path / "build" / "eightfold.toml").write_text('exclude = ["build"]\n')
    for folder in ("build", "build/build"):
        (tmp_path / folder / "a.txt").write_bytes(b"\xff")
    assert main(["check", "--force-exclude", str(tmp_path / "build")]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_settings_of_the_run_can_be_taken_back(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "strict = true\noutput-format = 'github'\njobs = 2\nform = 'corrected-utf-8'")
    (tree / "letter.txt").write_bytes(b"clean\n")
    assert main(["check", "--no-strict", "--output-format", "text", "-j", "1", "letter.txt"]) == 0
    assert capsys.readouterr().out.startswith("letter.txt:1:")
    assert main(["check", "--no-config", "-f", "corrected-utf-8", "letter.txt"]) == 0


def test_a_path_that_is_given_is_read_unless_exclusion_is_forced(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(tree, "exclude = ['vendor/', '/sub/b.txt']")
    given = [*EVERYWHERE]
    assert faulty(capsys, *given) == EVERYWHERE
    assert faulty(capsys, "--force-exclude", *given) == {"a.txt", "dump.sql", "sub/deep/c.txt"}
    assert summary(capsys, "--force-exclude", *given)["excluded"] == 2
    assert faulty(capsys, "--force-exclude", "vendor", "sub") == {"sub/deep/c.txt"}
    assert faulty(capsys, "--force-exclude", "--exclude", "sub/", "sub", "vendor") == {"vendor/d.txt"}
    assert faulty(capsys, "--force-exclude", ".") == {"a.txt", "dump.sql", "sub/deep/c.txt"}
    assert faulty(capsys, "--force-exclude", "--exclude", "sub/", *given) == {"a.txt", "dump.sql", "vendor/d.txt"}


@pytest.mark.parametrize("folder", ["", "./", "sub/../", "../{tree.name}/", "{tree}/", "{tree}/sub/..//"])
def test_patterns_see_a_path_that_is_given_from_the_current_folder_on(
    folder: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = folder.format(tree=tree) + "sub/deep/c.txt"
    for pattern in ("/sub/", "sub/deep/", "/sub/deep/c.txt", "sub/*/c.txt"):
        assert main(["check", "--force-exclude", "--exclude", pattern, given]) == 0
        assert "0 files checked" in capsys.readouterr().err
        assert main(["check", "--form-map", f"{pattern}=xtf-8", given]) == 0
    for path in (given, folder.format(tree=tree) or "."):
        assert main(["check", "--force-exclude", "--exclude", f"{tree.name}/", path]) == 1


# --- what it shows ----------------------------------------------------------------------------------------------------


def test_the_settings_that_are_shown_are_a_configuration(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "include = ['*.tx[t]', 'a \"b\\']\nexclude = ['vendor/']\nform = 'auto'\nstrict = true\n"
        "output-format = 'gitlab'\njobs = 1\nform-map = { '*.sql' = 'cesu-8', '\\u202E' = 'utf-16' }"
    )
    configure(tree, text)
    assert main(["check", "--show-settings", "sub"]) == 0
    shown = capsys.readouterr().out
    assert tomllib.loads(shown) == tomllib.loads(text)
    assert set(tomllib.loads(shown)) == set(KEYS)
    assert shown.count("# eightfold.toml\n") == len(KEYS)
    assert shown.isascii()


def test_the_settings_name_where_they_come_from(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "strict = true\nform-map = { '*.sql' = 'cesu-8' }")
    configure(tree / "sub", "form = 'xtf-8'")
    assert main(["check", "--show-settings", "--exclude", "x", "-j", "1", "sub/b.txt"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "# Settings of eightfold check for sub/b.txt",
        "# Configuration: sub/eightfold.toml",
        "# Configuration of the run: eightfold.toml",
        "include = []  # default",
        'exclude = ["x"]  # command line',
        'form = "xtf-8"  # sub/eightfold.toml',
        "form-map = {}  # default",
        "strict = true  # eightfold.toml",
        "jobs = 1  # command line",
        'output-format = "text"  # default',
    ]


# --- what is wrong in it ----------------------------------------------------------------------------------------------

WRONG = [
    ("exlude = []", "eightfold.toml:1: unknown key 'exlude': did you mean exclude?"),
    ("\n\nForm_Map = {}", "eightfold.toml:3: unknown key 'Form_Map': did you mean form-map?"),
    (
        "zz = 1",
        "eightfold.toml:1: unknown key 'zz': "
        "the keys are include, exclude, form, form-map, strict, jobs, output-format",
    ),
    ("# one\nform = 'utf-9'", "eightfold.toml:2: form: unknown form: 'utf-9' (did you mean utf-8"),
    ("form = ['utf-8']", "eightfold.toml:1: form: the name of a form is expected, not a list"),
    ("exclude = 'vendor/'", "eightfold.toml:1: exclude: a list of patterns is expected, such as ['vendor/']"),
    ("exclude = [1]", "eightfold.toml:1: exclude: a pattern is expected, not a number"),
    ("exclude = ['']", "eightfold.toml:1: exclude: '' is not a pattern"),
    ("[form-map]\n'*.c' = 'x'", "eightfold.toml:1: form-map: unknown form: 'x'"),
    ("form-map = { '!a' = 'utf-16' }", "eightfold.toml:1: form-map: '!a' is negated, but the last match wins"),
    ("form-map = 3", "eightfold.toml:1: form-map: a table of patterns and forms is expected"),
    (f"exclude = [{'1,' * 100_000}]", "eightfold.toml:1: exclude: at most 1,000 patterns are allowed"),
    ("[form-map]\n" + "".join(f"a{n} = 'x'\n" for n in range(2000)), "eightfold.toml:1: form-map: at most 1,000"),
    (f"include = ['{'?' * 900_000}']", "eightfold.toml:1: include: a pattern has at most 4,096 characters"),
    ("strict = 'yes'", "eightfold.toml:1: strict: true or false is expected, not a string"),
    ("strict = 1979-05-27", "eightfold.toml:1: strict: true or false is expected, not a date or time"),
    ("jobs = -1", "eightfold.toml:1: jobs: a number is expected, 0 or more"),
    ("jobs = true", "eightfold.toml:1: jobs: a number is expected, 0 or more"),
    ("jobs = 1.5", "eightfold.toml:1: jobs: a number is expected, 0 or more"),
    ("output-format = 'xml'", f"eightfold.toml:1: output-format: 'xml' is not one of {', '.join(FORMATS)}"),
    ("output-file = 'x'", "eightfold.toml:1: 'output-file' can only be given on the command line"),
    ("in-place = true", "eightfold.toml:1: 'in-place' can only be given on the command line"),
    ("errors = 'ignore'", "eightfold.toml:1: 'errors' can only be given on the command line"),
    ("ok = 1\nform = ", "eightfold.toml:2: not TOML: "),
    ("form = 'utf-8'\nform = 'utf-8'", "eightfold.toml:2: not TOML: "),
    ("a = 'unclosed", "eightfold.toml:1: not TOML: "),
    ("jobs = " + "1" * 5000, "eightfold.toml: not TOML: "),
    ("a = " + "[" * 100_000, "eightfold.toml: nested too deeply"),
    ("a" + ".a" * 30_000 + " = 1", "eightfold.toml:1: a key has too many parts"),
    ("\n['a'" + " . 'a'" * 30_000 + "]", "eightfold.toml:2: a key has too many parts"),
    ("#" * (1 << 20) + "\n", "eightfold.toml: a configuration has at most 1,048,576 bytes"),
    ("x\x1b]0;evil\x07 = 1", "eightfold.toml:1: not TOML: "),
    ('"x\\u001b[31m" = 1', "eightfold.toml: unknown key 'x\\x1B[31m': the keys are "),
]


@pytest.mark.parametrize(("text", "says"), WRONG, ids=[says[:60] for _, says in WRONG])
def test_what_is_wrong_is_one_line(text: str, says: str, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, text)
    begun = time.process_time()
    assert main(["check", "a.txt"]) == 2
    assert time.process_time() - begun < 10
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert told.err.startswith("eightfold: " + says)


def test_a_wrong_line_of_a_project_is_named(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "[tool.other]\njobs = 'x'\n[tool.eightfold]\n# jobs\njobs = 'x'\n[tool.more]\njobs = 2\n"
    configure(tree, text, "pyproject.toml")
    assert main(["check", "a.txt"]) == 2
    assert capsys.readouterr().err == "eightfold: pyproject.toml:5: jobs: a number is expected, 0 or more\n"
    configure(tree, "[tool]\neightfold = 3", "pyproject.toml")
    assert main(["check", "a.txt"]) == 2
    assert capsys.readouterr().err == "eightfold: pyproject.toml: tool.eightfold is not a table\n"


def test_a_configuration_that_is_not_utf_8_is_reported_as_text_is(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "eightfold.toml").write_bytes(b"# first\n# caf\xe9\n")
    assert main(["check", "a.txt"]) == 2
    assert capsys.readouterr().err == (
        "eightfold: eightfold.toml:2:6: not UTF-8: sequence E9 is cut short by another byte\n"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes in the file system")
def test_a_pipe_is_not_waited_for(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tree / "eightfold.toml")
    assert main(["check", "a.txt"]) == 2
    assert capsys.readouterr().err == "eightfold: eightfold.toml: not a regular file\n"


def test_a_folder_of_that_name_is_an_error(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "sub" / "eightfold.toml").mkdir()
    for path in (".", "sub", "sub/b.txt"):
        assert main(["check", path]) == 2
        assert "eightfold.toml: Is a directory\n" in capsys.readouterr().err


def test_a_link_is_followed_and_a_dangling_one_an_error(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree.parent, "exclude = ['*.txt']", "outside.toml")
    (tree / "eightfold.toml").symlink_to("../outside.toml")
    assert faulty(capsys, ".") == {"dump.sql"}
    (tree.parent / "outside.toml").unlink()
    assert main(["check", "a.txt"]) == 2
    assert capsys.readouterr().err == "eightfold: eightfold.toml: No such file or directory\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_one_that_cannot_be_read_is_an_error(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "")
    (tree / "eightfold.toml").chmod(0)
    assert main(["check", "a.txt"]) == 2
    assert capsys.readouterr().err == "eightfold: eightfold.toml: Permission denied\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_another_user_cannot_put_one_where_anybody_writes(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "exclude = ['*']")
    os.chown(tree / "eightfold.toml", 4321, 4321)
    assert faulty(capsys, ".") == set()
    tree.chmod(0o1777)
    assert faulty(capsys, ".") == EVERYWHERE
    assert main(["check", "a.txt"]) == 1
    assert "eightfold.toml: skipped: another user owns it" in capsys.readouterr().err
    os.chown(tree / "eightfold.toml", 0, 0)
    assert faulty(capsys, ".") == set()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize(("owner", "found"), [(0, set()), (1234, set()), (4321, set()), (5555, EVERYWHERE)])
def test_one_of_the_system_the_user_or_the_owner_of_the_folder_counts_where_anybody_writes(
    owner: int, found: set[str], tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(tree, "exclude = ['*']")
    os.chown(tree / "eightfold.toml", owner, owner)
    os.chown(tree, 4321, 4321)
    tree.chmod(0o1777)
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    assert faulty(capsys, ".") == found


# --- a wrong one in the middle of a tree ------------------------------------------------------------------------------


def test_a_folder_with_a_wrong_one_is_not_read(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree / "sub", "exlude = []")
    assert main(["check", "--output-format", "json", "."]) == 2
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert {file["path"] for file in found["files"] if file["well_formed"] is None} == {"sub/eightfold.toml:1"}
    assert {file["path"] for file in found["files"] if file["faults"]} == {"./a.txt", "./dump.sql", "./vendor/d.txt"}
    assert told.err == "eightfold: sub/eightfold.toml:1: unknown key 'exlude': did you mean exclude?\n"


@pytest.mark.parametrize("line", [["repair", "--lossy"], ["convert", "-t", "utf-8", "--errors", "replace"]])
def test_a_folder_with_a_wrong_one_is_not_written(
    line: list[str], tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(tree / "sub", "exlude = []")
    assert main([*line, "--in-place", "."]) == 2
    assert (tree / "sub" / "b.txt").read_bytes() == LATIN
    assert (tree / "sub" / "deep" / "c.txt").read_bytes() == LATIN
    assert (tree / "a.txt").read_bytes() != LATIN


# --- commands that write ----------------------------------------------------------------------------------------------

WRITING = [
    ["convert", "-t", "utf-16-le", "--in-place"],
    ["convert", "-t", "utf-16-le", "--in-place", "-j", "2"],
    ["repair", "--in-place", "--errors", "replace", "--lossy"],
]


@pytest.mark.parametrize("line", WRITING, ids=" ".join)
@pytest.mark.parametrize("path", [".", "dump.sql"])
@pytest.mark.parametrize("said", ["form = 'cesu-8'", "form-map = { '*.sql' = 'utf-16-be' }", "form = 'auto'"])
def test_a_configuration_never_chooses_how_files_are_rewritten(
    said: str, path: str, line: list[str], tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(tree, said)
    assert main([*line, path]) == 2
    assert (tree / "dump.sql").read_bytes() == PAIRED
    told = capsys.readouterr().err
    assert "dump.sql: eightfold.toml gives it the form " in told
    assert " to read it so, or -f utf-8\n" in told


@pytest.mark.parametrize("said", ["form = 'utf-16'", "form-map = { '*.sql' = 'wtf-16-le' }"])
def test_a_repair_names_the_command_that_reads_the_form(
    said: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(tree, said)
    assert main(["repair", "dump.sql"]) == 2
    form = said.split("'")[-2]
    advice = f"gives it the form {form}; use eightfold convert -f {form} -t utf-8 to read it so, or -f utf-8\n"
    assert advice in capsys.readouterr().err


def test_the_command_line_chooses_the_form(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "form-map = { '*.sql' = 'mutf-8' }")
    assert main(["convert", "-f", "cesu-8", "-t", "utf-8", "--in-place", "dump.sql"]) == 0
    assert (tree / "dump.sql").read_bytes() == "\U0001f600\n".encode()


@pytest.mark.parametrize("line", WRITING[2:], ids=" ".join)
def test_what_is_excluded_is_not_rewritten(line: list[str], tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "exclude = ['vendor/', 'sub/deep/']")
    assert main([*line, "."]) == 0
    kept = {name for name, data in FILES.items() if (tree / name).read_bytes() == data}
    assert kept == {"vendor/d.txt", "sub/deep/c.txt"}
    assert "eightfold: 2 excluded (eightfold.toml)\n" in capsys.readouterr().err


def test_a_plan_and_a_dry_run_leave_out_the_same(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tree, "exclude = ['vendor/', 'sub/']\nform-map = { '*.sql' = 'cesu-8' }")
    assert main(["repair", "."]) == 2
    assert {line.partition(":")[0] for line in capsys.readouterr().out.splitlines()} == {"./a.txt"}
    assert main(["repair", "--plan", "plan.jsonl", "."]) == 2
    plan = (tree / "plan.jsonl").read_text()
    assert "a.txt" in plan
    assert not any(name in plan for name in ("dump.sql", "b.txt", "c.txt", "d.txt"))


# --- what it costs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("project", ["", '[project]\nname = "x"\ndependencies = ["eightfold>=1"]\n[tool.ruff]\n'])
def test_without_a_configuration_nothing_is_imported_for_it(project: str, tree: Path) -> None:
    if project:
        configure(tree, project, "pyproject.toml")
    program = "import sys; from eightfold.cli import main; main(sys.argv[1:]); print(*sys.modules, sep='\\n')"
    line = [sys.executable, "-c", program, "check", "a.txt"]
    done = subprocess.run(line, capture_output=True, text=True, cwd=tree, env=ENVIRONMENT, check=True)
    modules = set(done.stdout.split())
    assert "eightfold.cli.options.configuration" in modules
    assert not modules & {"tomllib", "eightfold.cli.options.settings"}
    assert project or "eightfold.cli.options.configuration_file" not in modules


def test_processes_hold_to_it_too(tree: Path) -> None:
    configure(tree, "form-map = { '*.sql' = 'cesu-8' }\nexclude = ['vendor/']")
    one, two = (run("check", *at_once, ".", cwd=tree) for at_once in ([], ["-j", "2"]))
    assert (one.stdout, one.stderr, one.returncode) == (two.stdout, two.stderr, two.returncode)
    assert b"dump.sql" not in one.stdout


def test_this_project_has_none() -> None:
    """Commands that tests run in its folder must not depend on one."""
    assert not (ROOT / "eightfold.toml").exists()
    assert "eightfold" not in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert command("check")[-1] == "check"
