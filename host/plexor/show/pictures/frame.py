# SPDX-License-Identifier: Apache-2.0
"""The frame around each plot: title, provenance, panel, axes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from plexor.base.figure_words import imported_word, source_text
from plexor.figures.analyse.analyse import Report
from plexor.figures.analyse.pairing import AMBIGUOUS
from plexor.model.identity import Identity
from plexor.model.results import RunResult
from plexor.show.pictures.canvas import Axes, Canvas, Stroke, text_width
from plexor.show.pictures.names import cut_apart, cut_letters
from plexor.show.pictures.scale import Axis, number, time_unit
from plexor.show.pictures.svg import svg_picture

WIDTH = 1000.0
LEFT, RIGHT, TOP = 72.0, 24.0, 68.0
MARGIN = 28.0
"""Paper around a picture that stands alone."""
LABEL_SIZE, LABEL_GAP = 12, 14
SUBTITLE_SIZE = 12.5
LEGEND_LINE = 18.0
_UNIT_ROOM = 60.0
"""Room of an axis' unit beside a legend."""
HEAD = 44.0
"""Height of a heading."""


@dataclass(frozen=True, slots=True)
class Label:
    """A text to be placed near x on a shared line without touching its neighbours."""

    x: float
    content: str
    style: str


def why_empty(report: Report) -> str:
    """Return why a run has no latency to draw."""
    apart = any(not channel.paired for channel in report.channels)
    return f"no latency is known: {AMBIGUOUS}" if apart else "no response"


def provenance(result: RunResult) -> str:
    """Return where the figures come from: simulated, imported, or measured on a board."""
    if result.imported is not None:
        return imported_word(result.simulated)
    return provenance_of(result.identity)


def provenance_of(identity: Identity) -> str:
    """Return where the figures of an instrument come from."""
    return source_text(identity.simulated, identity.board)


def framed(title: str, subtitle: str, height: float, source: str, width: float = WIDTH) -> Canvas:
    """Return a canvas with its heading; `source` at the right says where the figures come from."""
    canvas = Canvas(width, height, f"{title}, {source}. {subtitle}", top=HEAD)
    canvas.text(0, 20, title, size=17, bold=True)
    canvas.text(0, 39, subtitle, size=SUBTITLE_SIZE, style="muted")
    canvas.text(
        width,
        20,
        source,
        size=12.5,
        style="alarm" if source.endswith("simulated") else "muted",
        anchor="end",
        bold=True,
    )
    canvas.head, canvas.marks = canvas.marks, []
    canvas.heading = (title, source, subtitle)
    return canvas


def alone(plot: Canvas) -> str:
    """Return a plot as one SVG file, on paper with a margin."""
    whole = Canvas(plot.width + 2 * MARGIN, plot.height + 2 * MARGIN, plot.title)
    whole.rect(0, 0, whole.width, whole.height, "paper")
    whole.put(MARGIN, MARGIN, plot)
    return svg_picture(whole) + "\n"


def short(name: str, among: Collection[str]) -> str:
    """Return a channel's name, cut to stand in a row with others of `among`."""
    return cut_letters(name, among, 8)


def beside(name: str, among: Collection[str]) -> str:
    """Return a name, cut until it fits at the left of a plot, in bold, beside those of `among`."""
    return cut_apart(
        name, among, lambda shown: text_width(shown, LABEL_SIZE, bold=True) <= LEFT - 10
    )


def panel(canvas: Canvas, top: float, bottom: float) -> None:
    """Put the panel behind a plot."""
    canvas.rect(LEFT, top, canvas.width - LEFT - RIGHT, bottom - top, "panel", radius=4)


def x_axis(
    canvas: Canvas,
    axis: Axis,
    top: float,
    bottom: float,
    unit: tuple[float, str],
    said: str = "",
) -> None:
    """Draw the grid and as many values of an axis as fit, and below the last its unit.

    A logarithmic axis says so. `said` is what the axis is, where no legend does.
    """
    scale, name = unit
    ends = axis.low, axis.high, axis.start, axis.end
    canvas.axes.append(Axes(*ends, axis.log, round(top, 1), round(bottom, 1), name))
    most = max(round((axis.end - axis.start) / 98), 3)
    shown = Axis(axis.low / scale, axis.high / scale, axis.start, axis.end, axis.log)
    for value in shown.ticks(most):
        x = shown.at(value)
        canvas.line(x, top, x, bottom)
        canvas.text(x, bottom + 18, number(value), style="muted", anchor="middle")
    parts = filter(None, (said, name, "log" if axis.log else ""))
    text = ", ".join(parts)
    canvas.text(axis.end, bottom + 36, text, style="muted", anchor="end", bold=not said)


def y_line(canvas: Canvas, y: float, label: str) -> None:
    """Draw one line of a value axis with its label."""
    canvas.line(LEFT, y, canvas.width - RIGHT, y)
    canvas.text(LEFT - 9, y + 4, label, style="muted", anchor="end")


def y_name(canvas: Canvas, name: str, log: bool = False, y: float = TOP - 10) -> None:
    """Say above a value axis what it is, and whether it is logarithmic."""
    canvas.text(0, y, f"{name}, log" if log else name, style="muted")


def y_times(canvas: Canvas, axis: Axis, name: str) -> None:
    """Draw the lines of a value axis in seconds; its name and unit stand above them."""
    scale, unit = time_unit(axis.high)
    y_name(canvas, f"{name}, {unit}", axis.log)
    for value in Axis(axis.low / scale, axis.high / scale, axis.start, axis.end, axis.log).ticks(6):
        y_line(canvas, axis.at(value * scale), number(value))


def spread(labels: list[Label], low: float, high: float, bold: bool = False) -> list[float]:
    """Return middles for labels on one line, in order of x, apart from each other and inside."""
    order = sorted(range(len(labels)), key=lambda i: labels[i].x)
    widths = [text_width(label.content, LABEL_SIZE, bold) for label in labels]
    places = [0.0] * len(labels)
    edge = low
    for i in order:
        places[i] = max(labels[i].x, edge + widths[i] / 2)
        edge = places[i] + widths[i] / 2 + LABEL_GAP
    edge = high
    for i in reversed(order):
        places[i] = min(places[i], edge - widths[i] / 2)
        edge = places[i] - widths[i] / 2 - LABEL_GAP
    return places


def in_rows(labels: list[Label], room: float) -> list[list[Label]]:
    """Return labels, in bold, in as few lines as hold them."""
    rows: list[list[Label]] = []
    left = 0.0
    for label in labels:
        needed = text_width(label.content, LABEL_SIZE, bold=True) + LABEL_GAP
        if not rows or needed > left:
            rows.append([])
            left = room + LABEL_GAP
        rows[-1].append(label)
        left -= needed
    return rows


def legend(
    canvas: Canvas, entries: list[tuple[str, str, Stroke]], y: float, said: str = ""
) -> None:
    """Put `said` and entries (name, style and stroke of its line) in a row before an axis' unit.

    What does not fit there has lines of its own below, by which the picture grows.
    """
    if said:
        canvas.text(LEFT, y, said, style="muted")
    widths = [text_width(name, LABEL_SIZE) + 44 for name, _, _ in entries]
    right = canvas.width - RIGHT - _UNIT_ROOM
    x = right - sum(widths) + 16
    if x < LEFT + (text_width(said, LABEL_SIZE) + LABEL_GAP if said else 0):
        x = canvas.width  # the first entry begins a line
    for (name, style, stroke), width in zip(entries, widths, strict=True):
        if x + width > canvas.width + 16:
            x, y = LEFT, y + LEGEND_LINE
            canvas.height += LEGEND_LINE
        canvas.line(x, y - 4, x + 20, y - 4, style, stroke)
        canvas.text(x + 26, y, name, style="muted")
        x += width
