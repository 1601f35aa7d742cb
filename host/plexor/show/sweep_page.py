# SPDX-License-Identifier: Apache-2.0
"""One self-contained HTML page of a sweep: its pictures and figures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import Any

from plexor.base.counts import counted
from plexor.base.figure_words import MAX_SEEN
from plexor.base.units import format_rate, format_ticks
from plexor.experiments.step import RateStep
from plexor.experiments.sweep.model import Knee, SweepResult
from plexor.show import facts
from plexor.show.facts import load_word
from plexor.show.html import (
    PageHeading,
    html_box,
    html_details,
    html_figure,
    html_list,
    html_page,
    html_table,
)
from plexor.show.page_files import page_files
from plexor.show.pictures.frame import alone
from plexor.show.pictures.sweep import channels_of, frontier, sweep_picture
from plexor.show.sweep_rows import heading, own_steps, step_rows
from plexor.show.table import NOTHING, Cell
from plexor.show.terminal.sweep import knee_rows, notes, scan_notes, step_notes
from plexor.show.tiles import ChannelTiles, Tile, html_tiles

_FOOTER = (
    "Each rate is tried until an exact test of its criterion is certain. The results hold only for "
    "the rates, strikes and loads that were tried."
)


def sweep_svg(result: SweepResult) -> str:
    """Return the picture of a sweep as one SVG file, light and dark."""
    sheet = sweep_picture(result)
    return alone(sheet)


def sweep_page(result: SweepResult, document: Mapping[str, Any] | None = None) -> str:
    """Return the page's text in UTF-8; it carries the sweep's `document`."""
    title, source = heading(result)
    strikes = sum(step.strikes for step in result.steps)
    lead = " · ".join(
        (
            f"{counted(len(result.steps), 'run')} from {format_rate(result.low_hz)} to "
            f"{format_rate(result.high_hz)}",
            counted(strikes, "strike"),
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
        f'<p class="doubt">{escape(f"{load_word(knee.load)}, {knee.channel}: {note}")}</p>'
        for knee in result.knees
        for note in notes(knee, result)
    )
    scans = "".join(
        f'<p class="{"doubt" if doubtful else "muted"}">{escape(note)}</p>'
        for note, doubtful in (*scan_notes(result), *step_notes(result))
    )
    files = page_files("sweep", document, _cells(step_rows(result)))
    body = f"""{pictures}
<h2>Rates that pass and fail</h2>
{html_table(_cells(knee_rows(result)))}
{doubts}
{scans}
<details><summary>All rates</summary>
{html_table(_cells(step_rows(result)))}
</details>
{files}
{html_details("What was done, and with what", html_list(_taken_with(result)))}
<footer>{escape(_FOOTER)}</footer>"""
    banner += html_tiles([_tiles(result, knee) for knee in result.knees])
    return html_page(PageHeading(title, source, lead, banner), body)


def _tiles(result: SweepResult, knee: Knee) -> ChannelTiles:
    """Return the rates between which a channel under a load begins to fail, and what bounds it."""
    bracket = knee.bracket
    passing, failing = bracket.passing_hz, bracket.failing_hz
    steps = {step.rate_hz: step for step in own_steps(result.steps, knee)}
    passes = Tile("passes", f"below {format_rate(result.low_hz)}", "no rate passes", "doubt")
    if passing is not None:
        passes = Tile("passes", format_rate(passing), _latency(result, steps.get(passing), knee))
    fails = Tile("fails", f"above {format_rate(result.high_hz)}", "no rate fails", "doubt")
    if failing is not None:
        step = steps.get(failing)
        fails = Tile(
            "fails", format_rate(failing), "" if step is None else step.of(knee.channel).reason
        )
    elif bracket.instrument_hz is not None:
        end = format_rate(bracket.instrument_hz)
        fails = Tile("fails", f"above {end}", "the instrument ends there", "doubt")
    width = NOTHING if bracket.width is None else f"{float(bracket.width):.2%}".replace("%", " %")
    apart = Tile("apart by", width, counted(knee.strikes, "strike"))
    loads = list(dict.fromkeys(each.load for each in result.knees))
    note = load_word(knee.load)
    return ChannelTiles(knee.channel, note, loads.index(knee.load), (passes, fails, apart))


def _latency(result: SweepResult, step: RateStep | None, knee: Knee) -> str:
    """Return p99 and the maximum at the highest rate that passes."""
    if step is None:
        return ""
    figures = step.of(knee.channel)
    known = (("p99", figures.p99_ticks), (MAX_SEEN, figures.max_ticks))
    return ", ".join(
        f"{name} {format_ticks(ticks, result.tick_fs)}"
        for name, ticks in known
        if ticks is not None
    )


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
