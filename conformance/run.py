"""Test any encoder or decoder against the vectors: see `--help` and PROTOCOL.md. Needs nothing but Python."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from runner.command import main

if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
