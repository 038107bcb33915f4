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


def results(
    folder: Path,
    *repeats: float,
    unit: str = "x",
    better: str = "lower",
    quick: bool = False,
    name: str = "some/ratio",
) -> str:
    """A folder with one result that holds one figure."""
    folder.mkdir()
    figure = {"name": name, "unit": unit, "better": better, "repeats": repeats}
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


def test_fewer_right_answers_are_worse(tmp_path: Path) -> None:
    old = results(tmp_path / "old", 144, unit="count", better="higher")
    new = results(tmp_path / "new", 143, unit="count", better="higher")
    assert run("compare.py", old, new).returncode == 1


@pytest.mark.parametrize(("name", "code"), [("32/millpond/ratio", 1), ("32/ctxtual/ratio", 0)])
def test_a_figure_that_is_gone_is_worse_unless_it_is_of_what_a_machine_may_lack(
    tmp_path: Path, name: str, code: int
) -> None:
    both = "1/millpond/ratio"
    for folder, names in (("old", (both, name)), ("new", (both,))):
        files = [
            Path(results(tmp_path / f"{folder}_{at}", 1.0, name=one)) / "some.json" for at, one in enumerate(names)
        ]
        found = [json.loads(file.read_text()) for file in files]
        merged = {**found[0], "figures": [figure for one in found for figure in one["figures"]]}
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "some.json").write_text(json.dumps(merged))
    found = run("compare.py", str(tmp_path / "old"), str(tmp_path / "new"))
    assert found.returncode == code
    assert f"some: {name}: not measured" in found.stdout


def bench_of(measured: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a bench that measures this."""
    script = f"""
import os, sys
sys.path.insert(0, {str(BENCH)!r})
from lib.sheet import run
def measure(sheet):
    {measured}
run("of_one", "", measure)
"""
    command = [sys.executable, "-c", script, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


ONE = 'sheet.add("one", "x", [1.0])'


def test_a_quick_run_writes_only_where_a_folder_is_named(tmp_path: Path) -> None:
    assert bench_of(ONE, "--quick").returncode == 0
    assert not (BENCH / "results" / "of_one.json").exists()
    assert bench_of(ONE, "--quick", "--results", str(tmp_path)).returncode == 0
    assert (tmp_path / "of_one.json").exists()


def test_a_bench_that_could_measure_nothing_fails_and_takes_no_result_away(tmp_path: Path) -> None:
    found = bench_of('sheet.note("all of it", "no network")', "--results", str(tmp_path))
    assert found.returncode == 1
    assert list(tmp_path.iterdir()) == []


def test_a_bench_does_not_enter_the_record_of_whoever_runs_it(tmp_path: Path) -> None:
    """Its calls are nobody's conversation."""
    found = bench_of(f'assert os.environ["MILLPOND_STATS"] == "off"; {ONE}', "--results", str(tmp_path))
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("old_is_quick", [True, False])
def test_a_quick_run_is_not_held_against_a_whole_one(tmp_path: Path, old_is_quick: bool) -> None:
    old = results(tmp_path / "old", 1.0, quick=old_is_quick)
    new = results(tmp_path / "new", 2.0, quick=not old_is_quick)
    assert run("compare.py", old, new).returncode == 2
