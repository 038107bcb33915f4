"""Does it go on as it began: with ten times the rows, with many columns, with many calls at once?

    python bench/scale.py [--quick]

Rows: 3,000, 30,000 and 300,000 of ten columns (1, 10 and 100 MiB), until the handle is there; ten times the rows are to take at most
eleven times as long. Columns: the same bytes in tables of 10 to 1,500 columns. At once: 1 to 200 calls of 300 rows (100 KiB) sent
together, against one after the other. Rows and calls beside the direct connection, in turns.

Bias: more rows of the same kind; what costs Millpond most is a type that changes late, and `bench/forms.py` has that.
"""

from __future__ import annotations

from lib.client import Client
from lib.payloads import MIB, count_text, result, rows_text, wide
from lib.sheet import Sheet, run
from lib.ways import MILLPOND, OWN, in_turns, opened, served

ROWS, QUICK_ROWS = (3_000, 30_000, 300_000), (1_000, 10_000)
"""Each ten times the one before."""
COLUMNS = (10, 60, 400, 1_500)
COLUMNS_BYTES, QUICK_COLUMNS_BYTES = 4 * MIB, MIB
AT_ONCE = (1, 10, 50, 200)
CALL_ROWS = 300


def measure(sheet: Sheet) -> None:
    """Rows, columns, calls."""
    rows(sheet)
    columns(sheet)
    calls(sheet)


def rows(sheet: Sheet) -> None:
    """The growth of the time with the rows."""
    counts = QUICK_ROWS if sheet.quick else ROWS
    before: list[float] = []
    for count in counts:
        text = count_text(min(count, 30_000))
        if count > 30_000:
            text = f"[{','.join([text[1:-1]] * (count // 30_000))}]"
        with served({"rows": result(text)}) as server, opened(OWN, server, sheet) as clients:
            found, _ = in_turns(clients, lambda client: client.seconds("rows"), 3 if count > 30_000 else 5)
        sheet.add_times(f"rows/{count:,}/direct", found["direct"])
        sheet.add_times(f"rows/{count:,}/millpond", found["millpond"])
        if before:
            growth = [late / early for late, early in zip(found["millpond"], before, strict=False)]
            sheet.add(f"rows/{count:,}/growth", "x", growth)
        before = found["millpond"]


def columns(sheet: Sheet) -> None:
    """The same bytes in more and more columns."""
    size = QUICK_COLUMNS_BYTES if sheet.quick else COLUMNS_BYTES
    tables = {
        f"columns_{count}": result(rows_text(size, lambda at, chance, count=count: wide(at, chance, count)))
        for count in COLUMNS
    }
    with served(tables) as server, opened((MILLPOND,), server, sheet) as clients:
        [client] = clients.values()
        found: dict[int, list[float]] = {count: [] for count in COLUMNS}
        for turn in range(4 if sheet.quick else 6):
            for count in COLUMNS:
                seconds = client.seconds(f"columns_{count}")
                if turn:
                    found[count].append(seconds)
    for count in COLUMNS:
        sheet.add_times(f"columns/{count:,}", found[count], None if count == COLUMNS[0] else found[COLUMNS[0]])


def calls(sheet: Sheet) -> None:
    """Large results sent together."""
    with served({"rows": result(count_text(CALL_ROWS))}) as server, opened(OWN, server, sheet) as clients:
        for count in AT_ONCE:

            def batch(client: Client, count: int = count) -> float:
                return client.at_once("rows", count)[-1]

            def in_a_row(client: Client, count: int = count) -> float:
                return sum(client.seconds("rows") for _ in range(count))

            together, failed = in_turns(clients, batch, 3)
            for name, text in failed.items():
                sheet.note(f"{count} at once/{name}", text)
            for name, seconds in together.items():
                sheet.add_times(f"{count} at once/{name}", seconds)
            if "millpond" in together and count > 1:
                alone, _ = in_turns({"millpond": clients["millpond"]}, in_a_row, 3, warm_up=False)
                each = [a / b for a, b in zip(together["millpond"], alone["millpond"], strict=True)]
                sheet.add(f"{count} at once/to one by one", "x", each)


if __name__ == "__main__":
    run("scale", __doc__, measure)
