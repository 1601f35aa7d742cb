# SPDX-License-Identifier: Apache-2.0
"""What the host does in place of a chip: nothing without events, all figures without a matcher."""

from plexor.model.on_host import replaced
from plexor.protocol.geometry import Feature, Geometry

FIGURES = Feature.FALL | Feature.INTERVALS | Feature.SUM_SQUARES | Feature.EXTREMES


def test_without_events_the_host_has_nothing_to_work_on():
    assert not replaced(Geometry(features=Feature.MATCH))


def test_beside_a_matcher_it_completes_the_figures_and_decides_nothing():
    assert replaced(Geometry(features=Feature.MATCH | Feature.EVENTS)) == FIGURES


def test_without_a_matcher_it_decides_and_counts_and_strikes_stay_the_chips():
    found = replaced(Geometry(features=Feature.EVENTS))
    assert found == FIGURES | Feature.EARLY | Feature.ZOOM | Feature.SNAPSHOT | Feature.RING
    assert not found & (Feature.DITHER | Feature.BURST | Feature.POISSON | Feature.FILTER)
