"""How long until a client has its tools, and how much of that is the proxy's?

    python bench/startup.py [--quick]

Starts the same server directly and through each proxy, in turns, and takes the time from the start of the process until the answer to
`tools/list` is there. Then it asks at once for 1 MiB of rows: the engine starts beside the first requests, and this is what its start
costs whoever is in a hurry.

Bias: the server is bare Python and starts in a few dozen milliseconds, where real ones take 0.5 to 2 seconds. What a proxy adds stands
out for it; programs are started from a warm disk.
"""

from __future__ import annotations

from collections.abc import Sequence

from lib.payloads import MIB, SMALL, result, rows_text
from lib.sheet import Sheet, run
from lib.ways import OWN, Way, opened, others, served

REPEATS, QUICK_REPEATS = 9, 3


def measure(sheet: Sheet) -> None:
    """Starts, and the first large result after one."""
    ways = (*OWN, *others(sheet))
    found: dict[str, list[float]] = {way.name: [] for way in ways}
    first: dict[str, list[float]] = {way.name: [] for way in ways}
    results = {"word": SMALL, "rows": result(rows_text(MIB), "text")}
    with served(results) as server:
        for _ in range(QUICK_REPEATS if sheet.quick else REPEATS):
            for way in ways:
                start(way, server, sheet, found[way.name], first[way.name])
    direct = found["direct"]
    for way in ways:
        sheet.add_times(f"start/{way.name}", found[way.name], None if way is OWN[0] else direct)
        if way is not OWN[0]:
            sheet.add(
                f"start/{way.name}/added", "ms", [1e3 * (a - b) for a, b in zip(found[way.name], direct, strict=True)]
            )
        sheet.add(f"first 1 MiB/{way.name}", "ms", [1e3 * each for each in first[way.name]])


def start(way: Way, server: Sequence[str], sheet: Sheet, starts: list[float], first: list[float]) -> None:
    """Start once through a way, and note its times."""
    with opened((way,), server, sheet) as clients:
        for client in clients.values():
            starts.append(client.start_seconds)
            first.append(client.seconds("rows"))


if __name__ == "__main__":
    run("startup", __doc__, measure)
