"""What does a stranger's first minute look like, from an empty virtual environment to a wrapped server and back?

    python bench/first_minute.py

Runs the commands of the README in an empty home with a client's configuration of two servers in it, and writes each with its seconds and
what it printed to `bench/results/first_minute.md`. Its bias: packages come from the machine's own cache or index, and the server that is
wrapped is the demo's, so that nothing else is fetched.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lib.machine import ROOT

PAGE = ROOT / "bench" / "results" / "first_minute.md"
MOST_LINES = 24
"""Of what a command printed; how many more there were is said."""
LIMIT_SECONDS = 300.0
LISTING = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    '"clientInfo":{"name":"stranger","version":"1"}}}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
)


def main() -> int:
    """Run the minute and write its page; exit code 1 where a command fails or the file does not come back as it was."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        minute = Minute(Path(folder).resolve())
        minute.play()
        PAGE.write_text(minute.page())
    print(f"{minute.seconds:.1f} s in all; {PAGE.relative_to(ROOT)}")
    return 0


class Minute:
    """One run of the commands, in a home of its own."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lines: list[str] = []
        self.seconds = 0.0
        """Of all commands so far."""

    def play(self) -> None:
        """Run it all. Raises `AssertionError` where something is not as it must be."""
        python = f"{self._home}/.venv/bin/python"
        config = self._home / ".config" / "Claude" / "claude_desktop_config.json"
        config.parent.mkdir(parents=True)
        servers = {
            "strikes": {"command": python, "args": ["-m", "millpond.demo.server"], "env": {"API_TOKEN": "s3cret"}},
            "wiki": {"command": "npx", "args": ["-y", "some-wiki-server"]},
        }
        config.write_text(json.dumps({"theme": "dark", "mcpServers": servers}, indent=2) + "\n")
        before = config.read_bytes()
        self.run("python3 -m venv .venv")
        self.run(f".venv/bin/pip install {ROOT}")
        self.run(".venv/bin/millpond demo")
        self.run(".venv/bin/millpond clients")
        self.run(".venv/bin/millpond doctor -- .venv/bin/python -m millpond.demo.server")
        self.run(".venv/bin/millpond wrap claude-desktop strikes --dry-run")
        self.run(".venv/bin/millpond wrap claude-desktop strikes")
        entry = json.loads(config.read_text())["mcpServers"]["strikes"]
        assert entry["env"] == servers["strikes"]["env"]
        listed = self.run(shlex.join([entry["command"], *entry["args"]]), LISTING)
        assert '"query"' in listed
        self.run(".venv/bin/millpond stats")
        self.run(".venv/bin/millpond unwrap claude-desktop strikes")
        assert config.read_bytes() == before, "the file is not what it was"

    def run(self, command: str, given: str = "") -> str:
        """Run a command, and note it with its seconds and what it printed."""
        kept = {
            name: os.environ[name]
            for name in ("PATH", "LANG", "PIP_INDEX_URL", "PIP_CONFIG_FILE")
            if name in os.environ
        }
        environ = {**kept, "HOME": str(self._home), "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_QUIET": "1"}
        began = time.perf_counter()
        done = subprocess.run(
            ["bash", "-c", command],
            input=given,
            cwd=self._home,
            env=environ,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
        seconds = time.perf_counter() - began
        self.seconds += seconds
        printed = (done.stdout + done.stderr).rstrip()
        assert done.returncode == 0, f"{command}: {printed}"
        self._lines += ["```sh", f"$ {self._shown(command)}", *self._some(printed), "```", f"{seconds:.1f} s", ""]
        return printed

    def _some(self, printed: str) -> list[str]:
        lines = [self._shown(line)[:200] for line in printed.splitlines()]
        more = len(lines) - MOST_LINES
        return lines if more <= 0 else [*lines[:MOST_LINES], f"... and {more} lines more"]

    def _shown(self, text: str) -> str:
        """Without the places of this machine."""
        return text.replace(str(self._home), "~").replace(str(ROOT), ".")

    def page(self) -> str:
        """The page, as Markdown."""
        head = [
            "# The first minute",
            "",
            f"What `python bench/first_minute.py` ran on Python {sys.version_info.major}.{sys.version_info.minor}, in an empty home with"
            f" one client's file of two servers: {self.seconds:.0f} s in all, most of it the installation.",
            "",
        ]
        return "\n".join([*head, *self._lines]).rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
