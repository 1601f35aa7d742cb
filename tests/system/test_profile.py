# SPDX-License-Identifier: Apache-2.0
"""`plexor explain`: the functions of a device in Verilog, with the time of its own steps."""

import json

import pytest

from plexor import cli

from .coded import STEP_NS, STRIKES


def test_each_function_has_the_time_of_its_steps(coded_folder, capsys):
    assert cli.main(["explain", str(coded_folder), "--view", "profile", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    tick_ns = document["tick_fs"] / 1e6
    calls = {}
    for call in document["calls"]:
        calls.setdefault(call["path"][-1], []).append(call["own_ticks"] * tick_ns)
    assert {name: len(own) for name, own in calls.items()} == {
        "control.v:update": STRIKES,
        "filter.v:median": STRIKES,
    }
    assert calls["filter.v:median"] == pytest.approx([STEP_NS] * STRIKES, abs=1)
    assert calls["control.v:update"] == pytest.approx([2 * STEP_NS] * STRIKES, abs=1)
