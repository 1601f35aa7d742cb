# SPDX-License-Identifier: Apache-2.0
"""`plexor board calibrate`, `measure` and `selftest` one after the other, as a user runs them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from bench import ICE40, simulator

from plexor import cli
from plexor.base.errors import ExitCode
from plexor.files.store.run_folder import load

PLANTED = "rise.0=-450:-140:170:440,output_ps.0=1234"
WIRE_PS, PAD_PS = 480, 3000
WIRED = f"jumper.2=0,wire_ps.2={WIRE_PS},input_ps.2={PAD_PS}"
"""A short wire to a channel whose pad takes 3 ns more than what loopback measures."""
DUT = "synthetic:ch0.latency=uniform:200ns:900ns,ch1.after=strike0"


@pytest.fixture
def uri(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Return the link of an instrument that serves one client after the other."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with simulator(DUT, ICE40, ("--front-end", f"{PLANTED},{WIRED}"), once=False) as server:
        yield f"tcp://127.0.0.1:{server.port}"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def measured(uri: str, *more: str) -> tuple[str, ...]:
    return ("measure", "--link", uri, "--rate", "100k", "--count", "60", *more)


def test_a_calibration_is_kept_applied_and_refused_elsewhere(uri, capsys, tmp_path):
    channel = ("--channel", "ch0", "--json")
    code, out, _ = run(capsys, *measured(uri, *channel))
    assert (code, json.loads(out)["corrected"]) == (0, None)

    code, out, err = run(capsys, "board", "calibrate", "--link", uri, "--edges", "1k")
    assert code == 0, err
    assert "Calibration of tcp://127.0.0.1:" in out
    assert "simulated" in out
    (kept,) = (tmp_path / "data" / "plexor" / "calibrations").iterdir()
    assert f"kept in {kept}; it is applied with --calibration {kept}" in err
    late = json.loads(kept.read_text())["channels"][0]["rise"]["late_ps"]
    planted = (-455, -145, 165, 435)  # less their mean
    assert max(abs(one - other) for one, other in zip(late, planted, strict=True)) < 200

    code, out, err = run(capsys, *measured(uri, *channel))
    assert (code, json.loads(out)["corrected"], "calibration" in err) == (0, None, False)

    folder = tmp_path / "run"
    named = ("--calibration", str(kept))
    code, out, _ = run(capsys, *measured(uri, *channel, *named, "--out", str(folder)))
    found = json.loads(out)
    assert (code, found["corrected"]["serial"]) == (0, uri)
    latency = found["corrected"]["channels"][0]["latency"]
    ticks = found["channels"][0]["latency"]
    assert latency["count"] == ticks["count"] == 60
    assert abs(latency["max_ps"] - (ICE40.tick_fs * ticks["max_ticks"] // 1000 - 1234)) < 2000
    assert load(folder).calibration is not None
    code, out, _ = run(capsys, "show", str(folder), "--json")
    assert json.loads(out)["corrected"] == found["corrected"]

    code, out, _ = run(capsys, *measured(uri, *channel, "--calibration", "none"))
    assert json.loads(out)["corrected"] is None

    other = tmp_path / "other.json"
    document = json.loads(kept.read_text().replace(uri, "FT4711"))
    del document["sha256"]
    other.write_text(json.dumps(document))
    code, out, err = run(capsys, *measured(uri, *channel, "--calibration", str(other)))
    assert (code, out) == (ExitCode.USAGE, "")
    assert err.count("\n") == 1
    assert f"other.json: made for board FT4711, but this is board {uri}" in err

    code, out, err = run(capsys, "board", "calibrate", "--link", uri, "--forget")
    assert (code, out, err) == (0, "", f"plexor: removed {kept}\n")
    assert not kept.exists()
    code, out, err = run(capsys, "board", "calibrate", "--link", uri, "--forget")
    assert (code, out) == (ExitCode.USAGE, "")
    assert err == f"plexor: no calibration is kept for {uri} in {kept}\n"


def test_a_self_test_says_what_a_jumper_may_not_name(uri, capsys):
    code, _, err = run(capsys, "board", "selftest", "--link", uri, "--jumper", "strike1=ch0")
    assert code == ExitCode.USAGE
    assert "strike1: this instrument has strike0 alone" in err


def wire(uri: str, capsys: pytest.CaptureFixture[str], path: Path) -> tuple[dict, str]:
    """Return the corrected latency of the planted wire, and the run as text."""
    # A period of 9897 ticks: strikes at each phase in turn.
    common = ("measure", "--link", uri, "--rate", "97k", "--count", "60", "--channel", "wire=ch2")
    common += ("--calibration", str(path))
    code, out, err = run(capsys, *common, "--json")
    assert code == 0, err
    (channel,) = json.loads(out)["corrected"]["channels"]
    _, text, _ = run(capsys, *common)
    return channel, " ".join(text.split())


def test_3_ns_of_pad_that_loopback_cannot_see_are_within_its_error_and_taken_off_by_a_jumper(
    uri, capsys, tmp_path
):
    path = tmp_path / "found.json"
    calibrate = ("board", "calibrate", "--link", uri, "--edges", "2k", "--to", str(path))
    code, out, err = run(capsys, *calibrate)
    assert code == 0, err
    assert "give or take that of a board" in " ".join(out.split())
    looped, text = wire(uri, capsys, path)
    latency = looped["latency"]
    # The wire is taken for one that is as much longer as its pad: within 5 ns, but far off.
    assert latency["pins"] == "loopback"
    assert abs(latency["mean_ps"] - (WIRE_PS + PAD_PS)) < 1000
    assert PAD_PS < latency["error_ps"] < 7000
    assert "by loopback, whose own way differs within bounds" in text

    code, out, err = run(capsys, *calibrate, "--jumper", "strike0=ch2", "--wire", f"{WIRE_PS}ps")
    assert code == 0, err
    assert "strike0 through its jumper to ch2" in err
    wired, text = wire(uri, capsys, path)
    latency = wired["latency"]
    assert latency["pins"] == "jumper"
    # Each is the wire, within half a bin and what the strikes' whole ticks leave.
    for name in ("min_ps", "mean_ps", "max_ps"):
        assert abs(latency[name] - WIRE_PS) <= latency["error_ps"]
    assert latency["error_ps"] < 2 * ICE40.tick_fs // 1000
    assert f"{wired['late_ticks']} ± {wired['late_error_ticks']} ticks" in text
    # 1.234 ns of output and 3 of pad.
    assert abs(wired["late_ps"] - (1234 + PAD_PS)) <= wired["late_error_ps"]

    # A new calibration keeps what the jumper gave.
    code, _, err = run(capsys, *calibrate)
    assert code == 0, err
    assert "strike0 to ch2: its jumper's of" in err
    assert wire(uri, capsys, path)[0]["latency"]["pins"] == "jumper"


def test_a_jumper_that_is_not_there_is_told(uri, capsys, tmp_path):
    path = str(tmp_path / "none.json")
    code, _, err = run(
        capsys, "board", "calibrate", "--link", uri, "--edges", "1k", "--to", path,
        "--jumper", "strike0=ch3",
    )  # fmt: skip
    assert code == ExitCode.LINK
    assert "ch3 saw 0 edges of 32 of strike0 through its jumper" in err
    for jumper, says in (("strike1=ch0", "strike0 alone"), ("strike0=ch9", "must be strikeN=chM")):
        code, _, err = run(capsys, "board", "calibrate", "--link", uri, "--jumper", jumper)
        assert code == ExitCode.USAGE
        assert says in err
    code, _, err = run(capsys, "board", "calibrate", "--link", uri, "--wire", "1ns")
    assert code == ExitCode.USAGE
    assert "name them with --jumper" in err


@pytest.mark.full
def test_1_pps_tells_the_oscillators_error_and_corrected_figures_are_without_it(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    # Seconds of 1.00002 s of the instrument: its oscillator is 20 ppm fast.
    dut = "synthetic:ch0.latency=1ms,ch3.tick=1.00002s"
    path = str(tmp_path / "scaled.json")
    with simulator(dut, ICE40, once=False) as server:
        uri = f"tcp://127.0.0.1:{server.port}"
        calibrate = ("board", "calibrate", "--link", uri, "--edges", "1k", "--to", path)
        shot = ("measure", "--link", uri, "--rate", "500", "--count", "10", "--channel", "ISR=ch0")
        shot += ("--calibration", path)
        code, _, err = run(capsys, *calibrate)
        assert code == 0, err
        _, out, _ = run(capsys, *shot, "--json")
        assert json.loads(out)["clock"] == {
            "error_ppb": 50_000,
            "fast_ppb": None,
            "source": "assumed",
        }
        latency = json.loads(out)["corrected"]["channels"][0]["latency"]
        true_ps = 10**9 / 1.00002
        # 20 ns off, by 50 ppm within 50 ns and the pads.
        assert 10_000 < abs(latency["mean_ps"] - true_ps) < latency["error_ps"]
        assert 50_000 < latency["error_ps"] < 60_000
        # No digit below the second one of 57 ns.
        _, out, _ = run(capsys, *shot)
        assert re.search(r"ISR +10 +1,000,0\d\d ns ", out), out

        code, out, err = run(capsys, *calibrate, "--pps", "ch3", "--pps-time", "4s")
        assert code == 0, err
        assert "By 1 PPS on ch3 the oscillator is +20.000 ± 2.0" in out
        _, out, _ = run(capsys, *shot, "--json")
        clock = json.loads(out)["clock"]
        assert clock["source"] == "1 PPS on ch3"
        assert abs(clock["fast_ppb"] - 20_000) <= 10
        latency = json.loads(out)["corrected"]["channels"][0]["latency"]
        assert abs(latency["mean_ps"] - true_ps) < latency["error_ps"] < 10_000
        _, out, _ = run(capsys, *shot)
        assert "the oscillator is +20.00 ± 2.0" in " ".join(out.split())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--pps", "ch8"), "must be ch0 to ch7 for 1 PPS"),
        (("--pps", "ch3=100k"), "100 kHz; must be 1 Hz, or 1 MHz or more"),
        (("--pps", "ch3", "--pps-time", "2s"), "--pps-time 2 s; must be 3 to 3600 s"),
        (
            ("--jumper", "strike0=ch1", "--wire", "1q"),
            "'--wire': '1q'; must be a length such as 1m or",
        ),
        (("--jumper", "strike0=ch1", "--wire", "1us"), "'--wire': '1us': 1020000 ps; must be 0 to"),
        (("--forget", "--pps", "ch3"), "--forget measures nothing; leave out --pps"),
    ],
)
def test_what_a_calibration_cannot_take_is_one_line_before_the_first_edge(capsys, options, says):
    code, out, err = run(capsys, "board", "calibrate", "--link", "tcp://127.0.0.1:1", *options)
    assert (code, out) == (ExitCode.USAGE, "")
    assert says in err
