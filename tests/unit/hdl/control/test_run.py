# SPDX-License-Identifier: Apache-2.0
"""Run control: what belongs to a run, to the clock, and what the host is told of it."""

import random
from dataclasses import dataclass, field

import pytest

from plexor.protocol.frames import LogCode
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import RunState, StopOn, StopReason, Stream
from plexor_hdl.capture.timebase import LOW_BITS
from plexor_hdl.control.run import OUTPUT_CLOCKS, REST_CLOCKS, START_CLOCKS, RunControl

from ..simulation import made, simulate

SAMPLES = 8
FIRST_CLOCK = (3 << LOW_BITS) - 40
"""Runs cross a wrap of the low clock bits."""


@dataclass
class Seen:
    """What happened, in clocks of the timebase."""

    captured: list = field(default_factory=list)
    started: list = field(default_factory=list)
    stopped: list = field(default_factory=list)
    done: list = field(default_factory=list)
    held: list = field(default_factory=list)
    finals: list = field(default_factory=list)
    states: list = field(default_factory=list)
    logs: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    quiet: set = field(default_factory=set)
    """(running, quiet, live) as they came together."""
    start_ticks: int = 0
    end_ticks: int = 0
    reason: int = 0


def run(control, act=lambda clock, dut: {}, *, clocks=900, merge_busy=0, clearing=0):
    """Start in clock 10; `act(clock, dut)` returns inputs, in clocks from then on."""
    dut, seen, rng = made(RunControl, Geometry(samples=SAMPLES)), Seen(), random.Random(1)

    async def drive(ctx):
        for name, value in control.items():
            if name != "run_time_ticks":
                ctx.set(dut.settle_ticks if name == "settle_ticks" else dut.control[name], value)
        run_time, words = control.get("run_time_ticks", 0), [0] * 4
        marks = {}
        ctx.set(dut.o_log.ready, 1)
        strobes = []
        final_due = None
        for clock in range(clocks):
            now = FIRST_CLOCK + clock
            ctx.set(dut.low, now % (1 << LOW_BITS))
            ctx.set(dut.epoch, now >> LOW_BITS)
            ctx.set(dut.action.start, clock == 10)
            # The bank reads in 3 clocks, while nothing else is read.
            words = [*words[1:], run_time >> 32 * ctx.get(dut.word_high) & 0xFFFFFFFF]
            ctx.set(dut.word, words[0])
            ctx.set(dut.word_valid, rng.random() < 0.5)
            ctx.set(dut.clearing, 10 < clock < 10 + clearing)
            ended = seen.stopped[0] if seen.stopped else now
            ctx.set(dut.merge_idle, now >= ended + merge_busy)
            ctx.set(dut.final_ready, 1)
            ctx.set(dut.final_seen, final_due == clock)
            for port in strobes:
                ctx.set(port, 0)
            strobes = []
            for name, value in act(clock - 10, seen).items():
                port = dut.action.stop if name == "stop" else getattr(dut, name)
                ctx.set(port, value)
                if name.endswith("stb") or name == "stop":
                    strobes.append(port)
            seen.quiet.add(tuple(ctx.get(port) for port in (dut.running, dut.quiet, dut.live)))
            if ctx.get(dut.capture):
                seen.captured.append(now)
            if ctx.get(dut.start_stb):
                seen.started.append(now)
            if ctx.get(dut.mark_stb):
                assert ctx.get(dut.mark_end) not in marks
                marks[ctx.get(dut.mark_end)] = (now + 1) * SAMPLES
            if ctx.get(dut.hold):
                seen.held.append(now)
            if ctx.get(dut.step_stb):
                seen.steps.append(now)
            if ctx.get(dut.done_stb):
                seen.done.append((now, ctx.get(dut.state)))
            if ctx.get(dut.final_valid):
                seen.finals.append(now)
                final_due = clock + 7
            state = ctx.get(dut.state)
            if not seen.states or seen.states[-1] != state:
                seen.states.append(state)
                if state == RunState.DRAINING:
                    seen.stopped.append(now)
            if ctx.get(dut.o_log.valid):
                seen.logs.append(ctx.get(dut.o_log.payload))
            await ctx.tick()
        seen.start_ticks, seen.end_ticks = marks[0], marks[1]
        seen.reason = ctx.get(dut.stop_reason)

    simulate(dut, drive)
    return seen


def assert_whole(seen):
    """Assert what holds of every run."""
    first, last = seen.captured[0], seen.captured[-1]
    assert seen.captured == list(range(first, last + 1))
    assert seen.start_ticks == first * SAMPLES
    assert seen.end_ticks == (last + 1) * SAMPLES
    assert seen.started == [first - START_CLOCKS]
    # No request is under way at the start's mark, and none goes on at the end's.
    assert {*range(first - 10, first), *range(last + 1, last + 5)} <= {*seen.held}
    assert seen.states == list(RunState)
    assert [state for _, state in seen.done] == [RunState.DONE]
    assert len(seen.finals) == 1
    started, *_, stopped = seen.logs
    assert (started, stopped) == (LogCode.STARTED, LogCode.STOPPED)


@pytest.mark.parametrize("stream", Stream, ids=lambda stream: stream.name)
def test_while_a_run_lasts_its_events_go_out_only_live(stream):
    seen = run({"stream": stream, "stop_on": StopOn.TIME, "run_time_ticks": 100 * SAMPLES})
    live = int(stream == Stream.LIVE)
    assert {quiet for running, quiet, _ in seen.quiet if running} == {1 - live}
    assert {quiet for running, quiet, _ in seen.quiet if not running} == {0}
    assert max(snapshots for *_, snapshots in seen.quiet) == live


@pytest.mark.parametrize("ticks", [16, 17, 23, 24, 25, 31, 32, 33, 800, 801, 2401])
def test_a_time_limit_is_kept_to_the_clock_rounded_up(ticks):
    seen = run({"stop_on": StopOn.TIME, "run_time_ticks": ticks})
    assert_whole(seen)
    assert len(seen.captured) == -(-ticks // SAMPLES)
    assert seen.reason == StopReason.TIME


@pytest.mark.parametrize(
    "settle",
    [0, 9, 80, 803, *(pytest.param(n, marks=pytest.mark.full) for n in (8, 15, 16, 799, 800))],
)
@pytest.mark.parametrize(
    "width", [1, *(pytest.param(n, marks=pytest.mark.full) for n in (2, 7)), 60]
)
def test_a_run_of_strikes_ends_when_the_last_has_settled_but_not_while_it_lasts(settle, width):
    last = 230

    def act(clock, seen):
        striking = 201 <= clock < 204 or last < clock <= last + width
        done = clock >= last + width + REST_CLOCKS - 4
        return {"strike_stb": clock in (200, last), "striking": striking, "stimuli_done": done}

    seen = run({"stop_on": StopOn.STRIKES, "settle_ticks": settle}, act)
    assert_whole(seen)
    assert seen.reason == StopReason.STRIKES
    strike = FIRST_CLOCK + 10 + last + OUTPUT_CLOCKS
    end = max(strike + settle // SAMPLES + 2, strike + width - 1 + REST_CLOCKS)
    assert seen.end_ticks == end * SAMPLES


def struck(clock, last=230, width=7):
    """Return what stimuli say of a strike in clock `last`."""
    striking = last < clock <= last + width
    done = not last - 20 <= clock < last + width + REST_CLOCKS - 4
    return {"strike_stb": clock == last, "striking": striking, "stimuli_done": done}


@pytest.mark.parametrize("settle", [0, 80, 803])
@pytest.mark.parametrize("stop_on", [0, StopOn.STRIKES])
def test_a_step_ends_where_a_run_would_and_the_run_goes_on(settle, stop_on):
    ended = run({"stop_on": StopOn.STRIKES, "settle_ticks": settle}, lambda clock, _: struck(clock))

    def act(clock, seen):
        between = bool(seen.steps) and clock + FIRST_CLOCK + 10 - seen.steps[0] <= 60
        stop = {"stop": 1} if clock == 700 else {}
        return struck(clock) | {"more": not seen.steps or between, "between": between} | stop

    control = {"stop_on": stop_on, "settle_ticks": settle}
    seen = run(control, act)
    assert_whole(seen)
    assert seen.steps == [ended.stopped[0] - 1]
    assert seen.end_ticks > ended.end_ticks + 50 * SAMPLES


def test_a_limit_at_the_end_of_a_step_ends_the_run_instead():
    control = {"stop_on": StopOn.TIME, "settle_ticks": 80}
    plain = run({"stop_on": StopOn.STRIKES, "settle_ticks": 80}, lambda clock, _: struck(clock))
    ticks = plain.end_ticks - plain.start_ticks
    for run_time, steps in ((ticks, 0), (ticks + SAMPLES, 1)):
        seen = run(
            control | {"run_time_ticks": run_time}, lambda clock, _: struck(clock) | {"more": 1}
        )
        assert_whole(seen)
        assert len(seen.steps) == steps
        assert seen.reason == StopReason.TIME
        assert seen.end_ticks - seen.start_ticks == run_time


def test_a_command_stops_even_a_run_without_a_limit():
    seen = run({"stop_on": 0}, lambda clock, seen: {"stop": 1} if clock == 300 else {})
    assert_whole(seen)
    assert seen.reason == StopReason.COMMAND
    assert 0 <= seen.captured[-1] - (FIRST_CLOCK + 310) <= 2


@pytest.mark.parametrize("reason", [StopReason.LATENCY, StopReason.MISSED])
def test_a_trigger_is_told_once_and_its_end_ends_the_run(reason):
    def act(clock, seen):
        levels = {"triggered": clock >= 250, "trigger_over": clock >= 290}
        return {**levels, "trigger_reason": reason}

    seen = run({"stop_on": 1 << reason - 2}, act)
    assert_whole(seen)
    assert seen.reason == reason
    assert seen.logs[1:-1] == [LogCode.TRIGGERED]
    assert 0 <= seen.captured[-1] - (FIRST_CLOCK + 300) <= 2


def test_the_final_beat_waits_until_all_is_merged_and_a_run_until_all_is_cleared():
    seen = run({"stop_on": StopOn.TIME, "run_time_ticks": 160}, merge_busy=200, clearing=150)
    assert_whole(seen)
    assert seen.captured[0] > FIRST_CLOCK + 160
    assert seen.finals[0] >= seen.stopped[0] + 200


def test_what_is_under_way_at_the_end_has_time_to_be_counted():
    rng = random.Random(2)
    for _ in range(3):
        ticks = rng.randrange(16, 2000)
        seen = run({"stop_on": StopOn.TIME, "run_time_ticks": ticks})
        final = seen.finals[0]
        assert final - seen.captured[-1] >= 64
        assert seen.done[0][0] - final >= 64
