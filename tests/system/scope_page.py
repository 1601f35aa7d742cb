# SPDX-License-Identifier: Apache-2.0
"""A live page in a browser, before an instrument whose histograms are planted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium.webdriver.common.by import By
from tools.scope_bench.browser import Browser
from tools.scope_bench.planted import NAMES, PlantedRig

from plexor.scope.serve import Door, PageServer, ServedAt


class LivePage:
    """The page, and the instrument that it steers."""

    def __init__(self, browser: Browser, served: PageServer, bench: PlantedRig) -> None:
        self.browser = browser
        self.served = served
        self.bench = bench

    def load(self, fragment: str = "") -> None:
        """Load the page afresh. What an earlier page said of its lost server is forgotten."""
        if self.browser.run("return location.protocol") == "http:":
            self.browser.run("localStorage.clear()")
        self.browser.driver.get("about:blank")
        self.browser.errors()
        self.browser.driver.get(f"{self.served.address}{fragment}")
        self.until("plexor.now.seats.steers && plexor.now.layout !== null")

    def reset(self) -> None:
        """Show everything, and set what a fresh page has; end a run under way."""
        if self.js("plexor.now.state.phase") != "idle":
            self.click("stop")
            self.until("plexor.now.state.phase === 'idle'")
        self.browser.run(
            "plexor.view.set({domain: null, log: null, decay: Infinity, hidden: new Set(),"
            "cursors: {a: null, b: null}, overlay: {average: true, last: true, worst: true}});"
            "delete document.documentElement.dataset.theme;"
            "document.querySelectorAll('#settings label input').forEach((each) => {"
            "each.value = each.name === 'rate' ? '20k' : ''; each.checked = false; });"
            "document.querySelectorAll('.pin').forEach((pin, number) => {"
            "const [box, name, edge] = pin.querySelectorAll('input'); box.checked = true;"
            "name.value = arguments[0][number]; edge.value = ''; })",
            NAMES,
        )

    def js(self, expression: str, *arguments: Any) -> Any:
        """Return what an expression in the page comes to."""
        return self.browser.run(f"return {expression}", *arguments)

    def until(self, expression: str, *arguments: Any) -> Any:
        """Wait until an expression is true; return it."""
        return self.browser.until(f"return globalThis.plexor && ({expression})", *arguments)

    def click(self, name: str) -> None:
        """Click what has an id."""
        self.browser.driver.find_element(By.ID, name).click()

    def press(self, keys: str) -> None:
        """Press keys on the page."""
        self.browser.driver.find_element(By.TAG_NAME, "body").send_keys(keys)

    def enter(self, **texts: str) -> None:
        """Type settings, in place of what is there."""
        for name, text in texts.items():
            field = self.browser.driver.find_element(By.NAME, name)
            field.clear()
            field.send_keys(text)

    def begin(self, what: str = "run") -> None:
        """Begin a run, and wait for its first frame."""
        before = self.js("plexor.now.state.run")
        self.js("document.getElementById(arguments[0]).click()", what)
        self.until("plexor.now.state.run > arguments[0]", before)
        self.until("plexor.feed.frame?.run === plexor.now.state.run")

    def end(self) -> None:
        """Wait for the end of a run, and until it is drawn."""
        self.until(
            "plexor.now.state.phase === 'idle' && plexor.now.books.state === 'good'"
            " && !plexor.feed.frame.running && !plexor.stack.waiting"
        )

    def run_to_end(self, **texts: str) -> None:
        """Type settings, run, and wait for the end."""
        self.enter(**texts)
        self.begin()
        self.end()

    @property
    def asked(self) -> Any:
        """The settings of the instrument's last run."""
        return self.bench.runs[-1].settings


@contextmanager
def live_page(browser: Browser, folder: Path, channels: int = 3) -> Iterator[LivePage]:
    """Yield a page that steers an instrument of its own."""
    bench = PlantedRig(channels, each_s=0.05)
    served = PageServer(bench, Door(ServedAt(folder=folder)))
    try:
        page = LivePage(browser, served, bench)
        page.load()
        yield page
    finally:
        browser.driver.get("about:blank")
        served.close()
