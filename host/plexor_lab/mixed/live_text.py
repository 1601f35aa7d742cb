# SPDX-License-Identifier: Apache-2.0
"""The view of a schedule under way: eight lamps, the schedule list, the results, the parameters.

Both lists are blue and the parameters are grey, as on the screen of the mixed-mode study (2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from plexor.library.parts.show import LEAST_WIDTH, Paint, grouped, wrapped
from plexor_lab.mixed.text import STATUS_STYLES, lateness
from plexor_lab.mixed.view import SHOWN, MixedView

BLUE, LIT = "34", "93"
LAMP_ON, LAMP_OFF = "●", "○"
GAP = 4
LEAST_BESIDE = 80
"""Width from which on the two lists are beside each other."""


def mixed_live_text(
    view: MixedView,
    heading: str,
    parameters: Sequence[str],
    tick_fs: int,
    *,
    width: int,
    colour: bool,
) -> str:
    """Return the view for a width in columns. `heading` says how far the run is."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    lines = [*_lamps(view, paint), *wrapped(heading, width, paint, "bold"), ""]
    beside = width >= LEAST_BESIDE
    size = (width - GAP) // 2 if beside else width
    schedule = [paint(line.ljust(size), BLUE) for line in _schedule(view)]
    results = [_result(*line, paint) for line in _results(view, tick_fs)]
    if beside:
        empty = " " * size
        pairs = zip_longest(schedule, results, fillvalue=None)
        lines += [f"{left or empty}{' ' * GAP}{right or ''}".rstrip() for left, right in pairs]
    else:
        lines += [line.rstrip() for line in (*schedule, "", *results)]
    lines += ["", *wrapped(" · ".join(parameters), width, paint, "muted")]
    return paint.done(lines)


def _lamps(view: MixedView, paint: Paint) -> list[str]:
    lamps = [
        paint(LAMP_ON if lit else LAMP_OFF, LIT if lit else "muted").center(1) for lit in view.lamps
    ]
    numbers = [f"{number:<2}" for number in range(len(view.lamps))]
    return ["  ".join(lamps), paint("  ".join(n.strip() for n in numbers), "muted")]


def _schedule(view: MixedView) -> list[str]:
    lines = [f"schedule: {grouped(view.waiting)} to come, {grouped(view.issued)} issued"]
    lines += [
        f"{grouped(entry.number):>7}  id {entry.event_id:<2}  step {grouped(entry.due_step)}"
        for entry in view.next_entries[:SHOWN]
    ]
    return lines


def _results(view: MixedView, tick_fs: int) -> list[tuple[str, str, str]]:
    """Return lines as a text, a status and the style of that status."""
    extras = f", {grouped(view.extras)} extra" if view.extras else ""
    lines = [(f"results, step {grouped(view.step)}{extras}", "", "")]
    for row in reversed(view.results):
        text = f"{grouped(row.number):>7}  id {row.event_id:<2}  {lateness(row, tick_fs):>13}"
        lines.append((text, str(row.status), STATUS_STYLES[row.status]))
    return lines


def _result(text: str, status: str, style: str, paint: Paint) -> str:
    # What is usual is blue, as the rest of the list; only what is wrong stands out.
    shown = paint(status, BLUE if style == "good" else style)
    return f"{paint(text, BLUE)}  {shown}".rstrip()
