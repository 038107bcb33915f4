"""Parser: argparse, with errors as ours.

Rule: light, for every start of a server pays for it. Imports argparse and `core.errors` only.
"""

from __future__ import annotations

import argparse
from typing import NoReturn

from millpond.core.errors import ConfigError


class Parser(argparse.ArgumentParser):
    """argparse that raises `ConfigError` where it would print its usage and leave; no abbreviations."""

    def __init__(self, command: str = "") -> None:
        """`command` is the word behind `millpond`."""
        self._whole = f"millpond {command}".strip()
        super().__init__(prog=self._whole, add_help=False, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raise `ConfigError` with the message."""
        raise ConfigError(f"command line: {message}; see {self._whole} --help")
