"""`python -m millpond` is the same as `millpond`. Imports `cli` only."""

import sys

from millpond.cli import main

if __name__ == "__main__":
    sys.exit(main())
