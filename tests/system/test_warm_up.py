# SPDX-License-Identifier: Apache-2.0
"""A device that answers its first strikes slowly is warmed up, and its figures are those behind."""

import json

import pytest

import plexor
from plexor.cli import main

COLD = 10
"""Strikes that find the device cold: the design counts them."""
SLOWER_TICKS = (90 - 10) * 20
"""By how many ticks of 500 ps it then answers later: 80 clocks of 10 ns."""
DESIGN = f"""
module cold (input clk, input strike, output reg answer);
    reg [7:0] waits = 0, strikes = 0;
    reg struck = 0;
    initial answer = 0;
    always @(posedge clk) begin
        struck <= strike;
        answer <= waits > 0 && waits <= 4;
        if (strike && !struck) begin
            waits <= strikes < {COLD} ? 90 : 10;
            if (strikes < {COLD}) strikes <= strikes + 1;
        end else if (waits > 0) waits <= waits - 1;
    end
endmodule
"""
MANIFEST = """
sources = ["cold.v"]
top = "cold"

[clock]
port = "clk"
period_ps = 10_000

[ports]
strikes = ["strike"]
responses = ["answer"]
"""


@pytest.fixture
def device(tmp_path):
    (tmp_path / "cold.v").write_text(DESIGN)
    (tmp_path / "cold.toml").write_text(MANIFEST)
    return str(tmp_path / "cold.toml")


@pytest.mark.parametrize("mode", ["stream", "dump"])
@pytest.mark.parametrize(("asked", "strikes"), [(COLD, 10), ("600us", 12)])
def test_cold_answers_are_in_no_figure_and_are_counted_apart(
    device, tmp_path, mode, asked, strikes
):
    """50 µs from strike to strike: 600 µs are twelve."""
    with plexor.open(dut=device) as instrument:
        asked = {"rate": "20k", "count": 100, "mode": mode, "warmup": asked}
        run = instrument.run(**asked, out=tmp_path / "run")
    assert run.valid
    warm = run.report.channels[0].rise
    assert (run.result.strikes, warm.count, warm.max_ticks) == (100, 100, warm.min_ticks)
    before = run.result.warm_up
    (channel,) = before.channels
    assert (before.strikes, channel.strikes, channel.rise.count) == (strikes,) * 3
    assert channel.conserved
    assert before.accounting.holds
    assert before.accounting.generated == 4 * strikes
    # Only where the two runs meet the device's clock may they differ, by less than one of its own.
    assert abs(channel.rise.max_ticks - warm.max_ticks - SLOWER_TICKS) < 20
    assert before.end_ticks < run.result.start_ticks
    assert plexor.load(tmp_path / "run").result.warm_up == before


def test_a_warm_up_that_is_too_short_leaves_cold_answers_in_the_run(device, capsys):
    words = ["--dut", device, "--rate", "20k", "--count", "100", "--warmup", "7"]
    assert main(["measure", *words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    latency = document["channels"][0]["latency"]
    assert latency["max_ticks"] - latency["min_ticks"] == SLOWER_TICKS
    warm_up = document["warm_up"]
    assert (warm_up["strikes"], warm_up["channels"][0]["classes"]["answered"]) == (7, 7)
    assert main(["measure", *words]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "warm-up: 7 strikes in " in printed
    assert "before the run, in no figure; 7 answered, at most " in printed
    assert "generated 28 = received 28" in printed


def test_nothing_is_kept_of_a_run_whose_warm_up_was_stopped(device, tmp_path, monkeypatch):
    from plexor.run.session import warm_up  # noqa: PLC0415

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(warm_up, "measure_whole", stopped)
    words = ["--dut", device, "--rate", "20k", "--count", "100", "--warmup", "7"]
    assert main(["measure", *words, "--out", str(tmp_path / "run")]) == 130
    assert not (tmp_path / "run").exists()
