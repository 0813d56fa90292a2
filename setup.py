"""The compiled core is optional: without a Rust toolchain the package installs without it.

``EIGHTFOLD_BUILD=native`` turns a failed build of the core into an error; ``EIGHTFOLD_BUILD=rust`` does too, and builds
it without the C++ library; ``EIGHTFOLD_BUILD=python`` builds none; any other value is an error. Without any of them the
library is left out where there is no C++ compiler: the results are the same, and the kernels for AVX-512, AVX2 and NEON
are ours.
"""

import os
import re
import shutil
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
* The core needs cargo (https://rustup.rs), and for a little more speed a C++ *
* compiler. To see what failed:  EIGHTFOLD_BUILD=native pip install -v ...    *
*******************************************************************************
"""


class BuildCore(build_rust):
    """Build the core, or report on the terminal that it could not be built."""

    is_built = False

    def install_extension(self, *built):
        """Note that there is a core to install."""
        super().install_extension(*built)
        self.is_built = True

    def run(self):
        """Build the core if possible, and report if it was not."""
        super().run()
        if not self.is_built:
            say(NO_CORE)


def say(words):
    """Write to standard error, which pip shows only with -v, and to the terminal behind pip, if any."""
    print(words, file=sys.stderr, flush=True)
    try:
        if not sys.stderr.isatty():
            with open("/dev/tty", "w", encoding="ascii") as terminal:
                terminal.write(words)
    except OSError:
        pass


class Wheel(bdist_wheel):
    """Name a wheel without a core as one for every Python and every machine."""

    def run(self):
        """Build first: only then is it known whether there is a core."""
        self.run_command("build")
        built = Path(self.get_finalized_command("build").build_lib, "eightfold").glob("_native.*")
        if not any(each.suffix in (".so", ".pyd") for each in built):
            self.distribution.has_ext_modules = lambda: False
            self.root_is_pure = True
        super().run()


def description():
    """Return the README for a package index: without pictures; with links to the project's address, or plain words."""
    folder = Path(__file__).parent
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    source = project.get("urls", {}).get("Source")
    link = rf"[\1]({source}/blob/main/\2)" if source else r"\1"
    text = re.sub(r"!\[[^\]]+\]\((?![a-z]+:)[^)]+\)\n*", "", (folder / "README.md").read_text(encoding="utf-8"))
    return re.sub(r"\[([^\]]+)\]\((?![a-z]+:|#)([^)\s]+)\)", link, text)


def leaves_out_library(asked):
    """Say whether the Rust compiler alone builds the core. Windows finds its C++ compiler by other ways than PATH."""
    if asked == "native" or (os.name == "nt" and asked != "rust"):
        return False
    named = os.environ.get("CXX", "c++").partition(" ")[0]
    return asked == "rust" or not any(shutil.which(name) for name in (named, "c++", "g++", "clang++"))


# Cargo rebuilds if this differs: another Python may be at the same path, as in an environment that was made again.
os.environ["PYO3_ENVIRONMENT_SIGNATURE"] = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')} {sys.version}"
asked = os.environ.get("EIGHTFOLD_BUILD", "")
if asked not in ("", "native", "rust", "python"):
    sys.exit(f"EIGHTFOLD_BUILD is 'native', 'rust' or 'python', not {asked!r}")
core = RustExtension("eightfold._native", "rust/python/Cargo.toml", binding=Binding.PyO3, debug=False)
core.optional = asked not in ("native", "rust")
core.args = ["--no-default-features"] if leaves_out_library(asked) else []
setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    rust_extensions=[] if asked == "python" else [core],
    cmdclass={"build_rust": BuildCore, "bdist_wheel": Wheel},
)
