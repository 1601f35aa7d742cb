# SPDX-License-Identifier: Apache-2.0
"""One picture of a run, or of several beside each other, for a README or a slide."""

from __future__ import annotations

from collections.abc import Sequence

from plexor.base.counts import counted
from plexor.figures.analyse.analyse import Report
from plexor.figures.judge.configuration import configuration, differing
from plexor.show.facts import device_name, headline, summary
from plexor.show.pictures.canvas import Canvas, cut, stack
from plexor.show.pictures.frame import SUBTITLE_SIZE, WIDTH, alone
from plexor.show.pictures.latency import Heading, histogram
from plexor.show.pictures.scope import scope

LOW = 290.0
"""Height of a histogram that has others above or below it."""
_TITLE_SIZE, _SAID_SIZE = 22, 13
_MOST_KEYS = 6
"""Keys that a heading names; it counts the others."""
_IN_SUMMARY = ("rate", "load", "source", "count")
"""Keys that the summary of each run says."""


def picture(*reports: Report, names: Sequence[str] = ()) -> str:
    """Return one SVG file, light and dark: persistence view and histogram.

    Of several runs: the histogram of each, on the same axes, and the persistence view of the last.
    Each says which run it is: `names` are those of their folders. The instruments must have the
    same tick.
    """
    first = reports[0]
    if len(reports) == 1:
        title, said = headline(first), summary(first)
        plots = [scope(first), histogram(first)]
    else:
        apart = differing(*(configuration(each.result) for each in reports))
        title, said = _common(reports), _counted(reports, list(apart))
        runs = [names[n] if n < len(names) else f"run {n + 1}" for n in range(len(reports))]
        plots = [
            histogram(report, _heading(run, report, _own(apart, n)), reports)
            for n, (run, report) in enumerate(zip(runs, reports, strict=True))
        ]
        plots.append(scope(reports[-1], cut(f"{runs[-1]}, every response", _ROOM, 17, bold=True)))
    head = Canvas(WIDTH, 66, title)
    head.text(0, 26, cut(title, WIDTH, _TITLE_SIZE, bold=True), size=_TITLE_SIZE, bold=True)
    head.text(0, 49, cut(said, WIDTH, _SAID_SIZE), size=_SAID_SIZE, style="muted")
    return alone(stack(title, [head, *plots], gap=12))


_ROOM = WIDTH - 220
"""Room of a plot's title beside where its figures come from."""


def _common(reports: Sequence[Report]) -> str:
    """Return the device, if all runs are of one."""
    devices = {device_name(each.result.device) for each in reports}
    if len(devices) > 1:
        return f"Response latency of {counted(len(devices), 'device')}"
    return devices.pop() or "Response latency"


def _counted(reports: Sequence[Report], keys: Sequence[str]) -> str:
    """Return how many runs there are, and in which keys they differ."""
    runs = f"Latency in {counted(len(reports), 'run')}"
    if not keys:
        return f"{runs} of the same settings and device"
    more = [f"{len(keys) - _MOST_KEYS} more"] if len(keys) > _MOST_KEYS else []
    *most, last = [*keys[:_MOST_KEYS], *more]
    return f"{runs}, which differ in {' and '.join(filter(None, (', '.join(most), last)))}"


def _own(apart: dict[str, tuple[str, ...]], place: int) -> list[str]:
    """Return what tells one run from the others, but for what its summary says."""
    return [f"{key} {own[place]}" for key, own in apart.items() if key not in _IN_SUMMARY]


def _heading(run: str, report: Report, own: Sequence[str]) -> Heading:
    said = " · ".join([*own, summary(report)])
    title = cut(f"{run}, latency", _ROOM, 17, bold=True)
    return Heading(title, cut(said, WIDTH, SUBTITLE_SIZE), LOW)
