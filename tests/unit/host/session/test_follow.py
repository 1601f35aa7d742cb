"""What is told of a run that is under way."""

import pytest

from plexor.decode.memories import Memories
from plexor.device.device import Device
from plexor.link import open_link
from plexor.session.session import measure

from ..fake_device import FakeDevice
from ..runs import LATENCIES, SETTINGS, TIMEOUTS_S, run
from ..scenario import Scenario


def test_results_so_far_are_told_once_a_snapshot(monkeypatch):
    monkeypatch.setattr(Memories, "coherent", lambda self, spaces: 7)
    looks, snapshots = [], []

    def on_progress(progress):
        looks.append(progress)
        if len(looks) == 3:
            raise KeyboardInterrupt

    with FakeDevice(Scenario(LATENCIES), endless=True) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            measure(device, SETTINGS, on_progress, on_snapshot=snapshots.append)
    assert len(looks) >= 3
    assert len(snapshots) == 1


def test_a_run_that_goes_on_tells_its_progress():
    seen = []

    def on_progress(progress):
        seen.append(progress)
        if len(seen) == 3:
            raise KeyboardInterrupt

    run(endless=True, on_progress=on_progress)
    assert seen[0].expected_strikes == len(LATENCIES)
    assert seen[1].events_received == len(Scenario(LATENCIES).events)
    assert seen[0].elapsed_s == pytest.approx(50e-9)
