"""The compiled core is optional: without a Rust toolchain the package installs, and Python is its engine.

``EIGHTFOLD_BUILD=native`` makes a core that cannot be built an error; ``EIGHTFOLD_BUILD=python`` does not build one.
"""

import os
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools_rust import Binding, RustExtension


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


asked = os.environ.get("EIGHTFOLD_BUILD")
core = RustExtension("eightfold._native", "rust/python/Cargo.toml", binding=Binding.PyO3, debug=False)
core.optional = asked != "native"
setup(rust_extensions=[] if asked == "python" else [core], cmdclass={"bdist_wheel": Wheel})
