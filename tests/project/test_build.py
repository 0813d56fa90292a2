"""How the package is built, without a compiler: what is said where there is no core, when Cargo begins anew."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SETUP = Path(__file__).parents[2] / "setup.py"

# setup.py with stand-ins for setuptools and setuptools-rust, whose build comes to a core or to none.
PROGRAM = """
import os, runpy, sys, types

class build_rust:
    def install_extension(self, *built):
        pass
    def run(self):
        if {builds}:
            self.install_extension("core")

core = types.SimpleNamespace()
given = {{}}
rust = types.SimpleNamespace(Binding=types.SimpleNamespace(PyO3=1), build_rust=build_rust)
rust.RustExtension = lambda *given, **named: core
sys.modules["setuptools"] = types.SimpleNamespace(setup=given.update)
sys.modules["setuptools_rust"] = rust
sys.modules["setuptools.command"] = types.SimpleNamespace()
sys.modules["setuptools.command.bdist_wheel"] = types.SimpleNamespace(bdist_wheel=object)
runpy.run_path({path!r})
given["cmdclass"]["build_rust"]().run()
if {shows}:
    sys.exit(given["long_description"])
print(core.optional, *core.args, sep=" ", end="|")
print(os.environ["PYO3_ENVIRONMENT_SIGNATURE"])
"""


def built(*, builds: bool, **environment: str) -> tuple[str, str, str]:
    """Return whether the core is optional, with the arguments to Cargo; the signature; and what is said."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("EIGHTFOLD_")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(builds=builds, path=str(SETUP), shows=False)],
        capture_output=True,
        text=True,
        check=True,
        env={**plain, **environment},
        start_new_session=True,  # Without a terminal to write to.
    )
    optional, signature = done.stdout.strip().split("|", 1)
    return optional, signature, done.stderr


@pytest.mark.parametrize("builds", [True, False])
def test_a_core_that_could_not_be_built_is_not_passed_over_in_silence(builds: bool) -> None:
    _, _, said = built(builds=builds)
    assert ("THE COMPILED CORE COULD NOT BE BUILT" in said) is not builds
    assert ("cargo" in said) is not builds


def test_a_core_is_optional_unless_it_is_asked_for() -> None:
    assert built(builds=True)[0].split()[0] == "True"
    assert built(builds=True, EIGHTFOLD_BUILD="native")[0] == "False"
    assert built(builds=True, EIGHTFOLD_BUILD="rust")[0].split()[0] == "False"


def test_a_build_that_there_is_none_of_is_an_error_and_not_passed_over() -> None:
    assert built(builds=True, EIGHTFOLD_BUILD="")[0].split()[0] == "True"
    with pytest.raises(subprocess.CalledProcessError) as failed:
        built(builds=True, EIGHTFOLD_BUILD="Native")
    assert failed.value.stderr == "EIGHTFOLD_BUILD is 'native', 'rust' or 'python', not 'Native'\n"


def test_without_a_cpp_compiler_the_core_is_built_without_the_library(tmp_path: Path) -> None:
    nowhere = {"PATH": str(tmp_path), "CXX": "c++"}
    assert built(builds=True, **nowhere)[0] == "True --no-default-features"
    assert built(builds=True, EIGHTFOLD_BUILD="native", **nowhere)[0] == "False"
    compiler = tmp_path / "clang++"
    compiler.touch(mode=0o755)
    assert built(builds=True, **nowhere)[0] == "True"
    assert built(builds=True, EIGHTFOLD_BUILD="rust", **nowhere)[0] == "False --no-default-features"


def test_another_python_at_the_same_path_is_another_build() -> None:
    _, signature, _ = built(builds=True)
    assert sys.implementation.cache_tag in signature
    assert " ".join(sys.version.split()) in " ".join(signature.split())


def described(folder: Path, readme: str, urls: str = "") -> str:
    """Return what a package index is given to show."""
    shutil.copy(SETUP, folder)
    (folder / "README.md").write_text(readme, encoding="utf-8")
    (folder / "pyproject.toml").write_text(f"[project]\n{urls}", encoding="utf-8")
    program = PROGRAM.format(builds=True, path=str(folder / SETUP.name), shows=True)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return done.stderr.removesuffix("\n")


def test_an_index_gets_no_link_that_leads_nowhere(tmp_path: Path) -> None:
    assert (
        described(tmp_path, "[a page](docs/a.md#part), [b](b/), [out](https://example.org/), [here](#here)")
        == "a page, b, [out](https://example.org/), [here](#here)"
    )


def test_links_lead_to_the_address_of_the_project(tmp_path: Path) -> None:
    shown = described(tmp_path, "[a page](docs/a.md#part)", 'urls.Source = "https://example.org/e"\n')
    assert shown == "[a page](https://example.org/e/blob/main/docs/a.md#part)"


def test_nothing_but_links_and_pictures_is_changed_in_the_readme(tmp_path: Path) -> None:
    readme = SETUP.with_name("README.md").read_text(encoding="utf-8")
    lines = iter(readme.splitlines())
    kept = [line for line in lines if not (line.startswith("![") and next(lines) == "")]
    shown = described(tmp_path, readme).splitlines()
    assert sum(old != new for old, new in zip(kept, shown, strict=True)) > 5
    assert without_links(shown) == without_links(kept)


def without_links(lines: list[str]) -> list[str]:
    """Take the brackets and targets of links from lines: a link may begin on one and end on the next."""
    return re.sub(r"\]\([\w./#-]+\)|\[", "", "\n".join(lines)).splitlines()
