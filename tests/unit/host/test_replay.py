"""Recordings of the raw bytes of a link, whole or cut."""

from pathlib import Path

import pytest

from plexor.device import Device
from plexor.errors import IdentityError, StoreError
from plexor.link import open_link
from plexor.replay import replay
from plexor.session import measure

from .fake_device import FakeDevice
from .runs import LATENCIES, SETTINGS, TIMEOUTS_S
from .scenario import Scenario


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
