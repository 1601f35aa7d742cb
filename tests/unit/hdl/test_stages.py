# SPDX-License-Identifier: Apache-2.0
"""The stages of each build, and the features that no build can have without others."""

import gc
import warnings

import pytest
from amaranth.hdl import UnusedElaboratable

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor_hdl.build import boards
from plexor_hdl.build.profiles import PROFILES
from plexor_hdl.control.registers import RegisterBank
from plexor_hdl.lib.blocks import plain_blocks
from plexor_hdl.stages import MEASURED, check_features, stages_of

MATCHING = {"trigger", "snapshots", "matcher", "results", "last_counted", "dumper"}
"""Stages of a build that matches on the chip."""
OPTIONAL = MATCHING | {"ring", "table", "records", "schedule", "code_tables", "stall"}
STAGES = {
    "ecp5": MATCHING | {"ring", "table", "records", "schedule"},
    "ecp5-12k": MATCHING,
    "hx8k": set(),
    "hx8k-counts": MATCHING,
    "up5k": set(),
    "up5k-counts": MATCHING,
}


@pytest.mark.parametrize("profile", PROFILES)
def test_a_build_has_the_stages_that_it_is_said_to_have(profile):
    assert _names(PROFILES[profile].geometry) & OPTIONAL == STAGES[profile]


def _names(geometry):
    """Return the names of a build's stages. Nothing is elaborated, which Amaranth warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedElaboratable)
        stages = stages_of(
            geometry,
            RegisterBank(geometry, 1),
            loop_clocks=0,
            datagrams=False,
            access=False,
            blocks=plain_blocks,
        )
        names = {name for name, _ in stages.there()}
        del stages
        gc.collect()
    return names


@pytest.mark.parametrize("name", boards.names())
def test_a_board_measures_all_kinds_with_all_that_belongs_to_them_or_rises_alone(name):
    geometry = boards.read(name).geometry
    check_features(geometry)
    assert geometry.features & MEASURED in (MEASURED, Feature(0))


@pytest.mark.parametrize("feature", MEASURED)
def test_a_part_of_what_a_build_measures_is_refused(feature):
    for features in (Feature.MATCH | feature, Feature.MATCH | MEASURED & ~feature):
        with pytest.raises(ValueError, match=r"features: \w+ without \w+; must be both, or no \w+"):
            check_features(Geometry(features=features))


def test_what_needs_events_or_a_matcher_is_refused_without():
    for features, names in (
        (MEASURED, "FALL without MATCH"),
        (ALL_FEATURES & ~Feature.EVENTS, "RING without EVENTS"),
        (Feature.SWEEP | Feature.MATCH, "SWEEP without FALL"),
    ):
        with pytest.raises(ValueError, match=f"features: {names}; must be both"):
            check_features(Geometry(features=features))
    with pytest.raises(ValueError, match="neither MATCH nor EVENTS"):
        check_features(Geometry(features=Feature.SIMULATED))
    with pytest.raises(ValueError, match="deep_depth: 256; must be 0 without EVENTS"):
        check_features(Geometry(features=Feature.MATCH, deep_depth=256))
