# SPDX-License-Identifier: Apache-2.0
"""The live page of a device that sends codes: what it did, below the pictures."""

import subprocess

import pytest
from scope_page import LivePage

from .coded import EXAMPLES, PROGRAM, STRIKES


@pytest.fixture(scope="module")
def page(chromium, tmp_path_factory):
    """Return the page at the end of a run with codes."""
    command = [PROGRAM, "scope", "--no-open", "--out", tmp_path_factory.mktemp("kept")]
    options = ["--dut", EXAMPLES / "coded.toml", "--codes", EXAMPLES / "names.toml"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as program:
        try:
            program.address = program.stdout.readline().removeprefix("listening ").strip()
            chromium.screen(1400, 900)
            found = LivePage(chromium, program, None)
            found.load()
            found.run_to_end(rate="10k", count=str(STRIKES), code_port="change")
            found.until("!document.getElementById('codes').hidden")
            yield found
        finally:
            chromium.driver.get("about:blank")
            program.kill()


def test_the_timeline_is_a_picture_that_the_browser_draws(page):
    page.until("document.querySelector('#codes img').naturalWidth > 0")
    assert page.browser.errors() == []


def test_each_text_says_what_its_tab_promises(page):
    tabs = page.js("[...document.querySelectorAll('#codes button')].map((b) => b.textContent)")
    assert tabs == ["timeline", "why", "profile"]
    for tab, said in zip(tabs, ("motor", "when struck", "filter.v:median"), strict=True):
        page.js("[...document.querySelectorAll('#codes button')].find((b) => b.textContent ==="
                " arguments[0]).click()", tab)  # fmt: skip
        assert said in page.js("document.querySelector('#codes pre').textContent")


@pytest.mark.parametrize("width", [1400, 400])
def test_nothing_is_wider_than_the_screen(page, width):
    page.browser.screen(width, 900)
    assert page.js("document.documentElement.scrollWidth") <= width


def test_a_run_without_codes_hides_them(page):
    page.browser.screen(1400, 900)
    page.run_to_end(rate="10k", count="5", code_port="")
    page.until("document.getElementById('codes').hidden")
