"""Plans over trees: applied, undone, killed at any moment and gone on with; no file is ever a mixture."""

from __future__ import annotations

import json
import random
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold import repair
from eightfold.cli import main
from eightfold.files.paths.entries import Entry
from eightfold.files.read import reading
from eightfold.files.write.temporary import temporary_beside
from support.command_line import run
from support.examples import HALF_AS_MANY
from support.kills import kills_until_done
from support.peaks import peak

FILES = 12
PARTS = [
    b"plain text\n",
    b"caf\xe9 ",
    b"\xed\xa0\xbd\xed\xb8\x80\n",
    b"\xff\xfe",
    "漢字\n".encode(),
    b"\xc0\xaf",
    b"x" * 99,
]


def make_tree(folder: Path, seed: int, size: int) -> dict[Path, bytes]:
    """Make files of random parts, in folders of folders; the last is clean. Return what is in them."""
    chosen = random.Random(seed)
    made = {}
    for number in range(FILES):
        path = folder / "/".join(f"d{chosen.randrange(3)}" for _ in range(number % 4)) / f"f{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        parts = PARTS[:1] if number == FILES - 1 else PARTS
        # The first is no byte order mark: what looks like UTF-16 is refused.
        made[path] = PARTS[0] + b"".join(chosen.choice(parts) for _ in range(size))
        path.write_bytes(made[path])
    return made


def contents(tree: dict[Path, bytes]) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in tree}


def repaired(tree: dict[Path, bytes], errors: str = "latin-1") -> dict[Path, bytes]:
    return {path: repair.repair(data, errors=errors) for path, data in tree.items()}


def files_in(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def test_killed_at_any_moment_a_plan_is_gone_on_with(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree", seed=8, size=3_000)
    goal = repaired(tree)
    assert run("repair", "--errors", "latin-1", "--plan", "plan.jsonl", "tree", cwd=tmp_path).returncode == 0

    def whole() -> None:
        for path, data in contents(tree).items():
            assert data in (tree[path], goal[path]), f"{path} is a mixture"

    for way, before, after in (("--apply", tree, goal), ("--undo", goal, tree)):
        assert kills_until_done(["repair", way, "plan.jsonl"], tmp_path, before, whole, lambda: False)
        assert contents(tree) == after
        assert files_in(tmp_path) == {*tree, tmp_path / "plan.jsonl"}, "strays are gone"


@HALF_AS_MANY
@given(seed=st.integers(0, 1 << 30), done=st.sets(st.integers(0, FILES - 1)), back=st.booleans())
def test_whatever_was_done_by_then_the_rest_is_done(
    seed: int, done: set[int], back: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    tree = make_tree(folder / "tree", seed, size=5)
    goal = repaired(tree, "escape")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        main(["repair", "--plan", "plan.jsonl", "tree"])
        for number, path in enumerate(tree):
            path.write_bytes((goal if number in done else tree)[path])
        assert main(["repair", "--undo" if back else "--apply", "plan.jsonl"]) == 0
    assert contents(tree) == (tree if back else goal)


def test_what_a_killed_run_left_beside_a_file_goes_where_nothing_is_to_be_done(tmp_path: Path) -> None:
    file, plan = tmp_path / "file.txt", tmp_path / "plan.jsonl"
    file.write_bytes(b"caf\xe9")
    root = ["--root", str(tmp_path)]
    assert main(["repair", "--errors", "latin-1", "--plan", str(plan), *root, str(file)]) == 0
    assert main(["repair", "--apply", str(plan), *root]) == 0
    with temporary_beside(Entry(str(file)), 0o600) as stray:
        name = stray.name
    Path(name).write_bytes(b"half")
    assert main(["repair", "--apply", str(plan), *root]) == 0
    assert files_in(tmp_path) == {file, plan}


def test_what_changed_meanwhile_is_refused_and_the_rest_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tree = make_tree(tmp_path / "tree", seed=3, size=20)
    goal = repaired(tree, "escape")
    main(["repair", "--plan", "plan.jsonl", "tree"])
    changed = [path for path in tree if goal[path] != tree[path]][::2]
    for path in changed:
        path.write_bytes(tree[path] + b"!")
    assert main(["repair", "--apply", "plan.jsonl"]) == 2
    assert capsys.readouterr().err.count("it is not the file in the plan, or it has changed since") == len(changed)
    assert contents(tree) == {path: tree[path] + b"!" if path in changed else goal[path] for path in tree}


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a"], {"a/one"}),
        (["./a/"], {"a/one"}),
        (["a/one", "ab"], {"a/one", "ab/two"}),
        (["."], {"a/one", "ab/two", "three"}),
        (["../{here}/three"], {"three"}),
    ],
)
def test_paths_choose_files_and_folders_of_a_plan(
    paths: list[str], names: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a/one", "ab/two", "three"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"\xff")
    main(["repair", "--plan", "plan.jsonl", "a", "ab", "three"])
    assert main(["repair", "--apply", "plan.jsonl", *(path.format(here=tmp_path.name) for path in paths)]) == 0
    written = {name for name in ("a/one", "ab/two", "three") if (tmp_path / name).read_bytes() != b"\xff"}
    assert written == names


@pytest.mark.parametrize("way", ["--apply", "--undo"])
def test_memory_does_not_grow_with_the_changes(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reading, "CHUNK_BYTES", 1000)

    def begin(count: int) -> None:
        (tmp_path / "big").write_bytes(b"a\xff\n" * count)
        (tmp_path / "plan.jsonl").unlink(missing_ok=True)
        main(["repair", "--plan", "plan.jsonl", "big"])
        if way == "--undo":
            main(["repair", "--apply", "plan.jsonl"])

    def end() -> None:
        assert main(["repair", way, "plan.jsonl"]) == 0

    limit = peak(end, partial(begin, 1_000)) + 20_000
    assert peak(end, partial(begin, 5_000), limit=limit) < limit


# --- proof ------------------------------------------------------------------------------------------------------------


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


@pytest.mark.parametrize("errors", ["escape", "latin-1", "replace"])
def test_a_certificate_names_both_sides(errors: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tree = make_tree(tmp_path / "tree", seed=5, size=50)
    goal = repaired(tree, errors)
    arguments = ["--errors", errors, "--lossy", "--in-place", "--certificate", "proof.jsonl", "tree"]
    assert main(["repair", *arguments]) == 0
    lines = [json.loads(line) for line in (tmp_path / "proof.jsonl").read_bytes().splitlines()]
    assert {tmp_path / line["source"]["path"] for line in lines} == {path for path in tree if goal[path] != tree[path]}
    for line in lines:
        path = tmp_path / line["source"]["path"]
        plan = repair.plan(tree[path], errors=errors)
        assert line["source"]["sha256"] == digest(tree[path]) == plan.original_sha256
        assert line["result"]["sha256"] == digest(path.read_bytes()) == plan.result_sha256
        assert (line["source"]["bytes"], line["result"]["bytes"]) == (len(tree[path]), len(goal[path]))
        assert (line["errors"], line["same"]) == (errors, "bytes when undone")
        assert (line["changes"], line["lossy"]) == (len(plan.changes), plan.lossy_count)


@pytest.mark.parametrize("way", ["--apply", "--undo"])
def test_a_plan_that_is_followed_is_certified(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_bytes(b"caf\xe9")
    main(["repair", "--plan", "plan.jsonl", "a"])
    if way == "--undo":
        main(["repair", "--apply", "plan.jsonl"])
    before = (tmp_path / "a").read_bytes()
    assert main(["repair", way, "plan.jsonl", "--certificate", "proof.jsonl"]) == 0
    [line] = [json.loads(line) for line in (tmp_path / "proof.jsonl").read_bytes().splitlines()]
    assert line["source"]["sha256"] == digest(before)
    assert line["result"]["sha256"] == digest((tmp_path / "a").read_bytes())
    assert (line["same"], line["changes"]) == ("digests of the plan", 1)


def test_a_result_that_does_not_come_back_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_bytes(b"caf\xe9 and more")
    right = repair.Repairer.repair

    def broken(repairer: repair.Repairer, chunk: bytes, final: bool = False) -> repair.Repaired:
        done = right(repairer, chunk, final)
        return repair.Repaired(done.data.replace(b"more", b"less"), done.changes)

    monkeypatch.setattr(repair.Repairer, "repair", broken)
    assert main(["repair", "--in-place", "--verify", "a"]) == 1
    assert "a: not verified, at 0: with its changes undone, the result is not the original\n" in (
        capsys.readouterr().err
    )
    assert (tmp_path / "a").read_bytes() == b"caf\xe9 and more"
    assert main(["repair", "--in-place", "a"]) == 0, "the fault was there to be found"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--verify"],
        ["--certificate", "new"],
        ["--plan", "new", "--verify"],
        ["--diff", "--verify"],
        ["--diff", "--in-place"],
        ["--diff", "--plan", "new"],
        ["--in-place", "--certificate", "a"],
        ["-o", "-", "--certificate", "-"],
    ],
    ids=" ".join,
)
def test_wrong_use(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"caf\xe9")
    done = run("repair", *arguments, "a", cwd=tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"caf\xe9")]
