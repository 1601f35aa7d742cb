# SPDX-License-Identifier: Apache-2.0
"""The parts of which self-contained HTML pages are made: nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape

from plexor.show.inline import asset, bundle
from plexor.show.pictures.canvas import Canvas
from plexor.show.pictures.colours import CHANNEL_DARK, CHANNEL_LIGHT, DARK, LIGHT
from plexor.show.pictures.frame import WIDTH
from plexor.show.pictures.svg import FONT, PAGE_STYLE, svg_plot
from plexor.show.table import Cell

_PAGE = """
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 FONT;
font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
main{max-width:1080px;margin:0 auto;padding:40px 32px 56px}
h1{font-size:30px;line-height:1.2;letter-spacing:-.01em;margin:0 0 6px;overflow-wrap:anywhere}
h2{font-size:18px;margin:44px 0 10px}
p{margin:0}
.lead{color:var(--muted);font-size:16px}
.badge{display:inline-block;font-size:12.5px;font-weight:600;padding:2px 10px;border-radius:20px;
border:1.5px solid currentColor;vertical-align:6px;margin-left:12px;letter-spacing:.02em}
.verdict{border-left:5px solid;padding:10px 16px;margin:24px 0 0;background:var(--panel);
border-radius:0 4px 4px 0;overflow-wrap:anywhere}
.verdict b{display:block;font-size:17px}
.good{color:var(--good);border-color:var(--good)}.bad{color:var(--bad);border-color:var(--bad)}
.muted{color:var(--muted)}table+p{margin-top:14px}
.doubt{color:var(--doubt);border-color:var(--doubt)}
.verdict span{color:var(--ink)}
figure{margin:30px 0 0}
figcaption b{font-size:17px;margin-right:10px;overflow-wrap:anywhere}
figcaption small{font-size:12.5px;font-weight:600}
figcaption p{color:var(--muted);font-size:13px;margin:2px 0 8px}
svg{display:block;width:100%;height:auto}
.scroll{overflow-x:auto}
.narrow,.middle{display:none}
summary{font-size:18px;font-weight:700;margin:44px 0 10px;cursor:pointer}
p.doubt{margin:8px 0 0}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:right;padding:7px 0 7px 18px;border-bottom:1px solid var(--grid);
white-space:nowrap;vertical-align:baseline}
th{font-weight:600;color:var(--muted);font-size:12.5px}
th:first-child,td:first-child{text-align:left;padding-left:0}
td small{font-weight:400;color:var(--muted);display:block;font-size:12px}
td.name{font-weight:600}
td.left,th.left{text-align:left}
.books{font-size:16px;background:var(--panel);border-radius:4px;padding:12px 16px}
.books small{display:block;color:var(--muted);font-size:13px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 24px;margin:0;font-size:14px}
dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
footer{color:var(--muted);font-size:13px;margin-top:44px}
@media(max-width:980px){.wide{display:none}.middle{display:block}}
@media(max-width:700px){main{padding:24px 12px}.badge{margin-left:6px}h1{font-size:24px}
.middle{display:none}.narrow{display:block}dl{grid-template-columns:1fr}dd{margin-bottom:6px}}
#plexor-stack{height:620px}
.drawn .still{display:none}
@media print{main{padding:0}figure{break-inside:avoid}.drawn .still{display:block}
#plexor-figure{display:none}}
""".replace("FONT", FONT)


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
<style>{colours_css()}{_PAGE}{asset("draw.css")}{PAGE_STYLE}</style>
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


def html_box(style: str, head: str, text: str) -> str:
    """Return a box whose `style` is good, bad or doubt."""
    return f'<div class="verdict {style}"><b>{escape(head)}</b><span>{escape(text)}</span></div>'


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
        f'<div class="scroll"><table><thead><tr>{cells}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def html_list(entries: Iterable[tuple[str, str]]) -> str:
    """Return names with their texts, without those that have no text."""
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in entries if text
    )
    return f"<dl>{rows}</dl>"
