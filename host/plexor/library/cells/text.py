# SPDX-License-Identifier: Apache-2.0
"""The cells of a farm as a table for a terminal, and as a JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plexor.base.counts import agreed, counted
from plexor.base.errors import ExitCode
from plexor.base.figure_words import MAX_SEEN
from plexor.base.units import format_seconds
from plexor.library.cells.outcome import CellFigures, CellOutcome, CellState
from plexor.show.pictures.scale import grouped
from plexor.show.table import NOTHING, Cell
from plexor.show.terminal.columns import LEAST_WIDTH, Paint, table, wrapped

SCHEMA = "plexor.farm/1"
_CODES = {ExitCode.BUDGET: "OVER BUDGET", ExitCode.INVALID: "PROVES NOTHING"}


def farm_text(outcomes: Sequence[CellOutcome], *, width: int, colour: bool) -> str:
    """Return a row for each channel of each cell, then what went wrong, and how many are done."""
    width, paint = max(width, LEAST_WIDTH), Paint(colour)
    axes = list(dict.fromkeys(axis for outcome in outcomes for axis in outcome.cell.names))
    head = [*axes, "channel", "n", "missed", "p99", MAX_SEEN, "state"]
    rows = [_row(axes, outcome, own) for outcome in outcomes for own in outcome.figures or (None,)]
    lines = [*table(head, rows, width, paint), ""]
    for outcome in outcomes:
        if outcome.reason:
            line = f"{outcome.cell.name}: {state(outcome)}: {outcome.reason}"
            style = "doubt" if outcome.code == ExitCode.INVALID else "bad"
            lines += wrapped(line, width, paint, style)
    done = sum(outcome.done for outcome in outcomes)
    simulated = sum(outcome.simulated for outcome in outcomes)
    has = agreed(done, "has", "have")
    line = f"{grouped(done)} of {counted(len(outcomes), 'cell')} {has} a run"
    if simulated:
        line += ", all simulated" if simulated == done else f", {grouped(simulated)} simulated"
    lines += wrapped(line, width, paint, "muted" if done == len(outcomes) else "bad")
    return paint.done(lines)


def state(outcome: CellOutcome) -> str:
    """Return how far a cell has come, and whether its run proves anything."""
    if outcome.state in (CellState.OPEN, CellState.FAILED):
        return "not measured" if outcome.state == CellState.OPEN else "FAILED"
    words = [_CODES[outcome.code]] if outcome.code in _CODES else []
    words.append("measured before" if outcome.state == CellState.KEPT else "measured now")
    return ", ".join(words)


def _row(axes: list[str], outcome: CellOutcome, own: CellFigures | None) -> list[Cell]:
    texts = [outcome.cell.names.get(axis, NOTHING) for axis in axes]
    if own is None:
        texts += [NOTHING] * 5
    else:
        times = (own.p99_s, own.max_s)
        texts += [own.name, grouped(own.samples), grouped(own.missed)]
        texts += [NOTHING if time is None else format_seconds(time) for time in times]
    return [(text, "") for text in (*texts, state(outcome))]


def farm_document(outcomes: Sequence[CellOutcome], code: ExitCode) -> dict[str, Any]:
    """Return the cells as `plexor farm --json` prints them."""
    return {
        "schema": SCHEMA,
        "exit_code": int(code),
        "cells": [
            {
                "names": dict(outcome.cell.names),
                "link": outcome.cell.link,
                "state": outcome.state.value,
                "run": outcome.run or None,
                "simulated": outcome.simulated,
                "exit_code": int(outcome.code),
                "reason": outcome.reason,
                "channels": [
                    {
                        "name": own.name,
                        "samples": own.samples,
                        "missed": own.missed,
                        "p99_s": own.p99_s,
                        "max_s": own.max_s,
                    }
                    for own in outcome.figures
                ],
            }
            for outcome in outcomes
        ],
    }
