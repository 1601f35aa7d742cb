# SPDX-License-Identifier: Apache-2.0
"""What happens to the instrument itself in a run: its PLL loses its lock, its UART loses bytes.

Both happen at a core clock of the simulation. Runs take long enough to be under way then.
"""

from fractions import Fraction

import pytest
from bench import ICE40, run, simulator

from plexor import cli
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import StatusFlag
from plexor.run.session import follow
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link.open import open_link

US = Fraction(1, 10**6)
DEVICE = "synthetic:latency=2us"
SETTINGS = Settings(
    strikes=(Stimulus(period_s=100 * US, width_s=2 * US),), channels=(Channel(0),), count=100
)
"""10 ms, more than a million core clocks."""
CLOCKS = 400_000
LEAN = Geometry(
    channels=1,
    strikes=1,
    latency_mantissa_bits=2,
    features=Feature.SIMULATED | Feature.EVENTS,
)
"""Little to build, for a link that no other test builds."""
SAYS = "the instrument's PLL lost its lock: its clock stood or was wrong"


@pytest.mark.parametrize("no_skip", [(), pytest.param(("--no-skip",), marks=pytest.mark.full)])
def test_a_run_in_which_the_lock_is_lost_is_invalid_and_the_next_is_not(no_skip):
    arguments = ("--clock-lost", f"{CLOCKS},{CLOCKS + 20}", *no_skip)
    with simulator(DEVICE, ICE40, arguments) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            first, second = measure(device, SETTINGS), measure(device, SETTINGS)
    assert StatusFlag.CLOCK_LOST in first.flags
    assert first.invalid_reasons == (SAYS,)
    assert StatusFlag.CLOCK_LOST not in second.flags
    assert second.valid
    assert first.channels[0].classes == second.channels[0].classes


def test_a_lock_that_comes_before_the_run_is_none_lost(tmp_path):
    outcome = run(DEVICE, SETTINGS, tmp_path, geometry=ICE40, arguments=("--clock-lost", "0,900"))
    assert outcome.result.valid
    assert StatusFlag.CLOCK_LOST not in outcome.result.flags


def test_a_lock_lost_after_the_run_is_not_of_it():
    with simulator(DEVICE, ICE40, ("--clock-lost", "1300000,1300020")) as server:
        with Device(open_link(f"tcp://127.0.0.1:{server.port}")) as device:
            assert measure(device, SETTINGS).end_ticks < 1_300_000 * ICE40.samples
            while device.read("status", "time_ticks") < 1_301_000 * ICE40.samples:
                pass
            assert not device.read("status", "flags") & StatusFlag.CLOCK_LOST


def test_a_command_whose_run_loses_the_lock_says_so_and_ends_with_4(capsys):
    link = f"sim:synthetic?clock-lost={CLOCKS},{CLOCKS + 20}"
    assert cli.main(["measure", "--link", link, "--rate", "10k", "--count", "100"]) == 4
    assert f"INVALID RUN: {SAYS}" in capsys.readouterr().out


def test_bytes_that_the_uart_drops_in_a_run_are_counted_and_none_before_it(tmp_path, monkeypatch):
    # A question of the host that fell into a break would lose more: only one is asked, at first. If
    # that one meets the first break, it is asked again, and the run begins 600,000 clocks later.
    monkeypatch.setattr(follow, "POLL_S", 60.0)
    breaks = [f"{at},{at + 100}" for at in (1000, 3 * CLOCKS, 3 * CLOCKS + 500)]
    arguments = ("--uart-low", ",".join(breaks))
    outcome = run(DEVICE, SETTINGS, tmp_path, geometry=LEAN, arguments=arguments, uart=True)
    assert outcome.result.valid
    assert outcome.result.accounting.link_dropped == 2
