"""What does a proxy add to a small call, at the median and for the unlucky, and with many calls at once?

    python bench/latency.py [--quick]

Small calls (60 bytes, and 2 KiB of rows that go on as they came) directly and through each proxy, one call here, one there, in rounds;
for each round median, 95th and 99th percentile, and what is added to the direct connection's of the same round. Then 1 to 200 calls
sent at once: the time until the last is answered, and each call's own.

Bias: the client reads raw bytes, so that all that is added is the proxies'; an SDK's own time for a small call, about a millisecond,
would hide most of it. The server answers one call at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median, quantiles

from lib.client import Client
from lib.payloads import SMALL, count_text, result
from lib.sheet import Sheet, run
from lib.ways import OWN, in_turns, opened, others, served

ROUNDS, QUICK_ROUNDS = 7, 3
CALLS, QUICK_CALLS = 300, 60
"""In each round, through each way."""
AT_ONCE = (1, 10, 50, 200)
REPEATS, QUICK_REPEATS = 9, 3
TOOLS = {"word": SMALL, "few": result(count_text(7), "text")}


def percentile(seconds: Sequence[float], percent: int) -> float:
    """In milliseconds."""
    return 1e3 * (median(seconds) if percent == 50 else quantiles(seconds, n=100, method="inclusive")[percent - 1])


def measure(sheet: Sheet) -> None:
    """Small calls one after the other, then at once."""
    ways = (*OWN, *others(sheet))
    with served(TOOLS) as server, opened(ways, server, sheet) as clients:
        for tool in TOOLS:
            one_by_one(sheet, clients, tool)
        for count in AT_ONCE:
            at_once(sheet, clients, count)


def one_by_one(sheet: Sheet, clients: Mapping[str, Client], tool: str) -> None:
    """Rounds of single calls."""
    rounds = [
        in_turns(clients, lambda client: client.seconds(tool), QUICK_CALLS if sheet.quick else CALLS)[0]
        for _ in range(QUICK_ROUNDS if sheet.quick else ROUNDS)
    ]
    for name in clients:
        for percent in (50, 95, 99):
            each = [percentile(one[name], percent) for one in rounds]
            sheet.add(f"{tool}/{name}/p{percent}", "ms", each)
            if name != "direct":
                direct = [percentile(one["direct"], percent) for one in rounds]
                sheet.add(f"{tool}/{name}/p{percent} added", "ms", [a - b for a, b in zip(each, direct, strict=True)])
                sheet.add(f"{tool}/{name}/p{percent} ratio", "x", [a / b for a, b in zip(each, direct, strict=True)])


def at_once(sheet: Sheet, clients: Mapping[str, Client], count: int) -> None:
    """Batches of calls sent together."""
    singles: dict[str, list[float]] = {name: [] for name in clients}

    def batch(client: Client) -> float:
        seconds = client.at_once("word", count)
        singles[next(name for name, one in clients.items() if one is client)] += seconds
        return seconds[-1]

    found, failed = in_turns(clients, batch, QUICK_REPEATS if sheet.quick else REPEATS)
    for name, text in failed.items():
        sheet.note(f"{count} at once/{name}", text)
    for name, seconds in found.items():
        sheet.add_times(f"{count} at once/{name}", seconds, None if name == "direct" else found["direct"])
        if count > 1:
            for percent in (50, 99):
                sheet.add(f"{count} at once/{name}/p{percent}", "ms", [percentile(singles[name], percent)])


if __name__ == "__main__":
    run("latency", __doc__, measure)
