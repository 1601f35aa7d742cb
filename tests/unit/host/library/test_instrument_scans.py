# SPDX-License-Identifier: Apache-2.0
"""Scans, calibrations and self-tests of an instrument that is open: its link is left as it was."""

import sys

import pytest

import plexor
from plexor.base.errors import UsageError
from plexor.experiments.selftest.model import SelfTest
from plexor.library.scans import phase as phases
from plexor.library.upkeep import calibrate as calibrations
from plexor.library.upkeep import selftest as selftests
from plexor.model.calibration import Calibration, ChannelInstants, Instants

from ..fake_device import FakeDevice
from ..kept_scans import PHASE
from ..runs import LATENCIES
from ..scenario import Scenario
from .scans.answering import Answering

ASKED = {"rate": "1M", "count": len(LATENCIES), "channels": ["isr=ch0", "ch1"]}
SWEEP = {"low": "1k", "high": "100k", "points": 3, "channels": "isr=ch0"}
BURST = {"low": "1us", "high": "9us", "period": "1ms", "points": 2, "channels": "isr=ch0"}
SERVE = """
import sys
print("device synthetic", flush=True)
print("listening " + sys.argv[1], flush=True)
sys.stdin.read()
"""


@pytest.fixture
def fake(monkeypatch):
    """A device, at a link of its own and at `sim:`."""
    with FakeDevice(Scenario(LATENCIES)) as device:
        place = device.uri.removeprefix("tcp://")
        command = [sys.executable, "-c", SERVE, place]
        monkeypatch.setattr("plexor.wire.link.open.sim_command", lambda *_: command)
        yield device


@pytest.mark.parametrize(("name", "options"), [("sweep", SWEEP), ("burst", BURST)])
def test_a_scan_has_the_link_for_itself_and_the_next_run_opens_it_again(fake, name, options):
    connections = []

    def executor():
        connections.append(fake.connections)
        return Answering()

    with plexor.open("sim:", dut="synthetic") as instrument:
        found = getattr(instrument, name)(executor=executor, device={"os": "x"}, **options)
        assert (connections, fake.connections) == ([1], 1)
        run = instrument.run(**ASKED)
        assert fake.connections == 2
    assert found.device == {"dut": "synthetic", "os": "x"}
    assert run["isr"].missed == LATENCIES.count(None)


@pytest.mark.parametrize(
    ("uri", "dut", "asked"),
    [
        ("sim:", "synthetic:drop=0.1", ("sim:", "synthetic:drop=0.1")),
        ("sim:synthetic", None, ("sim:synthetic", None)),
    ],
)
def test_a_sweep_is_of_the_device_at_the_link(fake, uri, dut, asked):
    device = Answering()
    with plexor.open(uri, dut=dut) as instrument:
        instrument.sweep(executor=lambda: device, **SWEEP)
    assert {(job.link, job.dut) for job in device.jobs} == {asked}


def test_a_scan_waits_for_no_run_and_a_recording_has_none(fake, tmp_path):
    with plexor.open(fake.uri, record=tmp_path / "wire.bin") as instrument:
        instrument.run(**ASKED)
        with pytest.raises(UsageError, match=r"^record: "):
            instrument.sweep(**SWEEP)
    with plexor.open(f"file:{tmp_path / 'wire.bin'}") as replay:
        for scan in (lambda: replay.sweep(**SWEEP), lambda: replay.burst(**BURST)):
            with pytest.raises(UsageError, match="is a recording; a scan needs an instrument"):
                scan()
        for call in (
            lambda: replay.phase(against="ch1", rate=1),
            replay.calibrate,
            replay.selftest,
        ):
            with pytest.raises(UsageError, match="is a recording; this needs an instrument"):
                call()
        assert replay.run()["ch0"].missed == LATENCIES.count(None)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sweep", SWEEP),
        ("burst", BURST),
        ("phase", {"against": "ch1", "rate": 1}),
        ("calibrate", {}),
        ("selftest", {}),
    ],
)
def test_nothing_is_taken_from_a_run_that_is_under_way(name, options):
    with FakeDevice(Scenario(LATENCIES), endless=True) as device:
        with plexor.open(device.uri) as instrument:
            instrument.measure(rate="1M", channels="isr=ch0")
            with pytest.raises(UsageError, match="a run is under way"):
                getattr(instrument, name)(**options)
            assert device.connections == 1


def test_a_phase_scan_is_taken_at_the_open_link_with_its_description(fake, monkeypatch, run_of):
    asked = []
    monkeypatch.setattr(
        phases, "run", lambda *given: asked.append(given) or (PHASE, run_of([[1000]]))
    )
    with plexor.open("sim:", dut="synthetic") as instrument:
        device = instrument.device
        instrument.phase(against="ch1", rate="1k", device={"os": "x"})
        instrument.phase(against="ch1", rate=9)
        assert instrument.device is device
    (opened, wanted, _, description, _), (_, second, *_) = asked
    assert opened is device
    assert [channel.label for channel in wanted.channels] == ["ch0"]
    assert description == {"dut": "synthetic", "os": "x"}
    assert second.rate_hz == 9


def test_a_calibration_corrects_the_runs_after_it(fake, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    bins = ChannelInstants(0, *[Instants((10, -20, 5, 5), (3, 3, 3, 3), 20_000)] * 2)
    found = Calibration(fake.uri, 7, "", False, 10**6, "2026", 1, (bins,), ())
    monkeypatch.setattr(calibrations, "calibrate", lambda *_: found)
    with plexor.open(fake.uri) as instrument:
        assert instrument.run(**ASKED).result.calibration is None
        taken = instrument.calibrate(edges=1000, path=tmp_path / "c.json")
        assert instrument.run(**ASKED).result.calibration == found
    assert (taken.calibration, taken.path) == (found, tmp_path / "c.json")


def test_a_self_test_is_made_at_the_open_link(fake, monkeypatch):
    result = SelfTest("S1", 7, "ulx3s", True, "2026", ())
    tested = []
    monkeypatch.setattr(
        selftests, "selftest", lambda device, wanted, say: tested.append(wanted) or result
    )
    with plexor.open(fake.uri) as instrument:
        found = instrument.selftest(jumpers="strike0=ch1", on_line=lambda line: None)
    assert (found.result, found.passed) == (result, True)
    assert tested[0].wiring == {0: [1]}
