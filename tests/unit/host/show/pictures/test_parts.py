# SPDX-License-Identifier: Apache-2.0
"""A picture has all its parts: panels behind it, and each line and area that its legend names."""

import pytest

from plexor.figures.analyse.analyse import analyse
from plexor.show.pictures import burst, latency, overlay, phase, scope, sweep
from plexor.show.pictures.canvas import Box

from ..scans_to_draw import MASKS, burst_result, limit, phase_result
from ..sweeps_to_draw import SWEEPS


def phases(kind):
    result = phase_result(MASKS[kind])
    return phase.phase_plot(result, result.scans[0])


def overlaid(draw, run_of, *channel):
    runs = [analyse(run_of([[1000] * 60 + [most]])) for most in (4000, 9000)]
    return draw(runs, ["idle", "loaded"], *channel)


PANELS = {
    "phase": (1, lambda run_of: phases("missed, then late")),
    "burst": (1, lambda run_of: burst.burst_plot(burst_result(limit(1, 4), limit(2, 9)))),
    "sweep": (2, lambda run_of: sweep.frontier(SWEEPS["two loads"], "IST")),
    "overlaid latency": (2, lambda run_of: overlaid(overlay.overlaid_latency, run_of, "ISR")),
    "overlaid traces": (1, lambda run_of: overlaid(overlay.overlaid_scope, run_of)),
    "histogram": (1, lambda run_of: latency.histogram(analyse(run_of([[1000, 2000] * 40])))),
    "tail": (1, lambda run_of: latency.tail(analyse(run_of([[1000, 2000] * 40])))),
    "course": (1, lambda run_of: latency.course(analyse(run_of([[1000, 2000] * 40])))),
    "traces": (1, lambda run_of: scope.scope(analyse(run_of([[1000, 2000] * 40])))),
}


@pytest.fixture
def named(monkeypatch):
    """Return the names and styles that legends are given. None is drawn."""
    entries = []
    for module in (phase, burst, overlay, latency, scope):
        told = lambda canvas, names, y, said="": entries.extend(names)  # noqa: E731
        monkeypatch.setattr(module, "legend", told)
    return entries


def styles(canvas):
    return {word for mark in canvas.marks for word in getattr(mark, "style", "").split()}


@pytest.mark.parametrize("kind", PANELS)
def test_a_picture_lies_on_its_panels_and_has_what_its_legend_names(kind, run_of, named):
    panels, draw = PANELS[kind]
    canvas = draw(run_of)
    boxes = [mark for mark in canvas.marks if isinstance(mark, Box) and mark.style == "panel"]
    assert len(boxes) == panels
    assert all(box.width > 300 and box.height > 30 for box in boxes)
    assert {style for _, names, _ in named for style in names.split()} <= styles(canvas)


@pytest.mark.parametrize(("mask", "missed"), [("missed", True), ("none", False)])
def test_missed_strikes_of_a_phase_scan_are_drawn_where_there_are_any(mask, missed, named):
    found = styles(phases(mask))
    assert ("worst" in found) == missed
    assert {"f0", "s0"} <= found
    assert ("alarm" in found) == missed
