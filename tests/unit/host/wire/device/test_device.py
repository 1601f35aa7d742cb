# SPDX-License-Identifier: Apache-2.0
"""Register access over a link, and instruments that lie about who they are."""

import contextlib
import struct
import threading
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plexor.wire.device.device
import plexor.wire.link.base
from plexor.base.errors import ExitCode, IdentityError, InstrumentError, LinkError
from plexor.model.settings import RegisterWrite
from plexor.protocol.frames import (
    OPERATION,
    Frame,
    FrameType,
    OpStatus,
    event_word,
    simulated_frame,
    to_stream,
)
from plexor.protocol.geometry import PLACED, PROTOCOL_VERSION, Feature
from plexor.protocol.registers import IDENTITY, address, register
from plexor.wire.decode.register_image import RegisterImage
from plexor.wire.device.device import TOGETHER_BYTES, Device, identity_of
from plexor.wire.link import open_link
from plexor.wire.link.tcp import TcpLink
from plexor_hdl.uplink.link_uart import FIFO_BITS

from ...fake_device import FakeDevice
from ...scenario import GEOMETRY, Scenario

TIMEOUTS_S = (0.05, 0.05, 0.1)
"""Of an instrument that is silent."""
PATIENT_S = (0.05, 0.05, 60.0)
"""Of one that answers, however busy the machine is."""
BOARD = GEOMETRY.features & ~Feature.SIMULATED


def opened(fake, timeouts_s=PATIENT_S):
    return Device(open_link(fake.uri), timeouts_s=timeouts_s)


def test_the_identity_is_read_first():
    with FakeDevice(Scenario([50])) as fake, opened(fake) as device:
        assert device.identity.geometry == GEOMETRY
        assert device.identity.gateware_hash == 0x1122334455667788
        assert device.identity.protocol_version == PROTOCOL_VERSION
        assert fake.written == []


@pytest.mark.parametrize("bytes_s", [0, 200_000])
def test_a_simulated_board_is_simulated_whatever_its_gateware_says(bytes_s):
    scenario = Scenario([50], geometry=replace(GEOMETRY, features=BOARD))
    said = to_stream(simulated_frame(bytes_s))
    with FakeDevice(scenario) as fake, opened(fake) as device:
        assert not device.identity.simulated
    with FakeDevice(scenario, first_words=said) as fake, opened(fake) as device:
        assert device.identity.simulated
        assert device.identity.geometry.features == BOARD | Feature.SIMULATED
        assert device.nominal_bytes_s == (bytes_s or None)
        # Its gateware counts frames from 0.
        assert device.decoder.frames_lost == 0


@pytest.mark.parametrize("simulated", [False, True])
def test_an_answer_of_a_simulated_board_is_waited_for_longer(simulated):
    def hook(frame, data):
        if frame.sequence == 0:
            time.sleep(2 * sum(TIMEOUTS_S))
        return data

    said = to_stream(simulated_frame(0)) if simulated else b""
    with FakeDevice(Scenario([50]), send_hook=hook, first_words=said) as fake:
        if simulated:
            with opened(fake) as device:
                assert device.retries == 0
        else:
            with pytest.raises(LinkError, match="no answer"):
                opened(fake, TIMEOUTS_S)


class OwnSimulator(TcpLink):
    """A link that `sim:` has started, as far as a device knows."""

    device = "synthetic"
    load = ""


def test_an_answer_of_a_simulator_of_its_own_is_waited_for_longer():
    def hook(frame, data):
        if frame.sequence == 0:
            time.sleep(2 * sum(TIMEOUTS_S))
        return data

    with FakeDevice(Scenario([50]), send_hook=hook) as fake:
        link = OwnSimulator("127.0.0.1", int(fake.uri.rpartition(":")[2]))
        with Device(link, timeouts_s=TIMEOUTS_S) as device:
            assert device.retries == 0


@pytest.mark.parametrize(("bytes_s", "patience"), [(None, 1), (11_520, 1), (960, 12), (11_519, 2)])
def test_a_link_slower_than_115200_baud_is_waited_for_longer(bytes_s, patience):
    with FakeDevice(Scenario([50])) as fake:
        link = TcpLink("127.0.0.1", int(fake.uri.rpartition(":")[2]))
        link.bytes_s = bytes_s
        with Device(link, timeouts_s=PATIENT_S) as device:
            assert device.patience == patience


def test_registers_of_every_width_and_sign_read_back_as_written():
    values = {
        ("channel", 1, "deadline_ticks"): -5,
        ("stimulus", 1, "interval_ticks"): (1 << 48) - 3,
        ("stimulus", 0, "seed"): (1 << 64) - 1,
        ("control", 0, "stream"): 1,
    }
    with FakeDevice(Scenario([50])) as fake, opened(fake) as device:
        for (block, copy, name), value in values.items():
            device.write(block, name, value, copy)
        assert device.read_all(list(values)) == list(values.values())


def test_a_value_that_does_not_fit_is_refused_before_it_is_sent():
    with FakeDevice(Scenario([50])) as fake, opened(fake) as device:
        with pytest.raises(ValueError, match="stream: 4; must be 0 to 3"):
            device.write("control", "stream", 4)
        assert fake.written == []


def test_an_instrument_of_protocol_2_0_is_not_asked_for_what_came_later():
    older = {"protocol_version": 2 << 16, "deep_depth": 1 << 20, "table_steps": 16}
    with FakeDevice(Scenario([50]), identity=older) as fake, opened(fake) as device:
        assert device.identity.geometry.deep_depth == 0
        assert device.identity.geometry.table_steps == 64


def test_before_protocol_2_2_the_bins_of_falls_are_those_of_rises():
    older = {"protocol_version": 2 << 16 | 1, "fall_mantissa_bits": 3}
    with FakeDevice(Scenario([50]), identity=older) as fake, opened(fake) as device:
        geometry = device.identity.geometry
        assert geometry.fall_mantissa_bits == geometry.latency_mantissa_bits == 4
    with FakeDevice(Scenario([50])) as fake, opened(fake) as device:
        assert device.identity.geometry.fall_mantissa_bits == 3


@pytest.mark.parametrize(
    ("lie", "text"),
    [
        ({"magic": 0}, "not a Plexor: its magic is 0x00000000"),
        ({"protocol_version": 3 << 16 | 7}, "speaks protocol 3.7, this host 2.8"),
        ({"channels": 0}, "channels: 0; must be 1 to 8"),
        ({"channels": 1 << 31}, "channels: 2147483648"),
        ({"strikes": 9}, "strikes: 9"),
        ({"samples": 5}, "samples: 5"),
        ({"tick_fs": 0}, "tick_fs: 0"),
        ({"latency_mantissa_bits": 31}, "latency_mantissa_bits: 31"),
        ({"zoom_bits": 32}, "zoom_bits: 32"),
        ({"upload_depth": 100}, "upload_depth: 100; must be a power of two"),
        ({"fall_mantissa_bits": 31}, "fall_mantissa_bits: 31"),
        ({"deep_depth": 100}, "deep_depth: 100; must be a power of two"),
        ({"table_steps": 40}, "table_steps: 40; must be a power of two"),
        ({"board": 0x07070707}, "board:"),
        ({"board": 0xFFFFFFFF}, "board:"),
    ],
)
def test_an_identity_that_cannot_be_is_refused_with_what_is_wrong(lie, text):
    with FakeDevice(Scenario([50]), identity=lie) as fake:
        with pytest.raises(IdentityError) as caught:
            opened(fake)
    assert text in str(caught.value)
    assert caught.value.exit_code == ExitCode.LINK


def test_an_instrument_from_before_the_feature_sends_events():
    for version, has in ((2 << 16, True), (PROTOCOL_VERSION, False)):
        lie = {"protocol_version": version, "features": int(GEOMETRY.features & ~Feature.EVENTS)}
        with FakeDevice(Scenario([50]), identity=lie) as fake, opened(fake) as device:
            assert (Feature.EVENTS in device.identity.geometry.features) == has


def test_an_instrument_from_before_builds_had_an_id_is_known_by_its_gateware():
    told = {"build_id": PLACED | 7, "gateware_hash": 3}
    for version, placement in ((2 << 16 | 1, 3), (PROTOCOL_VERSION, PLACED | 7)):
        lie = {"protocol_version": version, **told}
        with FakeDevice(Scenario([50]), identity=lie) as fake, opened(fake) as device:
            assert device.identity.build_id == (placement if placement & PLACED else 0)
            assert device.identity.placement == placement


def test_a_newer_minor_version_and_unknown_features_are_accepted():
    lie = {"protocol_version": PROTOCOL_VERSION + 9, "features": 0xFFFFFFFF, "code_bits": 8}
    with FakeDevice(Scenario([50]), identity=lie) as fake, opened(fake) as device:
        assert device.identity.geometry.features == GEOMETRY.features | Feature.CODES


@settings(max_examples=300)
@given(st.lists(st.integers(0, (1 << 32) - 1), min_size=25, max_size=25))
def test_any_identity_words_give_an_identity_or_a_clear_error(values):
    image = RegisterImage()
    words = iter(values)
    for entry in IDENTITY.registers:
        for offset in range(register("identity", entry.name).words):
            image.words[address("identity", entry.name) + offset] = next(words, 0)
    try:
        identity = identity_of(image)
    except ValueError:
        return
    assert 1 <= identity.geometry.channels <= 8
    assert identity.board.isprintable()


def test_a_silent_instrument_is_one_clear_error_in_bounded_time():
    with FakeDevice(Scenario([50]), mute_after=0) as fake:
        with pytest.raises(LinkError, match=r"no answer from the instrument in 0\.2 s \(3 tries\)"):
            opened(fake, TIMEOUTS_S)
        assert fake.commands == 3


def test_noise_without_end_is_one_clear_error_in_bounded_time():
    noise = bytes(range(256)) * 4000
    with FakeDevice(Scenario([50]), mute_after=0, first_words=noise) as fake:
        with pytest.raises(LinkError, match="no answer from the instrument"):
            opened(fake, TIMEOUTS_S)


def test_an_instrument_that_closes_is_one_clear_error():
    def hook(frame, data):
        raise OSError

    with FakeDevice(Scenario([50]), send_hook=hook) as fake:
        fake_close = fake.close
        with pytest.raises(LinkError):
            opened(fake, TIMEOUTS_S)
        fake_close()


def test_a_response_that_answers_something_else_is_not_taken():
    def hook(frame, data):
        if frame.type != FrameType.RESPONSE:
            return data
        wrong = bytearray(frame.payload)
        wrong[0] ^= 1  # the address
        other = Frame(frame.type, 0, frame.tag, frame.sequence, frame.index, 0, bytes(wrong))
        return to_stream(other)

    with FakeDevice(Scenario([50]), send_hook=hook) as fake:
        with pytest.raises(LinkError, match="no answer"):
            opened(fake, TIMEOUTS_S)


@pytest.mark.parametrize("status", [OpStatus.NO_REGISTER, OpStatus.RUNNING, 200])
def test_an_operation_that_is_refused_is_one_clear_error(status):
    def hook(frame, data):
        operation = OPERATION.unpack(frame.payload[:8])
        if operation["address"] != address("control", "load"):
            return data
        payload = OPERATION.pack(operation | {"status": status})
        return to_stream(Frame(FrameType.RESPONSE, 0, 1, frame.sequence, frame.index, 0, payload))

    with FakeDevice(Scenario([50]), send_hook=hook) as fake, opened(fake) as device:
        with pytest.raises(InstrumentError, match=rf"status {int(status)}"):
            device.write("control", "load", 1)


def test_a_lost_response_is_asked_for_again():
    lost = []

    def hook(frame, data):
        if not lost:
            lost.append(frame)
            return None
        return data

    with FakeDevice(Scenario([50]), send_hook=hook) as fake, opened(fake) as device:
        assert device.identity.geometry == GEOMETRY
        assert fake.commands > 1


REAL = Scenario([50], replace(GEOMETRY, features=BOARD))
KEYS = [("source", source, "generated") for source in range(18)]
"""Registers of more than two commands, which go together."""
WRITES = [RegisterWrite("channel", n % 2, "deadline_ticks", n) for n in range(60)]
"""Two registers, each written many times."""


def heard_of(device):
    """Have a device say what it sends: how many commands go in each piece."""
    pieces, link = [], device._link
    write = link.write
    link.write = lambda data: (pieces.append(data.count(b"\0")), write(data))
    return pieces


def test_what_takes_several_commands_goes_together_as_the_gateware_s_receiver_has_room():
    assert TOGETHER_BYTES == 1 << FIFO_BITS
    with FakeDevice(REAL) as fake, opened(fake) as device:
        pieces = heard_of(device)
        for number in range(18):
            fake.set("source", "generated", 100 + number, number)
        assert device.read_all(KEYS) == [100 + number for number in range(18)]
        assert pieces == [3]  # 36 words
        sent = []
        device._link.write = lambda data, write=device._link.write: (sent.append(data), write(data))
        device.write_all(WRITES * 3)
        assert max(map(len, sent)) <= TOGETHER_BYTES
        assert sum(data.count(b"\0") for data in sent) == -(-180 // 16)
        assert len(sent) == 4
        assert device.retries == 0


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("way", ["command", "answer"])
def test_of_commands_that_go_together_what_is_lost_is_sent_again_in_order(number, way):
    with FakeDevice(REAL) as fake, opened(fake) as device:
        start, answers, cuts = len(fake.written), [], []

        def hook(frame, data):
            answers.append(frame)
            return None if way == "answer" and len(answers) == number + 1 else data

        def cut(data, write=device._link.write):
            frames = data.split(b"\0")
            if way == "command" and not answers and not cuts:
                cuts.append(number)
                frames[number] = frames[number][:-3]
            write(b"\0".join(frames))

        fake.send_hook, device._link.write = hook, cut
        writes = [RegisterWrite("channel", 0, "deadline_ticks", value) for value in range(40)]
        device.write_all(writes)
        assert fake.get("channel", "deadline_ticks") == 39
        values = [value for _, value in fake.written[start:]]
        # From what was lost on, all of it came again: the last values are the whole in its order.
        assert values[-(40 - 16 * number) :] == list(range(16 * number, 40))
        assert device.retries >= 1


def test_an_operation_that_is_refused_among_commands_that_go_together_is_one_clear_error():
    def hook(frame, data):
        operation = OPERATION.unpack(frame.payload[:8])
        if operation["address"] != address("source", "generated", 8):
            return data
        payload = OPERATION.pack(operation | {"status": OpStatus.NO_REGISTER})
        rest = frame.payload[8:]
        answer = Frame(FrameType.RESPONSE, 0, 1, frame.sequence, frame.index, 0, payload + rest)
        return to_stream(answer)

    with FakeDevice(REAL, send_hook=hook) as fake, opened(fake) as device:
        with pytest.raises(InstrumentError, match=r"has no such register \(status 1\)"):
            device.read_all(KEYS)
        fake.send_hook = lambda frame, data: data
        assert device.read("status", "state") == 0  # answers of the others are left alone


@pytest.mark.parametrize("what", ["datagrams", "simulated"])
def test_over_datagrams_and_to_a_simulation_one_command_waits_for_the_other(what, monkeypatch):
    if what == "datagrams":
        monkeypatch.setattr(plexor.wire.device.device, "DatagramLink", TcpLink)
    scenario = REAL if what == "datagrams" else Scenario([50])
    with FakeDevice(scenario) as fake, opened(fake) as device:
        pieces = heard_of(device)
        device.read_all(KEYS)
        assert pieces == [1, 1, 1]


def test_closing_twice_is_harmless():
    with FakeDevice(Scenario([50])) as fake:
        device = opened(fake)
        device.close()
        device.close()


WORDS = struct.pack("<200I", *[event_word(0, 16, 0)] * 200)
COUNT = 500


class Slow:
    """A host that takes its time for each piece of what has come."""

    def __init__(self):
        self.taken = 0

    def take(self, part):
        self.taken += 1
        time.sleep(0.1)


@pytest.mark.parametrize("queue", [256, 2])
def test_an_answer_behind_bytes_that_a_slow_host_has_not_handled_is_waited_for(monkeypatch, queue):
    """With a short queue the link waits for the host, too."""
    monkeypatch.setattr(plexor.wire.link.base, "_QUEUE_CHUNKS", queue)
    monkeypatch.setattr(plexor.wire.link.base, "CHUNK_BYTES", 1 << 14)
    monkeypatch.setattr(plexor.wire.link.base, "_TAKE_BYTES", 1 << 16)
    ahead = []

    def hook(frame, data):
        if not ahead:
            return data
        return ahead.pop() + to_stream(replace(frame, sequence=frame.sequence + COUNT))

    with FakeDevice(Scenario([50]), send_hook=hook) as fake, opened(fake) as device:
        device.consumer = slow = Slow()
        device._timeouts_s = TIMEOUTS_S
        events = [
            to_stream(Frame(FrameType.EVENTS, 0, 0, fake.sequence + n, 200 * n, 0, WORDS))
            for n in range(COUNT)
        ]
        ahead.append(b"".join(events))
        assert device.read("status", "state") == 0
        assert slow.taken * 0.1 > 2 * sum(TIMEOUTS_S)


@pytest.fixture
def flooding():
    """Yield a device that sends events without end, and answers as its last hook says."""
    hooks, over = [lambda frame, data: data], threading.Event()

    def flood():
        number = 0
        with contextlib.suppress(OSError):
            while not over.wait(0.002):
                fake.send(FrameType.EVENTS, 0, 0, 200 * number, 0, WORDS)
                number += 1

    def sent(frame, data):
        return hooks[-1](frame, data) if frame.type == FrameType.RESPONSE else data

    with FakeDevice(Scenario([50]), send_hook=sent) as fake, opened(fake) as device:
        thread = threading.Thread(target=flood)
        thread.start()
        yield device, hooks
        over.set()
        thread.join()


@pytest.mark.timeout(60)
def test_a_flood_without_an_answer_is_one_clear_error_in_bounded_time(flooding):
    device, hooks = flooding
    hooks.append(lambda frame, data: None)
    device._timeouts_s = TIMEOUTS_S
    with pytest.raises(LinkError, match=r"no answer from the instrument in 0\.2 s"):
        device.read("status", "state")
    assert not device.write_once("control", "load", 1, 0.1)


@pytest.mark.timeout(60)
def test_a_response_that_is_lost_in_a_flood_is_asked_for_again(flooding):
    device, hooks = flooding
    device._timeouts_s = (0.1, 30.0)

    def lost(frame, data):
        hooks.pop()

    hooks.append(lost)
    assert device.read("status", "state") == 0
    assert device.retries == 1


def test_an_answer_to_an_earlier_try_is_as_good():
    late = []

    def hook(frame, data):
        if device_of:
            late.append(data)
            return late[0] if len(late) == 2 else None
        return data

    device_of = []
    with FakeDevice(Scenario([50]), send_hook=hook) as fake, opened(fake) as device:
        device_of.append(device)
        device._timeouts_s = (0.1, 30.0)
        assert device.read("status", "state") == 0
        assert device.retries == 1
