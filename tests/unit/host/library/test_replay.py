# SPDX-License-Identifier: Apache-2.0
"""A recorded link as an instrument."""

import numpy as np
import pytest

import plexor

from ..fake_device import FakeDevice
from ..runs import LATENCIES
from ..scenario import Scenario

ASKED = {"rate": "1M", "count": len(LATENCIES), "channels": ["isr=ch0", "ch1"]}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A run and the file of its link."""
    wire = tmp_path_factory.mktemp("replay") / "wire.bin"
    with FakeDevice(Scenario(LATENCIES), snapshots=2) as fake:
        with plexor.open(fake.uri, record=wire) as instrument:
            return instrument.run(**ASKED, every="10us"), wire


def test_it_takes_the_options_that_were_recorded_or_none(recorded):
    run, wire = recorded
    with plexor.open(f"file:{wire}") as instrument:
        for options in ({}, ASKED, {**ASKED, "every": "10us"}):
            again = instrument.run(**options)
            assert np.array_equal(again.events, run.events)
            classes = [channel.result.classes for channel in again.channels]
            assert classes == [channel.result.classes for channel in run.channels]


@pytest.mark.parametrize("other", [{"rate": "2M"}, {"count": 3}, {"timeout": "9us"}])
def test_it_refuses_others(recorded, other):
    with plexor.open(f"file:{recorded[1]}") as instrument:
        with pytest.raises(plexor.UsageError, match=r"recorded with .* = \d+, not with the \d+"):
            instrument.run(**{**ASKED, **other})


def test_snapshots_that_were_recorded_come_again(recorded):
    with plexor.open(f"file:{recorded[1]}") as instrument:
        found = list(instrument.measure())
    assert found[-1].final
    assert found[-1]["ch0"].answered == sum(value is not None for value in LATENCIES)


def test_events_are_read_in_batches(recorded):
    run, wire = recorded
    with plexor.open(f"file:{wire}") as instrument:
        measurement = instrument.measure()
        come = list(measurement.events())
        assert measurement.wait(30)
    assert sum(map(len, come)) <= len(run.events)


def test_a_device_or_another_record_is_refused(recorded):
    with pytest.raises(plexor.UsageError, match="is a recording"):
        plexor.open(f"file:{recorded[1]}", dut="bare")
