# SPDX-License-Identifier: Apache-2.0
"""Servers that close, stall, chatter or lie: one line or a marked run, and always an end."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from dataclasses import replace

import pytest

from plexor import cli
from plexor.protocol.frames import Frame, FrameType, to_stream
from plexor.protocol.geometry import PROTOCOL_MAJOR
from plexor.wire.device.device import Device

from ...unit.host.fake_device import FakeDevice
from ...unit.host.scenario import Scenario

MEASURE = ["measure", "--rate", "1M", "--count", "20"]
SCENARIO = Scenario([100] * 20)

# What an identity says, and what is said of it.
LIES = {
    "magic": ({"magic": 0x12345678}, "not a Plexor: its magic is 0x12345678"),
    "no magic": ({"magic": 0}, "not a Plexor"),
    "next major": (
        {"protocol_version": (PROTOCOL_MAJOR + 1) << 16},
        "the major versions must be equal",
    ),
    "version 0": ({"protocol_version": 0}, "the major versions must be equal"),
    "no channels": ({"channels": 0}, "channels: 0; must be 1 to 8"),
    "channels": ({"channels": 9}, "channels: 9; must be 1 to 8"),
    "many channels": ({"channels": 2**32 - 1}, "channels: 4294967295"),
    "no strikes": ({"strikes": 0}, "strikes: 0"),
    "strikes": ({"strikes": 9}, "strikes: 9"),
    "no samples": ({"samples": 0}, "samples: 0"),
    "samples": ({"samples": 7}, "samples: 7"),
    "no tick": ({"tick_fs": 0}, "tick_fs: 0"),
    "tick": ({"tick_fs": 999}, "tick_fs: 999"),
    "mantissa": ({"latency_mantissa_bits": 30}, "latency_mantissa_bits: 30"),
    "interval mantissa": ({"interval_mantissa_bits": 0}, "interval_mantissa_bits: 0"),
    "zoom": ({"zoom_bits": 31}, "zoom_bits: 31"),
    "queue": ({"queue_depth": 3}, "queue_depth: 3"),
    "word fifo": ({"word_fifo_depth": 0}, "word_fifo_depth: 0"),
    "upload": ({"upload_depth": 2**31}, "upload_depth: 2147483648"),
    "ring": ({"ring_depth": 12345}, "ring_depth: 12345"),
    "board": ({"board": 0x80FF}, "board"),
    "control characters": ({"board": 0x1B5B324A}, "board"),
}


@pytest.mark.parametrize("command", ["measure", "identify"])
@pytest.mark.parametrize("name", LIES)
def test_an_identity_that_lies_is_refused(refused, name, command):
    identity, says = LIES[name]
    with FakeDevice(SCENARIO, identity=identity) as device:
        arguments = MEASURE if command == "measure" else ["board", command]
        refused([*arguments, "--link", device.uri], 3, says)
        assert device.starts == 0


@pytest.fixture
def impatient(monkeypatch):
    """Give an instrument a fifth of a second to answer, not seven."""
    monkeypatch.setattr(Device.__init__, "__defaults__", (None, (0.1, 0.1)))


@pytest.fixture
def serve():
    """Return a function that serves one client with whatever is given, and returns its URI."""
    ends = []

    def start(talk) -> str:
        listener = socket.create_server(("127.0.0.1", 0))

        def run() -> None:
            with suppress(OSError):
                client, _ = listener.accept()
                ends.append(client)
                talk(client)

        ends.append(listener)
        threading.Thread(target=run, daemon=True).start()
        return f"tcp://127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()


def close(client: socket.socket) -> None:
    client.close()


def reset(client: socket.socket) -> None:
    client.recv(10)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    client.close()


def echo(client: socket.socket) -> None:
    while data := client.recv(4096):
        client.sendall(data)


def web(client: socket.socket) -> None:
    client.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
    client.close()


def half(client: socket.socket) -> None:
    client.recv(10)
    client.sendall(b"\x05\x01\x02")
    client.close()


def silence(client: socket.socket) -> None:
    while client.recv(4096):
        pass


def chatter(client: socket.socket) -> None:
    while True:
        client.sendall(bytes(range(1, 256)) * 100)


def delimiters(client: socket.socket) -> None:
    while True:
        client.sendall(bytes(20_000))


@pytest.mark.parametrize("talk", [close, reset, web, half])
@pytest.mark.parametrize("arguments", [MEASURE, ["board", "identify"]])
def test_a_server_that_goes_is_one_line(refused, serve, talk, arguments):
    refused([*arguments, "--link", serve(talk)], 3, "tcp://127.0.0.1:")


@pytest.mark.parametrize("talk", [silence, echo, chatter, delimiters])
@pytest.mark.usefixtures("impatient")
def test_a_server_that_does_not_answer_is_one_line(refused, serve, talk):
    refused(["board", "identify", "--link", serve(talk)], 3, "no answer from the instrument in")


@pytest.mark.parametrize("events", [1, 7, 30, 60])
def test_a_link_that_dies_leaves_what_came_marked(capsys, tmp_path, events):
    out = tmp_path / "run"
    with FakeDevice(SCENARIO, close_after_events=events) as device:
        code = cli.main([*MEASURE, "--link", device.uri, "--json", "--out", str(out)])
    printed, err = capsys.readouterr()
    assert code == 4
    assert "Traceback" not in err
    document = json.loads(printed)
    assert not document["valid"]
    assert document["accounting"]["received"] >= events
    assert cli.main(["show", str(out), "--json"]) == 4
    assert json.loads(capsys.readouterr().out) == document


@pytest.mark.parametrize("commands", [0, 1, 3, 8])
@pytest.mark.usefixtures("impatient")
def test_an_instrument_that_falls_silent_is_one_line(refused, commands):
    with FakeDevice(SCENARIO, mute_after=commands) as device:
        refused([*MEASURE, "--link", device.uri], 3, "no answer from the instrument")


COUNTERS = {
    "fewer edges": {("source", "generated", 8): 39},
    "more edges": {("source", "generated", 0): 2**40},
    "drops that were none": {("source", "dropped", 0): 5},
    "fewer events": {("status", "events", 0): 3},
    "events without end": {("status", "events", 0): 2**63},
    "upload drops": {("status", "upload_dropped", 0): 9},
    "pending": {("channel_status", "pending", 0): 7},
    "saturated bins": {("status", "flags", 0): 1},
    "saturated counters": {("status", "flags", 0): 2},
    "saturated gap": {("status", "flags", 0): 4},
    "no reason": {("status", "stop_reason", 0): 77},
}


BASES = {
    "far ahead": lambda base: base + 2**60,
    "at the end of time": lambda base: 2**64 - 1,
    "past the end of time": lambda base: 2**64 - 5,
    "at the end of signed time": lambda base: 2**63 - 3,
    "at 0": lambda base: 0,
    "a second late": lambda base: base + 10**9,
    "a second early": lambda base: max(base - 10**9, 0),
}


@pytest.mark.parametrize(
    "number", [0, *(pytest.param(n, marks=pytest.mark.full) for n in (4, 11)), None]
)
@pytest.mark.parametrize("close_after", [None, pytest.param(60, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", BASES)
def test_events_at_times_outside_of_the_run_are_no_valid_run(
    capsys, tmp_path, name, number, close_after
):
    seen = []

    def lie(frame: Frame, data: bytes) -> bytes:
        if frame.type != FrameType.EVENTS:
            return data
        seen.append(frame)
        if number is not None and len(seen) != number + 1:
            return data
        return to_stream(replace(frame, base_ticks=BASES[name](frame.base_ticks)))

    out, page = tmp_path / "run", tmp_path / "page.html"
    with FakeDevice(SCENARIO, send_hook=lie, close_after_events=close_after) as device:
        arguments = [*MEASURE, "--link", device.uri, "--json", "--out", str(out)]
        code = cli.main([*arguments, "--page", str(page)])
    printed, err = capsys.readouterr()
    document = json.loads(printed)
    assert code == 4
    assert not document["valid"]
    assert document["invalid_reasons"]
    assert "Traceback" not in err
    assert page.read_text(encoding="utf-8").endswith("</html>\n")
    if close_after is None:
        reasons = " ".join(document["invalid_reasons"])
        said = ("in a run from 5000 to before", "earlier than the one", "times that no run reaches")
        assert any(text in reasons for text in said)
    assert cli.main(["show", str(out), "--json"]) == 4
    assert json.loads(capsys.readouterr().out) == document


ENDS = {
    "triggers at the end of time": {("status", "trigger_ticks", 0): 2**64 - 1},
    "starts after its end": {("status", "start_ticks", 0): 2**63},
    "ends before its start": {("status", "end_ticks", 0): 0},
    "ends at the end of time": {("status", "end_ticks", 0): 2**64 - 1},
    "starts at the end of time": {("status", "start_ticks", 0): 2**64 - 1},
}


@pytest.mark.parametrize("name", ENDS)
def test_a_run_whose_ends_cannot_be_is_shown_without_a_traceback(capsys, tmp_path, name):
    page = tmp_path / "page.html"
    with FakeDevice(SCENARIO, overrides=ENDS[name], trace=True) as device:
        code = cli.main([*MEASURE, "--link", device.uri, "--json", "--page", str(page)])
    printed, err = capsys.readouterr()
    assert code == 4
    assert "which " in " ".join(json.loads(printed)["invalid_reasons"])
    assert "Traceback" not in err
    assert page.read_text(encoding="utf-8").endswith("</html>\n")


@pytest.mark.parametrize("name", COUNTERS)
def test_counters_that_do_not_agree_are_no_valid_run(capsys, name):
    with FakeDevice(SCENARIO, overrides=COUNTERS[name]) as device:
        code = cli.main([*MEASURE, "--link", device.uri, "--json"])
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert code == 4
    assert not document["valid"]
    assert document["invalid_reasons"]
    assert "Traceback" not in err
