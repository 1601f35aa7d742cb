# SPDX-License-Identifier: Apache-2.0
"""The run of `plexor measure`: what does not go with the link, and what corrects it."""

import json
import signal
import sys
from types import SimpleNamespace

import pytest

from plexor import cli
from plexor.cli.progress import ProgressLine
from plexor.experiments.calibration.store import default_path, save
from plexor.files.store.run_folder import load
from plexor.library.instrument import Instrument
from plexor.library.watch import Actions
from plexor.model.calibration import Calibration, ChannelInstants, Instants
from plexor.protocol.geometry import PLACED, Feature

from ...fake_device import FakeDevice
from ...scenario import GEOMETRY, Scenario
from ..test_cli import errors_of

GATEWARE, BUILD, OTHER = 0x1122334455667788, PLACED | 0xB1, PLACED | 0xB2
BINS = ChannelInstants(0, *[Instants((10, -20, 5, 5), (3, 3, 3, 3), 20_000)] * 2)
STRIKES = ["measure", "--rate", "1M", "--count", "20", "--json", "--link"]


@pytest.fixture
def fake(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    features = GEOMETRY.features & ~Feature.SIMULATED
    identity = {"gateware_hash": GATEWARE, "build_id": BUILD, "features": features}
    with FakeDevice(Scenario([100] * 20), identity=identity) as device:
        yield device


def kept(serial, build):
    """Keep a calibration of a board and build; return its file."""
    path = default_path(serial, build)
    save(
        Calibration(serial, GATEWARE, "", False, 10**6, "2026", 1, (BINS,), (), build_id=build),
        path,
    )
    return path


def test_a_run_says_its_build_and_is_corrected_by_that_builds_calibration(fake, capsys):
    kept(fake.uri, BUILD)
    kept(fake.uri, OTHER)
    assert cli.main([*STRIKES, fake.uri]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert err == ""
    assert found["instrument"]["build_id"] == "80000000000000b1"
    assert found["corrected"]["serial"] == fake.uri


def test_a_run_without_one_of_its_build_is_not_corrected_and_names_the_other(fake, capsys):
    path = kept(fake.uri, OTHER)
    assert cli.main([*STRIKES, fake.uri]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["corrected"] is None
    made = f"{path}: made for build 80000000000000b2 of this gateware"
    assert err.startswith(f"plexor: calibration not applied: {made}")
    assert "but this is build 80000000000000b1" in err
    assert err.count("\n") == 1


def test_one_of_another_build_that_is_asked_for_ends_the_command(fake, capsys):
    path = kept(fake.uri, OTHER)
    assert cli.main([*STRIKES, fake.uri, "--calibration", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{path}: made for build 80000000000000b2 of this gateware" in err


def test_the_rate_of_an_endless_run_is_said(fake, capsys):
    cli.main(["measure", "--json", "--link", fake.uri])
    assert capsys.readouterr().err.startswith("plexor: 1 kHz until Ctrl-C\n")


def test_a_device_that_is_not_known_is_refused_before_an_endless_run_is_said(capsys):
    assert cli.main(["measure", "--dut", "no such device"]) == 2
    err = capsys.readouterr().err
    assert "device 'no such device': must be" in err
    assert err.count("\n") == 1


SERVE = """
import sys
print("fallback freertos is not available (no cargo); using bare", flush=True)
print("device bare", flush=True)
print("listening", sys.argv[1], flush=True)
sys.stdin.read()
"""


def test_a_fallback_is_said_printed_and_kept(capsys, monkeypatch):
    wanted = []

    def command_of(dut, arguments):
        wanted.append((dut, list(arguments)))
        return [sys.executable, "-c", SERVE, device.uri]

    monkeypatch.setattr("plexor.wire.link.open.sim_command", command_of)
    with FakeDevice(Scenario([100] * 20)) as device:
        arguments = ["measure", "--rate", "1M", "--count", "20", "--fallback", "--json"]
        assert cli.main(arguments) == 0
    assert wanted == [("freertos", ["--fallback"])]
    out, err = capsys.readouterr()
    assert err == "plexor: freertos is not available (no cargo); using bare\n"
    found = json.loads(out)
    assert found["device"] == {"dut": "bare", "asked_for": "freertos"}
    assert [channel["name"] for channel in found["channels"]] == ["ISR"]


def test_a_budget_of_a_channel_that_is_not_measured_is_said_before_the_first_strike(
    capsys, tmp_path, monkeypatch
):
    def struck(*_):
        raise AssertionError("it struck")

    monkeypatch.setattr("plexor.library.instrument.measure", struck)
    (tmp_path / "b.toml").write_text('[channel.nosuch]\nmax = "1 s"\n')
    with FakeDevice(Scenario([100])) as device:
        arguments = [*STRIKES, device.uri, "--channel", "A=ch0"]
        arguments += ["--budget", str(tmp_path / "b.toml")]
        line = errors_of(capsys, 2, arguments)
    assert 'channel "nosuch" is not in this run; it has A' in line


@pytest.mark.parametrize(("option", "value"), [("--dut", ["bare"]), ("--fallback", [])])
def test_what_is_for_simulated_devices_is_refused_with_the_link(capsys, option, value):
    line = errors_of(capsys, 2, [*STRIKES, "tcp://h:1", option, *value])
    assert " ".join([option.removeprefix("--"), *value]) in line
    assert "tcp://h:1" in line


def test_channels_that_nobody_named_are_all_there_are_with_the_common_deadline(fake, tmp_path):
    out = tmp_path / "run"
    assert cli.main([*STRIKES, fake.uri, "--deadline", "900ns", "--out", str(out)]) == 0
    result = load(out)
    assert [channel.name for channel in result.settings.channels] == ["ch0", "ch1"]
    assert [channel.deadline_ticks for channel in result.channels] == [900, 900]


def test_a_device_at_a_link_of_its_own_is_described_by_the_user_alone(fake, capsys):
    assert cli.main([*STRIKES, fake.uri, "--label", "os=x"]) == 0
    assert json.loads(capsys.readouterr().out)["device"] == {"os": "x"}


def test_a_calibration_that_would_apply_is_left_out_where_none_is_asked_for(fake, capsys):
    kept(fake.uri, BUILD)
    assert cli.main([*STRIKES, fake.uri, "--calibration", "none"]) == 0
    out, err = capsys.readouterr()
    assert (json.loads(out)["corrected"], err) == (None, "")


def test_an_interrupt_during_a_first_look_asks_it_to_stop(fake, capsys, monkeypatch):
    seen = []

    def zoomed(self, settings, wanted, stop):
        signal.raise_signal(signal.SIGINT)
        seen.append(stop.asked)
        raise KeyboardInterrupt

    monkeypatch.setattr(Instrument, "zoomed", zoomed)
    assert cli.main([*STRIKES, fake.uri, "--zoom", "9us"]) == 130
    assert seen == [True]
    assert fake.starts == 0
    assert capsys.readouterr().out == ""


def test_a_late_answer_starts_a_command_and_one_that_fails_is_said(fake, tmp_path, capsys):
    told = tmp_path / "told"
    fails = f"latency>90ns:sh -c 'echo $PLEXOR_COUNT > {told}; exit 4'"
    asked = ["--channel", "ISR=ch0", "--on", fails, "--on", "missed:false"]
    assert cli.main([*STRIKES, fake.uri, *asked]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["valid"]
    assert told.read_text() == "20\n"
    assert err.startswith("plexor: --on latency>90ns: sh -c ")
    assert err.endswith(" ended with 4\n")
    assert "missed" not in err


def test_a_snapshot_is_looked_at_for_what_starts_a_command_and_so_is_the_result(
    fake, capsys, monkeypatch
):
    looked, measured = [], Instrument.run

    def run(self, *, listeners, **others):
        listeners.on_snapshot(SimpleNamespace(channels="of a snapshot"))
        return measured(self, listeners=listeners, **others)

    monkeypatch.setattr(Instrument, "run", run)
    monkeypatch.setattr(Actions, "look", lambda self, channels: looked.append(channels))
    monkeypatch.setattr(ProgressLine, "snapshot", lambda *_: None)
    assert cli.main([*STRIKES, fake.uri, "--on", "missed:false"]) == 0
    assert looked[0] == "of a snapshot"
    assert looked[-1][0].number == 0
