"""What commands say of an instrument's build, and of a calibration of another one."""

import json

import pytest

from plexor import cli
from plexor.calibration.store import default_path, save
from plexor.model.calibration import Calibration, ChannelInstants, Instants
from plexor.protocol.geometry import PLACED

from ..fake_device import FakeDevice
from ..scenario import Scenario

GATEWARE, BUILD, OTHER = 0x1122334455667788, PLACED | 0xB1, PLACED | 0xB2
BINS = ChannelInstants(0, *[Instants((10, -20, 5, 5), (3, 3, 3, 3), 20_000)] * 2)
STRIKES = ["measure", "--rate", "1M", "--count", "20", "--json", "--link"]


@pytest.fixture
def fake(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    identity = {"gateware_hash": GATEWARE, "build_id": BUILD}
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


def test_identify_tells_the_build(fake, capsys):
    assert cli.main(["identify", "--link", fake.uri, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["build_id"] == "80000000000000b1"


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
    assert err.startswith(
        f"plexor: calibration not applied: {path}: made for build 80000000000000b2 of this"
    )
    assert "but this is build 80000000000000b1" in err
    assert err.count("\n") == 1


def test_one_of_another_build_that_is_asked_for_ends_the_command(fake, capsys):
    path = kept(fake.uri, OTHER)
    assert cli.main([*STRIKES, fake.uri, "--calibration", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{path}: made for build 80000000000000b2 of this gateware" in err
