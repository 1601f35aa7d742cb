# SPDX-License-Identifier: Apache-2.0
"""Binary snapshots: what is written is where the layout says, and it is all of the histogram."""

import struct
from dataclasses import replace

import numpy as np
import pytest

from plexor.protocol.memory import VALUE_MOST, ResponseClass, bin_bounds, bin_count
from plexor.scope.wire import CHANNEL, HEADER, FrameId, cells_of, edges_of, encode, layout

from .shots import shot_of

CODES = {"u2": "H", "u4": "I", "f8": "d"}


def read(data, fields, at=0):
    """Return a record's fields as the page reads them: by the layout alone."""
    found = {}
    for name, (kind, offset, count) in fields.items():
        values = struct.unpack_from(f"<{count}{CODES[kind]}", data, at + offset)
        found[name] = values[0] if count == 1 else values
    return found


def channel(data, number):
    declared = layout()
    at = declared["header_bytes"] + number * declared["channel_bytes"]
    return read(data, declared["channel"], at)


def counts(data, record, kind):
    size = record[f"{kind}_cells"]
    return np.array(struct.unpack_from(f"<{size}d", data, record[f"{kind}_at"]))


def test_the_header_says_what_the_run_has_come_to(run_of):
    shot = shot_of(run_of([[2000] * 40]), number=9, dropped=3, frames_lost=2, decode_faults=1)
    data = encode(shot, FrameId(17, 4, running=True))
    declared = layout()
    found = read(data, declared["header"])
    assert (found["magic"], found["version"]) == (declared["magic"], declared["version"])
    assert data[:4] == b"PXS1"
    assert (found["frame"], found["run"], found["snapshot"], found["channels"]) == (17, 4, 9, 1)
    assert (found["strikes"], found["expected_strikes"], found["received"]) == (40, 100, 160)
    assert (found["dropped"], found["lost"], found["faults"]) == (3, 2, 1)
    assert (found["elapsed_s"], found["wall_s"], found["tick_fs"]) == (0.5, 2.0, 1_000_000)
    assert found["flags"] == declared["flags"]["simulated"] | declared["flags"]["running"]


def test_a_channel_has_every_response_of_its_histogram_in_the_cell_that_holds_it(run_of):
    values = [5, 70, 70, 2000, 2001, 90_000, None]
    data = encode(shot_of(run_of([values, [9] * 7], widths=30)), FrameId(1, 1, running=False))
    record = channel(data, 0)
    assert record["number"] == 0
    assert record["classes"][ResponseClass.ANSWERED] == 6
    assert record["classes"][ResponseClass.MISSED] == 1
    assert (record["min_ticks"], record["max_ticks"]) == (5, 90_000)
    edges = edges_of(record["rise_mantissa_bits"])
    for kind, late in (("rise", 0), ("fall", 30)):
        found = counts(data, record, kind)
        assert found.sum() == 6
        for value in values[:-1]:
            cell = np.searchsorted(edges, value + late, side="right") - 1
            assert found[cell - record[f"{kind}_first"]] > 0
    assert counts(data, channel(data, 1), "rise").tolist() == [7.0]


def test_only_the_cells_between_the_first_and_the_last_response_are_sent(run_of):
    data = encode(shot_of(run_of([[1000] * 5])), FrameId(1, 1, running=True))
    assert channel(data, 0)["rise_cells"] == 1
    assert len(data) == HEADER.itemsize + CHANNEL.itemsize + 16


def test_a_channel_without_a_response_has_no_cells_and_no_extremes(run_of):
    record = channel(encode(shot_of(run_of([[None] * 5])), FrameId(1, 1, running=True)), 0)
    assert record["rise_cells"] == record["fall_cells"] == 0
    assert np.isnan(record["min_ticks"])
    assert np.isnan(record["max_ticks"])


def test_early_responses_and_those_beyond_the_last_bin_have_cells_of_their_own(run_of):
    run = run_of([[-300, 200, 400]])
    cells = cells_of(run.channels[0].measurement("rise"))
    assert cells[0] == 1
    assert cells.sum() == 3
    assert len(cells_of(None)) == 0


@pytest.mark.parametrize("bits", [4, 6, 8])
def test_edges_are_the_bounds_of_the_declared_bins(bits):
    edges = edges_of(bits)
    assert len(edges) == bin_count(bits) + 3
    assert edges[-2:] == [VALUE_MOST, VALUE_MOST + 1]
    for number in (0, 1, 1 << bits, 200, bin_count(bits) - 2):
        assert tuple(edges[number + 1 : number + 3]) == bin_bounds(number, bits)


def test_counts_begin_where_a_page_can_read_floats_in_place():
    assert HEADER.itemsize % 8 == CHANNEL.itemsize % 8 == 0


def test_a_shot_has_the_length_of_strikes_and_the_extremes_of_falls_and_widths(run_of):
    shot = shot_of(run_of([[1000, 1300, 1200]], widths=20))
    data = encode(replace(shot, strike_ticks=2000), FrameId(1, 1, running=True))
    assert read(data, layout()["header"])["strike_ticks"] == 2000
    unknown = encode(shot, FrameId(1, 1, running=True))
    assert np.isnan(read(unknown, layout()["header"])["strike_ticks"])
    record = channel(data, 0)
    assert (record["fall_min_ticks"], record["fall_max_ticks"]) == (1020, 1320)
    assert (record["width_min_ticks"], record["width_max_ticks"]) == (20, 20)


def test_the_first_cell_is_below_0_and_the_last_one_at_the_limit():
    bounds = edges_of(6)
    assert bounds[:3] == [-1, 0, 1]
    assert bounds[-2:] == [VALUE_MOST, VALUE_MOST + 1]
    assert bounds == sorted(bounds)


@pytest.mark.parametrize("simulated", [True, False])
@pytest.mark.parametrize("running", [True, False])
@pytest.mark.parametrize("invalid", [(), ("the clock was lost",), ("one", "two")])
def test_each_flag_says_one_thing_of_the_run(run_of, simulated, running, invalid):
    shot = replace(shot_of(run_of([[2000]])), simulated=simulated, invalid=invalid)
    declared = layout()
    flags = read(encode(shot, FrameId(1, 1, running)), declared["header"])["flags"]
    bits = declared["flags"]
    assert sorted(bits.values()) == [1, 2, 4]
    assert bool(flags & bits["simulated"]) == simulated
    assert bool(flags & bits["running"]) == running
    assert bool(flags & bits["invalid"]) == bool(invalid)
