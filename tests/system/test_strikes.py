# SPDX-License-Identifier: Apache-2.0
"""Several strike outputs by the command line: started by the run, each other and the gate."""

from __future__ import annotations

import json

from bench import SMALL, simulator

from plexor import cli
from plexor.protocol.geometry import TRIGGER_CLOCKS

DEVICE = "synthetic:latency=300ns,width=100ns,ch1.after=strike1,ch1.latency=2us"
CHANNELS = "--channel A=ch0 --channel B=ch1:after=strike1"


def measured(capsys, port: int, arguments: str) -> dict:
    """Return the document of a measurement."""
    link = ["--link", f"tcp://127.0.0.1:{port}"]
    assert cli.main(["measure", *link, *arguments.split(), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_an_output_strikes_a_phase_after_each_strike_of_another(capsys):
    further = "--strike 1:start=strike0,phase=10us,width=1us"
    with simulator(DEVICE, SMALL) as server:
        arguments = f"--rate 20k --count 50 {further} --channel A=ch0 --channel B=ch1"
        found = measured(capsys, server.port, arguments)
    assert found["strikes"] == 100
    first, second = found["channels"]
    assert (first["answered"], second["answered"]) == (50, 50)
    # The run, the period and so every strike are at whole clocks; the device answers in 2 µs.
    after = SMALL.samples * TRIGGER_CLOCKS + 10_000 + 2000
    assert (second["latency"]["min_ticks"], second["latency"]["max_ticks"]) == (after, after)


def test_two_outputs_keep_their_own_rates(capsys):
    with simulator(DEVICE, SMALL) as server:
        further = "--strike 1:rate=7k,width=1us,phase=3us"
        found = measured(capsys, server.port, f"--rate 20k --count 100 {further} {CHANNELS}")
    # 100 strikes at 20 kHz last 5 ms, 35 periods of 7 kHz.
    answered = [entry["answered"] for entry in found["channels"]]
    assert answered == [100, 35]
    assert found["strikes"] == 135


def test_strikes_last_while_the_gate_is_high(capsys):
    # 25,000 clocks of 8 ns are 20 periods of 10 µs; the first strike is at the gate's rise. It
    # rises a second after the simulation's start, well after the run's and within it.
    gate = "125000000,125025000"
    with simulator(DEVICE, SMALL, ("--gate", gate)) as server:
        arguments = "--rate 100k --start gate --time 1200ms --strike 1:start=strike0,width=1us"
        found = measured(capsys, server.port, f"{arguments} {CHANNELS}")
    assert [entry["answered"] for entry in found["channels"]] == [20, 20]
