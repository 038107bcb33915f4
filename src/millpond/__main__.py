"""`python -m millpond` is the same as `millpond`: an interrupt before anything has begun just ends it.

Rule: what Python would print of an interrupted import is of use to nobody; the system's own answer to SIGINT holds until the command
line is there. Imports `cli` only.
"""

import signal
import sys

_python_handles_it = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if _python_handles_it:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from millpond.cli import main  # noqa: E402


def start() -> int:
    """Run the command line and return the exit code."""
    if _python_handles_it:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return main()


if __name__ == "__main__":
    sys.exit(start())
