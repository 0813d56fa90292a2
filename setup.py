"""The compiled core is optional: without a Rust toolchain the package installs, and the reference is its engine.

``EIGHTFOLD_BUILD=native`` makes a core that cannot be built an error.
"""

import os

from setuptools import setup
from setuptools_rust import Binding, RustExtension

core = RustExtension("eightfold._native", "rust/python/Cargo.toml", binding=Binding.PyO3, debug=False)
core.optional = os.environ.get("EIGHTFOLD_BUILD") != "native"
setup(rust_extensions=[core])
