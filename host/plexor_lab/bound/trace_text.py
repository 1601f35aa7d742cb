# SPDX-License-Identifier: Apache-2.0
"""A service's model from the log of a bus, on the terminal."""

from __future__ import annotations

from plexor.library.parts.show import LEAST_WIDTH, Cell, Paint, grouped, table, wrapped
from plexor_lab.bound.counting import Traced
from plexor_lab.bound.model import column_name


def trace_text(found: Traced, *, width: int = 100, colour: bool = False) -> str:
    """Return the sections as a table, and what they are from, at most `width` columns wide."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    lines = list(wrapped(found.model.title, width, paint, "bold"))
    calls = f"counted in {grouped(found.calls)} calls on a simulated bus"
    calls += f", {grouped(found.interrupted)} of them with an interrupt"
    lines += wrapped(calls, width, paint, "muted")
    if found.ns:
        ends = f"{len(found.ns)} values of N, {found.ns[0]} to {found.ns[-1]}"
        lines += wrapped(ends, width, paint, "muted")
    exact = "each call without an interrupt has exactly these accesses"
    if found.excess:
        exact = (
            f"no call without an interrupt has more accesses; over one of each N they are "
            f"{grouped(found.excess)} fewer"
        )
    lines += wrapped(exact, width, paint, "")
    thrown = f"{grouped(found.discarded)} fetches more were discarded after jumps, in all calls"
    lines += wrapped(thrown, width, paint, "muted")
    columns = dict.fromkeys(
        (count.region, count.access) for section in found.model.sections for count in section.counts
    )
    head = ["accesses", *(section.name for section in found.model.sections)]
    rows = [["repetition", *(str(each.repetition) for each in found.model.sections)]]
    blocking = ("yes" if each.blocking else "no" for each in found.model.sections)
    rows.append(["blocking", *blocking])
    for column in columns:
        row = [column_name(*column)]
        for section in found.model.sections:
            numbers = {(count.region, count.access): count.number for count in section.counts}
            row.append(grouped(numbers.get(column, 0)))
        rows.append(row)
    cells: list[list[Cell]] = [[(text, "") for text in row] for row in rows]
    lines += ["", *table(head, cells, width, paint)]
    return paint.done(lines)
