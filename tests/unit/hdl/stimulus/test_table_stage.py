# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The sweep table in a build."""

import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor_hdl.build.profiles import PROFILES
from plexor_hdl.instrument import Instrument


@pytest.mark.parametrize("features", [ALL_FEATURES & ~Feature.SNAPSHOT, Feature.SWEEP])
def test_a_build_with_one_bank_cannot_have_a_table(features):
    with pytest.raises(ValueError, match="features: SWEEP without SNAPSHOT; must be both"):
        Instrument(Geometry(features=features), 1)


def test_no_build_for_a_device_asks_for_a_table_that_it_cannot_have():
    for build in PROFILES.values():
        features = build.geometry.features
        assert Feature.SNAPSHOT in features or Feature.SWEEP not in features
