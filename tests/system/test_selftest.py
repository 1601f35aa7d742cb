# SPDX-License-Identifier: Apache-2.0
"""Defects planted in a simulated instrument: the self-test finds each, and names it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench import SILENT, SMALL, simulator

from plexor.experiments.selftest.model import Finding, SelfTest
from plexor.experiments.selftest.run import SelftestGoal, link_check, selftest
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

# A device that is two wires, a little long.
WIRES = "synthetic:ch0.latency=2ns,ch1.after=strike1,ch1.latency=2ns,width=3ns"
WIRED = {0: (0,), 1: (1,)}
# A board's that sends no events, and one like it with as many pins as the other.
QUIET = replace(SILENT, channels=4, strikes=2)
BUILDS = {"events": SMALL, "silent": QUIET}
CHECKS = ("link", "registers", "idle inputs", "loopback", "phases", "memory", "jumpers")


@pytest.fixture(params=BUILDS, name="build")
def one_build(request: pytest.FixtureRequest):
    """Return a build that sends events, and one that sends none."""
    return BUILDS[request.param]


def found_by(*arguments: str, build=SMALL, dut: str = WIRES, wiring=WIRED) -> SelfTest:
    """Return the self-test of an instrument with options of the simulator."""
    with simulator(dut, build, arguments) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            return selftest(device, SelftestGoal(wiring))


@pytest.mark.parametrize(
    ("build", "dut", "wiring"),
    [
        pytest.param(SMALL, WIRES, WIRED, id="events"),
        pytest.param(
            SILENT,
            "synthetic:ch0.latency=6ns,width=6ns",
            {0: (0,)},
            id="board",
            marks=pytest.mark.full,
        ),
        pytest.param(QUIET, WIRES, WIRED, id="silent", marks=pytest.mark.full),
    ],
)
def test_of_a_sound_instrument_nothing_is_found(build, dut, wiring):
    found = found_by(build=build, dut=dut, wiring=wiring)
    assert found.findings == ()
    assert [check.name for check in found.checks] == list(CHECKS)
    assert found.simulated


@pytest.mark.full
def test_a_stuck_input_a_dead_phase_and_swapped_pins_are_found_and_named(build):
    found = found_by("--front-end", "stuck.3=1,dead.2=1,swap=0:1", build=build)
    texts = {(finding.subject, finding.text) for finding in found.findings}
    assert ("ch3", "stuck: sees no strike of any output") in texts
    assert ("ch2", "phase 1 is dead: always low") in texts
    assert ("ch0", "follows strike1, but is wired to strike0: ch0 and ch1 are swapped") in texts
    assert ("ch1", "follows strike0, but is wired to strike1: ch1 and ch0 are swapped") in texts
    assert {finding.subject for finding in found.findings} == {"ch0", "ch1", "ch2", "ch3"}
    assert not any(subject == "ch2" and "phase 2" in text for subject, text in texts)
    assert all(check.passed for check in found.checks if check.name in ("link", "registers"))


@pytest.mark.full
def test_a_pin_that_does_not_follow_its_jumper_is_found(build):
    found = found_by(build=build, dut="synthetic:ch1.after=none,ch0.latency=2ns,width=3ns")
    assert found.findings == (
        Finding("ch1", "stuck: its pin does not follow strike1, or the jumper is open"),
    )


BAD_LINKS = {
    "slow": (("--stall", "0.9,1"), "slow: "),
    "lossy": (("--corrupt", "0.00005,1"), "loses data: "),
}


@pytest.mark.parametrize(
    ("build_name", "name"),
    [
        pytest.param(
            build, name, marks=() if build == "events" else pytest.mark.full, id=f"{build}-{name}"
        )
        for build in BUILDS
        for name in BAD_LINKS
    ],
)
def test_a_bad_link_is_found(build_name, name):
    arguments, says = BAD_LINKS[name]
    with simulator(WIRES, BUILDS[build_name], arguments) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            found = link_check(device)
    assert says in " ".join(finding.text for finding in found.findings)


@pytest.mark.full
@pytest.mark.parametrize("name", BAD_LINKS)
def test_for_a_bad_link_nothing_else_is_blamed(name, build):
    arguments, _ = BAD_LINKS[name]
    found = found_by(*arguments, build=build)
    assert {finding.subject for finding in found.findings} == {"link"}


@pytest.mark.full
@pytest.mark.parametrize(
    ("front_end", "subject", "says"),
    [
        ("stuck.1=0", "ch1", "stuck: sees no strike of any output"),
        ("stuck.0=1", "ch0", "stuck: sees no strike of any output"),
        *(
            (f"dead.{n}={p}", f"ch{n}", f"phase {p} is dead: always low")
            for n in (0, 1)
            for p in range(4)
        ),
        ("output_ps.0=900000", None, "ticks; must be 0 to 256"),
    ],
)
def test_each_defect_of_a_board_that_sends_no_events_is_blamed_on_what_has_it(
    front_end, subject, says
):
    dut = "synthetic:ch0.latency=6ns,width=6ns"
    found = found_by("--front-end", front_end, build=SILENT, dut=dut, wiring={})
    assert says in " ".join(finding.text for finding in found.findings)
    blamed = {finding.subject for finding in found.findings}
    assert blamed == ({"ch0", "ch1", "memory"} if subject is None else {subject})
