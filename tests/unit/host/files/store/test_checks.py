# SPDX-License-Identifier: Apache-2.0
"""What a run from a file cannot be, each bound from both sides, and events beside it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plexor.base.constraints import MOST_TICKS
from plexor.files.store.checks import LOG, ZOOM, check_codes, check_events, histograms
from plexor.files.store.run_folder import RUN
from plexor.model.calibration import Calibration, ChannelInstants, Instants
from plexor.model.code_array import CODE_DTYPE
from plexor.model.identity import Identity
from plexor.model.results import Accounting, Bins, Kind, SourceAccounting, Zoom
from plexor.model.settings import Channel, RegisterWrite, Settings, Stimulus, TableStep
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.registers import StatusFlag

from ... import documented


@pytest.fixture
def run(run_of):
    return run_of([[1000, 1200, 1100]])


def wrong(run, **changes):
    """Return what is wrong with a changed run; empty where nothing is."""
    return documented.wrong(RUN, replace(run, **changes))


def test_nothing_is_wrong_with_a_run_that_was_taken(run):
    assert wrong(run) == ""
    check_events(run.events, run)


BOUNDS = {
    "gateware_hash": [
        ({"identity": Identity(Geometry(), (1 << 64) - 1)}, False),
        ({"identity": Identity(Geometry(), 1 << 64)}, True),
    ],
    "protocol_version": [
        ({"identity": Identity(Geometry(), 1, (1 << 32) - 1)}, False),
        ({"identity": Identity(Geometry(), 1, 1 << 32)}, True),
    ],
    "ticks": [
        ({"start_ticks": 5, "end_ticks": 5}, False),
        ({"start_ticks": 5, "end_ticks": 4}, True),
        ({"start_ticks": -1}, True),
        ({"end_ticks": MOST_TICKS - 1}, False),
        ({"end_ticks": MOST_TICKS}, True),
    ],
    "wall_seconds": [({"wall_seconds": 0.0}, False), ({"wall_seconds": -1e-9}, True)],
    "must have an index and a time": [
        ({"trigger_index": 0, "trigger_ticks": MOST_TICKS - 1}, False),
        ({"trigger_index": 0}, True),
        ({"trigger_ticks": 7}, True),
    ],
    "trigger_": [
        ({"trigger_index": 0, "trigger_ticks": MOST_TICKS}, True),
        ({"trigger_index": -1, "trigger_ticks": 7}, True),
    ],
    "flags": [({"flags": StatusFlag(sum(StatusFlag))}, False)],
    "must be above 0": [
        ({"settings": Settings((Stimulus(0, Fraction(1, 10**9)),))}, False),
        ({"settings": Settings((Stimulus(0, Fraction(0)),))}, True),
        ({"settings": Settings((Stimulus(0),))}, False),
    ],
    "strikes[0].output: 8; must be 0 to 7": [
        ({"settings": Settings((Stimulus(7),))}, False),
        ({"settings": Settings((Stimulus(8),))}, True),
    ],
    "channels[0].number: 8; must be 0 to 7": [
        ({"settings": Settings(channels=(Channel(7),))}, False),
        ({"settings": Settings(channels=(Channel(8),))}, True),
    ],
    "burst: 0; must be 1 or more": [
        ({"settings": Settings((Stimulus(0, burst=0),))}, True),
    ],
    "count: -1; must be 0 or more": [
        ({"settings": Settings((Stimulus(0, count=-1),))}, True),
    ],
    "filter_s: -1; must be 0 or more": [
        ({"settings": Settings(channels=(Channel(0, filter_s=Fraction(-1)),))}, True)
    ],
    "_s: -1; must be 0 or more": [
        ({"settings": Settings(**{name: Fraction(-1)})}, True)
        for name in (
            *("timeout_s", "time_s", "latency_over_s", "settle_s"),
            *("window_min_s", "early_s", "report_s"),
        )
    ],
    "settings.table[0].": [
        ({"settings": Settings(table=(TableStep(Fraction(1), 0),))}, False),
        ({"settings": Settings(table=(TableStep(Fraction(0), 1),))}, True),
        ({"settings": Settings(table=(TableStep(Fraction(1), -1),))}, True),
    ],
    "register": [
        ({"registers": (RegisterWrite("matcher", 0, "policy", 2),)}, False),
        ({"registers": (RegisterWrite("matcher", 0, "policy", 3),)}, True),
        ({"registers": (RegisterWrite("channel", 7, "filter_ticks", 31),)}, False),
        ({"registers": (RegisterWrite("channel", 7, "filter_ticks", 32),)}, True),
        ({"registers": (RegisterWrite("channel", 8, "enable", 0),)}, True),
        ({"registers": (RegisterWrite("channel", 0, "colour", 0),)}, True),
    ],
}
CASES = [(says, *case) for says, cases in BOUNDS.items() for case in cases]


@pytest.mark.parametrize(("says", "changes", "refused"), CASES)
def test_what_cannot_be_is_said_and_what_can_is_taken(run, says, changes, refused):
    found = wrong(run, **changes)
    assert (says in found) if refused else (found == "")


def test_channels_rise_and_a_kind_is_there_once(run_of):
    run = run_of([[1000], [1200]])
    one, other = run.channels
    assert "must be different and rise" in wrong(run, channels=(other, one))
    assert "must be different and rise" in wrong(run, channels=(one, one))
    doubled = replace(one, measurements=one.measurements[:1] * 2)
    assert wrong(run, channels=(doubled, other)) == (
        "ch0: measurements ['rise', 'rise']; must be different"
    )


def test_bins_are_those_of_the_build_for_each_kind(run):
    identity = Identity(Geometry(fall_mantissa_bits=4), 1)
    assert wrong(run, identity=identity) == "ch0: bins of 6 mantissa bits; must be 4"


SOURCE = SourceAccounting(0, 5, 0, 0, 5)


@pytest.mark.parametrize(
    ("books", "says"),
    [
        (Accounting(5, 5, 0, 0, (SOURCE,), link_dropped=255), ""),
        (
            Accounting(5, 5, 0, 0, (SOURCE,), link_dropped=256),
            "link_dropped: 256; must be 0 to 255",
        ),
        (Accounting(5, 5, 0, 0, frames_lost=-1), "frames_lost: -1; must be 0 or more"),
        (
            Accounting(5, 5, 0, 0, decode_faults={"crc": -2}),
            "decode_faults.crc: -2; must be",
        ),
        (Accounting(5, 5, 0, 0, (SOURCE, SOURCE)), "sources [0, 0]; must be different"),
        (Accounting(5, 5, 0, 0, (replace(SOURCE, source=7),)), "sources [7]; must be different"),
        (Accounting(5, 4, 0, 0), "does not add up in a valid run"),
    ],
)
def test_books_that_cannot_be_are_told(run, books, says):
    found = wrong(run, accounting=books)
    assert says in found
    assert bool(found) == bool(says)


def test_books_of_an_invalid_run_need_not_add_up(run):
    assert wrong(run, accounting=Accounting(5, 4, 0, 0), invalid_reasons=("lost",)) == ""


def calibrated(run, phases=4, **changes):
    way = Instants((0,) * phases, (1,) * phases, 1000)
    fields = {
        "serial": "1",
        "gateware_hash": run.identity.gateware_hash,
        "board": "sim",
        "simulated": True,
        "tick_fs": run.tick_fs,
        "made": "2026-11-21T08:00:00Z",
        "source_fs": 10**8,
        "channels": (ChannelInstants(0, way, way),),
        "delays": (),
    }
    return Calibration(**fields | changes)


def test_a_calibration_is_of_the_runs_instrument_and_its_phases(run):
    assert wrong(run, calibration=calibrated(run)) == ""
    for change in ({"gateware_hash": 1}, {"build_id": 1}, {"tick_fs": 1001}):
        found = wrong(run, calibration=calibrated(run, **change))
        assert found == "calibration: made for another instrument"
    assert "{8} phases; must be 4" in wrong(run, calibration=calibrated(run, phases=8))


def changed(run, name, value, place=0):
    events = run.events.copy()
    events[name][place] = value
    return events


@pytest.mark.parametrize(
    ("name", "value", "place", "says"),
    [
        ("time_ticks", 2 * MOST_TICKS - 1, -1, ""),
        ("time_ticks", 2 * MOST_TICKS, -1, "an event of time"),
        ("index", 2 * MOST_TICKS, 0, "an event of index"),
        ("source", 4, 0, "another source than"),
        ("source", 16, 0, ""),
        ("polarity", 2, 0, "of no polarity"),
        ("time_ticks", 0, 1, "an event earlier than the one before"),
    ],
)
def test_events_that_no_instrument_sends_are_refused(run, name, value, place, says):
    events = changed(run, name, value, place)
    if not says:
        check_events(events, run)
        return
    with pytest.raises(ValueError, match=says):
        check_events(events, run)


def test_events_out_of_order_are_taken_in_an_invalid_run_and_none_in_any(run):
    invalid = replace(run, invalid_reasons=("disorder",))
    check_events(changed(run, "time_ticks", 0, 1), invalid)
    check_events(run.events[:0], run)


def test_each_histogram_has_the_bins_of_its_kind(run):
    geometry = Geometry(
        latency_mantissa_bits=4, fall_mantissa_bits=3, interval_mantissa_bits=5, zoom_bits=6
    )
    (channel,) = run.channels
    rise = replace(channel.measurements[0], zoom=Zoom(0, np.zeros(64, np.uint64)))
    measured = replace(channel, measurements=(rise, *channel.measurements[1:]))
    other = replace(run, identity=Identity(geometry, 1), channels=(measured,))
    # A key has 32 times as many log-linear bins as an octave has.
    assert histograms(other) == {
        (0, "rise", LOG): 32 * 16,
        (0, "rise", ZOOM): 64,
        (0, "fall", LOG): 32 * 8,
        (0, "width", LOG): 32 * 32,
        (0, "period", LOG): 32 * 32,
    }


def test_a_build_without_a_step_source_has_no_events_of_steps(run):
    events = changed(run, "source", 17)
    check_events(events, run)
    without = Geometry(features=ALL_FEATURES & ~Feature.SWEEP)
    with pytest.raises(ValueError, match="another source"):
        check_events(events, replace(run, identity=Identity(without, 1)))


def test_the_kinds_bins_are_told_apart(run):
    (channel,) = run.channels
    width = channel.measurement(Kind.WIDTH)
    bins = Bins(7, np.zeros(1 << 12, np.uint64))
    others = tuple(m for m in channel.measurements if m.kind != Kind.WIDTH)
    measured = replace(channel, measurements=(*others, replace(width, bins=bins)))
    assert wrong(run, channels=(measured,)) == "ch0: bins of 7 mantissa bits; must be 6"


@pytest.mark.parametrize(
    ("code", "time_ticks", "says"),
    [
        (255, 2**63 - 1, ""),
        (0, 0, ""),
        (256, 0, "a code of 256; must be at most 255"),
        (0, -1, "a code at -1 ticks"),
    ],
)
def test_codes_that_no_instrument_sends_are_refused(run, code, time_ticks, says):
    geometry = Geometry(features=ALL_FEATURES | Feature.CODES, code_bits=8)
    coded = replace(run, identity=Identity(geometry, 1))
    codes = np.zeros(2, CODE_DTYPE)
    codes["time_ticks"] = [5, time_ticks]
    codes["code"][1] = code
    check_codes(codes[:0], coded)
    if not says:
        check_codes(codes, coded)
        return
    with pytest.raises(ValueError, match=says):
        check_codes(codes, coded)
