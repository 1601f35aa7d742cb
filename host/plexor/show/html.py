# SPDX-License-Identifier: Apache-2.0
"""The parts of which self-contained HTML pages are made: nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from plexor.show.inline import asset, bundle
from plexor.show.pictures.canvas import Canvas
from plexor.show.pictures.colours import CHANNEL_DARK, CHANNEL_LIGHT, DARK, LIGHT
from plexor.show.pictures.frame import WIDTH
from plexor.show.pictures.svg import FONT, PAGE_STYLE, svg_plot
from plexor.show.table import Cell

_LIGHT_STATES = {"good": "#0a6b4b", "bad": "#c2185b", "doubt": "#8a6500"}
_DARK_STATES = {"good": "#3fd6a3", "bad": "#ff6f9c", "doubt": "#e5bd4a"}


def colours_css() -> str:
    """Return the colours of pages as variables: light, dark, and as the system prefers.

    The attribute `data-theme` of the root, light or dark, overrides what the system prefers.
    """
    light = _variables({**LIGHT, **_LIGHT_STATES}, CHANNEL_LIGHT)
    dark = _variables({**DARK, **_DARK_STATES}, CHANNEL_DARK)
    return (
        f":root{{color-scheme:light;--font:{FONT};{light}}}"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light])"
        f"{{color-scheme:dark;{dark}}}}}"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}"
    )


def _variables(colours: dict[str, str], channels: tuple[str, ...]) -> str:
    named = [*colours.items(), *((f"c{n}", colour) for n, colour in enumerate(channels))]
    return ";".join(f"--{name}:{colour}" for name, colour in named)


@dataclass(frozen=True, slots=True)
class PageHeading:
    """The top of a page."""

    title: str
    source: str
    """Where the figures come from: `simulated`, or measured on what."""
    lead: str
    banner: str = ""
    """HTML that must be read first."""


def html_page(heading: PageHeading, body: str, script: str = "page") -> str:
    """Return the text of a page with a heading, in UTF-8; `body` is HTML.

    `script` is the module of the drawing code that makes its pictures move.
    """
    title, source = escape(heading.title), escape(heading.source)
    colour = "bad" if heading.source.endswith("simulated") else "good"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · {source} · Plexor</title>
<style>{colours_css()}{asset("page.css")}{asset("draw.css")}{PAGE_STYLE}</style>
</head>
<body>
<main>
<header>
<h1>{title}<span class="badge {colour}">{source}</span></h1>
<p class="lead">{escape(heading.lead)}</p>
{heading.banner}
</header>
{body}
</main>
<script>{bundle(script)}</script>
</body>
</html>
"""


WIDTHS = {"wide": WIDTH, "middle": 660.0, "narrow": 400.0}
"""Of the drawings of a plot: on each screen one is shown, whose text is 11 px or more."""


def html_figure(draw: Callable[[float], Canvas | None]) -> str:
    """Return a plot, drawn for screens of three widths, with its heading; nothing for None."""
    drawn = {name: draw(width) for name, width in WIDTHS.items()}
    plots = {name: canvas for name, canvas in drawn.items() if canvas is not None}
    if "wide" not in plots:
        return ""
    title, source, subtitle = plots["wide"].heading
    colour = "bad" if source.endswith("simulated") else "good"
    pictures = "".join(
        f'<div class="{name}">{svg_plot(canvas)}</div>' for name, canvas in plots.items()
    )
    return (
        f'<figure><figcaption><b>{escape(title)}</b><small class="{colour}">{escape(source)}'
        f"</small><p>{escape(subtitle)}</p></figcaption>{pictures}</figure>"
    )


def html_box(style: str, head: str, text: str, more: Sequence[str] = ()) -> str:
    """Return a box whose `style` is good, bad or doubt; what is `more` folds out."""
    rest = ""
    if more:
        lines = "".join(f"<li>{escape(line)}</li>" for line in more)
        rest = f"<details><summary>and {len(more)} more</summary><ul>{lines}</ul></details>"
    return (
        f'<div class="verdict {style}"><b>{escape(head)}</b><span>{escape(text)}</span>{rest}</div>'
    )


def html_details(head: str, content: str) -> str:
    """Return a part of a page that folds out; on paper it is there if it is open."""
    return f'<details class="part"><summary>{escape(head)}</summary>{content}</details>'


def html_table(table: tuple[list[str], list[list[Cell]]]) -> str:
    """Return a table of heads and rows, which scrolls by itself if it is too wide."""
    head, rows = table
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = ""
    for row in rows:
        body += "<tr>"
        for place, (text, note) in enumerate(row):
            style = ' class="name"' if place == 0 else ""
            small = f"<small>{escape(note)}</small>" if note else ""
            body += f"<td{style}>{escape(text)}{small}</td>"
        body += "</tr>"
    return (
        f'<div class="scroll" tabindex="0"><table><thead><tr>{cells}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def html_list(entries: Iterable[tuple[str, str]]) -> str:
    """Return names with their texts, without those that have no text."""
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in entries if text
    )
    return f"<dl>{rows}</dl>"
