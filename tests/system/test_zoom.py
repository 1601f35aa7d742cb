# SPDX-License-Identifier: Apache-2.0
"""Windows of one-tick bins, on a simulated instrument whose device has a planted latency."""

import json

import pytest

from plexor import cli

DUT = "synthetic:ch0.latency=normal:10us:20ns,ch1.latency=3us,ch1.after=strike0,width=300ns"
KINDS = ("rise", "fall", "width", "period")
RUN = ["measure", "--dut", DUT, "--channel", "A=ch0", "--channel", "B=ch1", "--rate", "50k"]


def taken(capsys, *words):
    assert cli.main([*RUN, "--count", "2000", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def p50_ticks(document):
    return [channel["latency"]["p50_ticks"] for channel in document["channels"]]


def test_a_window_that_a_first_look_placed_gives_percentiles_to_the_tick(capsys):
    exact = taken(capsys, "--mode", "stream")
    coarse = taken(capsys, "--mode", "dump")
    found = taken(capsys, "--mode", "dump", "--zoom", "auto")
    assert (coarse["windows"], exact["windows"]) == ([], [])
    assert p50_ticks(coarse)[0] != p50_ticks(exact)[0]
    windows = {(each["channel"], each["kind"]): each for each in found["windows"]}
    assert set(windows) == {(name, kind) for name in "AB" for kind in KINDS}
    # The device's on-width is planted: all of them lie in one window.
    assert windows["B", "width"]["share"] == 1
    first, second = windows["A", "rise"], windows["B", "rise"]
    assert 0.4 < first["share"] < 1
    assert second["share"] == 1
    # The second run draws anew: its median is off by its standard error at most, some 0.6 ns.
    assert p50_ticks(found)[0] == pytest.approx(p50_ticks(exact)[0], abs=6)
    assert p50_ticks(found)[1] == p50_ticks(exact)[1]
    assert first["first_ticks"] <= p50_ticks(found)[0] <= first["last_ticks"]


def test_a_window_may_be_said_for_all_channels_and_is_refused_where_there_is_none(capsys):
    found = taken(capsys, "--mode", "dump", "--zoom", "2.99us")
    assert [window["share"] for window in found["windows"]] == [0, 1]
    board = [
        "--link",
        "sim:?board=hx8k-evn&build=counts",
        "--dut",
        "bare",
        "--rate",
        "1k",
        "--count",
        "3",
    ]
    for zoom in ("auto", "3us"):
        assert cli.main(["measure", *board, "--channel", "A=ch0", "--zoom", zoom]) == 2
        assert "one-tick bins" in capsys.readouterr().err


def test_the_text_says_where_a_window_lies_and_its_part(capsys):
    assert cli.main([*RUN, "--count", "200", "--mode", "dump", "--zoom", "2.99us"]) == 0
    out = capsys.readouterr().out
    assert "A to the tick: 2.99 µs to 3.0205 µs: 0 % of its latencies" in out
    assert "B to the tick: 2.99 µs to 3.0205 µs: 100 % of its latencies" in out
