# SPDX-License-Identifier: Apache-2.0
"""Channels and descriptions of devices that nobody named: by their own pins."""

from dataclasses import replace

import pytest

from plexor.base.errors import UsageError
from plexor.library.pins import channels_of, described, response_pins, under, wired, wiring_of
from plexor.library.specs.values import plain
from plexor.library.upkeep.specs import SelfTestSpec
from plexor.model.codes import Codes, Port, Wires
from plexor.model.settings import Channel, Settings


def labels(channels):
    return [(channel.number, channel.label) for channel in channels]


@pytest.mark.parametrize(
    ("dut", "names"),
    [
        ("freertos", ["ISR", "TASK"]),
        ("bare", ["ISR"]),
        ("synthetic", ["ch0", "ch1"]),
        ("synthetic:ch0.latency=2us", ["ch0", "ch1"]),
        ("ce30", ["IST", "APP"]),
        ("cenet", ["IST", "APP"]),
    ],
)
def test_a_simulated_device_has_its_own_pins_from_channel_0_up(dut, names):
    assert labels(channels_of(dut, 8)) == list(enumerate(names))


@pytest.mark.parametrize("dut", [None, "nosuch"])
def test_of_an_unknown_device_every_channel_that_there_is_is_measured(dut):
    assert labels(channels_of(dut, 3)) == [(0, "ch0"), (1, "ch1"), (2, "ch2")]


def test_a_device_with_more_pins_than_the_instrument_has_channels_keeps_the_first():
    assert labels(channels_of("freertos", 1)) == [(0, "ISR")]


def manifest(tmp_path, text):
    (tmp_path / "dut.toml").write_text(text)
    return str(tmp_path / "dut.toml")


def test_a_manifest_names_its_pins_in_order(tmp_path):
    path = manifest(tmp_path, '[ports]\nresponses = ["entry", "exit"]\n')
    assert labels(channels_of(path, 8)) == [(0, "entry"), (1, "exit")]
    assert labels(channels_of(f"{path}:clock=50M", 8)) == [(0, "entry"), (1, "exit")]


def test_of_a_manifest_with_more_than_eight_pins_the_first_eight_are_channels(tmp_path):
    path = manifest(tmp_path, f"[ports]\nresponses = {[f'p{n}' for n in range(9)]}\n")
    assert labels(channels_of(path, 99)) == [(n, f"p{n}") for n in range(8)]


@pytest.mark.parametrize(
    "text", ["", "ports = 3", "[ports]", "[ports]\nresponses = 5", "[ports", "\udcff"]
)
def test_a_wrong_manifest_is_left_to_the_simulator(tmp_path, text):
    (tmp_path / "dut.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert labels(channels_of(str(tmp_path / "dut.toml"), 2)) == [(0, "ch0"), (1, "ch1")]
    assert labels(channels_of(str(tmp_path / "none.toml"), 2)) == [(0, "ch0"), (1, "ch1")]


@pytest.mark.parametrize(
    ("uri", "dut", "names"),
    [
        ("sim:", None, ["ISR", "TASK"]),  # FreeRTOS is the default
        ("sim:", "bare", ["ISR"]),
        ("sim:ce30", None, ["IST", "APP"]),
        ("sim:ce30?board=hx8k-evn", None, ["IST", "APP"]),
        ("sim:?board=hx8k-evn", "bare", ["ISR"]),
        ("sim:?board=hx8k-evn&dut=ce30", None, ["IST", "APP"]),
    ],
)
def test_response_pins_are_those_of_the_device_at_the_link(uri, dut, names):
    assert labels(response_pins(uri, dut)) == list(enumerate(names))


def test_the_reference_of_a_scan_is_no_response_pin():
    assert labels(response_pins("sim:", None, but=0)) == [(1, "TASK")]
    assert labels(response_pins("sim:", None, but=7)) == [(0, "ISR"), (1, "TASK")]


@pytest.mark.parametrize("uri", ["tcp://h:1", "serial:/dev/ttyUSB0", "file:wire.bin"])
def test_the_pins_of_a_device_that_is_not_known_must_be_named(uri):
    with pytest.raises(UsageError, match=r"channels: .*ISR=ch0"):
        response_pins(uri, None)


@pytest.mark.parametrize(
    ("uri", "dut", "name"),
    [("sim:", None, "freertos"), ("sim:", "bare", "bare"), ("sim:ce30?channels=4", None, "ce30")],
)
def test_a_simulated_device_is_described_by_its_name_unless_the_user_does(uri, dut, name):
    assert described(uri, dut, {"os": "x"}) == {"dut": name, "os": "x"}
    assert described(uri, dut, {"dut": "mine"}) == {"dut": "mine"}


def test_a_real_device_is_described_by_the_user_alone():
    assert described("tcp://h:1", None, {"os": "x"}) == {"os": "x"}


def test_a_simulated_device_at_a_link_with_one_of_its_own_is_refused_with_both():
    with pytest.raises(UsageError, match=r"dut bare.*tcp://h:1"):
        described("tcp://h:1", "bare", {})


def test_an_output_may_be_wired_to_several_channels_and_a_channel_to_one_output():
    assert wiring_of([(0, 2), (1, 0), (0, 1)]) == {0: [2, 1], 1: [0]}
    assert wiring_of([]) == {}
    for naming, option in ((plain, "jumpers"), (lambda name: "--jumper", "--jumper")):
        with pytest.raises(UsageError, match=f"^{option}: ch2 is given twice"):
            SelfTestSpec.of({"jumpers": [(0, 2), (1, 2)], "naming": naming})


def test_only_a_simulated_devices_own_load_becomes_an_option_of_it(tmp_path):
    assert under("sim:", "ce30", "polygons") == ("sim:", "ce30:load=polygons")
    assert under("sim:ce30?channels=4", None, "polygons") == (
        "sim:?channels=4",
        "ce30:load=polygons",
    )
    assert under("sim:", "freertos:cpu=50M", "all") == ("sim:", "freertos:cpu=50M,load=all")
    for uri, load in (("tcp://h:1", "polygons"), ("sim:", None), ("sim:", "none")):
        assert under(uri, "ce30", load) == (uri, "ce30")


WIRES = Wires(clock=4, data=5)


@pytest.mark.parametrize(
    ("codes", "taken", "free"),
    [
        (Codes(wires=WIRES), (4, 5), (0, 3, 6)),
        (Codes(port=Port(strobe=2)), (2,), (0, 1, 3)),
        (Codes(port=Port()), (), (0, 1, 2)),
    ],
)
def test_a_channel_carries_codes_or_responses(codes, taken, free):
    for number in free:
        wired(Settings(channels=(Channel(number, "A"),), codes=codes))
    for number in taken:
        with pytest.raises(UsageError, match=f"^A: ch{number} carries codes; name another channel"):
            wired(Settings(channels=(Channel(7, "B"), Channel(number, "A")), codes=codes))


def test_wires_of_codes_are_channels_behind_the_responses_that_nothing_is_matched_on():
    response = Channel(0, "ISR")
    plain_settings = Settings(channels=(response,))
    assert wired(plain_settings) == plain_settings
    found = wired(replace(plain_settings, codes=Codes(wires=WIRES)))
    assert labels(found.channels) == [(0, "ISR"), (4, "code clock"), (5, "code data")]
    assert [channel.reference for channel in found.channels[1:]] == ["load.fall"] * 2
    assert wired(found) == found
