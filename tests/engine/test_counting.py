"""What the link counts of all that is asked of it."""

from __future__ import annotations

from pathlib import Path

from engine_link import bench, bounded, on_loop
from millpond.core.stats import MAX_TOOLS, ToolCount
from millpond.engine.counting import Counting
from pond import canvas, rows, structured


def test_counts_of_several_processes_are_one_sessions() -> None:
    """STATS-01"""
    counting = Counting()
    counting.evicted(2)
    counting.evicted(3)
    counting.restarted()
    counting.evicted(4)
    counting.kept("t", 10)
    counting.replaced("t", b"word " * 1_000, b"handle")
    found = counting.session("s", "2026")
    assert (found.server, found.time, found.evictions, found.restarts) == ("s", "2026", 7, 1)
    tool = found.tools["t"]
    assert tool == ToolCount(
        calls=2, replaced=1, bytes=5_010, kept_out_bytes=4_994, kept_out_tokens=tool.kept_out_tokens
    )
    assert 900 < tool.kept_out_tokens < 1_300


def test_names_that_a_client_makes_up_are_one_entry_at_last() -> None:
    """STATS-12"""
    counting = Counting()
    for at in range(1_000):
        counting.kept(f"tool_{at}", 1)
    found = counting.session("s", "2026")
    assert len(found.tools) == MAX_TOOLS + 1
    assert found.total.calls == 1_000


@on_loop
async def test_the_link_counts_what_is_taken_recorded_asked_and_restarted(tmp_path: Path) -> None:
    """STATS-01"""
    async with bench(tmp_path) as it:
        await bounded(it.take("rows", b"[" + b" " * 500 + b"]"))
        await bounded(it.take("keep"))
        it.record("small", b"[1]")
        await it.kill()
        await it.ask("hello")
        found = it.link.counted.session("s", "2026")
    assert {name: (tool.calls, tool.replaced) for name, tool in found.tools.items()} == {
        "rows": (1, 1),
        "keep": (1, 0),
        "small": (1, 0),
    }
    assert (found.queries, found.restarts) == (2, 1)


def test_the_store_counts_what_it_evicts() -> None:
    """STATS-01"""
    with canvas(max_calls=2) as pond:
        for _ in range(5):
            pond.take(structured({"items": rows(200)}))
        assert pond.store.evicted == 3
