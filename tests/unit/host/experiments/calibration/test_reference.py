# SPDX-License-Identifier: Apache-2.0
"""The oscillator compared with what is planted: 1 PPS with gaps and jitter, clocks, and none."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from plexor.base.errors import InstrumentError
from plexor.experiments.calibration import reference
from plexor.experiments.calibration.reference import DRIFT_PPB, Reference, measured_scale
from plexor.model.identity import Identity
from plexor.model.results import EVENT_DTYPE, Accounting, SourceAccounting
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import Stream

GEOMETRY = Geometry(channels=8, tick_fs=500_000)
DEVICE = SimpleNamespace(identity=Identity(GEOMETRY, 1), name="sim:")
SECOND_TICKS = 2_000_000_000
PPS = Reference(7)


@pytest.fixture
def plant(monkeypatch, run_of):
    """Return a function that plants edges of channel 7 at ticks, or a number of edges in ticks."""

    def planted(times=(), edges=0, ticks=0):
        asked = []

        def run(device, settings):
            asked.append(settings)
            events = np.zeros(len(times), EVENT_DTYPE)
            events["time_ticks"], events["source"], events["polarity"] = times, 7, 1
            sources = (SourceAccounting(7, edges, 0, 0, 0),)
            books = Accounting(edges, 0, 0, 0, sources=sources)
            found = replace(run_of([[1000]]), events=events, accounting=books)
            return replace(found, start_ticks=1000, end_ticks=1000 + ticks)

        for name in ("whole_run", "complete_run"):
            monkeypatch.setattr(reference, name, run)
        return asked

    return planted


@pytest.mark.parametrize("fast_ppb", [-48_700, 0, 12_345])
def test_1_pps_tells_by_how_much_the_oscillator_is_fast(plant, fast_ppb):
    second = SECOND_TICKS * (10**9 + fast_ppb) // 10**9
    # The fourth second's pulse did not come; ends have the jitter of a receiver, 100 ns.
    times = [5000 + n * second for n in range(11) if n != 4]
    times[0] += 200
    times[-1] -= 200
    asked = plant(times)
    found = measured_scale(DEVICE, PPS, "2026")
    assert abs(found.fast_ppb - fast_ppb) <= found.error_ppb - DRIFT_PPB
    # Of 10 s two edges of 100 ns and a tick each: 20.1 ppb.
    assert found.error_ppb == DRIFT_PPB + 21
    assert (found.reference, found.made) == ("1 PPS on ch7", "2026")
    ((channel,), time_s, stream) = (asked[0].channels, asked[0].time_s, asked[0].stream)
    assert (channel.number, time_s, stream) == (7, 10, Stream.LIVE)


@pytest.mark.parametrize("fast_ppb", [-48_700, 12_345])
def test_a_clock_tells_it_by_the_number_of_its_edges(plant, fast_ppb):
    # In 2 s of the instrument, its oscillator being fast, fewer periods come.
    ticks = 2 * SECOND_TICKS
    edges = int(2 * 2 * 10**7 / (1 + fast_ppb * 1e-9)) + 1
    asked = plant(edges=edges, ticks=ticks)
    found = measured_scale(DEVICE, Reference(7, Fraction(10**7), Fraction(2)), "2026")
    assert abs(found.fast_ppb - fast_ppb) <= found.error_ppb - DRIFT_PPB
    # One period of 100 ns in 2 s: 50 ppb.
    assert found.error_ppb - DRIFT_PPB in (50, 51)
    assert found.reference == "10 MHz on ch7"
    assert asked[0].stream == Stream.OFF


@pytest.mark.parametrize(
    ("times", "says"),
    [
        ([], "0 edges in 10 s; must be more than 2"),
        ([SECOND_TICKS, 2 * SECOND_TICKS], "2 edges in 10 s"),
        ([0, SECOND_TICKS, 2.5 * SECOND_TICKS], "1.500000 s apart; must be whole seconds"),
        ([0, SECOND_TICKS, SECOND_TICKS + 10], "0.000000 s apart"),
        ([0, 1.001 * SECOND_TICKS, 2.002 * SECOND_TICKS], "1.001000 s apart"),
    ],
)
def test_what_is_no_1_pps_is_refused_with_what_came(plant, times, says):
    plant([int(time) for time in times])
    with pytest.raises(InstrumentError, match=f"sim:: 1 PPS on ch7: .*{says}"):
        measured_scale(DEVICE, PPS, "2026")


def test_a_clock_of_another_rate_or_none_is_refused(plant):
    clock = Reference(7, Fraction(10**7), Fraction(2))
    plant(edges=0, ticks=2 * SECOND_TICKS)
    with pytest.raises(InstrumentError, match="10 MHz on ch7: no edge came"):
        measured_scale(DEVICE, clock, "2026")
    plant(edges=4 * 10**7 * 1001 // 1000, ticks=2 * SECOND_TICKS)
    with pytest.raises(InstrumentError, match="ppm fast; must be within 500: that is another rate"):
        measured_scale(DEVICE, clock, "2026")


@pytest.mark.parametrize(
    ("ticks", "fast_ppb"), [(4_002_000_000, 500_000), (3_998_000_000, -500_000)]
)
def test_an_oscillator_may_be_off_by_500_ppm(plant, ticks, fast_ppb):
    # 2 * 10**7 periods of 100 ns are 2 s; a tick is 0.5 ns.
    plant(edges=4 * 10**7, ticks=ticks)
    clock = Reference(7, Fraction(10**7), Fraction(2))
    assert measured_scale(DEVICE, clock, "2026").fast_ppb == fast_ppb
    plant(edges=4 * 10**7, ticks=ticks + (1 if fast_ppb > 0 else -1))
    with pytest.raises(InstrumentError, match="that is another rate"):
        measured_scale(DEVICE, clock, "2026")


def test_without_events_a_clock_can_be_counted_and_1_pps_cannot_be_timed(plant):
    silent = replace(GEOMETRY, features=GEOMETRY.features & ~Feature.EVENTS)
    device = SimpleNamespace(identity=Identity(silent, 1), name="sim:")
    plant(edges=4 * 10**7, ticks=2 * SECOND_TICKS)
    with pytest.raises(InstrumentError, match=r"sends no events.*1 MHz or more can be counted"):
        measured_scale(device, PPS, "2026")
    found = measured_scale(device, Reference(7, Fraction(10**7), Fraction(2)), "2026")
    assert found.fast_ppb == 0
