# SPDX-License-Identifier: Apache-2.0
"""Codes of a device in Verilog: its timeline, its profile and why it was late, from outside.

The truth is the device's own table of steps: coded.v takes each in 300 clocks of 20 ns.
"""

import csv
import json

import plexor
from plexor import cli
from plexor.figures.codes.of_run import codes_of

from .coded import EXAMPLES, STEP_NS, STRIKES

STEPS = [
    ("strike", "active"), ("strike", "idle"), ("motor", "running"), None, None, None, None,
    ("motor", "blocked"), ("idle", "running"),
]  # fmt: skip


def test_each_lane_changes_its_state_at_the_devices_own_step(coded_folder, tmp_path):
    rows_file = tmp_path / "lanes.csv"
    assert (
        cli.main(["explain", str(coded_folder), "--view", "timeline", "--to", str(rows_file)]) == 0
    )
    rows = list(csv.DictReader(rows_file.read_text().splitlines()))
    first_ns = next(float(r["start_ns"]) for r in rows if r["state"] == "active")
    found = [(r["name"], r["state"], float(r["start_ns"]) - first_ns) for r in rows]
    for strike in range(1, STRIKES):
        for step, told in enumerate(STEPS):
            if told is not None:
                at = strike * 100_000 + step * STEP_NS
                # Both clocks sample: a tick of 0.5 ns, and 20 ns of the device.
                near = [e for e in found if e[:2] == told and abs(e[2] - at) <= 20.5]
                assert len(near) == 1, (strike, told)


def test_times_in_all_states_add_up_to_the_run(coded_folder, capsys):
    assert cli.main(["explain", str(coded_folder), "--view", "timeline", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["codes"] == STRIKES * len(STEPS)
    assert (document["torn"], document["gaps"]) == (0, 0)
    assert [lane["name"] for lane in document["lanes"]] == ["strike", "idle", "motor"]
    for lane in document["lanes"]:
        assert sum(lane["time_ticks"].values()) == document["length_ticks"]


def test_a_late_answer_is_told_from_strike_to_response(coded_folder, capsys):
    assert (
        cli.main(["explain", str(coded_folder), "--view", "why", "--over", "10us", "--json"]) == 0
    )
    irq, done = json.loads(capsys.readouterr().out)["channels"]
    assert irq["clusters"] == []
    assert {e["says"]: e["answers"] for e in done["by_code"]} == {
        "idle runs": STRIKES - 1,
        "not known": 1,
    }
    latest = done["latest"][0]
    assert sum(link["ticks"] for link in latest["links"]) == latest["latency_ticks"]
    assert [link["from"] for link in latest["links"]] == [
        "strike",
        "strike is served",
        "strike was served",
        "motor runs",
        "in control.v:update",
        "in filter.v:median",
        "left filter.v:median",
    ]


def test_the_wires_of_codes_are_no_answers(coded_folder, capsys):
    assert cli.main(["show", str(coded_folder), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [channel["name"] for channel in document["channels"]] == ["irq", "done"]
    assert document["valid"]


def test_the_pins_of_a_device_are_measured_but_for_the_wires_of_codes(capsys):
    command = f"measure --dut {EXAMPLES / 'coded.toml'} --rate 10k --count 2 --json"
    assert cli.main([*command.split(), "--code-wires", "ch2:ch3"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [channel["name"] for channel in document["channels"]] == ["irq", "done"]


def test_codes_of_a_port_are_those_of_the_wires(coded_folder, tmp_path):
    names = EXAMPLES / "names.toml"
    command = f"measure --dut {EXAMPLES / 'coded.toml'} --rate 10k --count {STRIKES} --json"
    options = f"--channel irq=ch0 --channel done=ch1 --codes {names} --out {tmp_path / 'port'}"
    assert cli.main([*f"{command} {options}".split(), "--code-port", "change"]) == 0
    wires, port = (plexor.load(each) for each in (coded_folder, tmp_path / "port"))
    _, sent = codes_of(wires.result)
    shown = port.result.codes
    assert len(shown) == len(sent) == STRIKES * len(STEPS)
    assert sent["code"].tolist() == shown["code"].tolist()
    # The first clock edge of a word comes 8 clocks of 20 ns behind the port's change.
    late = sent["time_ticks"] - wires.result.start_ticks
    late = late - (shown["time_ticks"] - port.result.start_ticks)
    assert {round(ticks / 40) for ticks in late.tolist()} <= {6, 7, 8}


def test_without_codes_the_commands_say_what_to_do(capsys):
    wrong = "measure --rate 1k --count 1 --code-wires ch2"
    assert cli.main(wrong.split()) == 2
    assert "must be CLOCK:DATA" in capsys.readouterr().err
    wrong = "measure --rate 1k --count 1 --channel a=ch2 --code-wires ch2:ch3"
    assert cli.main(wrong.split()) == 2
    assert "ch2 carries codes" in capsys.readouterr().err
    wrong = "measure --rate 1k --count 1 --codes names.toml"
    assert cli.main(wrong.split()) == 2
    assert "--code-wires" in capsys.readouterr().err
