# SPDX-License-Identifier: Apache-2.0
"""Entries by the deep memory: in order, none lost, and none of the run before after a clear."""

import random

import pytest

from plexor.protocol.geometry import Geometry
from plexor_hdl.uplink.deep import Deep

from ..simulation import made

GEOMETRY = Geometry(deep_depth=256)
PASS, KEEP = 0, 1


class Memory:
    """A FIFO outside: so many words, given back after so many clocks, with random stalls."""

    def __init__(self, dut, seed, latency, size):
        self.dut, self.latency, self.size = dut, latency, size
        self.rng, self.words, self.most = random.Random(seed), [], 0

    async def serve(self, ctx, state):
        dut, clock = self.dut, 0
        while "done" not in state:
            there = bool(self.words) and self.words[0][1] <= clock
            standing = ctx.get(dut.i_fetched.valid)
            offered = there and (standing or self.rng.random() < 0.6)
            ctx.set(dut.i_fetched.valid, offered)
            if offered:
                ctx.set(dut.i_fetched.payload, entry(self.words[0][0]))
            room = len(self.words) < self.size and self.rng.random() < 0.7
            ctx.set(dut.o_kept.ready, room)
            _, _, kept, word, taken = await ctx.tick().sample(
                dut.o_kept.valid, dut.o_kept.payload.as_value(), dut.i_fetched.ready
            )
            clock += 1
            if offered and taken:
                self.words.pop(0)
                ctx.set(dut.i_fetched.valid, 0)
            if kept and room:
                self.words.append((word, clock + self.latency))
            self.most = max(self.most, len(self.words))


def entry(word):
    """Return the fields of an entry of 32 bits."""
    return {"low": word & (1 << 26) - 1, "source": word >> 26 & 31, "polarity": word >> 31}


async def clear(ctx, dut, after):
    ctx.set(dut.after, after)
    ctx.set(dut.clear_stb, 1)
    await ctx.tick()
    ctx.set(dut.clear_stb, 0)
    # What is asked for later is of no account until the next clear.
    ctx.set(dut.after, not after)
    await ctx.tick()
    while ctx.get(dut.busy):
        await ctx.tick()


async def offer(ctx, dut, rng, words, density):
    for word in words:
        while rng.random() >= density:
            await ctx.tick()
        ctx.set(dut.i_entries.payload, entry(word))
        ctx.set(dut.i_entries.valid, 1)
        await ctx.tick().until(dut.i_entries.ready)
        ctx.set(dut.i_entries.valid, 0)


def run(bench, scripts, *, seed, latency=20, size=256, readiness=0.5, density=0.8):
    """Run (after, words, clocks to wait) one after the other; return what left, and the memory."""
    dut = made(Deep, GEOMETRY)
    memory, state, found = Memory(dut, seed, latency, size), {"open": 1.0}, []
    rng = random.Random(seed + 1)

    async def drive(ctx):
        for after, words, wait in scripts:
            await clear(ctx, dut, after)
            assert not memory.words
            # As while a run lasts, when only answers leave.
            state["open"] = 0.0 if after else readiness
            found.append([])
            await offer(ctx, dut, rng, words, density)
            state["open"] = readiness
            await ctx.tick().repeat(wait)
        state["done"] = True

    async def receive(ctx):
        while "done" not in state:
            ctx.set(dut.o_entries.ready, rng.random() < state["open"])
            _, _, valid, ready, word = await ctx.tick().sample(
                dut.o_entries.valid, dut.o_entries.ready, dut.o_entries.payload.as_value()
            )
            if valid and ready and found:
                found[-1].append(word)

    bench.simulate(dut, drive, receive, lambda ctx: memory.serve(ctx, state))
    return found, memory


def words_of(seed, count):
    rng = random.Random(seed)
    return [rng.getrandbits(32) for _ in range(count)]


@pytest.mark.parametrize("after", [PASS, KEEP])
@pytest.mark.parametrize(
    ("seed", "latency", "readiness"),
    [pytest.param(1, 0, 0.3, marks=pytest.mark.full), (2, 20, 1.0), (3, 90, 0.5)],
)
def test_entries_leave_as_they_came(bench, after, seed, latency, readiness):
    words = words_of(seed, 200)
    wait = 2000
    found, memory = run(
        bench, [(after, words, wait)], seed=seed, latency=latency, readiness=readiness
    )
    assert found == [words]
    assert (memory.most > 150) == (after == KEEP)


def test_a_full_memory_holds_entries_back_and_loses_none(bench):
    words = words_of(4, 40)
    found, memory = run(bench, [(KEEP, words[:34], 600)], seed=4, size=32)
    assert found == [words[:34]]
    assert memory.most == 32


@pytest.mark.parametrize("seed", [5, *(pytest.param(n, marks=pytest.mark.full) for n in (6, 7, 8))])
@pytest.mark.parametrize("second", [PASS, KEEP])
def test_a_clear_forgets_all_but_what_stands_at_the_output(bench, seed, second):
    first, then = words_of(seed, 120), words_of(seed + 100, 50)
    found, _ = run(bench, [(KEEP, first, 15), (second, then, 1500)], seed=seed, latency=10)
    assert found[0] == first[: len(found[0])]
    assert len(found[0]) < 100
    follow = found[1][: -len(then)]
    assert found[1][-len(then) :] == then
    # In order, what stood at the output.
    assert follow in ([], [first[len(found[0])]])


def test_an_entry_a_clock_passes_either_way(bench):
    dut, clocks = made(Deep, GEOMETRY), 100
    counts = {}

    async def drive(ctx):
        for after in (PASS, KEEP):
            await clear(ctx, dut, after)
            for port in (dut.o_entries, dut.o_kept):
                ctx.set(port.ready, 1)
            ctx.set(dut.i_entries.valid, 1)
            await ctx.tick().repeat(2)
            port = dut.o_kept if after else dut.o_entries
            counts[after] = 0
            for _ in range(clocks):
                _, _, valid = await ctx.tick().sample(port.valid)
                counts[after] += valid
            ctx.set(dut.i_entries.valid, 0)
            await ctx.tick().repeat(4)

    bench.simulate(dut, drive)
    assert counts == {PASS: clocks, KEEP: clocks}
