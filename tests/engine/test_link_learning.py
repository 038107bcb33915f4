"""What the link holds of a server's tools, for every process that comes."""

from __future__ import annotations

from pathlib import Path

from engine_link import bench, on_loop, quick
from millpond.core.model import ToolText


def tools(*names: str, size: int = 10) -> tuple[ToolText, ...]:
    return tuple(ToolText(name=name, schema=b"x" * size) for name in names)


@on_loop
async def test_every_process_is_told_what_is_known_of_the_tools_before_anything_is_stored(tmp_path: Path) -> None:
    """MEANING-09"""
    async with bench(tmp_path) as it:
        it.link.learn(tools("a", "b"))
        await it.logged("learns a b")
        it.link.learn(tools("c", "a"))
        await it.logged("learns c a")
        await it.kill()
        await it.logged("learns b c a")


@on_loop
async def test_what_is_too_much_is_not_kept_and_it_is_said(tmp_path: Path) -> None:
    """MEANING-13"""
    async with bench(tmp_path, limits=quick(learned_bytes=100)) as it:
        await it.ask("pid")
        it.link.learn(tools("a", size=80))
        it.link.learn(tools("b", "c", size=15))
        await it.logged("engine: the descriptions of 1 tools are not kept, they are too large")
        it.link.learn(tools("a", size=1))
        it.link.learn(tools("c", size=15))
        await it.logged("learns c")
