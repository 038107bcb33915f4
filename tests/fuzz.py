"""Throw hostile bytes at what reads bytes: `python tests/fuzz.py TARGET [SECONDS | FILE]`.

With Atheris (`pip install -e '.[test,fuzz]'`) inputs are led by what they reach in the code; without it they are only
drawn. The first input that breaks a promise is written to `.fuzz/TARGET/found-…` below the working directory, and its traceback is printed; with that
FILE it is tried again alone. What reached new code stays in `.fuzz/TARGET/corpus`, for the next run to begin with. Each target's promise
stands in its module in `fuzzing/`; some inputs of each are tried in `test_fuzz_targets.py`.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from fuzzing.mutation import mutated

MODULES: Mapping[str, str] = {
    "lines": "relay_lines",
    "session": "talks",
    "payload": "result_text",
    "tables": "result_rows",
    "clients": "wrapping",
    "arguments": "own_arguments",
    "sql": "statements",
}
"""The targets, each with its module in `fuzzing`."""
MOST_BYTES = 16_384
"""Of one input."""
OWN_MUTATIONS = 0.7
"""How many of the inputs are made by words, of 1; the others are Atheris's own."""


def main() -> None:
    """Run one target."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("target", choices=MODULES)
    parser.add_argument("what", nargs="?", default="60", metavar="SECONDS | FILE")
    given = parser.parse_args()
    if not given.what.isdigit():
        load(given.target).check(Path(given.what).read_bytes())
        return
    folder = Path(".fuzz", given.target)
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    run = with_atheris if importlib.util.find_spec("atheris") else without_atheris
    run(given.target, int(given.what), folder)


def load(name: str) -> Any:
    """The target of that name."""
    return importlib.import_module(f"fuzzing.{MODULES[name]}").TARGET


def with_atheris(name: str, seconds: int, folder: Path) -> None:
    """Let Atheris choose the inputs by the code that they reach."""
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["millpond"]):
        target = load(name)
    for seed in target.seeds:
        (folder / "corpus" / hashlib.sha1(seed).hexdigest()).write_bytes(seed)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() > OWN_MUTATIONS:
            return atheris.Mutate(data, most)
        return mutated(data, random, target.seeds, target.words)[:most]

    flags = (
        f"-max_total_time={seconds}",
        f"-max_len={MOST_BYTES}",
        f"-artifact_prefix={folder}/found-",
        "-timeout=60",
        "-rss_limit_mb=4096",
        "-print_final_stats=1",
    )
    atheris.Setup([sys.argv[0], *flags, str(folder / "corpus")], target.check, custom_mutator=mutate)
    atheris.Fuzz()


def without_atheris(name: str, seconds: int, folder: Path) -> None:
    """Draw inputs from the seeds."""
    target, random, count = load(name), Random(), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = mutated(random.choice(target.seeds), random, target.seeds, target.words)[:MOST_BYTES]
        try:
            target.check(data)
        except BaseException:
            (folder / f"found-{hashlib.sha1(data).hexdigest()}").write_bytes(data)
            raise
        count += 1
    sys.stdout.write(f"{count} inputs, and nothing found\n")


if __name__ == "__main__":
    main()
