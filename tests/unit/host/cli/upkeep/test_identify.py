# SPDX-License-Identifier: Apache-2.0
"""`plexor board identify`: each fact of an instrument, as text and as JSON."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from plexor import cli
from plexor.protocol.geometry import ALL_FEATURES, PLACED, Feature
from plexor.wire.device.device import Device

from ...fake_device import FakeDevice
from ...scenario import GEOMETRY, Scenario

BOARD = replace(
    GEOMETRY,
    board="ulx3s",
    samples=8,
    phases=4,
    tick_fs=500_000,
    deep_depth=1 << 20,
    features=Feature.EVENTS | Feature.FILTER | Feature.MATCH,
)


@pytest.fixture
def fake():
    identity = {"gateware_hash": 0x1234, "build_id": PLACED | 0xB1}
    with FakeDevice(Scenario([100], BOARD), identity=identity) as device:
        yield device


def test_the_document_has_what_the_instrument_says_of_itself(fake, capsys):
    assert cli.main(["board", "identify", "--link", fake.uri, "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert err == ""
    assert found.pop("protocol").startswith("2.")
    assert found == {
        "link": fake.uri,
        "simulated": False,
        "board": "ulx3s",
        "gateware_hash": "0000000000001234",
        "build_id": "80000000000000b1",
        "channels": 2,
        "strikes": 2,
        "samples": 8,
        "phases": 4,
        "tick_fs": 500_000,
        "deep_depth": 1 << 20,
        "features": ["filter", "events", "match"],
        "link_events_hz": None,
        "sustained": [{"channels": 1, "hz": None}, {"channels": 2, "hz": None}],
    }


def test_the_text_has_a_line_for_each_fact_and_the_tick_as_a_time(fake, capsys):
    assert cli.main(["board", "identify", "--link", fake.uri]) == 0
    rows = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert len(rows) == 13
    assert rows["board"] == "ulx3s"
    assert rows["tick_fs"] == "500,000 fs (0.5 ns)"
    assert rows["features"] == "filter, events, match"


def test_what_chip_and_link_sustain_is_said_by_channels_where_it_is_known(monkeypatch, capsys):
    # docs/instrument.md: 23 core clocks with one channel, 43 with two, of 8 ns each.
    full = replace(BOARD, samples=16, features=ALL_FEATURES)
    with FakeDevice(Scenario([100], full)) as device:
        assert cli.main(["board", "identify", "--link", device.uri]) == 0
    rows = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert [text for name, text in rows if name == "sustains"] == [
        "5,434,780 strikes a second, 1 channel matched",
        "2,906,970 strikes a second, 2 channels matched",
    ]


def test_where_the_host_matches_the_link_is_the_end(monkeypatch, capsys):
    # docs/designs and docs/stalls.md: 290,135 events a second at 12 Mbaud, four edges a strike.
    monkeypatch.setattr(Device, "carried_bytes_s", Fraction(1_200_000))
    identity = {"features": int(Feature.EVENTS)}
    with FakeDevice(Scenario([100], BOARD), identity=identity) as device:
        assert cli.main(["board", "identify", "--link", device.uri]) == 0
        text = capsys.readouterr().out
        assert cli.main(["board", "identify", "--link", device.uri, "--json"]) == 0
    assert "link carries   290,135 events a second" in text
    assert (
        "sustains       72,533 strikes a second, 1 channel matched; 145,067 with --edges active"
        in text
    )
    document = json.loads(capsys.readouterr().out)
    assert document["sustained"][1] == {
        "channels": 2,
        "hz": 48_355.0,
        "active_edges_hz": 96_711.0,
    }


def test_identifying_writes_nothing(fake, capsys):
    cli.main(["board", "identify", "--link", fake.uri])
    assert (fake.written, fake.starts) == ([], 0)


@pytest.mark.parametrize(
    ("arguments", "code", "wrong"),
    [
        (["--link", "nowhere"], 2, "'nowhere'"),
        (["--link", "tcp://127.0.0.1"], 2, "'tcp://127.0.0.1'"),
        (["--link", "serial:/dev/nosuch"], 3, "/dev/nosuch"),
    ],
)
def test_a_link_that_cannot_be_is_one_line_with_it(capsys, arguments, code, wrong):
    assert cli.main(["board", "identify", *arguments]) == code
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert wrong in err


def test_what_is_no_instrument_ends_with_3(capsys):
    with FakeDevice(Scenario([100]), identity={"magic": 0xDEADBEEF}) as device:
        assert cli.main(["board", "identify", "--link", device.uri]) == 3
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "0xdeadbeef" in err
