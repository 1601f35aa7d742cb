# SPDX-License-Identifier: Apache-2.0
"""The beginning of runs: what is ended first, and starts that fail."""

import pytest

from plexor.base.errors import LinkError
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

from ...fake_device import FakeDevice
from ...runs import LATENCIES, SETTINGS, TIMEOUTS_S, run
from ...scenario import Scenario


def test_a_start_that_was_taken_and_ignored_is_asked_for_again():
    result, fake = run(deaf_to=2)
    assert result.valid, result.invalid_reasons
    assert fake.starts == 1
    assert len(result.events) == len(fake.scenario.events)


def test_an_earlier_run_is_stopped_first():
    with FakeDevice(Scenario(LATENCIES), endless=True) as fake:
        with Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device:
            device.write("control", "stream", 1)
            device.write("control", "action", 1)
            fake.endless = False
            result = measure(device, SETTINGS)
    assert result.valid, result.invalid_reasons
    assert len(result.events) == len(fake.scenario.events)
    assert fake.starts == 2
    assert not fake.started_anew


def test_a_device_that_is_silent_at_the_start_is_a_link_error():
    with (
        FakeDevice(Scenario([50]), mute_after=6) as fake,
        Device(open_link(fake.uri), timeouts_s=TIMEOUTS_S) as device,
        pytest.raises(LinkError, match="no answer from the instrument"),
    ):
        measure(device, SETTINGS)
