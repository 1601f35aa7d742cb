# SPDX-License-Identifier: Apache-2.0
"""A link is walked step by step: each planted defect is named by its step, with what to do."""

import time
from dataclasses import replace

import pytest

from plexor.library.upkeep import walk
from plexor.library.upkeep.walk import walked
from plexor.protocol.geometry import Feature
from plexor.protocol.registers import StatusFlag
from plexor.wire.desk.doctor import Level
from plexor.wire.device.device import Device
from plexor.wire.link.boards import FT231X, FT2232H, FoundBoard, Plugged, boards_of

from ...fake_device import FakeDevice
from ...scenario import GEOMETRY, Scenario
from ...terminal import board_at, without

BOARD = replace(
    GEOMETRY, board="icebrkr", features=GEOMETRY.features & ~Feature.SIMULATED, tick_fs=1_000_000
)


def ticks(factor=1.0):
    """Return the clock of an instrument whose oscillator is off by a factor; a tick is 1 ns."""
    return lambda: int(time.monotonic_ns() * factor)


def board(**options):
    return FakeDevice(Scenario([50], BOARD), **{"clock": ticks(), **options})


def plug(monkeypatch, usb_id, product, interface=1):
    plugged = Plugged(usb_id, product, "A1", interface, "", "")
    device = FoundBoard(plugged, boards_of(plugged))
    for module in ("plexor.wire.link.rates", "plexor.library.upkeep.walk"):
        monkeypatch.setattr(f"{module}.at_port", lambda port: device)


def missing(link):
    return [(entry.what, entry.command) for entry in walked(link) if entry.level == Level.MISSING]


def test_of_a_sound_board_every_step_is_said_and_none_is_missing(monkeypatch):
    plug(monkeypatch, FT2232H, "iCEBreaker V1.1a")
    with board() as fake, board_at(fake.uri, 8_000_000) as port:
        steps = list(walked(f"serial:{port}"))
    name = f"serial:{port}?baud=8000000"
    assert [(entry.level, entry.what) for entry in steps] == [
        ("ok", f"{port}: iCEBreaker V1.1a A1: iCEBreaker"),
        ("ok", f"{name}: the rate that of iCEBreaker"),
        ("ok", f"{name}: icebrkr answers, build 0000000000000000"),
        ("ok", "the link carries every value of a byte both ways"),
        ("ok", "its clock runs as the host's, within 2 %"),
        ("ok", f"next: plexor board selftest --link '{name}' tests the rest"),
    ]


def test_a_bitstream_of_another_board_is_named(monkeypatch):
    plug(monkeypatch, FT231X, "ULX3S FPGA 25K")
    with board() as fake, board_at(fake.uri) as port:
        assert missing(f"serial:{port}") == [
            ("its bitstream is for iCEBreaker, and the board is ULX3S", "plexor board flash BOARD")
        ]


def test_the_other_port_of_a_bridge_is_named(monkeypatch):
    plug(monkeypatch, FT2232H, "iCEBreaker V1.1a", interface=0)
    monkeypatch.setattr(Device.__init__, "__defaults__", (None, (0.05,)))
    with board_at(None, down=lambda data: b"") as port:
        (wrong, command), (silent, _) = missing(f"serial:{port}")
    assert "interface 0 of iCEBreaker; the instrument's is 1" in wrong
    assert command == "plexor board devices"
    assert "no byte came: write the bitstream" in silent


def test_a_port_of_no_board_is_taken_for_an_adapter(monkeypatch):
    plug(monkeypatch, (0x10C4, 0xEA60), "CP2102")
    with board() as fake, board_at(fake.uri, 3_000_000) as port:
        first, rate, *_ = walked(f"serial:{port}")
    assert first.level == Level.NOTE
    assert "no board's id; as an adapter, its TX goes to the board's RX" in first.what
    assert rate.what == f"serial:{port}?baud=3000000: the rate at which it answers"


@pytest.mark.parametrize(
    ("clock", "how"),
    [
        (lambda: 1234, "stands"),
        (ticks(0.5), "runs at "),
        # A PLL that runs free.
        (ticks(1.2), "runs at 1."),
    ],
)
def test_a_clock_without_its_reference_or_lock_is_named(clock, how):
    with board(clock=clock) as fake:
        ((what, _),) = missing(fake.uri)
    assert what.startswith(f"its clock {how}")
    assert "no reference, another oscillator, or a PLL without lock" in what


def test_a_lock_that_was_lost_in_a_run_is_named():
    with board() as fake:
        fake.set("status", "flags", StatusFlag.CLOCK_LOST)
        ((what, command),) = missing(fake.uri)
    assert what.startswith("the PLL lost its lock in the last run")
    assert command == "plexor board selftest"


def test_values_that_a_link_loses_only_later_are_named():
    with board() as fake, board_at(fake.uri, up=without(0xF0, 0xF1)) as port:
        assert missing(f"serial:{port}?baud=2000000") == [
            ("the link never carries bytes 0xf0, 0xf1: update the firmware of its USB bridge", "")
        ]


def test_a_slow_timer_that_the_link_could_not_set_is_named(monkeypatch, tmp_path):
    file = tmp_path / "latency_timer"
    monkeypatch.setattr(walk, "latency_timer", lambda port: (file, 16))
    with board() as fake, board_at(fake.uri) as port:
        ((what, command),) = missing(f"serial:{port}?baud=2000000")
    assert "latency timer 16 ms although the link asked for 1" in what
    assert command == f"echo 1 | sudo tee {file}"


def test_a_port_that_may_not_be_opened_comes_with_the_rules(monkeypatch):
    def denied(link):
        raise walk.LinkError(f"{link}: cannot open: permission denied")

    monkeypatch.setattr(walk, "open_any", denied)
    ((_, command),) = missing("serial:/dev/none?baud=2000000")
    assert command.startswith("plexor board doctor --udev | sudo tee ")
