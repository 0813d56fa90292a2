"""Builds the package. The compiled core is optional: without a Rust toolchain the package runs in pure Python.

``EIGHTFOLD_BUILD=native`` makes a failed build of the core an error; ``EIGHTFOLD_BUILD=python`` skips the core.
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
    """Builds the core, and warns if that fails."""

    is_built = False

    def install_extension(self, *built):
        """Record that there is a core to install."""
        super().install_extension(*built)
        self.is_built = True

    def run(self):
        """Build the core if possible, and warn otherwise."""
        super().run()
        if not self.is_built:
            say(NO_CORE)


def say(words):
    """Write to standard error, which pip hides without -v, and to the terminal behind pip, if there is one."""
    print(words, file=sys.stderr, flush=True)
    try:
        if not sys.stderr.isatty():
            with open("/dev/tty", "w", encoding="ascii") as terminal:
                terminal.write(words)
    except OSError:
        pass


class Wheel(bdist_wheel):
    """Tags a wheel without a core for every Python and every platform."""

    def run(self):
        """Build first: only then is it known whether there is a core."""
        self.run_command("build")
        built = Path(self.get_finalized_command("build").build_lib, "eightfold").glob("_native.*")
        if not any(each.suffix in (".so", ".pyd") for each in built):
            self.distribution.has_ext_modules = lambda: False
            self.root_is_pure = True
        super().run()


def description():
    """Return the README for a package index: relative links lead to the project's address or become plain words."""
    folder = Path(__file__).parent
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    source = project.get("urls", {}).get("Source")
    link = rf"[\1]({source}/blob/main/\2)" if source else r"\1"
    return re.sub(r"\[([^\]]+)\]\((?![a-z]+:|#)([^)\s]+)\)", link, (folder / "README.md").read_text(encoding="utf-8"))


# Cargo rebuilds when this changes: another Python may stand at the same path, as in a recreated environment.
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
