"""One picture of a run for a README or a slide."""

from __future__ import annotations

from plexor.analyse import Report
from plexor.render.facts import headline, summary
from plexor.render.frame import WIDTH
from plexor.render.plots import histogram
from plexor.render.scope import scope
from plexor.render.svg import Canvas, stack

MARGIN = 28.0


def picture(report: Report) -> str:
    """Return the persistence view and the histogram as one SVG file, light and dark."""
    head = Canvas(WIDTH, 66, headline(report))
    head.text(0, 26, headline(report), size=22, bold=True)
    head.text(0, 49, summary(report), size=13, style="muted")
    sheet = stack(headline(report), [head, scope(report), histogram(report)])
    framed = Canvas(WIDTH + 2 * MARGIN, sheet.height + 2 * MARGIN, sheet.title)
    framed.rect(0, 0, framed.width, framed.height, "paper")
    framed.parts.append(f'<g transform="translate({MARGIN:g} {MARGIN:g})">\n{sheet.body()}\n</g>')
    return framed.render(style=True) + "\n"
