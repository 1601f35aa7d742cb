# SPDX-License-Identifier: Apache-2.0
"""What a step says of a device that draws nothing at random."""

from fractions import Fraction

import pytest

from plexor.experiments.criterion import parse_criterion
from plexor.experiments.job import Job
from plexor.figures.judge.verdict import Outcome
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.memory import ResponseClass
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link.open import open_link
from plexor_sim.design.manifest import load
from plexor_sim.design.verilog import verilog_device
from plexor_sim.packages import default_cache

HZ = 500_000


def taken(options, dither_s=Fraction(0), hz=HZ):
    """Return a step of a simulated device, and the figures of its channel."""
    (step,) = (
        Job(
            "sim:",
            f"synthetic:latency=300ns,{options}",
            "none",
            Settings(
                strikes=(Stimulus(period_s=Fraction(1, HZ), dither_s=dither_s),),
                channels=(Channel(0, "R"),),
            ),
            Fraction(hz),
            "",
            (parse_criterion("missed<10%"),),
        )
    ).take()
    return step, step.of("R")


@pytest.mark.parametrize(
    ("options", "cycle"),
    [
        pytest.param("width=50ns", 1, marks=pytest.mark.full),
        # An edge of its clock and a strike meet every 14 us, seven strikes.
        ("width=50ns,clock=7ns", 7),
    ],
)
def test_answers_come_again_when_device_and_strikes_are_as_they_were(options, cycle):
    step, figures = taken(options)
    assert step.drawn is False
    assert (figures.verdict, figures.cycle, figures.shifted) == (Outcome.PASS, cycle, False)
    assert figures.max_ticks is not None


def test_an_overloaded_device_loses_the_same_strike_again_and_its_latencies_are_not_known():
    # Two strikes are served in 6 us, in which three come.
    step, figures = taken("width=50ns,service=3us,queue=1")
    assert step.drawn is False
    assert (figures.verdict, figures.cycle, figures.shifted) == (Outcome.FAIL, 3, True)
    assert figures.p99_ticks is figures.max_ticks is None


def test_dithered_strikes_and_a_device_that_draws_are_not_deterministic():
    for arguments in (("width=50ns", Fraction(128, 10**9)), ("width=50ns,drop=0.001",)):
        step, figures = taken(*arguments)
        assert step.drawn is True
        assert figures.cycle is None


def test_each_rate_has_draws_of_its_own_and_the_same_ones_each_time():
    """Of 437 strikes that are lost with 50 % as many are missed at two rates in 4 % of cases."""
    steps = [taken("width=50ns,drop=0.5", hz=hz)[1] for hz in (HZ, HZ + 1, HZ + 2, HZ)]
    missed = [figures.classes[ResponseClass.MISSED] for figures in steps]
    assert len(set(missed[:3])) > 1
    assert steps[3] == steps[0]


@pytest.mark.parametrize(
    ("options", "draws"),
    [
        pytest.param("drop=0", False, marks=pytest.mark.full),
        pytest.param("drop=0.5", True, marks=pytest.mark.full),
        ("drop=1", False),
        pytest.param("latency=uniform:1ns:9ns", True, marks=pytest.mark.full),
        # Nothing asks channel 3.
        pytest.param("ch3.latency=uniform:1ns:9ns", False, marks=pytest.mark.full),
        ("ch3.latency=uniform:1ns:9ns,ch3.after=ch0", True),
        pytest.param("spurious=5", True, marks=pytest.mark.full),
        pytest.param("duplicate=1", False, marks=pytest.mark.full),
    ],
)
def test_a_device_says_whether_it_draws_at_random(options, draws):
    link = open_link("sim:", f"synthetic:{options}")
    link.close()
    assert link.draws == draws


@pytest.mark.parametrize(("value", "draws"), [("1'b1", False), ("($random % 10 != 0)", True)])
def test_a_design_draws_where_it_calls_for_random_numbers(tmp_path, value, draws):
    (tmp_path / "d.v").write_text(
        "module d(input clk, input irq, output reg o);\n"
        f"  always @(posedge clk) o <= irq & {value};\n"
        "endmodule\n"
    )
    (tmp_path / "d.toml").write_text(
        'sources = ["d.v"]\ntop = "d"\n[clock]\nport = "clk"\nperiod_ps = 10_000\n'
        '[ports]\nstrikes = ["irq"]\nresponses = ["o"]\n'
    )
    (glue,) = verilog_device(load(tmp_path / "d.toml"), default_cache()).cpp
    assert f"kDraws = {str(draws).lower()};" in glue.read_text()


@pytest.mark.full
def test_a_design_draws_other_numbers_for_each_seed(tmp_path):
    (tmp_path / "d.v").write_text(
        "module d(input clk, input irq, output reg o);\n"
        "  always @(posedge clk) o <= irq & $urandom_range(1);\n"
        "endmodule\n"
    )
    (tmp_path / "d.toml").write_text(
        'sources = ["d.v"]\ntop = "d"\n[clock]\nport = "clk"\nperiod_ps = 1_000_000\n'
        '[ports]\nstrikes = ["irq"]\nresponses = ["o"]\n'
    )
    strikes = Stimulus(period_s=Fraction(1, 250_000), width_s=Fraction(1, 10**6), count=64)
    found = []
    for draws in (("--draws-of", "a"), ("--draws-of", "b"), ("--draws-of", "a"), (), ()):
        with Device(open_link("sim:", str(tmp_path / "d.toml"), draws, again=True)) as device:
            run = measure(device, Settings((strikes,), (Channel(0),)))
        found.append(run.events["time_ticks"][run.events["source"] == 0].tolist())
    assert found[0] == found[2] != found[1]
    assert found[3] == found[4] != found[0]
    assert 60 < sum(map(len, found[:2])) < 200
