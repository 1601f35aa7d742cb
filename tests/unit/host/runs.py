# SPDX-License-Identifier: Apache-2.0
"""Runs of the host on a fake device."""

from fractions import Fraction

from plexor.model.settings import Channel, Settings, Stimulus
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

from .fake_device import FakeDevice
from .scenario import PERIOD_TICKS, Scenario

LATENCIES = [50, 61, 300, None, 50, 55, 61] * 12
SETTINGS = Settings(
    strikes=(Stimulus(0, Fraction(PERIOD_TICKS, 10**9)),),
    channels=(Channel(0, "isr"), Channel(1)),
    count=len(LATENCIES),
)
TIMEOUTS_S = (0.1, 0.1, 2.0)
"""The last is long: a busy machine takes its time."""


def run(scenario=None, settings=SETTINGS, on_progress=None, stop=None, **options):
    """The result of a run on a fake device, and the device."""
    with FakeDevice(scenario or Scenario(LATENCIES), **options) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            return measure(device, settings, on_progress, stop=stop), fake
