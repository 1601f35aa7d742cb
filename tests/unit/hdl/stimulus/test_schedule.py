# SPDX-License-Identifier: Apache-2.0
"""The schedule: strikes at due times, and what becomes of entries that cannot strike."""

import random
from itertools import count

import pytest
from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import DUE_CLOCKS, SCHEDULE_ENTRIES, Feature, Geometry
from plexor.protocol.registers import STIMULUS, Trigger, entry_word
from plexor_hdl.capture.timebase import LOW_BITS
from plexor_hdl.control.run import START_CLOCKS
from plexor_hdl.interfaces import TIME_BITS, block_layout
from plexor_hdl.stimulus.outputs import Outputs
from plexor_hdl.stimulus.schedule import Schedule

from ..simulation import made, simulate

WIDTH_TICKS = 40
WRITE_CLOCKS = 8
LARGEST = (1 << 16) - 1


class Struck(wiring.Component):
    """A schedule and the outputs that it makes strike, on a timebase that begins anywhere."""

    def __init__(self, geometry, begin):
        self.geometry, self.begin = geometry, begin
        self.schedule = Schedule(geometry)
        self.outputs = Outputs(geometry, schedule=True)
        super().__init__(
            {
                "config": In(block_layout(STIMULUS)),
                "start_stb": In(1),
                "stop": In(1),
                "capture": In(1),
                "level": Out(geometry.samples),
                "done": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.schedule, m.submodules.outputs = self.schedule, self.outputs
        schedule, outputs = self.schedule, self.outputs
        fine = (self.geometry.samples - 1).bit_length()
        clock = Signal(TIME_BITS - fine, init=self.begin)
        m.d.sync += clock.eq(clock + 1)
        m.d.comb += [
            Cat(schedule.low, schedule.epoch).eq(clock),
            schedule.capture.eq(self.capture),
            schedule.idle.eq(outputs.due_idle),
            schedule.strike_stb.eq(outputs.strikes[-1]),
            outputs.due_stb.eq(schedule.due_stb),
            outputs.due_ticks.eq(schedule.phase_ticks),
            outputs.due_waits.eq(schedule.waits),
            outputs.config[-1].eq(self.config),
            outputs.start_stb.eq(self.start_stb),
            outputs.stop.eq(self.stop),
            self.level.eq(Cat(Const(0, 0), outputs.levels[-1])),
            self.done.eq(outputs.done),
        ]
        return m


def run(
    entries, clocks, *, samples=16, begin=0, late=(), ends=None, trigger=Trigger.DUE, numbers=None
):
    """Write entries, run, and return (ticks of the strikes from the start, the schedule's figures).

    `late` has entries to write in a run, by their clock. At `ends` the run stops. `numbers` has the
    entries' numbers, if they are not 0, 1, 2 and so on.
    """
    geometry = Geometry(
        samples=samples, phases=min(samples, 4), strikes=1, features=Feature.SCHEDULE
    )
    dut = made(Struck, geometry, begin)
    rises, figures = [], {}
    late = dict(late)
    numbers = iter(numbers or count())

    async def write(ctx, due, event_id):
        last = entry_word(next(numbers), event_id)
        for place, word in enumerate((due & 0xFFFFFFFF, due >> 32, last)):
            ctx.set(dut.schedule.write_stb, 1)
            ctx.set(dut.schedule.write_place, place)
            ctx.set(dut.schedule.write_data, word)
            await tick(ctx)
            ctx.set(dut.schedule.write_stb, 0)
            for _ in range(WRITE_CLOCKS - 1):
                await tick(ctx)

    state = {"clock": None, "before": 0}

    async def tick(ctx):
        if state["clock"] is not None:
            word = ctx.get(dut.level)
            for place in range(samples):
                level = word >> place & 1
                if level and not state["before"]:
                    rises.append(state["clock"] * samples + place)
                state["before"] = level
        await ctx.tick()
        if state["clock"] is not None:
            state["clock"] += 1
            if state["clock"] == ends:
                ctx.set(dut.capture, 0)
                ctx.set(dut.stop, 1)

    async def drive(ctx):
        ctx.set(dut.stop, 1)
        ctx.set(dut.config.enable, 1)
        ctx.set(dut.config.trigger, trigger)
        ctx.set(dut.config.width_ticks, WIDTH_TICKS)
        ctx.set(dut.config.strike_count, 1)
        ctx.set(dut.config.burst_count, 1)
        for due, event_id in entries:
            await write(ctx, due, event_id)
        for _ in range(30):
            await tick(ctx)
        ctx.set(dut.stop, 0)
        ctx.set(dut.start_stb, 1)
        await tick(ctx)
        ctx.set(dut.start_stb, 0)
        for _ in range(START_CLOCKS - 1):
            await tick(ctx)
        ctx.set(dut.capture, 1)
        state["clock"] = 0
        while state["clock"] < clocks:
            coming = [clock for clock in late if clock <= state["clock"]]
            if coming:
                await write(ctx, *late.pop(coming[0]))
            else:
                await tick(ctx)
        for name in ("waiting", "refused", "past", "last_id"):
            figures[name] = ctx.get(getattr(dut.schedule, name))
        figures["done"] = ctx.get(dut.done)

    simulate(dut, drive)
    return rises, figures


BEGINS = (
    0,
    5,
    (1 << LOW_BITS) - 700,  # the low part wraps during the run
    (1 << 28) - 420,  # so does the low word of the time with W = 16
    (1 << 29) - 420,  # and with W = 8
    (1 << 57) - 900,
)
QUICK = ((4, 5), (16, (1 << 28) - 420), *((8, begin) for begin in BEGINS))


@pytest.mark.parametrize(
    ("samples", "begin"),
    [
        pytest.param(samples, begin, marks=() if (samples, begin) in QUICK else pytest.mark.full)
        for samples in (4, 8, 16)
        for begin in BEGINS
    ],
)
def test_each_due_time_is_struck_to_the_tick(samples, begin):
    rng = random.Random(samples)
    dues, at = [], DUE_CLOCKS * samples
    for _ in range(8):
        at += rng.randrange(samples)
        dues.append(at)
        at += DUE_CLOCKS * samples + WIDTH_TICKS + rng.randrange(20 * samples)
    entries = [(due, number + 3) for number, due in enumerate(dues)]
    rises, figures = run(entries, at // samples + 20, samples=samples, begin=begin)
    assert rises == dues
    assert figures == {"waiting": 0, "refused": 0, "past": 0, "last_id": 10, "done": 1}


def test_an_entry_that_is_past_or_before_its_predecessor_does_not_strike_and_is_counted():
    far = 400 * 16
    entries = [(0, 1), (far, 2), (far - 16, 3), (far + 2000, 4), (far + 2001, 5), (far + 5000, 6)]
    rises, figures = run(entries, 800)
    assert rises == [far, far + 2000, far + 5000]
    assert (figures["past"], figures["waiting"], figures["last_id"]) == (3, 0, 6)


def test_entries_come_while_the_run_goes_on():
    late = {100: (300 * 16 + 7, 9), 450: (600 * 16 + 1, 8), 560: (600 * 16 + 9, 7)}
    rises, figures = run([(200 * 16, 1)], 700, late=late)
    assert rises == [200 * 16, 300 * 16 + 7, 600 * 16 + 1]
    assert (figures["past"], figures["last_id"]) == (1, 8)


def test_what_finds_the_schedule_full_is_refused_and_counted():
    dues = [(500 + 100 * n) * 16 + n % 16 for n in range(SCHEDULE_ENTRIES + 3)]
    rises, figures = run([(due, n & 0xFF) for n, due in enumerate(dues)], 1000)
    assert rises == dues[:5]
    assert figures["refused"] == 3
    assert figures["waiting"] == SCHEDULE_ENTRIES - 5


def test_an_entry_that_comes_twice_is_added_once():
    dues = [(200 + 100 * n) * 16 + n for n in range(4)]
    sent = [0, 1, 1, 1, 2, 3, 3, 2]
    rises, figures = run([(dues[n], n) for n in sent], 600, numbers=sent)
    assert rises == dues
    assert (figures["past"], figures["waiting"], figures["refused"]) == (0, 0, 0)


def test_a_refused_entry_that_comes_twice_is_counted_once_and_keeps_its_number():
    most = SCHEDULE_ENTRIES
    sent = [*range(most), most, most, most + 1, most + 2]
    rises, figures = run([((500 + 100 * n) * 16, 0) for n in sent], 600, numbers=sent)
    assert rises == [500 * 16]
    assert (figures["refused"], figures["waiting"]) == (3, most - 1)


def test_a_run_that_ends_before_a_due_time_leaves_the_entry():
    rises, figures = run([(300 * 16, 1), (500 * 16, 2)], 700, ends=450)
    assert rises == [300 * 16]
    assert (figures["waiting"], figures["past"], figures["last_id"]) == (1, 0, 1)


@pytest.mark.parametrize(("ends", "waiting"), [(299, 1), (300, 1), (301, 0), (302, 0)])
def test_an_entry_leaves_exactly_if_its_strike_is_in_the_run(ends, waiting):
    _, figures = run([(300 * 16 + 5, 1)], 400, ends=ends)
    assert figures["waiting"] == waiting


def test_a_due_time_beyond_a_phase_waits_and_the_run_is_not_done():
    rises, figures = run([(1 << 60, 1)], 300)
    assert (rises, figures["waiting"], figures["past"], figures["done"]) == ([], 1, 0, 0)


def test_another_trigger_does_not_strike_at_due_times():
    rises, figures = run([(300 * 16, 1)], 500, trigger=Trigger.STRIKE)
    assert (rises, figures["waiting"]) == ([], 1)
