# SPDX-License-Identifier: Apache-2.0
"""Causes of silence, planted at a terminal or an address: each is named, with its next step."""

import socket
import threading

import pytest

from plexor import cli
from plexor.base.errors import LinkError
from plexor.wire.device import device as device_module
from plexor.wire.device.device import Device
from plexor.wire.device.silence import Cause, LineExchange
from plexor.wire.link import open_link
from plexor.wire.link.serial_port import SerialLink

from ...fake_device import FakeDevice
from ...scenario import Scenario
from ...terminal import board_at, garbled, without

TIMEOUTS_S = (0.05, 0.05, 0.1)


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    """Nothing here knows rows, and waiting for it takes time."""
    monkeypatch.setattr(device_module, "ROW_S", 0.01)


@pytest.fixture
def fake():
    with FakeDevice(Scenario([50])) as device:
        yield device


def told(uri):
    """Return the one line with which an instrument's link fails.

    A port is read here, not by a process, whose start would take longer than these time-outs.
    """
    port, _, rate = uri.removeprefix("serial:").partition("?baud=")
    link = SerialLink(port, int(rate), ahead=False) if rate else open_link(uri)
    with pytest.raises(LinkError) as caught:
        Device(link, timeouts_s=TIMEOUTS_S)
    line = str(caught.value)
    start = f"{uri}: no answer from the instrument in 0.2 s (3 tries): "
    assert (line.startswith(start), "\n" in line) == (True, False), line
    return line.removeprefix(start)


NOTHING = (
    "no byte came: write the bitstream (plexor board flash BOARD); if it is in, the board has no "
    "clock or its PLL no lock; with an adapter swap RX and TX; at 12,000,000, 8,000,000, "
    "3,000,000, 125,000 or 115,200 baud nothing answers either"
)


def test_a_board_without_bitstream_clock_or_lock_or_with_swapped_lines_is_silent():
    with board_at(None, down=lambda data: b"") as port:
        assert told(f"serial:{port}?baud=2000000") == NOTHING


def test_a_line_that_stands_low_is_seen_as_breaks():
    with board_at(None, down=lambda data: b"\0") as port:
        text = told(f"serial:{port}?baud=2000000")
    assert text.startswith("the line stands low (")
    assert "put the adapter's RX on the board's TX" in text


def test_joined_lines_give_our_own_commands_back():
    with board_at(None, down=lambda data: data) as port:
        text = told(f"serial:{port}?baud=2000000")
    assert text == (
        "our own commands came back: the port's TX and RX are joined; it is no instrument"
    )


def test_another_device_is_quoted():
    with board_at(None, down=lambda data: b"\r\n>>> nothing\x1b[K\r\n") as port:
        text = told(f"serial:{port}?baud=2000000")
    assert text == (
        "another device sends text ('>>> nothing\\x1b[K'): plexor board devices lists the "
        "instruments' ports"
    )


def test_at_a_wrong_rate_the_right_one_is_named(fake):
    with board_at(fake.uri, 12_000_000) as port:
        text = told(f"serial:{port}?baud=3000000")
    assert text == f"it answers at another rate: --link 'serial:{port}?baud=12000000'"


def test_bytes_that_are_no_frames_at_any_rate_are_counted():
    with board_at(None, down=garbled) as port:
        text = told(f"serial:{port}?baud=2000000")
    assert "bytes came and none is part of a frame: the rate is another (?baud=)" in text


# The identity's addresses have these values, and so has its hash here.
@pytest.mark.parametrize(("way", "lost"), [("up", (16, 18)), ("down", (16, 18)), ("down", (10,))])
def test_values_that_a_link_never_carries_are_named(fake, way, lost):
    fake.set("identity", "gateware_hash", int.from_bytes(bytes([*lost, 1, 1]), "little"))
    with board_at(fake.uri, **{way: without(*lost)}) as port:
        text = told(f"serial:{port}?baud=2000000")
    words = {(16, 18): "bytes 0x10, 0x12", (10,): "byte 0x0a"}[lost]
    assert text == (
        f"this link never carries the {words}: update the firmware of its USB bridge, or use "
        "another adapter"
    )


def test_a_line_to_the_board_that_damages_commands_is_told_by_the_board(fake):
    with board_at(fake.uri, up=lambda data: data.replace(b"\x05", b"\x04")) as port:
        text = told(f"serial:{port}?baud=2000000")
    assert text.startswith("the instrument says ")
    assert "that commands come damaged: look at the wire to its RX" in text


def test_a_line_from_the_board_that_damages_answers_is_told_by_its_frames(fake):
    # What says that the preamble was no command comes whole, and the answers do not.
    def down(data):
        return data if len(data) < 40 else bytes([data[0] ^ 64]) + data[1:]

    with board_at(fake.uri, down=down) as port:
        text = told(f"serial:{port}?baud=2000000")
    assert "1 frame came whole and" in text
    assert "damaged: look at cable and grounds, or take a slower rate" in text


def test_an_instrument_that_does_not_hear_is_told_by_frames_without_answers():
    with FakeDevice(Scenario([50]), mute_after=0) as fake:
        with board_at(fake.uri) as port:
            text = told(f"serial:{port}?baud=2000000")
    assert "none of them an answer: the instrument does not hear us" in text


def test_of_an_address_no_serial_port_is_said():
    def answer(listener):
        with listener.accept()[0] as client:
            while data := client.recv(1000):
                client.sendall(data)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer, args=(listener,))
        thread.start()
        text = told(f"tcp://127.0.0.1:{listener.getsockname()[1]}")
        thread.join()
    assert text == "our own commands came back: what listens there is an echo; it is no instrument"


def test_another_program_than_an_instrument_is_another_identity(capsys):
    with FakeDevice(Scenario([50]), identity={"magic": 0xDEADBEEF}) as fake:
        with board_at(fake.uri) as port:
            assert cli.main(["board", "identify", "--link", f"serial:{port}"]) == 3
    assert "not a Plexor: its magic is 0xdeadbeef" in capsys.readouterr().err


def test_a_command_ends_with_the_cause_in_its_one_line(monkeypatch, capsys):
    monkeypatch.setattr(Device.__init__, "__defaults__", (None, TIMEOUTS_S))
    with board_at(None, down=lambda data: b"") as port:
        assert cli.main(["board", "identify", "--link", f"serial:{port}?baud=2000000"]) == 3
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.endswith(f"{NOTHING}\n")


@pytest.mark.parametrize(
    ("received", "cause"),
    [(b"", Cause.NOTHING), (b"\0\0", Cause.LOW), (b"abc", Cause.GARBLED), (b"abcd", Cause.TEXT)],
)
def test_a_few_letters_may_be_anything(received, cause):
    heard = LineExchange(b"\x01\x02\0")
    heard.take(received)
    assert heard.cause == cause


def test_most_values_lost_are_not_lost_by_value(fake, monkeypatch):
    monkeypatch.setattr(device_module, "PROBE_S", 0.01)
    with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
        assert device.never_carried() == ()
        fake.mute_after = 0
        assert device.never_carried() == ()


def test_values_that_a_link_swallows_are_named_and_none_beside_them(fake, monkeypatch):
    """A terminal that takes XON and XOFF for itself."""
    monkeypatch.setattr(device_module, "PROBE_S", 0.03)
    link = open_link(fake.uri)
    write = link.write
    with Device(link, timeouts_s=TIMEOUTS_S) as device:
        monkeypatch.setattr(link, "write", lambda data: write(data.translate(None, b"\x11\x13")))
        assert device.never_carried() == (0x11, 0x13)
