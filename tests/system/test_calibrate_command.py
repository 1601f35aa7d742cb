"""`plexor calibrate`, `measure` and `selftest` one after the other, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import ICE40, simulator

from plexor import cli
from plexor.errors import ExitCode
from plexor.store.run_folder import load

PLANTED = "rise.0=-450:-140:170:440,output_ps.0=1234"
DUT = "synthetic:ch0.latency=uniform:200ns:900ns,ch1.after=strike0"


@pytest.fixture
def uri(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Return the link of an instrument that serves one client after the other."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with simulator(DUT, ICE40, ("--front-end", PLANTED), once=False) as server:
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

    code, out, err = run(capsys, "calibrate", "--link", uri, "--edges", "1k")
    assert code == 0, err
    assert "Calibration of tcp://127.0.0.1:" in out
    assert "simulated" in out
    (kept,) = (tmp_path / "data" / "plexor" / "calibrations").iterdir()
    assert f"kept in {kept}; it is applied with --calibration {kept}" in err
    late = json.loads(kept.read_text())["calibration"]["channels"][0]["rise"]["late_ps"]
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
    code, out, _ = run(capsys, "replay", str(folder), "--json")
    assert json.loads(out)["corrected"] == found["corrected"]

    code, out, _ = run(capsys, *measured(uri, *channel, "--calibration", "none"))
    assert json.loads(out)["corrected"] is None

    other = tmp_path / "other.json"
    other.write_text(kept.read_text().replace(uri, "FT4711"))
    code, out, err = run(capsys, *measured(uri, *channel, "--calibration", str(other)))
    assert (code, out) == (ExitCode.USAGE, "")
    assert err.count("\n") == 1
    assert f"other.json: made for board FT4711, but this is board {uri}" in err

    code, out, err = run(capsys, "calibrate", "--link", uri, "--forget")
    assert (code, out, err) == (0, "", f"plexor: removed {kept}\n")
    assert not kept.exists()
    code, out, err = run(capsys, "calibrate", "--link", uri, "--forget")
    assert (code, out) == (ExitCode.USAGE, "")
    assert err == f"plexor: no calibration is kept for {uri} in {kept}\n"


def test_a_self_test_says_what_a_jumper_may_not_name(uri, capsys):
    code, _, err = run(capsys, "selftest", "--link", uri, "--jumper", "strike1=ch0")
    assert code == ExitCode.USAGE
    assert "strike1: this instrument has strike0 alone" in err
