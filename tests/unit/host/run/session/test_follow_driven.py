# SPDX-License-Identifier: Apache-2.0
"""A run that is driven: what acts on it is asked before the start, and at each look."""

from plexor.protocol import registers as r
from plexor.protocol.registers import Action
from plexor.run.session.session import measure
from plexor.run.session.stop import Stop
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

from ...fake_device import FakeDevice
from ...runs import LATENCIES, SETTINGS, TIMEOUTS_S
from ...scenario import START_TICKS, Scenario

LOOKS = 30


class Driver:
    """Notes when it is asked, and lets the time of a fake device go on."""

    def __init__(self, fake, stop):
        self.fake, self.stop = fake, stop
        self.starts_before = None
        self.elapsed = []

    def prepared(self, run):
        self.starts_before = self.fake.starts
        run.device.write("control", "load", 1)

    def looked(self, run, elapsed_ticks):
        assert run.collector.started_ticks == START_TICKS
        self.elapsed.append(elapsed_ticks)
        self.fake.set("status", "time_ticks", START_TICKS + 50 + 7 * len(self.elapsed))
        if len(self.elapsed) == LOOKS:
            self.stop.ask()


def test_a_driver_acts_before_the_start_and_at_each_look_without_a_pause():
    stop = Stop()
    with FakeDevice(Scenario(LATENCIES), endless=True) as fake:
        driver = Driver(fake, stop)
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            result = measure(device, SETTINGS, stop=stop, driver=driver)
    assert driver.starts_before == 0
    assert driver.elapsed == [50 + 7 * number for number in range(LOOKS)]
    # With pauses of 0.2 s it would have taken 6 s.
    assert result.wall_seconds < LOOKS * 0.1
    load, action = r.address("control", "load"), r.address("control", "action")
    places = [place for place, value in fake.written if (place, value) != (load, 0)]
    assert places.index(load) < places.index(action)
    assert (action, Action.START) in fake.written
