# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, as tests and figures of the live page drive it."""

from __future__ import annotations

import base64
import importlib.util
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from selenium import webdriver

CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
"""Where Debian's packages put them."""
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--enable-precise-memory-info",
)

_VIOLATIONS = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then((found) => done(found.violations.map(
  (v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html).join(' | ')}`)));
"""


@cache
def _axe() -> str:
    """Return the script of axe-core, of which its package is a mere carrier."""
    spec = importlib.util.find_spec("axe_playwright_python")
    assert spec is not None
    folders = spec.submodule_search_locations
    assert folders is not None
    return Path(folders[0], "axe.min.js").read_text(encoding="utf-8")


class Browser:
    """A browser with one page."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def screen(self, width: int, height: int, *, dark: bool = False) -> None:
        """Be a screen of so many pixels, with a preferred colour scheme."""
        self.tell(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.tell("Emulation.setEmulatedMedia", features=[scheme])

    def run(self, script: str, *arguments: Any) -> Any:
        """Return what a script in the page returns."""
        found: Any = self.driver.execute_script(script, *arguments)  # pyright: ignore
        return found

    def ask(self, module: str, expression: str, *arguments: Any) -> Any:
        """Return what an expression on a module `m` of the page's drawing code comes to.

        The arguments are `a[0]` and so on.
        """
        script = (
            "const a = [...arguments], done = a.pop();"
            f"import('./draw/{module}.js').then((m) => done({expression}), (e) => done(String(e)))"
        )
        found: Any = self.driver.execute_async_script(script, *arguments)  # pyright: ignore
        return found

    def until(self, script: str, *arguments: Any, most_s: float = 120.0) -> Any:
        """Return what a script returns, once that is true. Raises TimeoutError."""
        deadline = time.monotonic() + most_s
        while not (found := self.run(script, *arguments)):
            if time.monotonic() > deadline:
                raise TimeoutError(script)
            time.sleep(0.02)
        return found

    def tell(self, command: str, **parameters: Any) -> Any:
        """Return the answer to a command of the DevTools protocol."""
        found: Any = self.driver.execute_cdp_cmd(command, parameters)  # pyright: ignore
        return found

    def picture(self, path: Path) -> None:
        """Write the whole page as a PNG."""
        size = self.run("return [innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
        shot = self.tell("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))

    def violations(self) -> list[str]:
        """Return what axe-core objects to in the page: accessibility that a program can check."""
        self.tell("Runtime.evaluate", expression=_axe())
        found: Any = self.driver.execute_async_script(_VIOLATIONS)  # pyright: ignore
        return found

    def errors(self) -> list[str]:
        """Return what the page's scripts complained about since the last call."""
        entries: Any = self.driver.get_log("browser")  # pyright: ignore
        return [str(entry["message"]) for entry in entries if entry["level"] == "SEVERE"]


@contextmanager
def browser(width: int = 1400, height: int = 900, *, dark: bool = False) -> Generator[Browser]:
    """Yield a browser without a window."""
    options = webdriver.ChromeOptions()
    for argument in (*ARGUMENTS, f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        found = Browser(driver)
        found.screen(width, height, dark=dark)
        yield found
    finally:
        driver.quit()
