"""One picture of a run, or of several beside each other, for a README or a slide."""

from __future__ import annotations

from plexor.analyse.analyse import Report
from plexor.render.facts import headline, summary
from plexor.render.pictures.frame import WIDTH, alone
from plexor.render.pictures.latency import Heading, histogram
from plexor.render.pictures.scope import scope
from plexor.render.pictures.svg import Canvas, stack

LOW = 290.0
"""Height of a histogram that has others above or below it."""


def picture(*reports: Report) -> str:
    """Return one SVG file, light and dark: persistence view and histogram.

    Of several runs: the histogram of each, on the same axes, and the persistence view of the last.
    The instruments must have the same tick.
    """
    first = reports[0]
    head = Canvas(WIDTH, 66, headline(first))
    head.text(0, 26, headline(first), size=22, bold=True)
    if len(reports) == 1:
        head.text(0, 49, summary(first), size=13, style="muted")
        plots = [scope(first), histogram(first)]
    else:
        head.text(0, 49, "Latency of the same device in several runs", size=13, style="muted")
        plots = [histogram(each, _heading(each), reports) for each in reports]
        last = reports[-1]
        plots.append(scope(last, f"{_state(last)}, every response"))
    sheet = stack(headline(first), [head, *plots], gap=12)
    return alone(sheet)


def _heading(report: Report) -> Heading:
    return Heading(f"{_state(report)}, latency", summary(report), LOW)


def _state(report: Report) -> str:
    return "Under load" if report.result.settings.load else "Idle"
