# SPDX-License-Identifier: Apache-2.0
"""Runs over a link that loses, garbles or dies, on a device that drops or lies."""

import struct
from dataclasses import replace

import pytest

from plexor.model.identity import Identity
from plexor.model.results import MENDED, MENDED_MOST, Kind
from plexor.protocol.frames import EventFlag, Frame, FrameType, to_stream
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import StatusFlag
from plexor.show.facts import books
from plexor.wire.decode.register_image import end_registers

from ...runs import LATENCIES, run
from ...scenario import GEOMETRY, Scenario


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


def lose_as_one(*numbers):
    """A hook that loses EVENTS frames and counts the others on as if one had been lost."""
    seen, sent = [-1], [-1]

    def hook(frame: Frame, data: bytes) -> bytes | None:
        seen[0] += frame.type == FrameType.EVENTS
        if frame.type == FrameType.EVENTS and seen[0] in numbers:
            sent[0] += seen[0] == numbers[0]
            return None
        sent[0] += 1
        return to_stream(replace(frame, sequence=sent[0]))

    return hook


@pytest.mark.parametrize(("lost", "believed"), [(35, True), (36, False), (44, False)])
def test_a_frame_lost_explains_as_many_events_as_it_can_have_had(lost, believed):
    result, fake = run(send_hook=lose_as_one(*range(1, 1 + lost)))
    assert result.accounting.frames_lost == 1
    assert result.accounting.lost_on_link == min(7 * lost, len(fake.scenario.events) - 7)
    assert result.valid == believed
    if not believed:
        assert "but the 1 frame lost had at most 250" in result.invalid_reasons[0]


@pytest.mark.parametrize("times", [2, 3])
def test_frames_that_come_more_than_once_are_counted_and_left_out(times):
    result, fake = run(send_hook=lambda frame, data: data * times)
    assert result.valid, result.invalid_reasons
    accounting = result.accounting
    assert accounting.received == accounting.generated == len(fake.scenario.events)
    assert accounting.disorder["duplicate"] >= (times - 1) * accounting.frames_received - 1
    assert result.channels == run()[0].channels


def test_frames_replayed_later_are_counted_and_left_out():
    """Everything sent so far comes again with each dump frame."""
    kept = []

    def hook(frame: Frame, data: bytes) -> bytes:
        kept.append(data)
        return data if frame.type == FrameType.RESPONSE else data + b"".join(kept[-40:])

    result, fake = run(send_hook=hook)
    assert result.valid, result.invalid_reasons
    assert result.accounting.received == len(fake.scenario.events)
    assert result.channels == run()[0].channels


def test_more_events_than_were_sent_are_no_negative_loss():
    result, _ = run(overrides={("source", "generated", 8): 10, ("status", "events", 0): 10})
    assert not result.valid
    assert result.accounting.lost_on_link == 0
    assert min(entry.lost for entry in result.accounting.sources) == 0
    assert any("more events arrived than were sent" in text for text in result.invalid_reasons)


def test_loss_and_drops_together_are_told_apart():
    result, _ = run(
        Scenario(LATENCIES, upload_dropped=range(10, 15)), send_hook=lose(0, 4), events_a_frame=5
    )
    assert result.accounting.holds
    assert (result.accounting.dropped_on_chip, result.accounting.lost_on_link) == (5, 10)


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


@pytest.mark.parametrize(
    "which",
    [pytest.param(n, marks=pytest.mark.full if n % 9 != 1 else ()) for n in range(1, 40, 3)],
)
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
    "strikes or edges are not in exactly one class": {("channel_status", "pending", 0): 3},
    "edges generated against events indexed": {("status", "events", 0): 10**6},
    "strike0: edges kept against edges merged": {("source", "generated", 8): 7},
    "a bin of a histogram is saturated": {("status", "flags", 0): StatusFlag.BIN_SATURATED},
    "a counter is saturated": {("status", "flags", 0): StatusFlag.COUNTER_SATURATED},
    "the instrument's PLL lost its lock: its clock stood or was wrong": {
        ("status", "flags", 0): StatusFlag.CLOCK_LOST
    },
    "dropped before the link": {("status", "upload_dropped", 0): 4},
    "unknown stop reason 77": {("status", "stop_reason", 0): 77},
}


@pytest.mark.parametrize("reason", LIES)
def test_counters_that_contradict_each_other_make_the_run_invalid(reason):
    result, _ = run(overrides=LIES[reason])
    assert not result.valid
    assert any(reason in text for text in result.invalid_reasons)


@pytest.mark.parametrize(("count", "says"), [(3, "3"), (255, "255 or more")])
def test_bytes_that_the_instruments_uart_dropped_are_told_in_a_valid_run(count, says):
    result, _ = run(overrides={("status", "link_dropped", 0): count})
    assert result.valid
    assert result.accounting.link_dropped == count
    assert books(result.accounting).endswith(f" · {says} bytes of commands lost on the link")
    assert "bytes" not in books(run()[0].accounting)


MENDING = replace(GEOMETRY, features=GEOMETRY.features | Feature.MEND)


@pytest.mark.parametrize(("count", "says"), [(3, "3"), (MENDED_MOST, "65,535 or more")])
def test_clocks_with_mended_samples_are_told_in_a_valid_run(count, says):
    result, _ = run(Scenario(LATENCIES, MENDING), overrides={(*MENDED, 0): count})
    assert result.valid
    assert result.accounting.mended_clocks == count
    assert f"exchanged samples mended in {says} clocks" in books(result.accounting)


def test_an_instrument_that_does_not_count_them_is_not_asked():
    asked = {
        minor: ("status", 0, "link_dropped")
        in end_registers(Identity(Geometry(), 1, 2 << 16 | minor))
        for minor in (0, 1, 2, 9)
    }
    assert asked == {0: False, 1: False, 2: True, 9: True}


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
            extra = Frame(FrameType.EVENTS, EventFlag.GAP, 0, frame.sequence + 1, 0, 1, word)
            return data + to_stream(extra)
        return data

    result, _ = run(send_hook=hook)
    assert not result.valid
    assert any("of a source that is not" in text for text in result.invalid_reasons)
