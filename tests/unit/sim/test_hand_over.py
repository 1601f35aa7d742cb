# SPDX-License-Identifier: Apache-2.0
"""The twin hands a run over by a command that starts the gateware's simulator of the same build."""

import json

from plexor_hdl.build import boards
from plexor_sim import hand_over, serve
from plexor_sim.devices import cpp_device
from plexor_sim.packages import default_cache


def test_a_command_says_device_geometry_and_cache(tmp_path):
    command = hand_over.command("synthetic", boards.simulated("icebreaker"), tmp_path)
    what = json.loads(command.split("\x1f")[-1])
    assert what["dut"] == "synthetic"
    assert what["cache"] == str(tmp_path)
    assert what["geometry"]["board"] == boards.simulated("icebreaker").board


def test_it_becomes_the_simulator_of_that_build_with_all_arguments(monkeypatch):
    shape, became = boards.simulated("icebreaker"), []
    ready = serve.Prepared(cpp_device("synthetic").name, default_cache() / "plexor-sim", "")

    def prepared(dut, geometry, cache, **rest):
        assert (dut, geometry, cache) == ("synthetic:latency=1us", shape, default_cache())
        assert rest["core"] == serve.GATEWARE
        return ready

    monkeypatch.setattr(serve, "prepared_or_code", prepared)
    monkeypatch.setattr(hand_over.os, "execv", lambda path, words: became.append((path, words)))
    command = hand_over.command("synthetic:latency=1us", shape, default_cache())
    hand_over.main([command.split("\x1f")[-1], "--script"])
    assert became == [(ready.executable, [str(ready.executable), "--script"])]


def test_a_build_that_fails_ends_with_its_code(monkeypatch):
    monkeypatch.setattr(serve, "prepared_or_code", lambda *_, **__: serve.EXIT_FAILED)
    command = hand_over.command("synthetic", boards.simulated(), default_cache())
    assert hand_over.main([command.split("\x1f")[-1]]) == serve.EXIT_FAILED
