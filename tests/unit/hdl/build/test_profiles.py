# SPDX-License-Identifier: Apache-2.0
"""Profiles: each is an instrument of its family, whose tick its clock can make."""

import importlib
from fractions import Fraction

import pytest

from plexor.protocol.geometry import Feature
from plexor_hdl.build import boards
from plexor_hdl.build.profiles import PROFILES
from plexor_hdl.front.phases import RATIO

each = pytest.mark.parametrize("name", PROFILES)


@each
def test_a_tick_is_a_sample_of_the_core_clock(name):
    profile = PROFILES[name]
    exact = Fraction(10**9, profile.core_mhz * profile.geometry.samples)
    assert abs(profile.geometry.tick_fs - exact) <= Fraction(1, 2)


@each
def test_samples_are_those_of_the_familys_front_end_whose_pll_can_make_its_clock(name):
    profile = PROFILES[name]
    family = importlib.import_module(f"plexor_hdl.front.{profile.family}")
    assert profile.geometry.phases == family.PHASES
    assert profile.geometry.samples == RATIO * family.PHASES
    # Each board of the profile has a reference of its own.
    used = [file for file in map(boards.read, boards.names()) if file.profile is profile]
    assert used
    for file in used:
        reference = Fraction(str(file.table["clock"]["mhz"]))
        family.Pll(reference, Fraction(RATIO * file.core_mhz)).dividers()


@each
def test_no_device_says_that_it_is_simulated_and_a_table_has_its_snapshots(name):
    features = PROFILES[name].geometry.features
    assert Feature.SIMULATED not in features
    assert Feature.SWEEP not in features or Feature.SNAPSHOT in features
    assert name.startswith(PROFILES[name].geometry.board)
