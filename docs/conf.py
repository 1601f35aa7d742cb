# SPDX-License-Identifier: Apache-2.0
"""The static site, made of the pages in this folder by Sphinx: `make site`.

The navigation is what `index.md` lists under its headings, so that it is written once and is read
as well where no site is built.
"""

import re

from sphinx.application import Sphinx

project = "Plexor"
author = "the authors of Plexor"
extensions = ["myst_parser"]
myst_heading_anchors = 4
# What other viewers of Markdown show as text, such as a line that begins with a percent sign.
myst_disable_syntax = ["myst_line_comment", "myst_block_break", "myst_target", "myst_role"]
smartquotes = False
html_theme = "alabaster"
html_title = "Plexor"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {
    "description": "Measures how fast, and how evenly, a real-time system reacts.",
    "fixed_sidebar": True,
    "page_width": "70rem",
    "body_max_width": "54rem",
    "show_powered_by": False,
}
html_show_copyright = False
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False
html_use_index = False
html_sidebars = {"**": ["about.html", "searchfield.html", "navigation.html"]}

_LINK = re.compile(r"^[-*] .*?\[([^\]]+)\]\(([\w/.-]+)\.md\)", re.MULTILINE)


def navigation(index: str) -> str:
    """Return a table of contents for each heading of a page that lists pages."""
    found = ""
    for section in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        heading, _, text = section.partition("\n")
        entries = "\n".join(f"{title} <{page}>" for title, page in _LINK.findall(text))
        if entries:
            found += f"\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{entries}\n```\n"
    return found


def _add_navigation(_app: Sphinx, name: str, source: list[str]) -> None:
    if name == "index":
        source[0] += navigation(source[0])


def setup(app: Sphinx) -> None:
    """Have the navigation added to the front page as it is read."""
    app.connect("source-read", _add_navigation)
