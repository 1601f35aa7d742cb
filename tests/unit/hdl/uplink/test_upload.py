# SPDX-License-Identifier: Apache-2.0
"""The upload FIFO: events = sent + dropped, whatever the link does."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from plexor.protocol.frames import DELTA_BITS, SOURCE_CODE, SOURCE_CODE_VALUE, SOURCES
from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.interfaces import INDEX_BITS
from plexor_hdl.uplink import upload
from plexor_hdl.uplink.upload import MARGIN, MARK_BITS, MARKS, ONE_BLOCK, SPARE_BITS, Upload

from ..simulation import made

DEPTH = 32


MARK = 24


def split(entry):
    """Return (lower bits of the time, source, polarity) of an entry."""
    return entry & (1 << 26) - 1, entry >> 26 & 31, entry >> 31


STEPS = (0, 1, 1 << 10, 1 << 24)


def random_events(rng, count, density, gap_chance, steps=STEPS):
    """A list of event or None, a clock each."""
    index, time, events = 0, rng.getrandbits(60), []
    while sum(event is not None for event in events) < count:
        if rng.random() >= density:
            events.append(None)
            continue
        gap = rng.random() < gap_chance
        index += rng.randrange(1, 9) if gap else 0
        time += rng.choice(steps)
        events.append(
            {
                "time_ticks": time,
                "source": rng.randrange(SOURCES),
                "polarity": rng.randrange(2),
                "index": index,
                "gap": gap,
            }
        )
        index += 1
    return events


async def drive_events(ctx, dut, events):
    for event in events:
        ctx.set(dut.i_events.valid, event is not None)
        if event is not None:
            told = {name: value for name, value in event.items() if name != "code"}
            ctx.set(dut.i_events.payload, told)
            if "code" in event:
                ctx.set(dut.value, {"code": event["code"], "skew_clocks": 0, "torn": 0})
            if hasattr(dut, "value_stb"):
                ctx.set(dut.value_stb, "code" in event)
            ctx.set(dut.now_bit, event["time_ticks"] >> DELTA_BITS & 1)
        await ctx.tick()
    ctx.set(dut.i_events.valid, 0)


def run(bench, events, link_seed, link_open_after=0, enable=1, deep_depth=0, codes=False):
    geometry = Geometry(upload_depth=DEPTH, deep_depth=deep_depth)
    if codes:
        geometry = replace(geometry, code_bits=16, features=geometry.features | Feature.CODES)
    dut, entries, drops = made(Upload, geometry), [], []
    state = {}

    async def drive(ctx):
        ctx.set(dut.enable, enable)
        await ctx.tick()
        await drive_events(ctx, dut, events)
        ctx.set(dut.i_events.valid, 0)
        state["sent"] = True
        await ctx.tick().repeat(link_open_after + 6 * DEPTH + 20)
        state["dropped"] = ctx.get(dut.dropped_cnt)
        state["done"] = True

    async def watch(ctx):
        while "done" not in state:
            _, _, drop = await ctx.tick().sample(dut.drop)
            if drop.valid:
                drops.append(drop.source)

    async def receive(ctx):
        stalls = random.Random(link_seed)
        await ctx.tick().repeat(1 + link_open_after)
        while "done" not in state:
            ctx.set(dut.o_entries.ready, stalls.random() < 0.3)
            _, _, valid, ready, entry = await ctx.tick().sample(
                dut.o_entries.valid, dut.o_entries.ready, dut.o_entries.payload.as_value()
            )
            if valid and ready:
                entries.append(split(entry))

    bench.simulate(dut, drive, watch, receive)
    return entries, drops, state["dropped"]


def replay(entries):
    """Return the events of entries: (index, time, source, polarity, after a gap)."""
    found, index, gap, above, start = [], 0, False, None, 0
    for number, (low, source, polarity) in enumerate(entries):
        if source >= MARK:
            start = start >> MARK_BITS | (low | (source & 7) << 26 | polarity << 29) << 60
            if entries[number + 1][1] < MARK:
                fields = start >> SPARE_BITS
                index, above = fields & (1 << INDEX_BITS) - 1, fields >> INDEX_BITS + 2
                assert fields >> INDEX_BITS + 1 & 1 == 0
                gap = bool(fields >> INDEX_BITS & 1)
        else:
            found.append((index, low | above << 26, source, polarity, gap))
            index, gap = index + 1, False
    return found


@pytest.fixture(name="in_blocks")
def every_depth_in_blocks(monkeypatch):
    """Take memory blocks with one port at any depth."""
    monkeypatch.setattr(upload, "BLOCKS_FROM", 0)


@pytest.mark.parametrize("deep_depth", [pytest.param(0, marks=pytest.mark.full), 1024])
@pytest.mark.parametrize(
    ("seed", "density", "gap_chance", "closed"),
    [(1, 0.15, 0.0, 0), (2, 0.2, 0.2, 0), (3, 0.9, 0.1, 0), (4, 1.0, 0.02, 200), (5, 1.0, 0.0, 90)],
)
def test_events_are_sent_with_their_index_or_counted_as_dropped(
    bench, seed, density, gap_chance, closed, deep_depth
):
    assert_kept_or_counted(bench, seed, density, gap_chance, closed, deep_depth)


@pytest.mark.parametrize(
    ("seed", "density", "gap_chance", "closed"),
    [(1, 0.15, 0.0, 0), (2, 0.2, 0.2, 0), (3, 0.9, 0.1, 0), (4, 1.0, 0.02, 200)],
)
@pytest.mark.usefixtures("in_blocks")
def test_so_they_are_in_blocks_with_one_port(bench, seed, density, gap_chance, closed):
    assert_kept_or_counted(bench, seed, density, gap_chance, closed, 0)


def assert_kept_or_counted(bench, seed, density, gap_chance, closed, deep_depth):
    """Assert that events came with their index, and all others were told as dropped."""
    events = random_events(random.Random(seed), 400, density, gap_chance)
    entries, drops, dropped = run(bench, events, seed, closed, deep_depth=deep_depth)
    sent = replay(entries)
    came = {
        event["index"]: (event["time_ticks"], event["source"], event["polarity"])
        for event in events
        if event is not None
    }
    assert all(came.get(index) == (time, source, pol) for index, time, source, pol, _ in sent)
    indices = [index for index, *_ in sent]
    assert indices == sorted(set(indices))
    lost = [event["source"] for event in events if event and event["index"] not in set(indices)]
    assert sorted(drops) == sorted(lost)
    assert len(came) == len(sent) + dropped
    assert dropped == len(drops)
    # A gap is told exactly where an index is missing.
    expected = [0, *[index + 1 for index in indices]]
    assert [gap for *_, gap in sent] == [i != e for i, e in zip(indices, expected, strict=False)]
    if gap_chance == 0 or density > 0.5:
        assert bool(dropped) == (density > 0.5)


@pytest.mark.parametrize("deep_depth", [0, pytest.param(1024, marks=pytest.mark.full)])
@pytest.mark.parametrize(("density", "closed"), [(0.1, 0), (1.0, 90)])
def test_a_code_and_its_value_are_sent_or_dropped_as_one(bench, density, closed, deep_depth):
    rng, events, number = random.Random(closed), [], 0
    for event in random_events(rng, 300, density, 0.05):
        events.append(event)
        if event is None:
            continue
        event["index"] += number
        if rng.random() < 0.5:
            event["source"] = SOURCE_CODE
            value = {"source": SOURCE_CODE_VALUE, "gap": False, "code": rng.getrandbits(16)}
            events.append({**event, **value, "index": event["index"] + 1})
            number += 1
        elif event["source"] >= SOURCE_CODE:
            event["source"] = 0
    entries, drops, dropped = run(bench, events, 1, closed, deep_depth=deep_depth, codes=True)
    sent = [(index, source, low) for index, low, source, _, _ in replay(entries)]
    values = {event["index"]: event["code"] for event in events if event and "code" in event}
    for (index, source, _), (after, kind, low) in pairwise(sent):
        assert (source == SOURCE_CODE) == (kind == SOURCE_CODE_VALUE)
        if source == SOURCE_CODE:
            assert (after, low & 0xFFFF) == (index + 1, values[after])
    assert sent[-1][1] != SOURCE_CODE
    assert drops.count(SOURCE_CODE) == drops.count(SOURCE_CODE_VALUE)
    assert len(sent) + dropped == sum(event is not None for event in events)
    assert dropped or density < 1


def test_once_full_it_refuses_events_until_it_is_half_empty(bench):
    events = random_events(random.Random(9), 300, 1.0, 0.0, STEPS[:3])
    entries, _, _ = run(bench, events, 9, link_open_after=60)
    indices = [index for index, *_ in replay(entries)]
    first = DEPTH - MARGIN - MARKS
    assert indices[:first] == list(range(first))
    jumps = [at for at in range(1, len(indices)) if indices[at] != indices[at - 1] + 1]
    lengths = [later - jump for jump, later in pairwise(jumps)]
    assert lengths
    assert min(lengths) >= DEPTH // 2 - MARGIN - MARKS


def test_a_depth_of_several_memory_blocks_keeps_all_in_order(bench):
    events = random_events(random.Random(13), 700, 0.5, 0.02)
    dut, entries = made(Upload, Geometry(upload_depth=2 * ONE_BLOCK)), []

    async def drive(ctx):
        ctx.set(dut.enable, 1)
        await ctx.tick()
        await drive_events(ctx, dut, events)
        await ctx.tick().repeat(1600)
        assert ctx.get(dut.dropped_cnt) == 700 - len(replay([split(each) for each in entries]))

    bench.simulate(dut, drive, bench.receiver(dut.o_entries, entries, 13))
    sent = replay([split(each) for each in entries])
    came = {event["index"]: event for event in events if event is not None}
    assert len(sent) > 600
    assert [(came[n]["time_ticks"], came[n]["source"]) for n, *_ in sent] == [
        (time, source) for _, time, source, *_ in sent
    ]


def test_while_not_enabled_events_are_neither_sent_nor_counted(bench):
    events = random_events(random.Random(10), 100, 1.0, 0.1)
    assert run(bench, events, 10, enable=0) == ([], [], 0)


@pytest.mark.usefixtures("in_blocks")
def test_a_clear_forgets_what_is_in_blocks(bench):
    test_a_clear_forgets_what_waits_and_the_next_event_brings_its_index(bench, DEPTH, 0)


@pytest.mark.parametrize(("depth", "deep_depth"), [(DEPTH, 0), (2 * ONE_BLOCK, 0), (DEPTH, 1024)])
def test_a_clear_forgets_what_waits_and_the_next_event_brings_its_index(bench, depth, deep_depth):
    dut, entries = made(Upload, Geometry(upload_depth=depth, deep_depth=deep_depth)), []
    events = random_events(random.Random(11), 100, 1.0, 0.2)
    stood = None
    again = random_events(random.Random(12), 3, 1.0, 0.0)

    async def drive(ctx):
        nonlocal stood
        ctx.set(dut.enable, 1)
        await ctx.tick()
        await drive_events(ctx, dut, events)
        await ctx.tick().repeat(10)
        assert ctx.get(dut.o_entries.valid)
        stood = split(ctx.get(dut.o_entries.payload.as_value()))
        ctx.set(dut.clear_stb, 1)
        await ctx.tick()
        ctx.set(dut.clear_stb, 0)
        ctx.set(dut.now_bit, again[0]["time_ticks"] >> DELTA_BITS & 1)
        await ctx.tick().repeat(5)
        assert ctx.get(dut.dropped_cnt) == 0
        await drive_events(ctx, dut, again)
        ctx.set(dut.o_entries.ready, 1)
        for _ in range(30):
            _, _, valid, entry = await ctx.tick().sample(
                dut.o_entries.valid, dut.o_entries.payload.as_value()
            )
            if valid:
                entries.append(split(entry))

    bench.simulate(dut, drive)
    # What stood at the output stands until it is taken, unless the deep memory's way has it.
    if not deep_depth:
        assert entries.pop(0) == stood
    assert all(source >= MARK for _, source, _ in entries[:MARKS])
    assert [index for index, *_ in replay(entries)] == [0, 1, 2]
