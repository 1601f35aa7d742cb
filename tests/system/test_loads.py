# SPDX-License-Identifier: Apache-2.0
"""Loads of simulated devices: what they say, what is said of their runs, and what is refused."""

from __future__ import annotations

import json

import pytest

from plexor import cli
from plexor.base.errors import ExitCode
from plexor.wire.link.open import open_link

IRQ = "sim/plexor_sim/examples/irq.toml"
CODED = "sim/plexor_sim/examples/coded.toml"
RUN = ("--rate", "20k", "--count", "40", "--channel", "R=ch0")


@pytest.mark.parametrize(
    ("dut", "load"),
    [
        ("freertos", "none"),
        ("freertos:load=cpu+queue", "cpu+queue"),
        ("freertos:load=critical,load_switched=0", "critical always"),
        # No program but strikes and malloc has loads: `all` of none is nothing.
        pytest.param("freertos:load=all,program=calls", "", marks=pytest.mark.full),
        ("synthetic", ""),
        ("synthetic:load_latency=5us", "load"),
        ("synthetic:ch1.load_width=5us,load_name=x", "x"),
        ("synthetic:load_latency=5us,load=none", "none"),
        ("ce30", "polygons"),
        (IRQ, "on"),
        pytest.param(CODED, "", marks=pytest.mark.full),
    ],
)
def test_a_simulated_device_says_which_load_it_runs_and_whether_always(dut, load):
    link = open_link("sim:", dut, again=True)
    link.close()
    assert link.load == load


@pytest.mark.parametrize(
    ("dut", "said"), [("synthetic", []), ("synthetic:load_latency=5us", ["idle"])]
)
def test_a_device_without_any_load_is_not_called_idle(capsys, dut, said):
    assert cli.main(["measure", *RUN, "--dut", dut]) == 0
    strikes, rate, _, *found, source = capsys.readouterr().out.splitlines()[1].split(" · ")
    assert (strikes, rate, found, source) == ("40 strikes", "20 kHz", said, "simulated")


def measured(capsys, *options):
    """Return exit code, what is said of the load, the document, and standard error."""
    code = cli.main(["measure", *RUN, *options, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else None, err


@pytest.mark.parametrize(
    ("dut", "load", "ran"),
    [
        ("synthetic:latency=1us,load_latency=7us", "load", "load"),
        ("synthetic:latency=1us,load_latency=7us", "on", "load"),
        ("synthetic:latency=1us,load_latency=7us", "none", "none"),
        ("synthetic:latency=1us,load_latency=7us", None, "none"),
        ("synthetic:latency=1us,load_latency=7us,load=none", "load", "load"),
    ],
)
def test_what_a_run_says_of_its_load_is_what_the_device_did(capsys, dut, load, ran):
    code, found, _ = measured(capsys, "--dut", dut, *(() if load is None else ("--load", load)))
    assert code == 0
    assert (found["device_load"], found["load_name"]) == (ran, load or "")
    tick_s = found["tick_fs"] / 1e15
    latency_us = found["channels"][0]["latency"]["max_ticks"] * tick_s * 1e6
    assert round(latency_us) == (7 if ran == "load" else 1)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--dut", "synthetic", "--load", "on"), "load on: this device has no load"),
        (("--dut", "synthetic:load_latency=5us", "--load", "lod"), "must be none or load"),
        (("--dut", IRQ, "--load", "cpu"), "say on, which raises the input"),
        (("--load", "critcal"), "must be one of none, cpu, critical, polygons"),
        (
            ("--dut", "freertos:load=cpu,load_switched=0", "--load", "none"),
            "load none: this device runs cpu whatever the load output's level is",
        ),
    ],
)
def test_a_load_that_the_device_does_not_have_is_refused_in_one_line(capsys, options, error):
    code, found, err = measured(capsys, *options)
    assert (code, found) == (ExitCode.USAGE, None)
    assert error in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        "sweep --load none,lod --from 10k --to 20k --points 2",
        "burst --load lod --from 2us --to 9us --period 1ms --points 2",
        "phase --load lod --against strike1 --period 20us --points 4 --rate 5k",
    ],
)
def test_scans_refuse_it_before_the_first_strike(capsys, command):
    dut = ("--dut", "synthetic:load_latency=5us", "--channel", "R=ch0")
    code = cli.main([*command.split(), *dut])
    out, err = capsys.readouterr()
    assert (code, out) == (ExitCode.USAGE, "")
    assert "lod: must be none or load" in err
    assert "step" not in err
