# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The sweep table in a build."""

import pytest

from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.build.profiles import PROFILES
from plexor_hdl.instrument import Instrument


def test_a_build_that_measures_rises_alone_cannot_have_a_table():
    with pytest.raises(ValueError, match="features: SWEEP without FALL; must be both, or no SWEEP"):
        Instrument(Geometry(features=Feature.SWEEP | Feature.EVENTS | Feature.MATCH), 1)


def test_no_build_for_a_device_asks_for_a_table_that_it_cannot_have():
    for build in PROFILES.values():
        features = build.geometry.features
        assert Feature.SNAPSHOT in features or Feature.SWEEP not in features
