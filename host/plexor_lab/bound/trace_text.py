# SPDX-License-Identifier: Apache-2.0
"""A service's model from the log of a bus, on the terminal."""

from __future__ import annotations

from plexor.base.counts import counted
from plexor.library.parts.show import LEAST_WIDTH, Cell, Paint, grouped, table, wrapped
from plexor_lab.bound.counting import Traced
from plexor_lab.bound.model import column_name


def trace_text(traced: Traced, *, width: int, colour: bool) -> str:
    """Return the sections as a table, and what they are from, at most `width` columns wide."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    lines = list(wrapped(traced.model.title, width, paint, "bold"))
    calls = f"counted in {counted(traced.calls, 'call')} on a simulated bus"
    calls += f", {grouped(traced.interrupted)} of them with an interrupt"
    lines += wrapped(calls, width, paint, "muted")
    if traced.ns:
        ends = f"{counted(len(traced.ns), 'value')} of N, {traced.ns[0]} to {traced.ns[-1]}"
        lines += wrapped(ends, width, paint, "muted")
    exact = "each call without an interrupt has exactly these accesses"
    if traced.excess:
        exact = (
            f"no call without an interrupt has more accesses; over one of each N they are "
            f"{grouped(traced.excess)} fewer"
        )
    lines += wrapped(exact, width, paint, "")
    thrown = f"{grouped(traced.discarded)} fetches more were discarded after jumps, in all calls"
    lines += wrapped(thrown, width, paint, "muted")
    columns = dict.fromkeys(
        (count.region, count.access)
        for section in traced.model.sections
        for count in section.counts
    )
    head = ["accesses", *(section.name for section in traced.model.sections)]
    rows = [
        ["repetition", *(str(model_section.repetition) for model_section in traced.model.sections)]
    ]
    blocking = (
        "yes" if model_section.blocking else "no" for model_section in traced.model.sections
    )
    rows.append(["blocking", *blocking])
    for column in columns:
        row = [column_name(*column)]
        for section in traced.model.sections:
            numbers = {(count.region, count.access): count.number for count in section.counts}
            row.append(grouped(numbers.get(column, 0)))
        rows.append(row)
    cells: list[list[Cell]] = [[(text, "") for text in row] for row in rows]
    lines += ["", *table(head, cells, width, paint)]
    return paint.done(lines)
