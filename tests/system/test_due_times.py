# SPDX-License-Identifier: Apache-2.0
"""Due times and the timecode's steps of a simulated board, against what was asked."""

import random
from dataclasses import dataclass

import numpy as np
import pytest
from bench import CORE
from code_port import Link

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
from plexor.protocol.geometry import DUE_CLOCKS, SCHEDULE_ENTRIES
from plexor.protocol.registers import (
    Action,
    RunState,
    StopOn,
    Stream,
    Trigger,
    address,
    entry_word,
    register,
)
from plexor.wire.decode.batch import EventBatch, batch_of
from plexor_hdl.build.boards import simulated
from plexor_sim.golden.settings import Settings
from plexor_sim.golden.stimulus import strikes
from plexor_sim.packages import default_cache
from plexor_sim.serve import prepare
from plexor_sim.server import Server

GEOMETRY = simulated()
DUE, STEP = 1, 0
"""The strike outputs that due times and the steps of the timecode have."""
WIDTH_TICKS = 100
APART_TICKS = DUE_CLOCKS * GEOMETRY.samples + WIDTH_TICKS
FIGURES = ("schedule_waiting", "schedule_refused", "schedule_past", "schedule_id")


@dataclass
class Run:
    """What came of a run."""

    batch: EventBatch
    status: dict[str, int]

    def rises(self, output: int) -> np.ndarray:
        """Return the times of an output's strikes, in ticks from the start."""
        chosen = self.batch.sources() == SOURCE_STRIKE + output
        chosen &= self.batch.polarities() == 1
        return self.batch.time_ticks()[chosen] - self.status["start_ticks"]


def writes(settings):
    """Return the frames that write registers in order, each ((block, name, copy), value)."""
    operations = [
        {"address": address(*place) + word, "code": OpCode.WRITE, "status": 0}
        | {"value": value >> 32 * word & 0xFFFFFFFF}
        for place, value in settings
        for word in range(register(*place[:2]).words)
    ]
    return b"".join(
        to_stream(
            Frame(
                *(FrameType.COMMAND, 0, 0, first, 0, 0),
                b"".join(map(OPERATION.pack, operations[first : first + MAX_OPERATIONS])),
            )
        )
        for first in range(0, len(operations), MAX_OPERATIONS)
    )


def entries(dues):
    """Return the writes of entries (due time, id)."""
    for number, (due_ticks, event_id) in enumerate(dues):
        yield ("schedule", "due_ticks", 0), due_ticks
        yield ("schedule", "entry", 0), entry_word(number, event_id)


def due_run(settings, dues, stimulus=None):
    """Preload due times and run until the settings end it."""
    ready = prepare("synthetic", GEOMETRY, default_cache(), core=CORE)
    registers = {
        ("control", "stream", 0): Stream.LIVE,
        ("stimulus", "enable", DUE): 1,
        ("stimulus", "trigger", DUE): Trigger.DUE,
        ("stimulus", "strike_count", DUE): 1,
        ("stimulus", "width_ticks", DUE): WIDTH_TICKS,
        **settings,
    }
    with Server(ready.executable, "", ready.arguments) as server, Link(server.port) as link:
        sent = [*registers.items(), *entries(dues), (("control", "action", 0), Action.START)]
        link.socket.sendall(writes(sent))
        seen, stopped = 0, False
        while not stopped:
            link.read()
            new, seen = link.frames[seen:], len(link.frames)
            stopped = any(f.type == FrameType.LOG and f.tag == LogCode.STOPPED for f in new)
        while link.get("status", "state") != RunState.DONE:
            pass
        names = ("start_ticks", "end_ticks", *FIGURES)
        status = {name: link.get("status", name) for name in names}
        server.close()
    return Run(batch_of([f for f in link.frames if f.type == FrameType.EVENTS]), status)


def test_each_due_time_is_struck_on_its_tick():
    rng, dues, at = random.Random(1), [], APART_TICKS
    for number in range(SCHEDULE_ENTRIES):
        dues.append((at, number))
        at += APART_TICKS + rng.choice((0, 1, 17, 5000, 3_000_000, 40_000_000))
    run = due_run({("control", "stop_on", 0): StopOn.STRIKES}, dues)
    assert run.rises(DUE).tolist() == [due for due, _ in dues]
    assert [run.status[name] for name in FIGURES] == [0, 0, 0, SCHEDULE_ENTRIES - 1]


def test_entries_too_many_too_late_and_out_of_order_are_counted_and_do_not_strike():
    served = [(APART_TICKS * 4 * n + n % 16, n) for n in range(1, 60)]
    dues = [(0, 200), *served[:30], (served[3][0], 201), *served[30:], (served[-1][0] + 1, 202)]
    last = served[-1][0]
    far = [(last + (1 << 40) + n, 210) for n in range(SCHEDULE_ENTRIES - len(dues) + 9)]
    ends = {("control", "stop_on", 0): StopOn.TIME, ("control", "run_time_ticks", 0): last + 99999}
    run = due_run(ends, [*dues, *far])
    assert run.rises(DUE).tolist() == [due for due, _ in served]
    refused, waiting = 9, SCHEDULE_ENTRIES - len(dues)
    assert [run.status[name] for name in FIGURES] == [waiting, refused, 3, served[-1][1]]
    assert len(served) + waiting + refused + 3 == len(dues) + len(far)


@pytest.mark.parametrize(
    ("steps", "interval_ticks"),
    [pytest.param(10_000, 4003), pytest.param(1_000_000, 1003, marks=pytest.mark.full)],
)
def test_steps_of_the_timecode_are_exact(steps, interval_ticks):
    stimulus = {"interval_ticks": interval_ticks, "interval_fraction": 0x9E3779B9}
    stimulus |= {"width_ticks": interval_ticks // 2, "enable": 1, "phase_ticks": 77}
    stimulus |= {"strike_count": steps}
    run = due_run(
        {
            ("stimulus", "enable", DUE): 0,
            ("control", "stop_on", 0): StopOn.STRIKES,
            **{("stimulus", name, STEP): value for name, value in stimulus.items()},
        },
        [],
    )
    expected = [77 + n * interval_ticks + (n * 0x9E3779B9 >> 32) for n in range(steps)]
    assert run.rises(STEP).tolist() == expected
    golden = strikes(GEOMETRY, Settings.of(stimulus={STEP: stimulus}), 0, 1 << 57)[STEP]
    assert golden.rise_ticks.tolist() == expected
