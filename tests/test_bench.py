"""The benches: what is committed agrees with itself, and a comparison finds what became worse and nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BENCH = ROOT / "bench"
RESULTS = sorted((BENCH / "results").glob("*.json"))


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the benches."""
    command = [sys.executable, str(BENCH / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def results(folder: Path, *repeats: float, unit: str = "x", better: str = "lower", quick: bool = False) -> str:
    """A folder with one result that holds one figure."""
    folder.mkdir()
    figure = {"name": "some/ratio", "unit": unit, "better": better, "repeats": repeats}
    about: dict[str, object] = {
        "bench": "some",
        "quick": quick,
        "machine": {},
        "versions": {},
        "commit": "c",
        "seconds": 1,
        "notes": {},
    }
    (folder / "some.json").write_text(json.dumps({**about, "figures": [figure]}))
    return str(folder)


def test_the_tables_and_plots_are_those_of_the_results() -> None:
    found = run("readme.py", "--check")
    assert found.returncode == 0, f"{found.stdout}{found.stderr}run python bench/plots.py and python bench/readme.py"


def test_the_results_name_no_host_user_or_folder() -> None:
    assert RESULTS
    for file in RESULTS:
        text = file.read_text()
        assert re.search(r"/(?:home|root|tmp|work|Users|usr|opt)\b", text) is None, file.name
        assert set(json.loads(text)["machine"]) == {"cpu", "cores", "memory", "system"}, file.name


def test_every_bench_says_what_it_asks() -> None:
    page = (BENCH / "README.md").read_text()
    for script in sorted(BENCH.glob("*.py")):
        assert script.name == "all.py" or f"`{script.name}`" in page, script.name


def test_every_question_is_right_or_something_else_through_each_other_tool() -> None:
    counts = {
        one["name"]: one["repeats"][0] for one in json.loads((BENCH / "results/accuracy.json").read_text())["figures"]
    }
    for name, asked in counts.items():
        group, _, what = name.partition("/")
        if what == "questions":
            for tool in ("ctxtual", "jmunch-mcp"):
                of_it = [count for each, count in counts.items() if each.split("/")[:2] == [group, tool]]
                assert sum(of_it) == asked, f"{group}, {tool}"


def test_every_verb_of_another_tool_belongs_to_a_question() -> None:
    command = [sys.executable, "-c", "import accuracy; print(accuracy.stray())"]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, cwd=BENCH)
    assert found.stdout == "set()\n", found.stderr


def test_a_ratio_that_is_worse_by_more_than_its_repeats_lie_apart_fails(tmp_path: Path) -> None:
    old, new = results(tmp_path / "old", 1.0, 1.1, 1.2), results(tmp_path / "new", 1.5, 1.6, 1.7)
    found = run("compare.py", old, new)
    assert found.returncode == 1
    assert "WORSE  some: some/ratio: 1.10 -> 1.60 x" in found.stdout


def test_a_ratio_that_is_worse_within_its_noise_passes(tmp_path: Path) -> None:
    old, new = results(tmp_path / "old", 1.0, 1.1, 1.4), results(tmp_path / "new", 1.5, 1.6, 1.9)
    assert run("compare.py", old, new).returncode == 0


def test_what_is_to_be_higher_is_worse_where_it_is_lower(tmp_path: Path) -> None:
    old, new = results(tmp_path / "old", 0.6, better="higher"), results(tmp_path / "new", 0.4, better="higher")
    assert run("compare.py", old, new).returncode == 1
    assert run("compare.py", new, old).returncode == 0


def test_a_count_has_no_noise_and_a_time_is_not_judged(tmp_path: Path) -> None:
    fewer, more = results(tmp_path / "old", 300, unit="tokens"), results(tmp_path / "new", 301, unit="tokens")
    assert run("compare.py", fewer, more).returncode == 1
    fast, slow = results(tmp_path / "fast", 1, unit="ms"), results(tmp_path / "slow", 9, unit="ms")
    assert run("compare.py", fast, slow).returncode == 2


@pytest.mark.parametrize("old_is_quick", [True, False])
def test_a_quick_run_is_not_held_against_a_whole_one(tmp_path: Path, old_is_quick: bool) -> None:
    old = results(tmp_path / "old", 1.0, quick=old_is_quick)
    new = results(tmp_path / "new", 2.0, quick=not old_is_quick)
    assert run("compare.py", old, new).returncode == 2
