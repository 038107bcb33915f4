"""All the figures in one command: every bench, then the plots, then the tables of README.md and bench/README.md.

    python bench/all.py [--quick] [--only NAME ...]

Needs `pip install '.[bench]'`, about 13 minutes on 2 cores that do nothing else, and 3 GB of memory; --quick takes about 4 minutes. A bench that fails leaves its last results; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

BENCHES = ("startup", "latency", "throughput", "scale", "tokens", "accuracy", "forms", "soak", "soak_http")
AFTER = ("plots", "readme")
FOLDER = Path(__file__).parent


def main() -> int:
    """Run one after the other, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller: to see that it works, not to quote")
    parser.add_argument("--only", nargs="+", choices=BENCHES, default=BENCHES, help="these benches only")
    arguments = parser.parse_args()
    failed: list[str] = []
    took: list[str] = []
    for name in (*arguments.only, *AFTER):
        options = ["--quick"] if arguments.quick and name in BENCHES else []
        begin = time.perf_counter()
        done = subprocess.run([sys.executable, str(FOLDER / f"{name}.py"), *options], check=False)
        took.append(f"{name} {time.perf_counter() - begin:.0f} s")
        if done.returncode:
            failed.append(name)
    print(f"took: {', '.join(took)}", f"failed: {', '.join(failed) or 'nothing'}", sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
