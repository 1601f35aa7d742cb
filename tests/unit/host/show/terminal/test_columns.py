# SPDX-License-Identifier: Apache-2.0
"""Tables for a terminal: every row can be told from every other, and nothing is cut off."""

import re

import pytest

from plexor.experiments.burst.model import Lengths, SpacingLimit
from plexor.show.terminal.burst import burst_text
from plexor.show.terminal.calibration import calibration_text
from plexor.show.terminal.columns import Paint, table
from plexor.show.terminal.sweep import sweep_text
from plexor_lab.study.systems import Jitter, Systems, changes
from plexor_lab.study.text import systems_text

from ...experiments.calibration.test_store import CALIBRATION
from ...sweeps import swept
from ..scans_to_draw import burst_result

WIDTHS = (40, 57, 80, 100)
PLAIN = Paint(False)
LONG = "interrupt handler of the left motor", "interrupt handler of the right motor"


def bands(lines):
    """Return the tables between empty lines, each as its lines."""
    return [band.split("\n") for band in "\n".join(lines).split("\n\n")]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("keys", [1, 2, 3])
def test_rows_that_differ_in_a_key_differ_in_every_band(width, keys):
    head = [*("system", "load", "pin")[:keys], *(f"figure {n}" for n in range(9))]
    names = [("freertos", "none", "ISR"), ("freertos", "none", "TASK"), ("freertos", "all", "ISR")]
    names = list(dict.fromkeys(entry[:keys] for entry in names))
    rows = [[*((text, "") for text in name), *[("12.5 µs", "")] * 9] for name in names]
    for band in bands(table(head, rows, width, PLAIN)):
        assert len(set(band)) == len(band) == 1 + len(names)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_text_is_cut_off_however_narrow_the_terminal(width):
    cells = [
        [(name, "from strike0"), ("-20.8 % to -19.2 %, by the brackets", "x" * 60)] for name in LONG
    ]
    found = "\n".join(table(["channel", "change"], cells, width, PLAIN))
    assert max(map(len, found.splitlines())) <= width
    letters = re.sub(r"\s", "", found)
    for word in ("from", "strike0", "-20.8", "-19.2", "brackets", "left", "right"):
        assert letters.count(word) >= 1
    assert letters.count("x") == 2 * 60


def rows_of(text, names):
    """Return, of each band of a text's tables, its rows that begin with one of the names."""
    found = [[row for row in band if row.startswith(names)] for band in bands(text.splitlines())]
    return [band for band in found if band]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_calibration_fits_the_terminal(width):
    text = calibration_text(CALIBRATION, width=width, colour=False)
    assert max(map(len, text.splitlines())) <= width
    assert "± is" in text


SWEPT = swept({"none": 100_000, "critical": 40_000})


@pytest.mark.parametrize("width", [40, 80])
def test_each_band_of_a_command_s_table_tells_its_rows_apart(width):
    systems = Systems(Jitter.SPAN_128)
    systems.add_sweep("s1", SWEPT)
    rows = systems.rows()
    limits = [SpacingLimit(spacing, "ISR", Lengths(4, 5), 64, 99) for spacing in (1, 2)]
    texts = {
        "table": (
            systems_text(
                rows, changes(rows), (), [("s1", SWEPT)], Jitter.SPAN_128, width=width, colour=False
            ),
            ("ce30 ", "CE "),
        ),
        "sweep": (sweep_text(SWEPT, width=width, colour=False), ("none ", "critical ")),
        "burst": (burst_text(burst_result(*limits), width=width, colour=False), ("ISR ",)),
    }
    for name, (text, names) in texts.items():
        found = rows_of(text, names)
        assert found, name
        for band in found:
            assert len(set(band)) == len(band), (name, band)
