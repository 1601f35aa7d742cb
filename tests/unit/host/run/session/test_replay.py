# SPDX-License-Identifier: Apache-2.0
"""Recordings of the raw bytes of a link, whole or cut."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from plexor.base.errors import IdentityError, StoreError
from plexor.files.store.run_folder import load, save
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import (
    Frame,
    FrameType,
    cobs_decode,
    simulated_frame,
    to_stream,
)
from plexor.protocol.geometry import Feature
from plexor.protocol.registers import Policy, Stream, address
from plexor.run.session.replay import replay
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

from ...fake_device import FakeDevice
from ...runs import LATENCIES, SETTINGS, TIMEOUTS_S
from ...scenario import GEOMETRY, Scenario

NS = Fraction(1, 10**9)


def test_a_recording_replays_to_the_same_figures(tmp_path: Path):
    path = tmp_path / "wire.bin"
    with FakeDevice(Scenario(LATENCIES)) as fake, path.open("wb") as tap:
        with Device(open_link(fake.uri), tap, TIMEOUTS_S) as device:
            measure(device, SETTINGS)
            result = measure(device, SETTINGS)
    again = replay(path)
    assert again.valid, again.invalid_reasons
    assert [channel.measurements for channel in again.channels] == [
        channel.measurements for channel in result.channels
    ]
    assert again.events.tolist() == result.events.tolist()
    assert again.accounting.sources == result.accounting.sources


def test_a_run_on_a_simulated_board_is_kept_as_simulated(tmp_path: Path):
    path, kept = tmp_path / "wire.bin", tmp_path / "run"
    board = replace(GEOMETRY, features=GEOMETRY.features & ~Feature.SIMULATED)
    scenario = Scenario(LATENCIES, geometry=board)
    said = to_stream(simulated_frame(200_000))
    with FakeDevice(scenario, first_words=said) as fake, path.open("wb") as tap:
        with Device(open_link(fake.uri), tap, TIMEOUTS_S) as device:
            save(measure(device, SETTINGS), kept)
    assert replay(path).simulated
    assert load(kept).simulated


ASKED = Settings(
    strikes=(
        Stimulus(0, Fraction(1, 10**6), phase_s=40 * NS, seed=9),
        Stimulus(1, 7 * NS * 1000, width_s=20 * NS, burst=3, spacing_s=100 * NS, count=30),
    ),
    channels=(Channel(0, "isr", deadline_s=90 * NS), Channel(1, reference="ch0.fall")),
    policy=Policy.LATEST,
    timeout_s=800 * NS,
    count=len(LATENCIES),
    time_s=Fraction(1),
    latency_over_s=300 * NS,
    stream=Stream.OFF,
    load=True,
)


def recorded(path, *runs):
    """Return the result of the last of some runs, and of their recording."""
    with FakeDevice(Scenario(LATENCIES)) as fake, path.open("wb") as tap:
        with Device(open_link(fake.uri), tap, TIMEOUTS_S) as device:
            results = [measure(device, settings) for settings in runs]
    return results[-1], replay(path)


@pytest.mark.parametrize("runs", [(SETTINGS, ASKED), (ASKED, SETTINGS)])
def test_a_recording_has_the_registers_of_its_last_run(tmp_path: Path, runs):
    result, again = recorded(tmp_path / "wire.bin", *runs)
    assert set(again.registers) == set(result.registers)
    assert len(again.registers) == len(result.registers)


def test_a_recording_tells_what_the_run_was_asked(tmp_path: Path):
    _, again = recorded(tmp_path / "wire.bin", replace(SETTINGS, early_s=5 * NS), ASKED)
    found = again.settings
    assert (found.policy, found.stream, found.load) == (Policy.LATEST, Stream.OFF, True)
    assert (found.timeout_s, found.early_s, found.time_s) == (800 * NS, 0, Fraction(1))
    assert (found.latency_over_s, found.stop_on_missed) == (300 * NS, False)
    first, second = found.strikes
    assert (first.period_s, first.phase_s, first.seed) == (Fraction(1, 10**6), 40 * NS, 9)
    assert (first.count, first.burst, first.spacing_s) == (len(LATENCIES), 1, None)
    assert (second.output, second.period_s, second.count) == (1, 7000 * NS, 30)
    assert (second.burst, second.spacing_s, second.width_s) == (3, 100 * NS, 20 * NS)
    isr, task = found.channels
    assert (isr.deadline_s, isr.reference) == (90 * NS, "strike0")
    assert (task.deadline_s, task.reference) == (None, "ch0.fall")


def test_a_recording_that_ends_early_keeps_what_it_has(tmp_path: Path):
    path = tmp_path / "wire.bin"
    with FakeDevice(Scenario(LATENCIES)) as fake, path.open("wb") as tap:
        with Device(open_link(fake.uri), tap, TIMEOUTS_S) as device:
            measure(device, SETTINGS)
    data = path.read_bytes()
    kept = []
    for cut in range(0, len(data), len(data) // 25):
        path.write_bytes(data[:cut])
        try:
            result = replay(path)
        except IdentityError:
            continue
        assert not result.valid
        kept.append(len(result.events))
    assert kept == sorted(kept)
    assert kept[-1] == len(fake.scenario.events)


def test_the_end_of_an_earlier_run_is_not_taken_for_that_of_a_later_one(tmp_path: Path):
    path = tmp_path / "wire.bin"
    with FakeDevice(Scenario(LATENCIES)) as fake, path.open("wb") as tap:
        with Device(open_link(fake.uri), tap, TIMEOUTS_S) as device:
            measure(device, SETTINGS)
            first = tap.tell()
            measure(device, SETTINGS)
    data = path.read_bytes()
    path.write_bytes(data[: first + (len(data) - first) // 2])
    again = replay(path)
    assert not again.valid
    assert "the end of the run was never seen" in again.invalid_reasons[0]


def test_a_full_disk_under_the_raw_bytes_is_one_clear_error():
    with FakeDevice(Scenario(LATENCIES)) as fake, Path("/dev/full").open("wb", buffering=0) as tap:
        with pytest.raises(StoreError, match="/dev/full: cannot write: No space left"):
            Device(open_link(fake.uri), tap, TIMEOUTS_S)


def stretches(data: bytes) -> list[bytes]:
    """The frames of a recording as they are on the wire."""
    return [part + b"\0" for part in data.split(b"\0") if part]


def is_response(stretch: bytes) -> bool:
    return Frame.decode(cobs_decode(stretch[:-1])).type == FrameType.RESPONSE


@pytest.mark.parametrize("runs", [(SETTINGS,), (SETTINGS, SETTINGS)])
def test_whichever_response_a_recording_lost_nothing_unknown_is_taken_for_0(tmp_path: Path, runs):
    path = tmp_path / "wire.bin"
    result, whole = recorded(path, *runs)
    assert whole.valid
    assert len(whole.channels) == len(result.channels) == 2
    parts = stretches(path.read_bytes())
    lost = [place for place, part in enumerate(parts) if is_response(part)]
    told = 0
    for place in lost:
        path.write_bytes(b"".join(parts[:place] + parts[place + 1 :]))
        try:
            again = replay(path)
        except IdentityError:
            continue
        if again.valid:
            # What was asked and found is all there; settings alone have no names.
            assert again.registers == whole.registers
            assert again.settings == whole.settings
            assert again.channels == whole.channels
        else:
            told += any(
                text.startswith("the settings of the run are not known")
                for text in again.invalid_reasons
            )
    assert told >= 4


def test_a_channel_of_which_a_setting_is_not_known_is_left_out_and_named(tmp_path: Path):
    path = tmp_path / "wire.bin"
    recorded(path, SETTINGS)
    kept = []
    for part in stretches(path.read_bytes()):
        frame = Frame.decode(cobs_decode(part[:-1]))
        if frame.type == FrameType.RESPONSE:
            answers = [frame.payload[n : n + 8] for n in range(0, len(frame.payload), 8)]
            unlike = address("channel", "deadline_ticks", 1).to_bytes(2, "little")
            answers = [answer for answer in answers if answer[:2] != unlike]
            frame = replace(frame, payload=b"".join(answers))
        kept.append(to_stream(frame))
    path.write_bytes(b"".join(kept))
    again = replay(path)
    assert not again.valid
    assert [channel.number for channel in again.channels] == [0]
    assert [channel.number for channel in again.settings.channels] == [0]
    assert "channel[1].deadline_ticks" in again.invalid_reasons[0]
    assert "ch1: its settings never arrived" in again.omitted
