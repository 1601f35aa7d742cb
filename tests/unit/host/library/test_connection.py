# SPDX-License-Identifier: Apache-2.0
"""The link to an instrument: opened, closed, and opened again after a scan."""

import sys

import pytest

from plexor.base.errors import IdentityError, LinkError, UsageError
from plexor.library.connection import Connection
from plexor.library.keep import tap_at
from plexor.library.specs.options import Target
from plexor.protocol.geometry import Feature

from ..fake_device import FakeDevice
from ..scenario import GEOMETRY, Scenario


@pytest.fixture
def fake():
    with FakeDevice(Scenario([100])) as device:
        yield device


def connection(uri, dut=None, fallback=False, tap=None):
    return Connection(uri, dut, fallback, tap)


def test_what_is_opened_says_what_it_is_and_is_closed_behind_its_block(fake):
    with connection(fake.uri) as opened:
        assert opened.identity.geometry.channels == GEOMETRY.channels
        assert opened.simulated == (Feature.SIMULATED in GEOMETRY.features)
        assert opened.notes == ()
    with pytest.raises(LinkError):
        opened.device.read("status", "state")


def test_a_released_link_is_opened_again_by_its_next_use_and_no_sooner(fake):
    with connection(fake.uri) as opened:
        first = opened.device
        assert opened.device is first
        opened._release()
        assert fake.connections == 1
        assert opened.identity == first.identity
        assert opened.device is not first
        assert opened.device.read("status", "state") == 0
    assert fake.connections == 2


def test_a_link_that_was_released_and_not_used_again_is_closed_once(fake):
    with connection(fake.uri) as opened:
        opened._release()
    assert fake.connections == 1


def test_a_recorded_link_is_not_released(fake, tmp_path):
    with connection(fake.uri, tap=tap_at(tmp_path / "wire.bin")) as opened:
        with pytest.raises(UsageError, match=r"^record: a scan opens links of its own"):
            opened._release()
        assert opened.device.read("status", "state") == 0
    assert (tmp_path / "wire.bin").stat().st_size > 0


@pytest.mark.parametrize(
    ("dut", "fallback", "what"), [("bare", False, "dut bare"), (None, True, "fallback")]
)
def test_what_is_for_simulated_devices_is_refused_with_the_link(dut, fallback, what):
    with pytest.raises(UsageError, match=f"^{what}: is for sim: links; tcp://h:1 has a device"):
        connection("tcp://h:1", dut, fallback)


def test_what_is_no_instrument_is_refused_and_its_recording_closed(tmp_path):
    tap = tap_at(tmp_path / "wire.bin")
    with FakeDevice(Scenario([100]), identity={"magic": 3}) as device:
        with pytest.raises(IdentityError):
            connection(device.uri, tap=tap)
    with pytest.raises(ValueError, match="closed file"):
        tap.write(b"more")


SERVE = """
import sys
print("device " + sys.argv[1], flush=True)
print("listening " + sys.argv[2], flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("uri", "dut", "place"),
    [
        ("sim:", None, {"link": "sim:", "dut": "freertos"}),
        ("sim:", "ce30", {"link": "sim:", "dut": "ce30"}),
        ("sim:bare", None, {"link": "sim:bare", "dut": None}),
        ("sim:?dut=bare", None, {"link": "sim:?dut=bare", "dut": None}),
    ],
)
def test_a_scan_gets_the_link_and_its_device_once(monkeypatch, fake, uri, dut, place):
    def command_of(device, arguments):
        return [sys.executable, "-c", SERVE, device, fake.uri.removeprefix("tcp://")]

    monkeypatch.setattr("plexor.wire.link.open.sim_command", command_of)
    with connection(uri, dut) as opened:
        assert opened._target() == Target(**place)


def test_a_scan_at_a_link_with_a_device_of_its_own_gets_the_link_alone(fake):
    with connection(fake.uri) as opened:
        assert opened._target() == Target(link=fake.uri, dut=None)


LOADED = """
import sys
load = ([text[5:] for text in sys.argv[1].replace(":", ",").split(",") if text[:5] == "load="])
print("device " + sys.argv[1], flush=True)
print("load " + (load[-1] if load else "none"), flush=True)
print("listening " + sys.argv[2], flush=True)
sys.stdin.read()
"""


@pytest.fixture
def opened_as(monkeypatch, fake):
    """Return the devices that simulators are started with; each says the load of its options."""
    found = []

    def command_of(device, arguments):
        found.append(device)
        return [sys.executable, "-c", LOADED, device, fake.uri.removeprefix("tcp://")]

    monkeypatch.setattr("plexor.wire.link.open.sim_command", command_of)
    return found


def test_a_simulated_device_starts_anew_where_another_load_is_put_on(opened_as):
    with connection("sim:", "bare:ppm=3") as opened:
        for load in ("none", "cpu", "cpu", "none", "critical", "cpu"):
            opened._put_on(load)
        with pytest.raises(UsageError, match=r"^load on: this device has no load"):
            opened._put_on("on")
        opened._put_on("cpu")
        assert opened._target() == Target(link="sim:", dut="bare:ppm=3")
    cpu, critical = (f"bare:ppm=3,load={name}" for name in ("cpu", "critical"))
    assert opened_as == ["bare:ppm=3", cpu, critical, cpu, "bare:ppm=3", cpu]


def test_a_device_of_the_link_itself_has_loads_too(opened_as):
    with connection("sim:bare?board=ulx3s-25f") as opened:
        opened._put_on("cpu")
    assert opened_as == ["bare", "bare:load=cpu"]


def test_a_recorded_link_has_the_load_that_it_was_opened_with(opened_as, tmp_path):
    tap = tap_at(tmp_path / "wire.bin")
    with Connection("sim:", "bare", False, tap, load="cpu") as opened:
        opened._put_on("cpu")
        with pytest.raises(UsageError, match=r"^load queue: the link is recorded"):
            opened._put_on("queue")
        opened._put_on("cpu")
    assert opened_as == ["bare:load=cpu"]


def test_nothing_is_known_of_the_load_of_a_device_that_is_not_simulated(fake):
    with connection(fake.uri) as opened:
        opened._put_on("stress")
        assert opened.device.load is None
    assert fake.connections == 1
