"""Prints what the extra `web-test` adds to an environment that has the package, so that nothing is built again."""

import tomllib
from pathlib import Path

SETTINGS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
EXTRA = SETTINGS["project"]["optional-dependencies"]["web-test"]
print(*(each for each in EXTRA if not each.startswith("eightfold")))
