# SPDX-License-Identifier: Apache-2.0
"""Runs on a device that is canned, or goes on."""

import threading
from dataclasses import replace
from fractions import Fraction
from statistics import pvariance

import pytest

from plexor.base.errors import UsageError
from plexor.figures.analyse.analyse import analyse
from plexor.model.results import Kind
from plexor.model.settings import Settings, Stimulus
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import ResponseClass, bin_of
from plexor.protocol.registers import StopReason, Stream
from plexor.run.session.session import measure
from plexor.show.terminal.run import text
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

from ...fake_device import FakeDevice, wait_until
from ...runs import LATENCIES, SETTINGS, TIMEOUTS_S, run
from ...scenario import GEOMETRY, PERIOD_TICKS, START_TICKS, Scenario


def test_a_run_gives_exactly_what_was_planted():
    result, _ = run()
    values = [latency for latency in LATENCIES if latency is not None]
    assert result.valid, result.invalid_reasons
    channel = result.channels[0]
    assert channel.name == "isr"
    assert channel.reference == "strike0"
    assert channel.classes[ResponseClass.ANSWERED] == len(values)
    assert channel.classes[ResponseClass.MISSED] == len(LATENCIES) - len(values)
    rise = channel.measurement(Kind.RISE)
    figures = rise.statistics
    assert (figures.count, figures.sum_ticks) == (len(values), sum(values))
    assert figures.sum_sq_ticks2 == sum(value * value for value in values)
    assert figures.sum_sq_ticks2 / figures.count - (sum(values) / len(values)) ** 2 == (
        pytest.approx(pvariance(values))
    )
    assert (figures.min_ticks, figures.max_ticks) == (50, 300)
    # The first greatest latency is that of the third strike: after 2 * 4 events and 2 more.
    assert figures.max_index == 10
    assert figures.max_time_ticks == START_TICKS + 100 + 2 * PERIOD_TICKS + 300
    for value in set(values):
        assert rise.bins.counts[bin_of(value, GEOMETRY.latency_mantissa_bits)] == values.count(
            value
        )
        # One-tick bins from 0: the last is for what lies beyond.
        assert rise.zoom.counts[min(value + 1, 63)] == sum(
            min(other, 62) == min(value, 62) for other in values
        )


def test_every_event_is_kept_in_order_with_its_time():
    result, fake = run()
    events = [
        tuple(event) for event in result.events[["time_ticks", "source", "polarity"]].tolist()
    ]
    assert events == fake.scenario.events
    assert result.events["index"].tolist() == list(range(len(events)))
    assert result.accounting.holds
    assert result.accounting.received == result.accounting.generated == len(events)
    assert result.strikes == len(LATENCIES)


def test_the_identity_and_settings_travel_in_the_result():
    result, _ = run()
    assert result.identity.geometry == GEOMETRY
    assert result.simulated
    assert result.settings == replace(SETTINGS, stream=Stream.LIVE)
    assert ("control", 0, "stream", 1) in result.registers
    assert result.stop_reason == StopReason.STRIKES
    assert (result.start_ticks, result.end_ticks) == (START_TICKS, Scenario(LATENCIES).end_ticks)


def test_dump_mode_gives_the_same_results_without_events():
    streamed, _ = run()
    dumped, fake = run(settings=replace(SETTINGS, stream=Stream.OFF))
    assert dumped.valid, dumped.invalid_reasons
    assert dumped.events is None
    assert dumped.channels == streamed.channels
    assert dumped.accounting.received == len(fake.scenario.events)


def test_deep_mode_gives_the_same_results_and_the_same_events_afterwards():
    deep = replace(GEOMETRY, deep_depth=1 << 20)
    streamed, fake = run()
    wanted = replace(SETTINGS, stream=Stream.AFTER)
    kept, _ = run(Scenario(LATENCIES, deep), wanted)
    assert kept.valid, kept.invalid_reasons
    assert kept.identity.geometry.deep_depth == 1 << 20
    assert kept.channels == streamed.channels
    assert kept.events.tolist() == streamed.events.tolist()
    assert kept.accounting.received == len(fake.scenario.events)


def test_deep_mode_is_refused_in_one_line_where_there_is_no_deep_memory():
    with FakeDevice(Scenario([50])) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            with pytest.raises(UsageError, match="mode: deep; board sim has no deep memory"):
                measure(device, replace(SETTINGS, stream=Stream.AFTER))
    assert fake.written == []


def without(*features):
    missing = Feature(0)
    for feature in features:
        missing |= feature
    fields = {name: getattr(GEOMETRY, name) for name in Geometry.__slots__}
    return Geometry(**{**fields, "features": ALL_FEATURES & ~missing})


def test_what_the_chip_leaves_out_is_computed_from_events_and_said():
    whole, _ = run()
    lacking = without(
        Feature.FALL,
        Feature.INTERVALS,
        Feature.SUM_SQUARES,
        Feature.EXTREMES,
        Feature.ZOOM,
        Feature.SNAPSHOT,
    )
    result, _ = run(Scenario(LATENCIES, lacking))
    assert result.valid, result.invalid_reasons
    for kind in Kind:
        expected, made = whole.channels[0].measurement(kind), result.channels[0].measurement(kind)
        assert made.statistics == expected.statistics
        assert made.bins == expected.bins
    assert not result.channels[0].measurement(Kind.FALL).on_chip
    assert "isr.fall" in result.computed_on_host
    assert "isr.width" in result.computed_on_host
    assert not whole.computed_on_host
    said = text(analyse(result), width=400, colour=False)
    assert "computed on the host, from events: " in said
    assert "; fall; width; period" in said
    assert result.omitted == ()
    assert "computed on the host" not in text(analyse(whole), width=400, colour=False)


def test_what_cannot_be_computed_is_left_out_and_said():
    lacking = without(Feature.FALL)
    settings = replace(SETTINGS, stream=Stream.OFF)
    result, _ = run(Scenario(LATENCIES, lacking), settings)
    assert result.channels[0].measurement(Kind.FALL) is None
    assert any(text.startswith("isr.fall") for text in result.omitted)
    left = "not on the chip, and left out: fall: no events without streaming\n"
    assert left in text(analyse(result), width=400, colour=False)
    dropped, _ = run(Scenario(LATENCIES, lacking, upload_dropped=(5,)))
    assert dropped.channels[0].measurement(Kind.FALL) is None
    assert any("events are missing" in text for text in dropped.omitted)


def test_settings_that_cannot_be_are_a_usage_error_before_anything_is_written():
    with FakeDevice(Scenario([50])) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            with pytest.raises(UsageError, match="strike5: this instrument has"):
                measure(device, Settings(strikes=(Stimulus(5, Fraction(1)),)))
    assert fake.written == []


def test_nothing_is_left_running():
    run()
    assert wait_until(
        lambda: not [t for t in threading.enumerate() if t.name == "plexor link reader"]
    )


@pytest.mark.parametrize("told", ["", "the gateware took the run at 12 us"])
def test_what_took_over_a_simulated_run_is_kept_with_what_is_said_of_its_device(monkeypatch, told):
    monkeypatch.setattr(Device, "handed_over", told)
    result, _ = run()
    assert result.device.get("handed_over") == (told or None)
