# SPDX-License-Identifier: Apache-2.0
"""The cells of a farm on a terminal of any width, and as JSON."""

import json

import pytest

from plexor.base.errors import ExitCode
from plexor.library.cells.cell import Cell
from plexor.library.cells.outcome import CellFigures, CellOutcome, CellState
from plexor.library.cells.text import farm_document, farm_text

ISR = CellFigures("ISR", 12_000, 3, 1.004e-6, 1.009e-6)
SILENT = CellFigures("TASK", 0, 12_000, None, None)


def cell(**names):
    return Cell(names=names, link="sim:")


OUTCOMES = (
    CellOutcome(
        cell(instrument="left", load="none"),
        CellState.MEASURED,
        True,
        "20261101T080000-a",
        (ISR, SILENT),
    ),
    CellOutcome(
        cell(instrument="left", load="busy"),
        CellState.KEPT,
        True,
        "20261101T081000-b",
        (ISR,),
        ExitCode.BUDGET,
        "ISR max 1 µs: broken",
    ),
    CellOutcome(
        cell(instrument="right", load="none"),
        CellState.MEASURED,
        False,
        "20261101T082000-c",
        (ISR,),
        ExitCode.INVALID,
        "a bin is full",
    ),
    CellOutcome(
        cell(instrument="right", load="busy"),
        CellState.FAILED,
        code=ExitCode.LINK,
        reason="tcp://h:1: refused",
    ),
    CellOutcome(cell(instrument="right", load="idle")),
)


def test_each_channel_of_each_cell_has_a_row():
    lines = farm_text(OUTCOMES, width=120, colour=False).splitlines()
    assert [line.split()[:3] for line in lines[:7]] == [
        ["instrument", "load", "channel"],
        ["left", "none", "ISR"],
        ["left", "none", "TASK"],
        ["left", "busy", "ISR"],
        ["right", "none", "ISR"],
        ["right", "busy", "-"],
        ["right", "idle", "-"],
    ]
    assert lines[1].split()[3:] == ["12,000", "3", "1.004", "µs", "1.009", "µs", "measured", "now"]
    assert lines[3].endswith("OVER BUDGET, measured before")
    assert lines[4].endswith("PROVES NOTHING, measured now")
    assert lines[5].endswith("FAILED")
    assert lines[6].endswith("not measured")
    assert lines[8:] == [
        "left/busy: OVER BUDGET, measured before: ISR max 1 µs: broken",
        "right/none: PROVES NOTHING, measured now: a bin is full",
        "right/busy: FAILED: tcp://h:1: refused",
        "3 of 5 cells have a run, 2 simulated",
    ]


def test_simulated_cells_say_so():
    assert "1 of 1 cell has a run, all simulated" in farm_text(
        OUTCOMES[:1], width=100, colour=False
    )
    assert "simulated" not in farm_text(OUTCOMES[2:3], width=100, colour=False)


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_table_fits_its_terminal(width):
    assert max(map(len, farm_text(OUTCOMES, width=width, colour=False).splitlines())) <= width


def test_what_failed_is_red_and_what_proves_nothing_is_yellow():
    text = farm_text(OUTCOMES, width=120, colour=True)
    assert "\x1b[31mright/busy" in text
    assert "\x1b[33mright/none" in text


def test_a_document_has_every_cell():
    document = json.loads(json.dumps(farm_document(OUTCOMES, ExitCode.LINK)))
    assert (document["schema"], document["exit_code"]) == ("plexor.farm/1", 3)
    states = [each["state"] for each in document["cells"]]
    assert states == ["measured", "kept", "measured", "failed", "open"]
    first, *_, last = document["cells"]
    assert first["names"] == {"instrument": "left", "load": "none"}
    assert first["channels"][0] == {
        "name": "ISR",
        "samples": 12_000,
        "missed": 3,
        "p99_s": 1.004e-6,
        "max_s": 1.009e-6,
    }
    assert (last["run"], last["channels"]) == (None, [])
