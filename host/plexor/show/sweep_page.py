# SPDX-License-Identifier: Apache-2.0
"""One self-contained HTML page of a sweep: its pictures and figures."""

from __future__ import annotations

from functools import partial
from html import escape

from plexor.base.units import format_rate
from plexor.experiments.sweep.model import SweepResult
from plexor.show import facts
from plexor.show.html import PageHeading, html_box, html_figure, html_list, html_page, html_table
from plexor.show.pictures.frame import alone
from plexor.show.pictures.scale import grouped
from plexor.show.pictures.sweep import channels_of, frontier, sweep_picture
from plexor.show.sweep_rows import heading, step_rows
from plexor.show.table import Cell
from plexor.show.terminal.sweep import knee_rows, notes, scan_notes, step_notes

_FOOTER = (
    "Each rate is tried until an exact test of its criterion is certain. The results hold only for "
    "the rates, strikes and loads that were tried."
)


def sweep_svg(result: SweepResult) -> str:
    """Return the picture of a sweep as one SVG file, light and dark."""
    sheet = sweep_picture(result)
    return alone(sheet)


def sweep_page(result: SweepResult) -> str:
    """Return the page's text in UTF-8."""
    title, source = heading(result)
    strikes = sum(step.strikes for step in result.steps)
    lead = " · ".join(
        (
            f"{len(result.steps)} runs from {format_rate(result.low_hz)} to "
            f"{format_rate(result.high_hz)}",
            f"{grouped(strikes)} strikes",
            *result.criteria,
            source,
        )
    )
    interrupted = "Interrupted: these are the results up to that point"
    banner = (
        html_box("doubt", interrupted, "Run the same command to continue.")
        if result.interrupted
        else ""
    )
    pictures = "".join(html_figure(partial(frontier, result, name)) for name in channels_of(result))
    doubts = "".join(
        f'<p class="doubt">{escape(f"{knee.load}, {knee.channel}: {note}")}</p>'
        for knee in result.knees
        for note in notes(knee, result)
    )
    scans = "".join(
        f'<p class="{"doubt" if doubtful else "muted"}">{escape(note)}</p>'
        for note, doubtful in (*scan_notes(result), *step_notes(result))
    )
    body = f"""{pictures}
<h2>Sustained rates</h2>
{html_table(_cells(knee_rows(result)))}
{doubts}
{scans}
<details><summary>All rates</summary>
{html_table(_cells(step_rows(result)))}
</details>
<h2>Taken with</h2>
{html_list(_taken_with(result))}
<footer>{escape(_FOOTER)}</footer>"""
    return html_page(PageHeading(title, source, lead, banner), body)


def _cells(table: tuple[list[str], list[list[str]]]) -> tuple[list[str], list[list[Cell]]]:
    head, rows = table
    return head, [[(text, "") for text in row] for row in rows]


def _taken_with(result: SweepResult) -> list[tuple[str, str]]:
    entries = [(f"device {name}", text) for name, text in result.device.items()]
    entries += [
        ("strikes", result.shape),
        ("requested resolution", f"{float(result.width):.2%}"),
        *facts.began(result),
    ]
    return entries + [(f"{name} version", text) for name, text in result.versions.items()]
