"""Runs on a device that is canned, lossy, silent or lying."""

import os
import signal
import struct
import threading
from fractions import Fraction
from pathlib import Path
from statistics import pvariance

import pytest

from plexor.device import Device
from plexor.errors import IdentityError, LinkError, StoreError, UsageError
from plexor.link import open_link
from plexor.protocol.frames import EventFlag, Frame, FrameType, to_stream
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import ResponseClass, bin_of
from plexor.protocol.registers import StatusFlag, StopReason
from plexor.replay import replay
from plexor.results import Kind
from plexor.session import measure
from plexor.settings import Channel, Settings, Stimulus

from .fake_device import (
    GEOMETRY,
    PERIOD_TICKS,
    START_TICKS,
    FakeDevice,
    Scenario,
    wait_until,
)

LATENCIES = [50, 61, 300, None, 50, 55, 61] * 12
SETTINGS = Settings(
    strikes=(Stimulus(0, Fraction(PERIOD_TICKS, 10**9)),),
    channels=(Channel(0, "isr"), Channel(1)),
    count=len(LATENCIES),
)
TIMEOUTS_S = (0.1, 0.1, 0.1)


def run(scenario=None, settings=SETTINGS, on_progress=None, **options):
    """The result of a run on a fake device, and the device."""
    with FakeDevice(scenario or Scenario(LATENCIES), **options) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            return measure(device, settings, on_progress), fake


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
    assert result.settings == SETTINGS
    assert ("control", 0, "stream", 1) in result.registers
    assert result.stop_reason == StopReason.STRIKES
    assert (result.start_ticks, result.end_ticks) == (START_TICKS, Scenario(LATENCIES).end_ticks)


def test_dump_mode_gives_the_same_results_without_events():
    streamed, _ = run()
    dumped, fake = run(settings=Settings(**{**_fields(SETTINGS), "stream": False}))
    assert dumped.valid, dumped.invalid_reasons
    assert dumped.events is None
    assert dumped.channels == streamed.channels
    assert dumped.accounting.received == len(fake.scenario.events)


def _fields(settings):
    return {name: getattr(settings, name) for name in Settings.__slots__}


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


def test_what_cannot_be_computed_is_left_out_and_said():
    lacking = without(Feature.FALL)
    settings = Settings(**{**_fields(SETTINGS), "stream": False})
    result, _ = run(Scenario(LATENCIES, lacking), settings)
    assert result.channels[0].measurement(Kind.FALL) is None
    assert any(text.startswith("isr.fall") for text in result.omitted)
    dropped, _ = run(Scenario(LATENCIES, lacking, upload_dropped=(5,)))
    assert dropped.channels[0].measurement(Kind.FALL) is None
    assert any("events are missing" in text for text in dropped.omitted)


def test_events_dropped_on_the_chip_are_accounted_for():
    result, fake = run(Scenario(LATENCIES, upload_dropped=range(20, 33)))
    assert result.valid, result.invalid_reasons
    assert result.accounting.dropped_on_chip == 13
    assert result.accounting.lost_on_link == 0
    assert result.accounting.received == len(fake.scenario.events) - 13


def lose(*numbers):
    """A hook that loses EVENTS frames by number."""
    seen = [-1]

    def hook(frame: Frame, data: bytes) -> bytes | None:
        if frame.type != FrameType.EVENTS:
            return data
        seen[0] += 1
        return None if seen[0] in numbers else data

    return hook


@pytest.mark.parametrize("numbers", [(3,), (0,), (2, 3, 9), (44, 45)])
def test_events_lost_on_the_link_are_counted_exactly(numbers):
    scenario = Scenario(LATENCIES)
    frames = -(-len(scenario.events) // 7)
    sizes = [7] * (frames - 1) + [len(scenario.events) - 7 * (frames - 1)]
    result, _ = run(scenario, send_hook=lose(*numbers))
    accounting = result.accounting
    assert accounting.holds, accounting.contradictions
    assert accounting.lost_on_link == sum(sizes[n] for n in numbers if n < frames)
    assert accounting.frames_lost == len([n for n in numbers if n < frames])
    assert result.valid
    assert result.channels == run()[0].channels


def test_loss_and_drops_together_are_told_apart():
    result, _ = run(
        Scenario(LATENCIES, upload_dropped=range(10, 15)), send_hook=lose(0, 4), events_a_frame=5
    )
    assert result.accounting.holds
    assert (result.accounting.dropped_on_chip, result.accounting.lost_on_link) == (5, 10)


def test_results_lost_on_the_link_are_asked_for_again():
    lost = set()

    def hook(frame: Frame, data: bytes) -> bytes | None:
        place = (frame.flags, frame.index)
        first = frame.type in (FrameType.HISTOGRAM, FrameType.STATISTICS) and place not in lost
        if first and len(lost) < 5:
            lost.add(place)
            return None
        return data

    result, _ = run(send_hook=hook)
    assert len(lost) == 5
    assert result.valid, result.invalid_reasons
    assert result.channels == run()[0].channels


def test_results_that_never_come_make_the_run_invalid():
    def hook(frame: Frame, data: bytes) -> bytes | None:
        return None if frame.type == FrameType.HISTOGRAM else data

    import plexor.session  # noqa: PLC0415

    before = plexor.session.DUMP_SILENCE_S
    plexor.session.DUMP_SILENCE_S = 0.05
    try:
        result, _ = run(send_hook=hook)
    finally:
        plexor.session.DUMP_SILENCE_S = before
    assert not result.valid
    assert any("latency_bins" in reason for reason in result.invalid_reasons)


def test_lost_responses_are_asked_for_again_and_start_no_second_run():
    answered = [0]

    def hook(frame: Frame, data: bytes) -> bytes | None:
        if frame.type != FrameType.RESPONSE:
            return data
        answered[0] += 1
        return None if answered[0] % 3 == 0 else data

    result, fake = run(send_hook=hook)
    assert result.valid, result.invalid_reasons
    assert fake.starts == 1


@pytest.mark.parametrize("which", range(1, 40, 3))
def test_whichever_response_is_lost_there_is_one_run(which):
    answered = [0]

    def hook(frame: Frame, data: bytes) -> bytes | None:
        if frame.type != FrameType.RESPONSE:
            return data
        answered[0] += 1
        return None if answered[0] == which else data

    result, fake = run(Scenario([50, 60]), send_hook=hook)
    assert fake.starts == 1
    assert result.channels[0].strikes == 2


def test_a_link_that_dies_leaves_what_was_measured():
    result, fake = run(close_after_events=100)
    assert not result.valid
    assert "closed the connection" in result.invalid_reasons[0]
    count = len(result.events)
    assert 100 <= count < len(fake.scenario.events)
    truth = [value for value, index, _ in fake.scenario.samples()["rise"] if index < count]
    assert result.channels[0].measurement(Kind.RISE).statistics.count == len(truth)
    assert result.channels[0].measurement(Kind.RISE).statistics.sum_ticks == sum(truth)
    assert "isr: classes" in result.computed_on_host


def test_an_interrupt_stops_the_run_and_keeps_it():
    result, fake = run(endless=True, on_progress=_interrupt_once())
    assert result.interrupted
    assert result.valid, result.invalid_reasons
    assert result.stop_reason == StopReason.COMMAND
    assert len(result.events) == len(fake.scenario.events)


def _interrupt_once():
    done = []

    def on_progress(progress):
        if not done:
            done.append(progress)
            raise KeyboardInterrupt

    return on_progress


def test_an_interrupt_of_the_process_stops_the_run_and_keeps_it():
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    before = signal.getsignal(signal.SIGINT)
    result, _ = run(endless=True)
    assert result.interrupted
    assert result.valid, result.invalid_reasons
    assert signal.getsignal(signal.SIGINT) is before


def test_a_run_that_goes_on_tells_its_progress():
    seen = []

    def on_progress(progress):
        seen.append(progress)
        if len(seen) == 3:
            raise KeyboardInterrupt

    run(endless=True, on_progress=on_progress)
    assert seen[0].expected_strikes == len(LATENCIES)
    assert seen[1].events_received == len(Scenario(LATENCIES).events)
    assert seen[0].elapsed_s == pytest.approx(50e-9)


def test_a_device_that_falls_silent_in_a_run_leaves_what_was_measured():
    seen = []
    result, _ = run(endless=True, mute_after=14, on_progress=seen.append)
    assert not result.valid
    assert "no answer from the instrument" in result.invalid_reasons[0]
    assert len(result.events) == len(Scenario(LATENCIES).events)


def test_garbage_between_frames_is_counted_and_changes_nothing():
    def hook(frame: Frame, data: bytes) -> bytes | None:
        return b"\x07garbage\0" + data if frame.type == FrameType.EVENTS else data

    result, fake = run(send_hook=hook)
    assert result.valid
    assert sum(result.accounting.decode_faults.values()) == -(-len(fake.scenario.events) // 7)
    assert result.channels == run()[0].channels


LIES = {
    "strikes or edges are not in exactly one class": {("lane", "pending", 0): 3},
    "edges generated against events indexed": {("status", "events", 0): 10**6},
    "strike0: edges kept against edges merged": {("source", "generated", 8): 7},
    "a bin of a histogram is saturated": {("status", "flags", 0): StatusFlag.BIN_SATURATED},
    "a counter is saturated": {("status", "flags", 0): StatusFlag.COUNTER_SATURATED},
    "dropped before the link": {("status", "upload_dropped", 0): 4},
    "unknown stop reason 77": {("status", "stop_reason", 0): 77},
}


@pytest.mark.parametrize("reason", LIES)
def test_counters_that_contradict_each_other_make_the_run_invalid(reason):
    result, _ = run(overrides=LIES[reason])
    assert not result.valid
    assert any(reason in text for text in result.invalid_reasons)


def test_edges_dropped_before_matching_make_the_run_invalid():
    result, _ = run(Scenario(LATENCIES, dropped_before_merge=4))
    assert result.accounting.holds, result.accounting.contradictions
    assert result.accounting.dropped_on_chip == 4
    assert result.invalid_reasons == ("ch1: 4 edges were dropped before they could be matched",)


def test_invented_events_make_the_run_invalid():
    sent = []

    def hook(frame: Frame, data: bytes) -> bytes | None:
        if frame.type == FrameType.EVENTS and not sent:
            sent.append(frame)
            word = struct.pack("<I", 3 << 26)
            extra = Frame(FrameType.EVENTS, EventFlag.GAP, 0, frame.sequence, 0, 1, word)
            return data + to_stream(extra)
        return data

    result, _ = run(send_hook=hook)
    assert not result.valid
    assert any("of a source that is not" in text for text in result.invalid_reasons)


def test_the_events_around_a_trigger_are_fetched():
    result, fake = run(trace=True)
    assert result.trace["time_ticks"].tolist() == [event[0] for event in fake.scenario.events[:5]]
    assert (result.trigger_index, result.trigger_ticks) == (3, fake.scenario.events[3][0])


def test_an_earlier_run_is_stopped_first():
    with FakeDevice(Scenario(LATENCIES), endless=True) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            device.write("control", "stream", 1)
            device.write("control", "action", 1)
            fake.endless = False
            result = measure(device, SETTINGS)
    assert result.valid, result.invalid_reasons
    assert len(result.events) == len(fake.scenario.events)
    assert fake.starts == 2


def test_settings_that_cannot_be_are_a_usage_error_before_anything_is_written():
    with FakeDevice(Scenario([50])) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            with pytest.raises(UsageError, match="strike5: this instrument has"):
                measure(device, Settings(strikes=(Stimulus(5, Fraction(1)),)))
    assert fake.written == []


def test_a_device_that_is_silent_at_the_start_is_a_link_error():
    with (
        FakeDevice(Scenario([50]), mute_after=6) as fake,
        Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device,
        pytest.raises(LinkError, match="no answer from the instrument"),
    ):
        measure(device, SETTINGS)


def test_a_recording_replays_to_the_same_figures(tmp_path: Path):
    path = tmp_path / "wire.bin"
    with FakeDevice(Scenario(LATENCIES)) as fake, path.open("wb") as tap:
        with Device(open_link(fake.uri), tap, TIMEOUTS_S) as device:
            measure(device, SETTINGS)
            result = measure(device, SETTINGS)
    again = replay(path)
    assert again.valid, again.invalid_reasons
    assert [channel.measurements for channel in again.channels] == [
        channel.measurements for channel in result.channels
    ]
    assert again.events.tolist() == result.events.tolist()
    assert again.accounting.sources == result.accounting.sources


def test_a_recording_that_ends_early_keeps_what_it_has(tmp_path: Path):
    path = tmp_path / "wire.bin"
    with FakeDevice(Scenario(LATENCIES)) as fake, path.open("wb") as tap:
        with Device(open_link(fake.uri), tap, TIMEOUTS_S) as device:
            measure(device, SETTINGS)
    data = path.read_bytes()
    kept = []
    for cut in range(0, len(data), len(data) // 25):
        path.write_bytes(data[:cut])
        try:
            result = replay(path)
        except IdentityError:
            continue
        assert not result.valid
        kept.append(len(result.events))
    assert kept == sorted(kept)
    assert kept[-1] == len(fake.scenario.events)


def test_the_end_of_an_earlier_run_is_not_taken_for_that_of_a_later_one(tmp_path: Path):
    path = tmp_path / "wire.bin"
    with FakeDevice(Scenario(LATENCIES)) as fake, path.open("wb") as tap:
        with Device(open_link(fake.uri), tap, TIMEOUTS_S) as device:
            measure(device, SETTINGS)
            first = tap.tell()
            measure(device, SETTINGS)
    data = path.read_bytes()
    path.write_bytes(data[: first + (len(data) - first) // 2])
    again = replay(path)
    assert not again.valid
    assert "the end of the run was never seen" in again.invalid_reasons[0]


def test_a_full_disk_under_the_raw_bytes_is_one_clear_error():
    with FakeDevice(Scenario(LATENCIES)) as fake, Path("/dev/full").open("wb", buffering=0) as tap:
        with pytest.raises(StoreError, match="/dev/full: cannot write: No space left"):
            Device(open_link(fake.uri), tap, TIMEOUTS_S)


def test_nothing_is_left_running():
    run()
    assert wait_until(
        lambda: not [t for t in threading.enumerate() if t.name == "plexor link reader"]
    )
