"""What the repository may hold, and how large its parts may be."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOP = {
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "bench",
    "example.toml",
    "intent",
    "pyproject.toml",
    "spec",
    "src",
    "tests",
}
MODULE_LINES = 400
CASES_LINES = 600
"""A test module may be a long table of cases."""
PAGE = re.compile(r"\d{4}-\d{2}-\d{2}-[a-z0-9-]+\.md")
HEAD_LINES = 8
OWN = ("package", "folder", "http")
"""Words for the package that a module is in."""
LOOSE = ("at the top", "every side", "stages", "the commands", "the stages")
"""Heads that name what they import by its kind."""


def most(file: Path) -> int:
    """The lines that a module may have."""
    return CASES_LINES if file.is_relative_to(ROOT / "tests") else MODULE_LINES


def modules(folder: str) -> list[Path]:
    """Every Python file below a folder of the repository."""
    return sorted((ROOT / folder).rglob("*.py"))


def kept_files() -> list[str]:
    """The paths that the repository keeps; the test is skipped outside a checkout."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        pytest.skip("not a git checkout")
    return done.stdout.splitlines()


def test_nothing_unexpected_lies_at_the_top() -> None:
    assert {path.partition("/")[0] for path in kept_files()} - TOP == set()


def test_no_module_is_longer_than_four_hundred_lines() -> None:
    long = {str(file.relative_to(ROOT)): n for file in modules(".") if (n := lines(file)) > most(file) and kept(file)}
    assert long == {}


def test_every_module_opens_with_what_it_is() -> None:
    for file in modules("src"):
        text = file.read_text()
        head = ast.get_docstring(ast.parse(text), clean=False)
        assert head or not text, file
        assert len((head or "").splitlines()) <= HEAD_LINES + 1, file


def test_every_module_imports_what_its_head_says() -> None:
    """A head names modules (`core.clip`, the engine's `fetch`), or the whole of a package (`core`, the relay's modules)."""
    wrong: dict[str, set[str]] = {}
    for file in modules("src"):
        tree = ast.parse(file.read_text())
        _, imports, said = " ".join((ast.get_docstring(tree) or "").split()).rpartition(" Imports ")
        if not imports or said.startswith(LOOSE):
            continue
        names = set(re.findall(r"`([\w.]+)`", said))
        own = file.parent.relative_to(ROOT / "src" / "millpond").parts
        wholes = {own if word in OWN else (word,) for word in re.findall(r"([a-z]+)(?:'s?)? (?:pure )?modules\b", said)}
        missing = {one for one in imported(tree) if not any(covers(name, one, wholes) for name in (*names, "-"))}
        unused = {name for name in names if "." in name and not any(covers(name, one, set()) for one in imported(tree))}
        if found := missing | unused:
            wrong[str(file.relative_to(ROOT))] = found
    assert wrong == {}


def imported(tree: ast.Module) -> set[str]:
    """The modules of ours that one imports, anywhere in it, as `core.clip`."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("millpond."):
            module = (node.module or "").removeprefix("millpond.")
            below = [name.name for name in node.names if is_module(f"{module}.{name.name}")]
            found |= {f"{module}.{name}" for name in below} or {module}
    return found


def is_module(name: str) -> bool:
    """Whether there is a module of ours of that name."""
    path = ROOT / "src" / "millpond" / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").exists()


def covers(name: str, module: str, wholes: set[tuple[str, ...]]) -> bool:
    """Whether what a head names is this module, holds it, or is the end of its name; or its whole package is named."""
    parts = tuple(module.split("."))
    is_named = f"{module}.".startswith(f"{name}.") or f".{module}".endswith(f".{name}")
    return is_named or any(whole and parts[: len(whole)] == whole for whole in wholes)


def test_every_decision_has_a_date_and_a_title() -> None:
    pages = sorted((ROOT / "intent").iterdir())
    assert pages
    for page in pages:
        assert PAGE.fullmatch(page.name), page.name
        assert page.read_text().startswith("# "), page.name


def test_the_packages_version_is_the_newest_in_the_changelog() -> None:
    import millpond

    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest
    assert newest[1] == millpond.__version__


def lines(file: Path) -> int:
    """How many lines the file has."""
    return len(file.read_text().splitlines())


def kept(file: Path) -> bool:
    """Whether the file is ours: an environment or a cache may lie in the checkout."""
    return file.relative_to(ROOT).parts[0] in TOP
