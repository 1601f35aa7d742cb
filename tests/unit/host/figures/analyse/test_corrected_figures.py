# SPDX-License-Identifier: Apache-2.0
"""Figures in picoseconds beside those in ticks, and why a channel has none."""

from dataclasses import replace
from fractions import Fraction
from statistics import pvariance

import numpy as np
import pytest

from plexor.base.errors import ExitCode
from plexor.figures.analyse.analyse import analyse
from plexor.files.store.document import document
from plexor.model.calibration import ChannelInstants, Instants, PadDelay
from plexor.model.results import Kind
from plexor.model.settings import Channel
from plexor.protocol.geometry import Feature
from plexor.show.page import page
from plexor.show.terminal.run import text

from .planted import CALIBRATION

LATENCIES = [[1000 + n for n in range(40)], [5000 + n for n in range(40)]]


def test_figures_in_ticks_stay_as_they_are(run_of):
    without, with_it = (
        analyse(run_of(LATENCIES, calibration=chosen)) for chosen in (None, CALIBRATION)
    )
    for one, other in zip(without.channels, with_it.channels, strict=True):
        for kind in Kind:
            assert one.kinds[kind].min_ticks == other.kinds[kind].min_ticks
            assert one.kinds[kind].mean_ticks == other.kinds[kind].mean_ticks
    assert without.corrected == ()
    assert [entry.name for entry in with_it.corrected] == ["ISR", "TASK"]


def test_corrected_figures_are_those_of_their_values(run_of):
    channel = analyse(run_of(LATENCIES, calibration=CALIBRATION)).corrected[0]
    rise = channel.kinds[Kind.RISE]
    values = rise.values_ps.tolist()
    assert len(values) == 40
    assert (rise.min_ps, rise.max_ps) == (min(values), max(values))
    assert rise.mean_ps == Fraction(sum(values), 40)
    assert rise.variance_ps2 == pvariance(map(Fraction, values))
    assert rise.rms_ps == pytest.approx(np.std(values))
    median = rise.quantile(Fraction(1, 2))
    assert median.value_ps == sorted(values)[19]
    assert not rise.quantile(Fraction(999, 1000)).enough


def test_a_base_result_is_taken_off_and_nothing_falls_below_0(run_of):
    result = run_of(LATENCIES, calibration=CALIBRATION)
    plain = analyse(result).corrected[0].kinds[Kind.RISE].values_ps
    based = analyse(result, base_ticks=1010).corrected[0].kinds[Kind.RISE].values_ps
    assert based.tolist() == np.maximum(plain - 1_010_000, 0).tolist()
    assert 0 in based


def test_text_page_and_document_say_what_is_corrected_and_in_what_unit(run_of):
    report = analyse(run_of(LATENCIES, calibration=CALIBRATION))
    shown, page_text = text(report, width=100, colour=False), page(report)
    for content in (shown, page_text):
        assert "corrected with the calibration of sim made 2026-11-22" in " ".join(content.split())
    assert "Latency, corrected by calibration" in page_text
    found = document(report, None, ExitCode.PASS)["corrected"]
    assert found["serial"] == "sim"
    assert found["channels"][0]["latency"]["count"] == 40
    rise = report.corrected[0].kinds[Kind.RISE]
    latency = found["channels"][0]["latency"]
    assert latency["min_ps"] == rise.min_ps
    # Delays ± 90, a detour ± 5000, half of the widest bin (1550) and 4 x 5 ps of its instants;
    # 50 ppm of some µs add less than 100 ps.
    assert latency["ways_error_ps"] == 90 + 5000 + 775 + 20
    assert latency["ways_error_ps"] < latency["error_ps"] < latency["ways_error_ps"] + 100
    assert latency["pins"] == "loopback"
    # Two digits of the error: no figure goes beyond 0.1 ns.
    assert f"{rise.min_ps / 1000:.1f} ns" in shown
    assert f"{rise.min_ps / 1000:.2f}" not in shown
    assert "± 6.0 ns" in shown
    for content in (shown, page_text):
        assert "oscillator is within ± 50 ppm (assumed)" in " ".join(content.split())
        # 1500 ps are a tick and a half, and half a tick until an edge is seen.
        assert "late by that, 2 ± 7 ticks" in " ".join(content.split())


def test_without_calibration_nothing_speaks_of_one(run_of):
    report = analyse(run_of(LATENCIES))
    assert "calibration" not in text(report, width=100, colour=False)
    assert "calibration" not in page(report)
    assert document(report, None, ExitCode.PASS)["corrected"] is None


def test_a_run_without_events_says_why_it_is_not_corrected(run_of):
    report = analyse(run_of(LATENCIES, keep_events=False, calibration=CALIBRATION))
    said = " ".join(text(report, width=100, colour=False).split())
    assert "nothing corrected with the calibration of sim" in said
    assert "ISR is not corrected: its events are not complete" in said
    assert document(report, None, ExitCode.PASS)["corrected"]["channels"][0]["latency"] is None


def test_of_an_instrument_without_events_it_says_what_the_pads_add(run_of):
    result = run_of(LATENCIES, keep_events=False, calibration=CALIBRATION)
    geometry = result.identity.geometry
    silent = replace(geometry, features=geometry.features & ~Feature.EVENTS)
    result = replace(result, identity=replace(result.identity, geometry=silent))
    said = " ".join(text(analyse(result), width=100, colour=False).split())
    assert (
        "ISR is not corrected: this instrument sends no events, latencies are whole ticks"
    ) in said
    assert (
        "ISR: the ways over its pads take 1.5 ns ± 5.2 ns, by loopback, whose own way differs "
        "within bounds; latencies in ticks are late by that, 2 ± 7 ticks"
    ) in said
    bare = replace(result, calibration=replace(CALIBRATION, delays=()))
    said = " ".join(text(analyse(bare), width=100, colour=False).split())
    assert "latencies are whole ticks" in said
    assert "pads" not in said


def test_one_channel_without_calibration_leaves_the_other_corrected(run_of):
    half = replace(CALIBRATION, channels=CALIBRATION.channels[:1])
    report = analyse(run_of(LATENCIES, calibration=half))
    assert "TASK is not corrected: ch1 was not calibrated" in " ".join(
        text(report, width=100, colour=False).split()
    )
    assert Kind.RISE in report.corrected[0].kinds


def test_whether_a_pin_is_active_low_is_taken_from_the_settings(run_of):
    result = run_of(LATENCIES, calibration=CALIBRATION)
    settings = replace(result.settings, channels=(Channel(0, "ISR", invert=True),))
    low = analyse(replace(result, settings=settings)).corrected[0].kinds[Kind.RISE].values_ps
    high = analyse(result).corrected[0].kinds[Kind.RISE].values_ps
    assert not np.array_equal(low, high)


def test_even_bins_without_delay_move_each_edge_back_by_half_a_tick(run_of):
    even = Instants((0,) * 4, (0,) * 4, 1)
    calibration = replace(
        CALIBRATION,
        channels=(ChannelInstants(0, even, even), ChannelInstants(1, even, even)),
        delays=(PadDelay(0, 0, 0, 0, 0, 0), PadDelay(0, 1, 0, 0, 0, 0)),
    )
    found = analyse(run_of([[1000, 1003, 1001], [9000] * 3], calibration=calibration)).corrected
    rise = found[0].kinds[Kind.RISE]
    assert rise.values_ps.tolist() == [999_500, 1_002_500, 1_000_500]
    assert rise.mean_ps == Fraction(3_002_500, 3)
    # As of 0, 3000 and 1000 ps: (3 * 10**7 - 4000**2) / 3**2.
    assert rise.variance_ps2 == Fraction(14_000_000, 9)
    assert found[0].kinds[Kind.WIDTH].values_ps.tolist() == [100_000] * 3
    # An even bin of width w: w / sqrt(12).
    assert found[0].edge_rms_ps == pytest.approx(1000 / 12**0.5)
