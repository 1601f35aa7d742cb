# SPDX-License-Identifier: Apache-2.0
"""Every kind of page in Chromium: on screens of three widths, light and dark, and on paper.

Nothing is cut off, the first figure is above 600 px, and axe-core finds nothing to object to.
"""

import base64
import re
import xml.etree.ElementTree as ET

import pytest
from tools.scope_bench.browser import browser

from .pages_to_draw import MADE, page_of
from .runs_to_draw import KINDS

WIDTHS = (1400, 768, 400)
FIRST_PX = 600
SHORT = {
    ("usual", 400, True),
    ("usual", 1400, False),
    ("comparison", 400, False),
    ("sweep", 768, True),
    ("phase", 400, True),
    ("burst", 768, False),
    ("timeline", 400, False),
    ("trend", 400, True),
    ("failed proof", 400, False),
    ("bound", 400, False),
    ("suite", 400, False),
}
"""Cases of the short suite."""
CASES = [
    pytest.param(
        kind,
        width,
        dark,
        id=f"{kind}, {width} px, {'dark' if dark else 'light'}",
        marks=() if (kind, width, dark) in SHORT else (pytest.mark.full,),
    )
    for kind in (*KINDS, *MADE)
    for width in WIDTHS
    for dark in (False, True)
]
CUT = """
const inside = (e) => {
  for (let p = e.parentElement; p; p = p.parentElement)
    if (getComputedStyle(p).overflowX !== 'visible') return true;
  return false;
};
const shown = [...document.querySelectorAll('main *')].filter((e) => e.getClientRects().length);
return shown.filter((e) => !inside(e) && !e.closest('svg') &&
  (e.getBoundingClientRect().right > innerWidth + 0.5 || e.getBoundingClientRect().left < -0.5))
  .map((e) => e.outerHTML.slice(0, 200));
"""
"""Elements beyond the edge of the screen, those in boxes that scroll left out."""
CUT_TEXTS = """
const shown = [...document.querySelectorAll('svg text')].filter((e) => e.getClientRects().length);
return shown.filter((e) => {
  const [own, whole] = [e, e.closest('svg')].map((each) => each.getBoundingClientRect());
  return own.left < whole.left - 0.5 || own.right > whole.right + 0.5;
}).map((e) => e.textContent);
"""
"""Texts of pictures beyond their left or right edge."""
PAPER_PX = 703
"""Width of an A4 sheet within its margins, 186 mm at 96 pixels an inch."""
PRINTED = {"eight", "long names", "comparison of long names", "sweep", "explained"}
"""Kinds that the short suite looks at on paper."""


@pytest.fixture(scope="module")
def chromium():
    with browser() as found:
        found.driver.set_script_timeout(300)
        yield found


@pytest.fixture
def shown(chromium, tmp_path, runs):
    """Return a function that shows a page of a kind on a screen."""

    def show(kind, width, dark=False):
        path = tmp_path / "page.html"
        path.write_text(page_of(kind, runs), encoding="utf-8")
        chromium.screen(width, 900, dark=dark)
        chromium.driver.get(path.as_uri())
        chromium.run("return new Promise((done) => requestAnimationFrame(() => done()))")
        return chromium

    return show


@pytest.mark.parametrize(("kind", "width", "dark"), CASES)
def test_a_page_on_a_screen(shown, kind, width, dark):
    page = shown(kind, width, dark)
    page.run("for (const each of document.querySelectorAll('details')) each.open = true")
    root = "document.documentElement"
    assert page.run(f"return {root}.scrollWidth <= {root}.clientWidth")
    assert page.run(CUT) == []
    assert page.run(CUT_TEXTS) == []
    first = page.run("return document.querySelector('.tile')?.getBoundingClientRect().top ?? null")
    if kind != "no channel":
        assert first is not None
        assert first < FIRST_PX
    assert page.violations() == []
    assert page.errors() == []


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=() if kind in PRINTED else (pytest.mark.full,))
        for kind in (*KINDS, *MADE)
    ],
)
def test_nothing_is_cut_off_on_paper(shown, kind):
    page = shown(kind, PAPER_PX)
    page.tell("Emulation.setEmulatedMedia", media="print")
    try:
        assert page.run(CUT) == []
        assert page.run(CUT_TEXTS) == []
    finally:
        page.tell("Emulation.setEmulatedMedia", media="")


SAVED = """
const done = arguments[arguments.length - 1];
HTMLAnchorElement.prototype.click = function () {
  fetch(this.href).then((r) => r.text()).then((text) => done([this.download, text]));
};
document.querySelectorAll('.save')[arguments[0]].click();
"""


def test_a_picture_is_saved_as_a_file_that_has_its_colours(shown):
    page = shown("burst", 1400, dark=True)
    name, text = page.driver.execute_async_script(SAVED, 0)
    assert name == "burst-tolerance.svg"
    svg = ET.fromstring(text)
    assert "".join(svg.itertext()).count("strikes, log") == 1
    # The first channel's colour on dark paper, #5cb3ff.
    assert "rgb(92, 179, 255)" in text
    assert "var(" not in text


def test_axe_objects_to_what_is_wrong(chromium):
    chromium.driver.get("data:text/html,<title>x</title><main><img src=''><button></button></main>")
    found = chromium.violations()
    assert {"image-alt", "button-name"} <= {text.partition(":")[0] for text in found}


def sheets(page):
    """Return how many sheets of A4 a page is printed on."""
    printed = base64.b64decode(page.tell("Page.printToPDF", preferCSSPageSize=True)["data"])
    return len(re.findall(rb"/Type\s*/Page\b", printed))


@pytest.mark.parametrize(
    ("kind", "most"),
    [("usual", 2), ("comparison", 2), ("sweep up and down", 1), ("explained", 1), ("burst", 1)],
)
def test_a_page_is_on_few_sheets_of_paper(shown, kind, most):
    assert sheets(shown(kind, 1400)) == most


def test_paper_has_what_was_done_if_it_is_folded_out(shown):
    page = shown("usual", 1400)
    folded = "return getComputedStyle(document.querySelector('details.part')).display"
    page.tell("Emulation.setEmulatedMedia", media="print")
    assert page.run(folded) == "none"
    page.run("document.querySelector('details.part').open = true")
    assert page.run(folded) != "none"
    page.tell("Emulation.setEmulatedMedia", media="")
    assert sheets(page) == 3
