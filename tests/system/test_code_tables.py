"""Tables of codes on the chip: what the host makes of events, and of truth with the link off."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest
from code_port import CLOCK_PS, Link, codes_of, plant
from code_port import GEOMETRY as LARGE

from plexor.decode.batch import EventBatch, batch_of
from plexor.decode.memories import Memories
from plexor.protocol.frames import (
    MAX_OPERATIONS,
    OPERATION,
    SOURCE_STRIKE,
    Frame,
    FrameType,
    LogCode,
    OpCode,
    to_stream,
)
from plexor.protocol.memory import CODE_SPACES, ResponseClass, Space
from plexor.protocol.registers import Action, CodeMode, StopOn, Stream, address, register
from plexor_sim.build import build
from plexor_sim.devices import synthetic_device
from plexor_sim.golden.codes import latencies_by_code, times_by_code, words
from plexor_sim.golden.edges import Events
from plexor_sim.golden.matcher import Rules, match
from plexor_sim.packages import default_cache
from plexor_sim.server import Server

GEOMETRY = replace(LARGE, code_bits=8)
TRUTH = np.dtype([("time_ps", "<i8"), ("source", "u1"), ("level", "u1"), ("pad", "V6")])
TIMEOUT_TICKS, DEADLINE_TICKS = 60_000, 2500
CHANNEL = 1
COUNT = 1600
"""Codes that are planted: some come before the run starts, some after its end."""
DEVICE = "ch1.latency=uniform:500000:4000000,ch1.drop=0.05,ch0.latency=100000"
SPACES = (Space.CLASSES, Space.LATENCY_STATISTICS, *CODE_SPACES)


def tell(link: Link, settings: Mapping[tuple[str, str, int], int]) -> None:
    """Write registers in commands that are sent at once, so that the run starts soon."""
    operations = [
        {"address": address(block, name, copy) + word, "code": OpCode.WRITE, "status": 0}
        | {"value": value >> 32 * word & 0xFFFFFFFF}
        for (block, name, copy), value in settings.items()
        for word in range(register(block, name).words)
    ]
    data = b""
    for first in range(0, len(operations), MAX_OPERATIONS):
        payload = b"".join(map(OPERATION.pack, operations[first : first + MAX_OPERATIONS]))
        data += to_stream(Frame(FrameType.COMMAND, 0, 0, 1000 + first, 0, 0, payload))
    link.socket.sendall(data)


@dataclass
class Told:
    """What came of a run."""

    memories: Memories
    batch: EventBatch
    status: dict[str, int]
    registers: dict[str, int]


def told_run(options, settings, arguments=()) -> Told:
    """Run with strikes each 3.001 µs that channels 0 and 1 answer, and dump all that is counted."""
    executable = build(GEOMETRY, synthetic_device(), default_cache())
    registers = {
        ("stimulus", "enable", 0): 1,
        ("stimulus", "interval_ticks", 0): 3001,
        ("stimulus", "width_ticks", 0): 100,
        ("matcher", "timeout_ticks", 0): TIMEOUT_TICKS,
        ("control", "stop_on", 0): StopOn.TIME,
        ("control", "final_spaces", 0): sum(1 << space for space in SPACES),
        ("code", "mode", 0): CodeMode.CHANGE,
        ("code", "mask", 0): 0xFF,
        ("code", "latency_channel", 0): CHANNEL,
    }
    for number in (0, CHANNEL):
        registers |= {
            ("channel", "enable", number): 1,
            ("channel", "reference_source", number): SOURCE_STRIKE,
            ("channel", "reference_polarity", number): 1,
            ("channel", "deadline_ticks", number): DEADLINE_TICKS,
        }
    with Server(executable, options, arguments) as server, Link(server.port) as link:
        tell(link, {**registers, **settings, ("control", "action", 0): Action.START})
        while not any(f.type == FrameType.LOG and f.tag == LogCode.DUMPED for f in link.frames):
            link.read()
        names = ("start_ticks", "end_ticks", "stop_reason", "trigger_ticks", "trigger_index")
        status = {name: link.get("status", name) for name in names}
        server.close()
    memories = Memories(GEOMETRY)
    for frame in link.frames:
        if frame.type in (FrameType.HISTOGRAM, FrameType.STATISTICS):
            memories.add(frame)
    events = [frame for frame in link.frames if frame.type == FrameType.EVENTS]
    return Told(memories, batch_of(events), status, {})


def image(told, space):
    """Return the words of a space, of both banks, which must not both have counted."""
    banks = [image.tobytes() for image in told.memories._wholes(space)]
    assert len(banks) == 2
    assert not any(banks[1])
    return banks[0]


def planted(folder, seed, count, gaps_ps):
    """Plant codes of 8 bits; return the device's option and their times in ticks and values."""
    rng, time_ps, value, codes = random.Random(seed), 100_000_000, 0, []
    for _ in range(count):
        value ^= rng.choice((0x10, 0x31, 0xF, 0x92, 0x40))
        codes.append((time_ps, value))
        time_ps += rng.randint(*gaps_ps)
    path = plant(folder / "codes.txt", codes)
    ticks = [-(-time_ps // CLOCK_PS) * CLOCK_PS // 1000 for time_ps, _ in codes]
    return f"codes={path}", ticks, [value for _, value in codes]


def rises_of(events, end_ticks):
    """Return what the golden model matches on CHANNEL."""
    rules = Rules(
        CHANNEL, SOURCE_STRIKE, 1, timeout_ticks=TIMEOUT_TICKS, deadline_ticks=DEADLINE_TICKS
    )
    return match(events, rules, end_ticks)


def answered(told):
    """Return how many strikes the chip says were answered or late on CHANNEL."""
    classes = told.memories.counts(Space.CLASSES).reshape(-1, len(ResponseClass))[CHANNEL]
    return int(classes[ResponseClass.ANSWERED] + classes[ResponseClass.LATE])


def assert_sums_are_the_channels(told):
    table = np.frombuffer(image(told, Space.CODE_LATENCY), "<i8").reshape(-1, 4)
    whole = told.memories.statistics(Space.LATENCY_STATISTICS, CHANNEL)
    assert table[:, 0].sum() == whole.count == answered(told) > 100
    assert table[:, 1].sum() == whole.sum_ticks
    assert table[table[:, 0] > 0, 2].min() == whole.min_ticks
    assert table[table[:, 0] > 0, 3].max() == whole.max_ticks


@pytest.fixture(scope="module")
def streamed(tmp_path_factory):
    option, *_ = planted(tmp_path_factory.mktemp("codes"), 1, COUNT, (40_000, 2_500_000))
    settings = {
        ("control", "stream", 0): Stream.LIVE,
        ("control", "run_time_ticks", 0): 600_000,
    }
    return told_run(f"{DEVICE},{option}", settings)


def test_tables_are_what_the_host_makes_of_all_events_bit_for_bit(streamed):
    batch = streamed.batch
    assert len(batch) == batch.indices()[-1] + 1
    codes = codes_of(batch)
    assert len(codes) > 400
    times, values = codes[:, 0].tolist(), (codes[:, 1] & 0xFF).tolist()
    events = Events(
        batch.time_ticks().astype(np.int64),
        batch.sources(),
        batch.polarities().astype(np.bool_),
        batch.indices().astype(np.int64),
    )
    rise = rises_of(events, streamed.status["end_ticks"]).rise
    expected = latencies_by_code(GEOMETRY, times, values, rise)
    assert sum(each.count > 0 for each in expected) > 20
    assert image(streamed, Space.CODE_LATENCY) == words(expected)
    assert image(streamed, Space.CODE_TIMES) == words(times_by_code(GEOMETRY, times, values))


def test_counts_sum_to_answered_and_late_and_sums_to_the_channels(streamed):
    assert_sums_are_the_channels(streamed)


def test_tables_are_those_of_the_truth_with_the_link_off(tmp_path):
    option, times, values = planted(tmp_path, 2, COUNT, (40_000, 2_500_000))
    settings = {
        ("control", "stream", 0): Stream.OFF,
        ("control", "run_time_ticks", 0): 600_000,
    }
    log = tmp_path / "truth.bin"
    told = told_run(f"{DEVICE},{option}", settings, ("--truth", str(log)))
    assert not len(told.batch)
    truth = np.fromfile(log, TRUTH)
    start, end = told.status["start_ticks"], told.status["end_ticks"]
    ticks = -(-truth["time_ps"] // 1000)
    ours = np.isin(truth["source"], (CHANNEL, SOURCE_STRIKE)) & (ticks >= start) & (ticks < end)
    # In one tick a strike comes before a response.
    order = np.lexsort((-truth["source"][ours].astype(int), ticks[ours]))
    events = Events(
        ticks[ours][order],
        truth["source"][ours][order],
        truth["level"][ours][order].astype(np.bool_),
        np.arange(len(order)),
    )
    rise = rises_of(events, end).rise
    inside = [place for place, time in enumerate(times) if start <= time < end]
    times, values = [times[n] for n in inside], [values[n] for n in inside]
    expected = latencies_by_code(GEOMETRY, times, values, rise)
    assert sum(each.count > 0 for each in expected) > 20
    assert image(told, Space.CODE_LATENCY) == words(expected)
    assert image(told, Space.CODE_TIMES) == words(times_by_code(GEOMETRY, times, values))
    assert_sums_are_the_channels(told)
