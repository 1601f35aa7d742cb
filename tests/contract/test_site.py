# SPDX-License-Identifier: Apache-2.0
"""The static site: it builds without a warning, every link leads somewhere, nothing is fetched."""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GROUPS = ("Learn", "Do", "Look up", "Understand")
LOADED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "object": "data"}
"""What a browser fetches without being asked, by the attribute that names it."""
FETCHED_BY_CSS = re.compile(r"""(?:url\(\s*|@import\s+)["']?(?!data:|#)([^"')\s]+)""")


class Page(HTMLParser):
    """The links, anchors and loaded files of one page; the links of its navigation apart."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.navigation: list[str] = []
        self.captions: list[str] = []
        self._divs: list[bool] = []
        self._caption = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "div":
            self._divs.append("sphinxsidebar" in found.get("class", "").split())
        if tag == "p":
            self._caption = found.get("class") == "caption"
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
            if any(self._divs):
                self.navigation.append(found["href"])
        if LOADED.get(tag) in found:
            self.loads.append(found[LOADED[tag]])

    def handle_endtag(self, tag: str) -> None:
        if tag == "div":
            self._divs.pop()
        if tag == "p":
            self._caption = False

    def handle_data(self, data: str) -> None:
        if self._caption and any(self._divs):
            self.captions.append(data.strip())


def build(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """Build the site as `make site` does, elsewhere."""
    (recipe,) = re.findall(r"^site: .*\n\t(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    words = recipe.replace("$(RUN)", f"{sys.executable} -m").split()
    assert words[-2:] == ["docs", "build/site"]
    command = [*words[:-2], str(source), str(target)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("site")
    built = build(DOCS, target)
    assert built.returncode == 0, built.stderr
    return target


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, Page]:
    return {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}


def test_every_page_is_in_the_navigation(site, pages):
    shown = {urlsplit(link).path for link in pages[site / "index.html"].navigation}
    written = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert {str(path) for path in written} - shown == {"index.html"}


def test_the_navigation_has_four_groups(site, pages):
    assert tuple(filter(None, pages[site / "index.html"].captions)) == GROUPS


def test_every_link_leads_to_a_page_and_a_place_on_it(site, pages):
    wrong = []
    for path, page in pages.items():
        for link in {*page.links, *page.loads}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages[there].anchors if there in pages else {""}
            if not there.is_file() or (parts.fragment and unquote(parts.fragment) not in known):
                wrong.append(f"{path.relative_to(site)}: {link}")
    assert wrong == []
    assert sum(len(page.links) for page in pages.values()) > 1000


def test_no_page_loads_anything_from_another_host(site, pages):
    loaded = {(path.name, link) for path, page in pages.items() for link in page.loads}
    loaded |= {
        (path.name, link)
        for path in site.rglob("*.css")
        for link in FETCHED_BY_CSS.findall(path.read_text())
    }
    assert {entry for entry in loaded if urlsplit(entry[1]).netloc} == set()
    assert loaded


def test_options_are_shown_with_both_of_their_dashes(site):
    assert "Number of strikes of --rate" in (site / "lookup" / "options.html").read_text()


@pytest.fixture
def page(tmp_path) -> Path:
    """Return the one page of a site like the docs', beside its front page."""
    docs = tmp_path / "docs"
    (docs / "learn").mkdir(parents=True)
    shutil.copy(DOCS / "conf.py", docs)
    shutil.copytree(DOCS / "_static", docs / "_static")
    (docs / "index.md").write_text("# Docs\n\n## Learn\n\n- [a page](learn/page.md): one\n")
    made = docs / "learn" / "page.md"
    made.write_text("# A page\n\nIts text.\n\n## A heading\n\nMore.\n")
    return made


def test_a_line_that_begins_with_a_percent_sign_is_shown(page, tmp_path):
    page.write_text(f"{page.read_text()}\nat most 2.5\n% of all strikes\n\n+++ and more\n")
    built = build(tmp_path / "docs", tmp_path / "site")
    assert built.returncode == 0, built.stderr
    text = (tmp_path / "site" / "learn" / "page.html").read_text()
    assert "at most 2.5\n% of all strikes" in text
    assert "+++ and more" in text


@pytest.mark.parametrize(
    "link",
    ["../index.md#no-such-heading", pytest.param("no-such-page.md", marks=pytest.mark.full)],
)
def test_a_link_to_what_is_not_there_fails_the_build(link, page, tmp_path):
    page.write_text(f"{page.read_text()}\n[there]({link})\n")
    built = build(tmp_path / "docs", tmp_path / "site")
    assert built.returncode != 0
    assert link.rpartition("#")[2].removesuffix(".md") in built.stderr
