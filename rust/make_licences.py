"""Writes LICENSE-CORE.txt: the licences of everything linked into the compiled core. ``--check`` only compares.

The core links the crates on which it depends on any system (by `cargo metadata` and Cargo.lock), the C++ that these
compile, and Rust's standard library. Macros and build scripts run only at build time and are not part of it.
The folder licences/ has the texts that no crate includes.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RUST = Path(__file__).parent
WRITTEN = RUST.parent / "LICENSE-CORE.txt"
NOT_CARRIED = RUST / "licences"
ROOT = "eightfold-python"
PREFERRED = ("LICENSE-MIT", "license-mit", "LICENSE", "LICENSE.md", "LICENSE.txt")
"""All crates are under the MIT licence, or under a choice of licences that includes it."""
CPP = ("*.cpp", "*.cc", "*.h")
NOTICE = re.compile(r"/\*((?:(?!\*/).)*?Copyright.*?)\*/", re.DOTALL)

HEAD = """\
The compiled core of eightfold, the file _native in a wheel, has the following in it. A wheel without that file has none
of it. eightfold's own licence is in the file LICENSE.
"""


def metadata() -> dict[str, Any]:
    """Return Cargo's metadata of the workspace, for all systems, at the versions of Cargo.lock."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    done = subprocess.run(command, cwd=RUST, stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout))


def linked(known: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the third-party packages that are linked into the core, by name."""
    packages = {package["id"]: package for package in known["packages"]}
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    waiting = [each for each, package in packages.items() if package["name"] == ROOT]
    seen: dict[str, dict[str, Any]] = {}
    while waiting:
        package = packages[waiting.pop()]
        if package["id"] in seen or any("proc-macro" in target["kind"] for target in package["targets"]):
            continue
        seen[package["id"]] = package
        needed = nodes[package["id"]]["deps"]
        waiting += [each["pkg"] for each in needed if any(kind["kind"] is None for kind in each["dep_kinds"])]
    return sorted((package for package in seen.values() if package["source"]), key=lambda package: package["name"])


def licence(package: dict[str, Any]) -> str:
    """Return the text of a crate's licence."""
    if "MIT" not in re.split(r"\W+", package["license"] or ""):
        sys.exit(f"{package['name']} is under {package['license']}: decide what that asks for, and say it here")
    folder = Path(package["manifest_path"]).parent
    for name in PREFERRED:
        if (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8")
    sys.exit(f"{package['name']} carries no text of its licence: put one into {NOT_CARRIED}")


def notices(package: dict[str, Any]) -> Iterator[str]:
    """Yield the copyright notices in the C++ that a crate compiles."""
    folder = Path(package["manifest_path"]).parent
    for pattern in CPP:
        for path in sorted(folder.rglob(pattern)):
            yield from NOTICE.findall(path.read_text(encoding="utf-8"))


def sections() -> Iterator[tuple[str, str]]:
    """Yield the title and the text of each part."""
    for package in linked(metadata()):
        title = f"{package['name']} {package['version']} ({package['license']}) {package['repository'] or ''}"
        yield title.strip(), licence(package)
        for notice in dict.fromkeys(notices(package)):
            yield f"C++ in {package['name']} {package['version']}", notice
    for path in sorted(NOT_CARRIED.glob("*.txt")):
        yield path.stem, path.read_text(encoding="utf-8")


def written() -> str:
    """Return the whole file."""
    parts = [HEAD]
    for title, text in sections():
        lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
        parts.append(f"{'=' * 80}\n{title}\n{'=' * 80}\n\n{lines}\n")
    return "\n".join(parts)


def main() -> None:
    """Write the file, or with --check exit with an error if it is out of date."""
    parser = argparse.ArgumentParser(description="Write LICENSE-CORE.txt, the licences of what the core links in.")
    parser.add_argument("--check", action="store_true", help="exit 1 if it is out of date")
    only_checks = parser.parse_args().check
    text = written()
    if not only_checks:
        WRITTEN.write_text(text, encoding="utf-8")
    elif not WRITTEN.is_file() or WRITTEN.read_text(encoding="utf-8") != text:
        sys.exit(f"{WRITTEN.name} is not that of Cargo.lock: python rust/make_licences.py writes it anew")


if __name__ == "__main__":
    main()
