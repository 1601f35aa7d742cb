"""The frame around each plot: title, provenance, panel, axes."""

from __future__ import annotations

from dataclasses import dataclass

from plexor.render.scale import Axis, number
from plexor.render.svg import Canvas, text_width
from plexor.results import RunResult

WIDTH = 1000.0
LEFT, RIGHT, TOP = 72.0, 24.0, 54.0
LABEL_SIZE, LABEL_GAP = 12, 14
SUBTITLE_SIZE = 12.5


@dataclass(frozen=True, slots=True)
class Label:
    """A text to be placed near x on a shared line without touching its neighbours."""

    x: float
    content: str
    style: str


def provenance(result: RunResult) -> str:
    """Return where the figures come from: simulated, or measured on a board."""
    if result.simulated:
        return "simulated"
    return f"measured on {result.identity.board or 'hardware'}"


def framed(title: str, subtitle: str, height: float, source: str, width: float = WIDTH) -> Canvas:
    """Return a canvas with its heading; `source` at the right says where the figures come from."""
    canvas = Canvas(width, height, f"{title}, {source}. {subtitle}")
    canvas.text(0, 20, title, size=17, bold=True)
    canvas.text(0, 39, subtitle, size=SUBTITLE_SIZE, style="muted")
    canvas.text(
        width,
        20,
        source,
        size=12.5,
        style="alarm" if source == "simulated" else "muted",
        anchor="end",
        bold=True,
    )
    return canvas


def short(name: str) -> str:
    """Return a channel's name, cut in its middle to fit beside a plot."""
    return name if len(name) <= 8 else f"{name[:4]}…{name[-3:]}"


def panel(canvas: Canvas, top: float, bottom: float) -> None:
    """Put the panel behind a plot."""
    canvas.rect(LEFT, top, canvas.width - LEFT - RIGHT, bottom - top, "panel", 'rx="4"')


def x_axis(
    canvas: Canvas, axis: Axis, top: float, bottom: float, unit: tuple[float, str], most: int = 9
) -> None:
    """Draw the grid and about `most` values of an axis; its unit follows the last value."""
    scale, name = unit
    shown = Axis(axis.low / scale, axis.high / scale, axis.start, axis.end, axis.log)
    for value in shown.ticks(most):
        x = shown.at(value)
        canvas.line(x, top, x, bottom)
        canvas.text(x, bottom + 18, number(value), style="muted", anchor="middle")
    canvas.text(axis.end, bottom + 36, name, style="muted", anchor="end", bold=True)


def y_line(canvas: Canvas, y: float, label: str) -> None:
    """Draw one line of a value axis with its label."""
    canvas.line(LEFT, y, canvas.width - RIGHT, y)
    canvas.text(LEFT - 9, y + 4, label, style="muted", anchor="end")


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


def legend(canvas: Canvas, entries: list[tuple[str, str, str]], right: float, y: float) -> None:
    """Put entries (name, style, attributes of its line) in a row that ends at `right`."""
    x = right - sum(text_width(name, 12) + 44 for name, _, _ in entries) + 16
    for name, style, extra in entries:
        canvas.line(x, y - 4, x + 20, y - 4, style, extra)
        canvas.text(x + 26, y, name, style="muted")
        x += text_width(name, 12) + 44
