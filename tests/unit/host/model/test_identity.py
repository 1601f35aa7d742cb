# SPDX-License-Identifier: Apache-2.0
"""What an instrument says it is, and which pins it has."""

import pytest

from plexor.model.identity import Identity
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry


def test_an_instrument_is_simulated_where_it_says_so():
    assert Identity(Geometry(features=ALL_FEATURES), 1).simulated
    assert not Identity(Geometry(features=ALL_FEATURES & ~Feature.SIMULATED), 1).simulated


def test_a_calibration_is_kept_by_the_build_and_by_the_gateware_where_that_is_not_known():
    assert Identity(Geometry(), 5, build_id=9).placement == 9
    assert Identity(Geometry(), 5).placement == 5


@pytest.mark.parametrize(
    ("name", "number", "says"),
    [
        ("ch", 3, ""),
        ("ch", 4, "ch4: this instrument has ch0 to ch3"),
        ("ch", -1, "ch-1: this instrument has ch0 to ch3"),
        ("strike", 0, ""),
        ("strike", 1, "strike1: this instrument has strike0 alone"),
    ],
)
def test_a_pin_that_is_not_there_is_refused_with_those_that_are(name, number, says):
    identity = Identity(Geometry(channels=4, strikes=1), 1)
    if not says:
        identity.check_pin(name, number)
        return
    with pytest.raises(ValueError, match="this instrument has") as caught:
        identity.check_pin(name, number)
    assert str(caught.value) == says
