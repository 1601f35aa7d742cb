# SPDX-License-Identifier: Apache-2.0
"""What is fetched once a run has ended: it is waited for, asked for again, and given up in time."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from plexor.model.identity import Identity
from plexor.protocol.frames import Frame, FrameType, LogCode
from plexor.protocol.geometry import ALL_FEATURES, Feature
from plexor.protocol.memory import Space
from plexor.protocol.registers import Action, StatusFlag, Stream
from plexor.run.plan.registers import plan_of
from plexor.run.session import fetch as stage
from plexor.run.session.fetch import fetch
from plexor.wire.decode.batch import batch_of
from plexor.wire.decode.register_image import RegisterImage, end_registers

from ...ended import collected, dump, end, events_frame, started
from ...runs import LATENCIES, SETTINGS, run
from ...scenario import GEOMETRY, Scenario

ALL = Scenario(LATENCIES)
DUMP = ("control", "action", Action.DUMP)
TRACE = ("control", "action", Action.TRACE)
SLOWEST_BYTES_S = 10_000


class Ended:
    """An instrument whose run has ended, and a clock that runs while it is listened to.

    `plays`: what is sent while it is listened to, one entry each time, a frame in `frame_s`.
    `answers` is called with each register that is written. `suspended_s`: how long the host stands
    still before it handles the first bytes, which have come by then.
    """

    def __init__(
        self,
        collector,
        *,
        scenario=ALL,
        patience=1,
        plays=(),
        frame_s=0.05,
        suspended_s=0.0,
        **status,
    ):
        self.identity = Identity(scenario.geometry, 1)
        self.image = RegisterImage()
        self.patience = patience
        self.now = 0.0
        self.moved = 0.0
        self.writes = []
        self.read = []
        self.plays = iter(plays)
        self.frame_s = frame_s
        self.suspended_s = suspended_s
        self.played = 0.0
        self.heard = 0.0
        self.answers = lambda *_: None
        self._collector = collector
        end(self.image, scenario, **status)

    def write(self, block, name, value):
        self.writes.append((block, name, value))
        self.answers(block, name, value)

    def read_all(self, places):
        self.read += places

    def waiting(self, most_bytes):
        began = self.played
        return SimpleNamespace(is_over=lambda most_s: self.heard - began > most_s)

    def pump(self, timeout_s):
        part = next(self.plays, None)
        passed_s = timeout_s if part is None else min(self.frame_s, timeout_s)
        self.played += passed_s
        self.now += passed_s + self.suspended_s
        self.suspended_s = 0.0
        if part is not None:
            self.heard = self.played
            self.moved = self.now
            self._collector.take(part)


@pytest.fixture
def fetched():
    """Return a function that fetches from an ended run; it returns the instrument."""

    def run_stage(collector, stream=Stream.OFF, answers=None, **options):
        device = Ended(collector, **options)
        if answers is not None:
            device.answers = lambda *write: answers(collector, device, write)
        plan = plan_of(replace(SETTINGS, stream=stream), device.identity)
        fetch(device, plan, collector)
        return device

    return run_stage


@pytest.mark.parametrize("stream", [Stream.OFF, Stream.LIVE])
def test_what_has_all_come_is_neither_waited_nor_asked_for(fetched, stream):
    device = fetched(collected(ALL), stream)
    assert (device.writes, device.now) == ([], 0.0)
    assert device.read == end_registers(device.identity)


def test_a_dump_under_way_is_not_asked_for_again(fetched):
    collector = collected(ALL, without=(Space.CLASSES,))
    banks = [(place, words) for place, words in ALL.memories().items() if place[0] == Space.CLASSES]
    # A frame each 0.9 s: the silence between them is short enough, all of them together is not.
    pause = [None] * 17
    frames = [frame for place, words in banks for frame in dump(*place, words)]
    plays = [entry for frame in frames for entry in (*pause, frame)]
    assert len(plays) * 0.05 > 1
    device = fetched(collector, plays=plays)
    assert device.writes == []
    assert collector.memories.missing((1 << 32) - 1) == ()


def test_only_what_is_missing_is_asked_for_again_until_it_comes(fetched):
    collector = collected(ALL, without=(Space.CLASSES, Space.EDGES))
    asked = []

    def answer(collector, device, write):
        if write != DUMP:
            return
        asked.append(device.now)
        found = (Space.CLASSES, Space.EDGES)[: len(asked) - 1]
        for (space, bank), words in ALL.memories().items():
            if space in found:
                for frame in dump(space, bank, words):
                    collector.take(frame)

    device = fetched(collector, answers=answer)
    both, edges = 1 << Space.CLASSES | 1 << Space.EDGES, 1 << Space.EDGES
    assert [value for _, name, value in device.writes if name == "dump_spaces"] == [
        both,
        both,
        edges,
    ]
    assert [write for write in device.writes if write[1] == "action"] == [DUMP] * 3
    assert asked[0] == pytest.approx(1.0, abs=0.1)  # after a second of silence
    assert collector.memories.missing((1 << 32) - 1) == ()


@pytest.mark.parametrize("patience", [1, 60])
def test_results_that_never_come_are_given_up_after_six_tries(fetched, patience):
    collector = collected(ALL, without=(Space.LATENCY_BINS,))
    device = fetched(collector, patience=patience)
    assert device.writes.count(DUMP) == 5
    assert device.now == pytest.approx(6 * patience, abs=6 * 0.1)
    assert collector.memories.missing((1 << 32) - 1) == (Space.LATENCY_BINS,)


def test_a_dump_that_never_ends_is_given_up_when_the_slowest_link_had_sent_it(fetched):
    collector = collected(ALL, without=(Space.LATENCY_BINS,))
    words = ALL.memories()[Space.LATENCY_BINS, 0]
    frames = dump(Space.LATENCY_BINS, 0, words)
    first, second = frames[0], replace(frames[0], tag=1)
    # Two dumps in turn, each anew: the count of words moves, the whole never comes.
    short = replace(second, payload=second.payload[:4])
    device = fetched(collector, plays=[first, short] * 10**5)
    most_s = 6 * (1.0 + 2 * 4 * collector.memories.words / SLOWEST_BYTES_S)
    assert most_s - 2 < device.now < most_s + 1
    assert device.moved > most_s - 2


def late_events(scenario, kept):
    """Return a collector with the results and the first events, and a frame for each other."""
    collector = started(scenario.geometry)
    for (space, bank), words in scenario.memories().items():
        for frame in dump(space, bank, words):
            collector.take(frame)
    batches = [
        batch_of([events_frame(index, time, (0, source, polarity))])
        for index, (time, source, polarity) in enumerate(scenario.events)
    ]
    for batch in batches[:kept]:
        collector.take(batch)
    return collector, batches[kept:]


def test_events_behind_the_results_are_waited_for_and_no_longer(fetched):
    collector, rest = late_events(ALL, 100)
    device = fetched(collector, Stream.LIVE, plays=[*rest, *[None] * 9], frame_s=0.003)
    assert collector.received_total == len(ALL.events)
    assert device.now == pytest.approx(0.003 * len(rest))


def test_a_host_that_was_suspended_finds_the_events_that_came_meanwhile(fetched):
    collector, rest = late_events(ALL, 100)
    fetched(collector, Stream.LIVE, plays=rest, frame_s=0.003, suspended_s=1000.0)
    assert collector.received_total == len(ALL.events)


def test_events_that_were_dropped_or_lost_are_not_waited_for_beyond_half_a_second(fetched):
    collector, rest = late_events(ALL, 100)
    told = {"upload_dropped": len(rest) - 10}
    device = fetched(collector, Stream.LIVE, plays=rest, **told)
    assert collector.received_total == 110
    assert device.now == pytest.approx(0.5)
    collector, rest = late_events(ALL, 100)
    device = fetched(collector, Stream.LIVE, plays=rest[:10])
    assert collector.received_total == 110
    assert device.now == pytest.approx(0.5 + 0.5, abs=0.1)


def test_a_run_without_streaming_waits_for_no_events(fetched):
    collector, rest = late_events(ALL, 100)
    assert fetched(collector, Stream.OFF, plays=rest).now == 0


def test_events_that_come_slower_than_on_the_slowest_link_are_given_up(fetched):
    collector, rest = late_events(ALL, 100)
    device = fetched(collector, Stream.LIVE, plays=rest, frame_s=0.05)
    # Each in a frame of its own: 24 bytes of header, 4 of CRC, 2 words at most.
    held = 1024 + 250  # in the FIFO, and in the frame under way
    assert device.now == pytest.approx(0.5 + held * (24 + 4 + 8) / SLOWEST_BYTES_S, abs=0.06)
    assert collector.received_total < len(ALL.events)


def test_no_more_events_are_waited_for_than_the_instrument_can_hold(fetched):
    small = Scenario(LATENCIES, replace(GEOMETRY, upload_depth=16))
    collector, rest = late_events(small, 10)
    # An instrument that claims to have sent more events than it can.
    claims = {"scenario": small, "events": 10**9}
    device = fetched(collector, Stream.LIVE, plays=rest, frame_s=0.002, **claims)
    assert collector.received_total == 10 + 16 + 250  # those in a frame under way
    assert device.writes == []


def trace_of(scenario):
    (time, *_), *_ = scenario.events
    rows = [(at - time, source, polarity) for at, source, polarity in scenario.events[:5]]
    return replace(events_frame(0, time, *rows), type=FrameType.TRACE)


def test_the_events_around_a_trigger_are_asked_for_once_and_their_end_ends_the_wait(fetched):
    plays = [trace_of(ALL), Frame(FrameType.LOG, 0, LogCode.DUMPED, 0, 0, 0)]
    collector = collected(ALL)
    device = fetched(collector, plays=plays, flags=StatusFlag.TRIGGERED)
    assert device.writes == [TRACE]
    assert collector.trace_array()["time_ticks"].tolist() == [row[0] for row in ALL.events[:5]]
    assert device.now == pytest.approx(0.1)


def trace_of_all(scenario):
    (time, *_), *_ = scenario.events
    rows = [(at - time, source, polarity) for at, source, polarity in scenario.events]
    return replace(events_frame(0, time, *rows), type=FrameType.TRACE)


def test_a_ring_that_has_sent_every_event_of_the_run_ends_the_wait(fetched):
    collector = collected(ALL)
    assert len(ALL.events) < GEOMETRY.ring_depth
    device = fetched(collector, plays=[trace_of_all(ALL)], flags=StatusFlag.TRIGGERED)
    assert len(collector.trace_array()) == len(ALL.events)
    assert device.now < 0.2


def test_a_ring_that_has_sent_a_part_is_waited_for(fetched):
    device = fetched(collected(ALL), plays=[trace_of(ALL)], flags=StatusFlag.TRIGGERED)
    assert device.now >= 0.5


def test_a_trace_that_does_not_come_is_given_up_after_half_a_second(fetched):
    device = fetched(collected(ALL), flags=StatusFlag.TRIGGERED)
    assert device.writes == [TRACE]
    assert device.now == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    ("features", "flags"), [(ALL_FEATURES, 0), (ALL_FEATURES & ~Feature.RING, 1)]
)
def test_no_trace_is_asked_for_without_a_trigger_or_a_ring(fetched, features, flags):
    scenario = Scenario(LATENCIES, replace(GEOMETRY, features=features))
    told = StatusFlag.TRIGGERED if flags else StatusFlag(0)
    assert fetched(collected(scenario), scenario=scenario, flags=told).writes == []


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


def test_results_that_never_come_make_the_run_invalid(monkeypatch):
    monkeypatch.setattr(stage, "DUMP_SILENCE_S", 0.05)

    def hook(frame: Frame, data: bytes) -> bytes | None:
        return None if frame.type == FrameType.HISTOGRAM else data

    result, _ = run(send_hook=hook)
    assert not result.valid
    assert any("latency_bins" in reason for reason in result.invalid_reasons)


def test_the_events_around_a_trigger_are_fetched():
    result, fake = run(trace=True)
    assert result.trace["time_ticks"].tolist() == [event[0] for event in fake.scenario.events[:5]]
    assert (result.trigger_index, result.trigger_ticks) == (3, fake.scenario.events[3][0])
