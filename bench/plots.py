"""Draws the plots of `bench/results` as SVG; the same results give the same bytes.

python bench/plots.py
"""

from __future__ import annotations

import argparse

from lib.figures import RESULTS, read_all
from lib.plots import DATA, draw_all


def main() -> None:
    """Draw all of them."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    draw_all(read_all())
    print(*(f"{RESULTS.name}/{name}.svg" for name in DATA), sep="\n")


if __name__ == "__main__":
    main()
