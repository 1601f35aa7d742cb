# SPDX-License-Identifier: Apache-2.0
"""Instruments that never come to an end: every wait has a limit, and two interrupts end all."""

from __future__ import annotations

import gc
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace

import pytest

import plexor.run.session.run
import plexor.wire.decode.collect
import plexor.wire.device.device
from plexor.base.errors import InstrumentError, LinkError
from plexor.protocol.frames import (
    EventFlag,
    Frame,
    FrameType,
    event_word,
    simulated_frame,
    to_stream,
)
from plexor.protocol.registers import RunState, StopReason
from plexor.run.session.session import measure
from plexor.run.session.stop import Stop
from plexor.wire.device.device import Device
from plexor.wire.link import Reader, open_link
from plexor.wire.link.udp import UdpLink

from ...unit.host.fake_device import FakeDevice, wait_until
from ...unit.host.runs import LATENCIES, SETTINGS, TIMEOUTS_S, run
from ...unit.host.scenario import GEOMETRY, Scenario

MEASURE = ["measure", "--rate", "1M", "--count", "84"]
MOST_END_S = 3.0
"""Wall time from the second interrupt to the end of the program."""
SWEEP = ["sweep", "--from", "1M", "--to", "2M", "--channel", "ch0"]


class Flood(FakeDevice):
    """Sends as many events as the link takes from the run's start on, and ignores STOP."""

    def __init__(self, **options) -> None:
        self.lock = threading.RLock()
        self.over = threading.Event()
        super().__init__(Scenario(LATENCIES), endless=True, **options)

    def close(self) -> None:
        self.over.set()
        super().close()

    def send(self, *args, **values) -> None:
        with self.lock:
            super().send(*args, **values)

    def _run(self) -> None:
        super()._run()
        threading.Thread(target=self._flood, daemon=True).start()

    def _finish(self, reason) -> None:
        """Go on."""

    def _flood(self) -> None:
        index, base = 1 << 20, 1 << 30
        words = struct.pack("<64I", *(event_word(n, 0x10, n & 1) for n in range(64)))
        with suppress(OSError):
            while not self.over.is_set():
                self.set("status", "time_ticks", base)
                self.send(FrameType.EVENTS, 0, 0, index, base, words)
                index, base = index + 64, base + 64


class Endless(FakeDevice):
    """Goes on for ever with `what` once the run has ended, or with the run itself."""

    def __init__(self, what: str, **options) -> None:
        self.what = what
        self.lock = threading.RLock()
        self.over = threading.Event()
        super().__init__(Scenario(LATENCIES), endless=what == "run", **options)

    def close(self) -> None:
        self.over.set()
        super().close()

    def send(self, *args, **values) -> None:
        with self.lock:
            super().send(*args, **values)

    def _run(self) -> None:
        super()._run()
        threading.Thread(target=self._go_on, daemon=True).start()

    def _finish(self, reason: StopReason) -> None:
        if self.what != "run":
            super()._finish(reason)

    def _go_on(self) -> None:
        words = struct.pack("<200I", *[event_word(0, 16, 0)] * 200)
        end, index = self.scenario.end_ticks, len(self.scenario.events)
        with suppress(OSError, ValueError):
            # The host must find time for its commands on a busy machine too.
            while not self.over.wait(0.01):
                if self.what == "run":
                    self.set("status", "time_ticks", self.get("status", "time_ticks") + 100)
                elif self.what == "events":
                    self.send(FrameType.EVENTS, 0, 0, index, end - 1, words)
                    index += 200
                elif self.what == "responses":
                    self.send(FrameType.RESPONSE, 0, 0, index, 0, b"")
                    index += 1
                elif self.what == "dumps":
                    self.send(FrameType.STATISTICS, 0x20, index % 65536, 0, 0, bytes(4))
                    index += 1


def bounded(**overrides: int) -> dict:
    return {("status", name, 0): value for name, value in overrides.items()}


@pytest.mark.timeout(100)
@pytest.mark.parametrize(
    "what", ["events", pytest.param("responses", marks=pytest.mark.full), "dumps"]
)
def test_what_goes_on_after_the_end_of_a_run_ends_no_later(what):
    with Endless(what, overrides=bounded(events=2**40)) as fake:
        with Device(open_link(fake.uri), timeouts_s=(20.0,)) as device:
            result = measure(device, SETTINGS)
    assert not result.valid
    assert "events indexed" in " ".join(result.invalid_reasons)
    assert len(fake.scenario.events) <= result.accounting.received < 2**40


@pytest.mark.timeout(60)
def test_a_simulated_board_that_falls_silent_is_waited_for_so_long_only(monkeypatch):
    monkeypatch.setattr(plexor.wire.device.device, "MOST_WAIT_S", 0.1)
    with FakeDevice(
        Scenario(LATENCIES), first_words=to_stream(simulated_frame(0)), mute_after=0
    ) as fake:
        with pytest.raises(LinkError, match=r"no answer from the instrument in 0\.4 s"):
            Device(open_link(fake.uri), timeouts_s=(10.0,) * 4)


@pytest.mark.parametrize("simulated", [True, False])
def test_the_time_of_a_simulated_board_may_stand_still_for_longer(monkeypatch, simulated):
    monkeypatch.setattr(plexor.run.session.run, "STILL_S", 0.2)
    said = to_stream(simulated_frame(0)) if simulated else b""
    with FakeDevice(Scenario(LATENCIES), endless=True, first_words=said) as fake:

        def finish() -> None:
            with suppress(OSError):
                fake._finish(StopReason.STRIKES)

        late = threading.Timer(2.0, finish)
        late.start()
        with Device(open_link(fake.uri), timeouts_s=(2.0,)) as device:
            result = measure(device, SETTINGS)
        late.join()
    assert result.valid == simulated, result.invalid_reasons
    assert ("time has stopped" in " ".join(result.invalid_reasons)) != simulated


@pytest.mark.timeout(60)
def test_a_run_that_does_not_stop_is_given_up(monkeypatch):
    monkeypatch.setattr(plexor.run.session.run, "STILL_S", 0.5)
    with Endless("run") as fake:
        with Device(open_link(fake.uri), timeouts_s=(2.0,)) as device:
            stop = Stop()
            threading.Timer(0.5, stop.ask).start()
            result = measure(device, SETTINGS, stop=stop)
    assert result.interrupted
    assert "the instrument does not stop" in " ".join(result.invalid_reasons)


STATES = {
    "a simulated board that says nothing more": lambda: FakeDevice(
        Scenario(LATENCIES), first_words=to_stream(simulated_frame(0)), mute_after=0
    ),
    "an instrument that does not begin": lambda: FakeDevice(Scenario(LATENCIES), deaf_to=10**9),
    "a run without end": lambda: Endless("run"),
    "a simulated board's run without end": lambda: Endless(
        "run", first_words=to_stream(simulated_frame(0))
    ),
    "events without end": lambda: Endless("events", overrides=bounded(events=2**40)),
    "a flood that ignores STOP": Flood,
    "a simulated board's flood that ignores STOP": lambda: Flood(
        first_words=to_stream(simulated_frame(0))
    ),
    "results without end": lambda: Endless("dumps", overrides=bounded(events=2**40)),
}
QUICK = (
    "an instrument that does not begin",
    "a simulated board's run without end",
    "a flood that ignores STOP",
    "results without end",
)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        *(
            pytest.param(MEASURE, name, marks=() if name in QUICK else pytest.mark.full)
            for name in STATES
        ),
        (SWEEP, "a run without end"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_two_interrupts_end_the_program_whatever_its_state(words, name):
    with STATES[name]() as fake:
        process = subprocess.Popen(
            [sys.executable, "-m", "plexor", *words, "--link", fake.uri],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert wait_until(lambda: fake.commands > 0, 60)
            assert wait_until(lambda: fake.mute_after is not None or fake.commands > 8, 60)
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            began = time.monotonic()
            _, err = process.communicate(timeout=60)
            assert time.monotonic() - began < MOST_END_S
        finally:
            process.kill()
    # The second may come when the program is at its end already, and end it by itself.
    assert process.returncode in (130, 3, 4, -signal.SIGINT)
    assert "Traceback" not in err


def test_responses_that_nobody_asked_for_are_not_kept():
    with FakeDevice(Scenario(LATENCIES)) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            for number in range(3000):
                fake.send(FrameType.RESPONSE, 0, 0, 1000 + number)
            while device.pump(0.5):
                pass
            assert device.decoder.frames_received > 3000
            gc.collect()
            assert sum(isinstance(entry, Frame) for entry in gc.get_objects()) < 100


class Broken:
    """A link whose driver fails as no driver should."""

    name = serial = "broken:"
    bytes_s = None

    def read(self, max_bytes, timeout_s) -> bytes:
        raise RuntimeError("index out of bounds")

    def write(self, data) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.mark.timeout(60)
def test_whatever_ends_a_link_is_told():
    reader = Reader(Broken())
    assert wait_until(lambda: reader._queue.qsize() > 0)
    with pytest.raises(LinkError, match="broken:: cannot read: RuntimeError: index out of bounds"):
        reader.take(1.0)
    reader.close()


@pytest.mark.timeout(60)
def test_datagrams_that_bring_nothing_on_do_not_hold_a_read_for_ever(monkeypatch):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.bind(("127.0.0.1", 0))
        link = UdpLink(*peer.getsockname())
        again = Frame(FrameType.LOG, 0, 1, 7, 0, 0).encode()

        class Flood:
            def __getattr__(self, name):
                return lambda *_: again

        real, link._socket = link._socket, Flood()
        assert link.read(1 << 16, 0.1) == to_stream(Frame(FrameType.LOG, 0, 1, 7, 0, 0))
        assert link.disorder["duplicate"] > 100
        link._socket = real
        link.close()


def test_events_around_a_trigger_are_kept_as_far_as_the_instrument_has_them():
    collector = plexor.wire.decode.collect.Collector(GEOMETRY)
    for index in range(3000):
        words = struct.pack("<10I", *[event_word(0, 8, 1)] * 10)
        collector.take(Frame(FrameType.TRACE, EventFlag(0), 0, index, index * 10, 5, words))
        collector.take(Frame(FrameType.TRACE, EventFlag(0), 0, index, 10**6 + index, 5, b""))
    assert collector.trace_events <= GEOMETRY.ring_depth
    assert len(collector.trace_array()) == collector.trace_events
    assert len(collector._trace) <= GEOMETRY.ring_depth


def test_of_more_events_than_are_kept_a_run_has_the_first_and_says_so(monkeypatch):
    whole, _ = run()
    monkeypatch.setattr(plexor.wire.decode.collect, "MOST_KEPT_BYTES", 1000)
    result, fake = run()
    assert result.invalid_reasons == ()
    kept = len(result.events)
    assert 0 < kept < len(whole.events)
    assert (result.events == whole.events[:kept]).all()
    assert result.whole_events is None
    said = f"events: the first {kept} are kept, which is the bound, of {len(whole.events)}"
    assert said in result.omitted
    assert result.accounting.received == len(fake.scenario.events)
    assert result.channels == whole.channels


def test_an_instrument_that_takes_another_value_than_was_written_is_told():
    def hook(frame: Frame, data: bytes) -> bytes:
        if frame.type != FrameType.RESPONSE or frame.payload[2:3] != b"\2":
            return data
        payload = bytearray(frame.payload)
        payload[4] ^= 1
        return to_stream(replace(frame, payload=bytes(payload)))

    with FakeDevice(Scenario(LATENCIES), send_hook=hook) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            with pytest.raises(
                InstrumentError, match="the instrument stored 0x1 instead of the 0x0"
            ):
                device.write("control", "stream", 0)


def test_an_earlier_run_that_a_simulated_board_takes_long_to_end_is_waited_for(monkeypatch):
    monkeypatch.setattr(plexor.run.session.run, "STILL_S", 0.1)
    said = to_stream(simulated_frame(0))
    with FakeDevice(Scenario(LATENCIES), first_words=said) as fake:
        fake.set("status", "state", RunState.DRAINING)
        late = threading.Timer(1.0, fake.set, ["status", "state", RunState.DONE])
        late.start()
        with Device(open_link(fake.uri), timeouts_s=(2.0,)) as device:
            assert measure(device, SETTINGS).valid
        late.join()
