"""A real browser for tests: Chromium as it is installed, driven by Playwright, with what a page must never do collected.

Marked `browser`: without Chromium such a test is skipped, but not in CI, where it fails unless WITHOUT_BROWSER is set.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WAIT_MS = 30_000
"""The longest wait for anything on a page."""
CONTRAST = """() => {
    const parse = (text) => (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    const lightness = (color) => {
        const [r, g, b] = color.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const [r, g, b, a = 1] = parse(getComputedStyle(at).backgroundColor);
            if (a === 1) return [r, g, b];
        }
        return [255, 255, 255];
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("noscript, option, .hidden, .skip, :disabled")) continue;
        const style = getComputedStyle(element);
        const color = element.closest("svg") ? style.fill : style.color;
        const [a, b] = [lightness(parse(color).slice(0, 3)), lightness(ground(element))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < 4.5) found.push(`${walker.currentNode.data.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
    }
    return found;
}"""
"""Texts that stand out too little from their ground: below 4.5 to 1, as WCAG 2 measures it."""


@contextmanager
def browser() -> Generator[Browser]:
    """Headless Chromium."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        if not os.environ.get("CI") or os.environ.get("WITHOUT_BROWSER"):
            pytest.skip(f"no browser: none of {', '.join(NAMES)} is on PATH; on Debian, apt-get install chromium")
        raise RuntimeError("no browser: .ci/run installs chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        try:
            yield chromium
        finally:
            chromium.close()


@contextmanager
def opened(
    chromium: Browser, url: str, *, width: int = 1440, height: int = 900, scheme: str = "light", still: bool = True
) -> Generator[Page]:
    """The page at an address. At the end nothing may have failed, been refused by its policy, or been asked elsewhere."""
    context = chromium.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce" if still else "no-preference",
    )
    context.set_default_timeout(WAIT_MS)
    page, wrong = context.new_page(), list[str]()

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    def on_request(request: Request) -> None:
        if not request.url.startswith(url.rsplit("/", 2)[0]):
            wrong.append(f"asked elsewhere: {request.url}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", on_request)
    try:
        page.goto(url)
        yield page
        assert wrong == []
    finally:
        context.close()
