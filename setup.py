"""The compiled core is optional: without a Rust toolchain the package installs, and Python is its engine.

``EIGHTFOLD_BUILD=native`` makes a core that cannot be built an error; ``EIGHTFOLD_BUILD=python`` does not build one.
"""

import os
import re
import sys
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools_rust import Binding, RustExtension, build_rust

NO_CORE = """
*******************************************************************************
* eightfold: THE COMPILED CORE COULD NOT BE BUILT. The package is installed   *
* without it: the results are the same, and everything is much slower.        *
*                                                                             *
* The core needs cargo (https://rustup.rs) and a C++ compiler. To see what    *
* failed:  EIGHTFOLD_BUILD=native pip install -v ...                          *
*******************************************************************************
"""


class BuildCore(build_rust):
    """Builds the core; where it cannot be built, a person is told."""

    is_built = False

    def install_extension(self, *built):
        """Note that there is a core to install."""
        super().install_extension(*built)
        self.is_built = True

    def run(self):
        """Build what can be built, and say what could not."""
        super().run()
        if not self.is_built:
            say(NO_CORE)


def say(words):
    """Write to standard error, which pip shows only with -v, and to the terminal, if there is one behind pip."""
    print(words, file=sys.stderr, flush=True)
    try:
        if not sys.stderr.isatty():
            with open("/dev/tty", "w", encoding="ascii") as terminal:
                terminal.write(words)
    except OSError:
        pass


class Wheel(bdist_wheel):
    """A wheel that holds no core is for every Python and every machine, and its name says so."""

    def run(self):
        """Build first, as only then it is known whether there is a core."""
        self.run_command("build")
        built = Path(self.get_finalized_command("build").build_lib, "eightfold").glob("_native.*")
        if not any(each.suffix in (".so", ".pyd") for each in built):
            self.distribution.has_ext_modules = lambda: False
            self.root_is_pure = True
        super().run()


def description():
    """Return the README as a package index can show it: its links lead to the project's address, or are plain words."""
    folder = Path(__file__).parent
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    source = project.get("urls", {}).get("Source")
    link = rf"[\1]({source}/blob/main/\2)" if source else r"\1"
    return re.sub(r"\[([^\]]+)\]\((?![a-z]+:|#)([^)\s]+)\)", link, (folder / "README.md").read_text(encoding="utf-8"))


# Cargo builds anew where this differs: another Python may stand at the same path, as in an environment made anew.
os.environ["PYO3_ENVIRONMENT_SIGNATURE"] = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')} {sys.version}"
asked = os.environ.get("EIGHTFOLD_BUILD")
core = RustExtension("eightfold._native", "rust/python/Cargo.toml", binding=Binding.PyO3, debug=False)
core.optional = asked != "native"
setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    rust_extensions=[] if asked == "python" else [core],
    cmdclass={"build_rust": BuildCore, "bdist_wheel": Wheel},
)
