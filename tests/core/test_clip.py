"""The one place where a text is cut."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from millpond.core.clip import clip, shown

texts = st.text(max_size=30) | st.text("aé€😀\ud800", max_size=30)


def size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


@given(texts, st.integers(0, 60))
@example("é" * 3, 3)
@example("😀", 3)
@example("\ud800", 2)
def test_a_cut_is_the_longest_beginning_that_fits_and_counts_the_rest(text: str, max_bytes: int) -> None:
    """RENDER-07"""
    clipped = clip(text, max_bytes)
    assert text.startswith(clipped.text)
    assert size(clipped.text) <= max_bytes
    assert size(clipped.text) + clipped.left_out_bytes == size(text)
    longer = text[: len(clipped.text) + 1]
    assert longer == clipped.text or size(longer) > max_bytes


@given(st.text(max_size=12), st.integers(0, 8))
def test_what_is_shown_on_a_line_is_one_line_and_says_where_it_was_cut(text: str, most: int) -> None:
    """RENDER-07"""
    line = shown(text, most)
    assert line.isprintable()
    assert len(line) <= max(most, 1)
    assert line.endswith("…") or len(text) <= most
    assert len(text) > most or [char for char in line if char != " "] == [
        char for char in text if char.isprintable() and char != " "
    ]
