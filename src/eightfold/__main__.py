"""``python -m eightfold``: the command line."""

import sys

from eightfold.cli import main

if __name__ == "__main__":
    sys.exit(main())
