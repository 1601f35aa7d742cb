# SPDX-License-Identifier: Apache-2.0
"""A build with one bank, whose counts lie in one memory, counts what a build with two does."""

from dataclasses import replace
from fractions import Fraction

import pytest
from bench import SILENT, assert_equals_truth, run

from plexor.base.errors import UsageError
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import Stream

US = Fraction(1, 1_000_000)
ONE_BANK = Geometry(features=Feature.SIMULATED | Feature.EVENTS | Feature.MATCH)
LEAN = Geometry(features=Feature.SIMULATED | Feature.EVENTS)
SETTINGS = Settings(
    strikes=(Stimulus(period_s=20 * US, width_s=2 * US),),
    channels=(Channel(0), Channel(1)),
    count=500,
)
DEVICE = "synthetic:latency=uniform:1us:9us"


@pytest.mark.full
@pytest.mark.parametrize(
    "geometry",
    [pytest.param(ONE_BANK, id="one_bank"), pytest.param(LEAN, id="lean")],
)
def test_a_build_with_one_bank_equals_the_truth(geometry, tmp_path):
    truth = assert_equals_truth(run(DEVICE, SETTINGS, tmp_path, geometry=geometry))
    assert truth.generated[8] == 1000


def test_a_build_without_events_equals_the_truth(tmp_path):
    found = run(DEVICE, SETTINGS, tmp_path, geometry=SILENT)
    truth = assert_equals_truth(found)
    assert truth.generated[8] == 1000
    assert found.result.events is None
    assert not found.result.settings.stream
    # Each edge of each pin was counted behind the merge too.
    for entry in found.result.accounting.sources:
        assert entry.received == truth.generated[entry.source]


def test_a_build_without_events_refuses_a_run_that_streams(tmp_path):
    with pytest.raises(UsageError) as error:
        run(DEVICE, replace(SETTINGS, stream=Stream.LIVE), tmp_path, geometry=SILENT)
    assert str(error.value) == (
        "mode: stream: board icebrkr was built without EVENTS, events over the link; measure with"
        " --mode dump"
    )
