"""The hooks for pre-commit, run by pre-commit itself on a repository of their own.

The environment that pre-commit would make for them is built from a package index and takes a compiler its time, so here
the command of this Python is what the hooks run; all else, their names, entries and files, is what others get.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.command_line import ENVIRONMENT, PATIENCE, ROOT

pytest.importorskip("pre_commit")
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

WELL_FORMED = "well-formed: naïve\n".encode()
CONFIG = """\
repos:
- repo: {hooks}
  rev: {revision}
  hooks:
  - id: {hook}
    language: system
    args: {arguments}
"""


class Repository:
    """A repository with files in it, and hooks that it can be told to run."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "repository"
        self._hooks = folder / "hooks"
        self._environment = {
            **ENVIRONMENT,
            "PATH": os.pathsep.join((str(self._command(folder)), os.environ["PATH"])),
            "PRE_COMMIT_HOME": str(folder / "home"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PYTHONWARNINGS": "",
        }
        for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
            self._environment.pop(name, None)
        self._hooks.mkdir()
        shutil.copy(ROOT / ".pre-commit-hooks.yaml", self._hooks)
        for each in (self.root, self._hooks):
            each.mkdir(exist_ok=True)
            self.git("init", "-q", cwd=each)
        self.git("add", "-A", cwd=self._hooks)
        self.git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "hooks", cwd=self._hooks)

    def _command(self, folder: Path) -> Path:
        (folder / "bin").mkdir()
        script = folder / "bin" / "eightfold"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m eightfold "$@"\n')
        script.chmod(0o755)
        return script.parent

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        line = ["git", *arguments]
        return subprocess.run(
            line, cwd=cwd or self.root, env=self._environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    def run(self, hook: str, arguments: str = "[]") -> tuple[int, str]:
        revision = self.git("rev-parse", "HEAD", cwd=self._hooks)
        config = CONFIG.format(hooks=self._hooks, revision=revision, hook=hook, arguments=arguments)
        (self.root / ".pre-commit-config.yaml").write_text(config)
        self.git("add", "-A")
        line = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never"]
        done = subprocess.run(
            line, cwd=self.root, env=self._environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    (made.root / "good.txt").write_bytes(WELL_FORMED)
    (made.root / "image.bin").write_bytes(b"\x89PNG\0\xff")
    return made


def test_check_passes_what_is_well_formed_and_fails_what_is_not(repository: Repository) -> None:
    status, told = repository.run("eightfold-check")
    assert (status, "Passed" in told) == (0, True), told
    (repository.root / "bad.txt").write_bytes(b"caf\xe9\n")
    status, told = repository.run("eightfold-check")
    assert (status, "bad.txt:1:4: truncated" in told) == (1, True), told
    assert "good.txt" not in told


def test_repair_changes_what_is_ill_formed_and_passes_then(repository: Repository) -> None:
    (repository.root / "bad.txt").write_bytes(b"caf\xe9\n")
    status, told = repository.run("eightfold-repair")
    assert (status, "files were modified by this hook" in told) == (1, True), told
    assert (repository.root / "bad.txt").read_bytes() == "caf\ufffd\n".encode()
    assert (repository.root / "good.txt").read_bytes() == WELL_FORMED
    status, told = repository.run("eightfold-repair")
    assert (status, "Passed" in told) == (0, True), told


def test_the_policy_and_the_form_can_be_chosen(repository: Repository) -> None:
    (repository.root / "bad.txt").write_bytes(b"caf\xe9\n")
    assert repository.run("eightfold-repair", "[--errors, latin-1]")[0] == 1
    assert (repository.root / "bad.txt").read_bytes() == "café\n".encode()
    (repository.root / "bad.txt").write_bytes(b"\xed\xa0\xbd\xed\xb8\x80\n")
    assert repository.run("eightfold-check")[0] == 1
    (repository.root / "good.txt").write_bytes(b"good\n")
    assert repository.run("eightfold-check", "[-f, cesu-8]")[0] == 0


def test_utf_16_is_refused_and_stays_as_it_is(repository: Repository) -> None:
    (repository.root / "letter.txt").write_bytes(b"\xff\xfeh\x00i\x00")
    status, told = repository.run("eightfold-repair")
    assert (status, "letter.txt: looks like utf-16-le (byte order mark)" in told) == (1, True), told
    assert (repository.root / "letter.txt").read_bytes() == b"\xff\xfeh\x00i\x00"
    status, told = repository.run("eightfold-check")
    assert (status, "letter.txt:1:1: other-form: looks like utf-16-le" in told) == (1, True), told
    assert repository.run("eightfold-check", "['--form-map', 'letter.txt=utf-16']")[0] == 0
