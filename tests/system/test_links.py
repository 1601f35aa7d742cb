# SPDX-License-Identifier: Apache-2.0
"""On-chip results do not depend on the link: idle, streaming, stalled, deaf or cut."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench import simulator
from links import NS, SCENARIOS, Subject, assert_same, deaf, idle, left_by

from plexor.protocol.frames import (
    MAX_OPERATIONS,
    OPERATION,
    Frame,
    FrameType,
    OpCode,
    to_stream,
)
from plexor.protocol.registers import Action, RunState, Trigger, address
from plexor.run.plan.registers import plan_of
from plexor.wire.decode.collect import Collector
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_hdl.build import boards

GEOMETRY = boards.simulated()
SUBJECT = Subject(
    "synthetic:seed=5,latency=uniform:50ns:400ns,ch0.width=100ns,ch1.latency=30ns", GEOMETRY, 1000
)


@pytest.fixture(scope="module", params=[1000, pytest.param(3000, marks=pytest.mark.full)])
def strikes(request):
    return request.param


@pytest.fixture(scope="module")
def quiet(strikes, tmp_path_factory):
    return left_by(SUBJECT, idle, strikes, tmp_path_factory.mktemp("idle"))


@pytest.mark.parametrize(
    "scenario",
    [pytest.param(n, marks=() if n == "stalled" else pytest.mark.full) for n in SCENARIOS],
)
def test_results_and_pins_are_the_same_whatever_the_link_does(scenario, strikes, quiet, tmp_path):
    assert len(quiet.truth) == 16 * strikes * 6
    left = left_by(SUBJECT, SCENARIOS[scenario], strikes, tmp_path)
    assert_same(left, quiet)
    assert (left.upload_dropped > 0) == (scenario == "stalled")


def start_and_ask(reads: int) -> bytes:
    """Return a START with so many reads behind it in its command, then commands full of reads."""
    start = (address("control", "action"), OpCode.WRITE, Action.START)
    read = (address("status", "time_ticks"), OpCode.READ, 0)
    commands = [[start, *[read] * reads], *[[read] * MAX_OPERATIONS] * 60]
    return b"".join(
        to_stream(
            Frame(
                FrameType.COMMAND,
                flags=0,
                tag=0,
                sequence=1 << 31 | number,
                index=0,
                base_ticks=0,
                payload=b"".join(
                    OPERATION.pack({"address": place, "code": code, "status": 0, "value": value})
                    for place, code, value in operations
                ),
            )
        )
        for number, operations in enumerate(commands)
    )


@pytest.mark.full
def test_a_run_tells_its_start_before_its_first_event():
    settings = SUBJECT.settings(200, 0)
    # So slow that nothing is dropped while answers take the link.
    strike = replace(settings.strikes[0], trigger=Trigger.RUN, period_s=10_000 * NS)
    settings = replace(settings, strikes=(strike,))
    with simulator(SUBJECT.device, GEOMETRY) as server:
        link = open_link(f"tcp://127.0.0.1:{server.port}")
        with Device(link) as device:
            device.write_all(plan_of(settings, device.identity).registers)
            device.write("control", "final_spaces", 0)
            for reads in range(MAX_OPERATIONS):
                device.consumer = collector = Collector(GEOMETRY)
                link.write(start_and_ask(reads))
                while collector.stopped is None or device.read("status", "state") != RunState.DONE:
                    assert device.pump(20.0)
                events = device.read("status", "events")
                while collector.next_index < events:
                    assert device.pump(20.0)
                assert (reads, collector.received_total) == (reads, events)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_many_results_are_the_same_whatever_the_link_does(tmp_path):
    reference = left_by(SUBJECT, idle, 100_000, tmp_path)
    for scenario in (*SCENARIOS.values(), deaf):
        left = left_by(SUBJECT, scenario, 100_000, tmp_path)
        assert_same(left, reference)
        assert (left.upload_dropped > 0) == (scenario in (SCENARIOS["stalled"], deaf))
