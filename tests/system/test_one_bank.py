"""A build with one bank, whose counts lie in one memory, counts what a build with two does."""

from fractions import Fraction

import pytest
from bench import assert_equals_truth, run

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.settings import Channel, Settings, Stimulus

US = Fraction(1, 1_000_000)
ONE_BANK = Geometry(features=ALL_FEATURES & ~(Feature.SNAPSHOT | Feature.SWEEP))
LEAN = Geometry(features=Feature.SIMULATED)


@pytest.mark.full
@pytest.mark.parametrize(
    "geometry",
    [pytest.param(ONE_BANK, id="one_bank"), pytest.param(LEAN, id="lean")],
)
def test_a_build_with_one_bank_equals_the_truth(geometry, tmp_path):
    settings = Settings(
        strikes=(Stimulus(period_s=20 * US, width_s=2 * US),),
        channels=(Channel(0), Channel(1)),
        count=500,
    )
    device = "synthetic:latency=uniform:1000000:9000000"
    truth = assert_equals_truth(run(device, settings, tmp_path, geometry=geometry))
    assert truth.generated[8] == 1000
