"""The licences of what is linked into the core: those of Cargo.lock, whole, and a wheel is not made without them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WRITTEN = ROOT / "LICENSE-CORE.txt"
SCRIPT = ROOT / "rust" / "make_licences.py"
CRATE = re.compile(r"^([\w-]+) (\d+\.\d+\.\d+\S*) \(.*\bMIT\b.*\) https:", re.MULTILINE)

needs_cargo = pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")


def checked(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "rust" / SCRIPT.name), "--check"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_crates_are_those_of_the_lock() -> None:
    lock = tomllib.loads((ROOT / "rust" / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    named = dict(CRATE.findall(WRITTEN.read_text(encoding="utf-8")))
    assert {"simdutf", "pyo3", "pyo3-ffi", "libc", "bitflags"} <= set(named)
    assert not {"pyo3-macros", "syn", "cc", "divan", "serde_json"} & set(named)
    assert set(named.items()) <= {(package["name"], package["version"]) for package in lock}


def test_what_no_crate_carries_is_there_too() -> None:
    text = WRITTEN.read_text(encoding="utf-8")
    for said in ("The simdutf authors", "Facebook, Inc", "The Rust Project Developers", "UNICODE LICENSE V3"):
        assert said in text
    assert text.count("Permission is hereby granted") >= 10


@needs_cargo
def test_the_file_is_what_the_script_writes() -> None:
    done = checked(ROOT)
    if "offline" in done.stderr or "network" in done.stderr or "index" in done.stderr:
        pytest.skip("the crates cannot be had here")
    assert done.returncode == 0, done.stderr


@needs_cargo
def test_a_file_of_another_lock_is_caught(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "rust", tmp_path / "rust", ignore=shutil.ignore_patterns("target"))
    text = WRITTEN.read_text(encoding="utf-8")
    (tmp_path / WRITTEN.name).write_text(text.replace("simdutf 0.", "simdutf 9."), encoding="utf-8")
    done = checked(tmp_path)
    assert done.returncode == 1
    assert "python rust/make_licences.py writes it anew" in done.stderr


def denied(config: Path) -> subprocess.CompletedProcess[str]:
    manifest = str(ROOT / "rust" / "Cargo.toml")
    command = ["cargo", "deny", "--locked", "--manifest-path", manifest, "--config", str(config)]
    checks = ["check", "--allow", "license-not-encountered", "bans", "licenses", "sources"]
    return subprocess.run([*command, *checks], capture_output=True, text=True, check=False)


@pytest.mark.skipif(shutil.which("cargo-deny") is None, reason="cargo-deny is not installed")
def test_a_licence_that_is_not_allowed_is_refused(tmp_path: Path) -> None:
    config = ROOT / "rust" / "deny.toml"
    done = denied(config)
    if "failed to fetch crates" in done.stderr:
        pytest.skip("the crates cannot be had here")
    assert done.returncode == 0, done.stderr
    without = tmp_path / "deny.toml"
    without.write_text(config.read_text(encoding="utf-8").replace('"Apache-2.0 WITH LLVM-exception", ', ""))
    assert denied(without).returncode != 0
