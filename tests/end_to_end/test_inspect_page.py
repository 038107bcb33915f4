"""The page of `millpond inspect` in a real browser, beside a running session."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser import CONTRAST, WAIT_MS, browser, opened
from relay_client import SECONDS, SERVERS, Client

pytestmark = pytest.mark.browser

expect.set_options(timeout=WAIT_MS)
HOSTILE = "<img src=x onerror=\"document.title='taken'\"> javascript:alert(1) \u202eevil\nsecond line"
LONG = "".join(f"{number:05} " for number in range(2_000))
ROWS = 12_000
SCHEMES = ("light", "dark")


def rows(count: int, start: int = 0) -> list[dict[str, object]]:
    """Records with every kind of cell that is hard to show."""
    notes = ("plain", "", None, HOSTILE, LONG)
    return [
        {
            "id": number,
            "note": notes[number % 5] if number < 50 else "plain",
            "amount": f"{number % 7}.50",
            "big": 9_007_199_254_740_993 + number,
            "user": {"login": f"user {number % 3}"},
            "tags": ["t"] * (number % 4),
            "vast": 10**30 + number,
            **{f"field_{at}": number * at for at in range(12)},
        }
        for number in range(start, start + count)
    ]


def raw(records: object) -> str:
    """The result of a tool that answers with these records; amounts are numbers with two digits."""
    text = re.sub(r'"amount": "([0-9.]+)"', r'"amount": \1', json.dumps({"items": records}))
    return json.dumps({"content": [{"type": "text", "text": text}]})


class Session(Client):
    """A client of a session that the page can see."""

    def __init__(self, folder: Path, name: str) -> None:
        config = folder / f"{name}.toml"
        entry = f"[servers.{name}]\ncommand = {json.dumps(sys.executable)}\nargs = [{json.dumps(str(SERVERS / 'giving_server.py'))}]\n"
        config.write_text(f"{entry}[inspect]\ndirectory = {json.dumps(str(folder / 'doors'))}\n")
        super().__init__([sys.executable, "-m", "millpond", "--config", str(config)])
        self.open()

    def __enter__(self) -> Session:
        return self

    def give(self, records: object) -> str:
        """A call; the first table's name."""
        self.call("give", raw=raw(records))
        meta = json.loads(self.line())["result"].get("_meta", {})
        return meta["millpond/handle"]["tables"][0]["name"] if meta else ""

    def query(self, sql: str, **more: object) -> None:
        """A question of the agent."""
        self.call("query", 1, sql=sql, **more)
        self.line()


@dataclass(frozen=True)
class Seen:
    """A session with one large table, the page's address, and a browser."""

    session: Session
    table: str
    url: str
    chromium: Browser
    folder: Path


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Generator[Seen]:
    folder = tmp_path_factory.mktemp("inspect")
    command = [sys.executable, "-m", "millpond", "inspect", "--directory", str(folder / "doors")]
    with browser() as chromium, Session(folder, "giving") as session:
        table = session.give(rows(ROWS))
        session.query(f"SELECT count(*) FROM {table}")
        session.query("SELECT nothing FROM nowhere")
        session.give(rows(1))
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout
        try:
            line = server.stdout.readline()
            yield Seen(session, table, re.findall(r"http\S+", line)[0], chromium, folder)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(SECONDS)
            server.stdout.close()


def shown_table(page: Page, name: str) -> None:
    """Have the page show the rows of a table."""
    page.get_by_role("tab", name=re.compile("^Tables")).click()
    page.get_by_role("navigation", name="Tables").get_by_role("button", name=name).click()
    expect(page.get_by_role("grid", name=f"Rows of {name}")).to_be_visible()


def cell(page: Page, row: int, column: int):
    """A cell of the grid, counted from 0."""
    return page.locator(f"[role=row][aria-rowindex='{row + 2}'] [role=gridcell][aria-colindex='{column + 1}']")


def test_what_happened_is_there_and_what_happens_comes(seen: Seen) -> None:
    """INSPECT-30"""
    with opened(seen.chromium, seen.url) as page:
        entries = page.get_by_role("list", name="Calls and queries, newest first").get_by_role("listitem")
        expect(page.locator(".entry.replaced")).to_have_count(1)
        expect(page.locator(".entry.refused")).to_have_count(1)
        before = entries.count()
        table = seen.session.give(rows(100))
        seen.session.query(f"SELECT max(id) AS highest FROM {table}")
        expect(entries).to_have_count(before + 2)
        entries.first.get_by_role("button").first.click()
        expect(entries.first).to_contain_text(f"SELECT max(id) AS highest FROM {table}")
        expect(entries.first.locator("pre").last).to_contain_text("99")
        entries.nth(1).get_by_role("button").first.click()
        expect(entries.nth(1)).to_contain_text(f"100 rows in {table}")
        entries.nth(1).get_by_role("button", name=table).click()
        expect(page.get_by_role("grid", name=f"Rows of {table}")).to_be_visible()


def test_the_plot_has_axes_with_units_and_says_its_figures(seen: Seen) -> None:
    """INSPECT-32"""
    with opened(seen.chromium, seen.url) as page:
        plot = page.get_by_role("img", name=re.compile(r"^Over time: [\d.]+ MB \(about [\d.kM]+ tokens\) kept out"))
        expect(plot).to_be_visible()
        marks = plot.locator("text").all_text_contents()
        assert {"bytes", "tokens, about", "0 B"} <= set(marks)
        assert any(re.fullmatch(r"[\d.]+ MB", mark) for mark in marks)
        assert any(re.fullmatch(r"[\d.]+[kM]", mark) for mark in marks)
        assert sum(bool(re.fullmatch(r"\d\d:\d\d:\d\d", mark)) for mark in marks) == 3


def test_cells_are_shown_as_they_are_and_never_become_markup(seen: Seen) -> None:
    """INSPECT-33, INSPECT-34"""
    with opened(seen.chromium, seen.url) as page:
        shown_table(page, seen.table)
        expect(cell(page, 2, 1)).to_have_text("NULL")
        expect(cell(page, 1, 1)).to_have_text('""')
        expect(cell(page, 3, 1)).to_contain_text("<img src=x")
        expect(cell(page, 3, 1)).to_contain_text("↵second line")
        expect(cell(page, 0, 2)).to_have_text("0.50")
        expect(cell(page, 0, 3)).to_have_text("9007199254740993")
        expect(cell(page, 0, 4)).to_have_text('{"login":"user 0"}')
        assert cell(page, 3, 1).evaluate("(cell) => getComputedStyle(cell.firstElementChild).unicodeBidi") == "isolate"
        assert page.locator("img").count() == 0
        assert page.title() == "giving – Millpond"
        assert [cell(page, 0, at).evaluate("(cell) => getComputedStyle(cell).textAlign") for at in (1, 2)] == [
            "start",
            "right",
        ]


def test_a_long_cell_is_cut_and_can_be_seen_whole(seen: Seen) -> None:
    """INSPECT-35"""
    with opened(seen.chromium, seen.url) as page:
        shown_table(page, seen.table)
        expect(cell(page, 4, 1)).to_contain_text("…")
        cell(page, 4, 1).click()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text(f"{len(LONG):,} characters")
        assert dialog.locator("pre").text_content() == LONG
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(cell(page, 4, 1)).to_be_focused()


def test_twelve_thousand_rows_are_scrolled_with_few_elements(seen: Seen) -> None:
    """INSPECT-36"""
    with opened(seen.chromium, seen.url) as page:
        shown_table(page, seen.table)
        grid = page.get_by_role("grid", name=f"Rows of {seen.table}")
        assert grid.get_attribute("aria-rowcount") == str(ROWS + 1)
        for share in (0.1, 0.35, 0.8, 1.0):
            grid.evaluate(
                "(grid, share) => { grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * share; }", share
            )
            row = min(ROWS - 1, int(ROWS * share) + 5 if share < 0.5 else int(ROWS * share) - 5)
            expect(cell(page, row, 0)).to_have_text(str(row))
            assert grid.get_by_role("row").count() < 80
        cell(page, ROWS - 1, 0).click()
        page.keyboard.press("Control+Home")
        expect(cell(page, 0, 0)).to_be_focused()
        expect(cell(page, 0, 0)).to_have_text("0")


def test_more_rows_than_an_element_can_be_high_are_scrolled_to_their_end(seen: Seen) -> None:
    """INSPECT-36"""
    seen.session.query("SELECT range AS n, 2 * range AS twice FROM range(2000000)", save_as="many")
    with opened(seen.chromium, seen.url) as page:
        shown_table(page, "many")
        expect(cell(page, 0, 0)).to_have_text("0")
        cell(page, 0, 0).click()
        page.keyboard.press("Control+End")
        expect(cell(page, 1_999_999, 1)).to_be_focused()
        expect(cell(page, 1_999_999, 1)).to_have_text("3999998")
        expect(cell(page, 1_999_999, 1)).to_be_in_viewport(ratio=1)
        page.keyboard.press("PageUp")
        page.keyboard.press("Home")
        expect(page.locator("[role=gridcell]:focus")).to_have_text(re.compile(r"^19999\d\d$"))


def test_a_head_sorts_and_the_next_rows_are_in_that_order(seen: Seen) -> None:
    """INSPECT-37"""
    with opened(seen.chromium, seen.url) as page:
        shown_table(page, seen.table)
        for order, first in (("ascending", "0"), ("descending", str(ROWS - 1)), ("none", "0")):
            page.get_by_role("columnheader", name="id").get_by_role("button").click()
            expect(page.get_by_role("columnheader", name="id")).to_have_attribute("aria-sort", order)
            expect(cell(page, 0, 0)).to_have_text(first)


def test_columns_tell_nulls_different_values_ends_and_how_they_spread(seen: Seen) -> None:
    """INSPECT-38"""
    with opened(seen.chromium, seen.url) as page:
        shown_table(page, seen.table)
        page.get_by_role("tab", name="Columns").click()
        line = page.get_by_role("row", name=re.compile("^id "))
        expect(line).to_contain_text("12,000unique")
        expect(line).to_contain_text("11999")
        expect(line.get_by_role("img", name=re.compile("^Counts from least to most: 600, 600"))).to_be_visible()
        note = page.get_by_role("row", name=re.compile("^note "))
        expect(note).to_contain_text("10<1 %")
        expect(note.get_by_role("listitem").first).to_contain_text("plain11,960")


def test_columns_fit_and_long_integers_and_lists_are_measured(seen: Seen) -> None:
    """INSPECT-45"""
    with opened(seen.chromium, seen.url, width=1280, height=800) as page:
        shown_table(page, seen.table)
        page.get_by_role("tab", name="Columns").click()
        vast = page.get_by_role("row", name=re.compile("^vast "))
        expect(vast.get_by_role("img", name=re.compile("^Counts from least to most: 600, 600"))).to_be_in_viewport(
            ratio=1
        )
        tags = page.get_by_role("row", name=re.compile("^tags "))
        expect(tags).to_contain_text("0 elements3 elements")
        assert all(
            width >= 3 for width in tags.locator(".share").evaluate_all("(bars) => bars.map((b) => b.clientWidth)")
        )
        assert page.locator(".profile").evaluate("(box) => box.scrollWidth - box.clientWidth") == 0


def test_what_cannot_be_seen_is_shown_and_said_to_be_copied(seen: Seen) -> None:
    """INSPECT-44"""
    hidden = "\u202eevil a\u200bb\ufeff\u0007 \u2764\ufe0f"
    shown = "\\u202eevil a\\u200bb\\ufeff\\u0007 \u2764\ufe0f"
    table = seen.session.give([{"id": at, "text": hidden} for at in range(100)])
    seen.session.query(f"SELECT text, '{hidden}' AS {chr(34)}n\u202eame{chr(34)} FROM {table} LIMIT 1")
    with opened(seen.chromium, seen.url) as page:
        shown_table(page, table)
        expect(cell(page, 0, 1)).to_have_text(shown)
        expect(cell(page, 0, 1).locator(".unseen")).to_have_count(3)
        page.locator(".entry.query .summary").first.click()
        expect(page.locator(".entry.query pre").first).to_contain_text(shown)
        cell(page, 0, 1).click()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        expect(dialog.locator("pre")).to_have_text(shown)
        expect(dialog).to_contain_text("4 characters that cannot be seen")
        expect(dialog.get_by_role("button", name="Copy as it is")).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("tab", name="Columns").click()
        expect(page.get_by_role("row", name=re.compile("^text ")).get_by_role("listitem")).to_contain_text(shown)
        assert re.search("[\u202e\u200b\ufeff\u0007]", page.content()) is None
        assert page.evaluate(CONTRAST) == []


def test_calls_that_come_fast_are_newest_first(seen: Seen) -> None:
    """INSPECT-30"""
    with opened(seen.chromium, seen.url) as page:
        expect(page.locator(".entry").first).to_be_visible()
        order = page.evaluate("""async () => {
            const {newestFirst} = await import("./activity.js");
            const of = (kind, number) => ({kind, number, time: "2026-11-30T12:00:00.000Z"});
            const told = [of("call", 1), of("call", 2), of("query", 1), {...of("call", 3), time: "2026-11-30T12:00:00.001Z"}, of("call", 10)];
            return told.sort(newestFirst).map(({kind, number}) => `${kind} ${number}`);
        }""")
        assert order == ["call 3", "query 1", "call 10", "call 2", "call 1"]


def test_the_sql_box_reads_through_the_gate_and_its_questions_are_not_the_agents(seen: Seen) -> None:
    """INSPECT-08, INSPECT-39"""
    with opened(seen.chromium, seen.url) as page:
        expect(page.locator(".entry.refused")).to_have_count(1)
        page.get_by_role("tab", name="SQL").click()
        box = page.get_by_label("One statement that reads")
        box.fill(f"SELECT sum(amount) AS total, median(amount) AS middle FROM {seen.table}")
        page.keyboard.press("Control+Enter")
        expect(cell(page, 0, 0)).to_have_text(re.compile(r"^\d+\.50$|^\d+\.00$"))
        box.fill(f"DROP TABLE {seen.table}")
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_role("alert")).to_contain_text("not_a_read")
        box.fill("SELECT count(*) FROM range(100000000000)")
        page.get_by_role("button", name="Run").click()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("alert")).to_contain_text("Stopped")
        box.fill("SELECT 'again' AS word")
        page.get_by_role("button", name="Run").click()
        expect(cell(page, 0, 0)).to_have_text("again")
        expect(page.locator(".entry.query", has_text="again")).to_have_count(0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_can_be_read_in_the_dark_and_in_the_light(seen: Seen, scheme: str) -> None:
    """INSPECT-41"""
    with opened(seen.chromium, seen.url, scheme=scheme) as page:
        shown_table(page, seen.table)
        expect(cell(page, 0, 0)).to_have_text("0")
        page.locator(".entry.refused .summary").click()
        assert page.evaluate(CONTRAST) == []
        page.get_by_role("tab", name="Columns").click()
        expect(page.get_by_role("row", name=re.compile("^note "))).to_contain_text("plain")
        assert page.evaluate(CONTRAST) == []
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", ground)[:3])) < 384) == (scheme == "dark")


def test_the_keyboard_reaches_all_and_shows_where_it_is(seen: Seen) -> None:
    """INSPECT-40"""
    with opened(seen.chromium, seen.url) as page:
        shown_table(page, seen.table)
        expect(cell(page, 0, 0)).to_have_text("0")
        page.evaluate("document.activeElement.blur()")
        wanted = "button, select, textarea, a[href], [tabindex='0']"
        left = page.locator(f":is({wanted}):not([tabindex='-1']):visible").count()
        for _ in range(left + 20):
            page.keyboard.press("Tab")
            page.evaluate(
                "document.activeElement.dataset.reached = getComputedStyle(document.activeElement).outlineStyle"
            )
        missed = page.locator(
            f":is({wanted}):not([tabindex='-1']):not([data-reached=solid]):not([data-reached=auto]):visible"
        )
        assert missed.evaluate_all("(found) => found.map((one) => one.outerHTML.slice(0, 120))") == []


def test_a_window_of_360_pixels_shows_every_part(seen: Seen) -> None:
    """INSPECT-42"""
    with opened(seen.chromium, seen.url, width=360, height=740) as page:
        for part, there in (
            ("Activity", page.get_by_role("img", name=re.compile("^Over time"))),
            ("Tables", page.get_by_role("grid")),
            ("SQL", page.get_by_label("One statement that reads")),
        ):
            page.get_by_role("tab", name=re.compile(f"^{part}")).click()
            expect(there).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            assert page.evaluate(CONTRAST) == []
        page.get_by_role("tab", name=re.compile("^SQL")).focus()
        page.keyboard.press("Home")
        expect(page.get_by_role("tab", name=re.compile("^Activity"))).to_be_focused()


def test_nothing_moves_where_that_is_not_wanted(seen: Seen) -> None:
    """INSPECT-43"""
    moving = "document.getAnimations().length"
    sheet = "[...document.styleSheets[0].cssRules].some((rule) => rule.conditionText?.includes('reduced-motion: no-preference'))"
    with opened(seen.chromium, seen.url) as page:
        expect(page.locator(".entry").first).to_be_visible()
        assert page.evaluate(moving) == 0
        assert page.evaluate(sheet)


def test_a_session_appears_and_ends_and_the_page_says_so(seen: Seen) -> None:
    """INSPECT-11, INSPECT-12"""
    with opened(seen.chromium, seen.url) as page:
        choice = page.get_by_role("combobox", name="Session")
        expect(choice).to_be_visible()
        with Session(seen.folder, "second") as second:
            expect(choice.locator("option")).to_have_count(2)
            choice.select_option(label=choice.locator("option").first.text_content() or "")
            expect(page.get_by_text("No call has come yet")).to_be_visible()
            second.give(rows(100))
            expect(page.locator(".entry")).to_have_count(1)
            assert second.close() == 0
        expect(page.get_by_role("alert")).to_contain_text("This session has ended")
        expect(page.locator(".entry")).to_have_count(1)
        page.get_by_role("button", name="Show giving").click()
        expect(page.locator(".entry.refused")).to_have_count(1)
