# SPDX-License-Identifier: Apache-2.0
"""docs/features.md is what the builds have; a refusal for want of a feature names the board."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tools.features import HOST, NO, PAGE, YES, cell, document

from plexor import cli
from plexor.cli.defaults import options_of
from plexor.model.on_host import COMPUTED, MATCHED
from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.wire.device.features import ABOUT, board_of, refusal
from plexor_hdl.build import boards

ROOT = Path(__file__).parents[2]


def test_features_md_is_fresh():
    assert PAGE.read_text() == document(), "run: make features"


def test_every_feature_has_a_name_and_what_to_do_without_it():
    assert set(ABOUT) == set(Feature) - {Feature.SIMULATED}
    assert all(about.name and about.without for about in ABOUT.values())
    assert len({about.name for about in ABOUT.values()}) == len(ABOUT)


def test_the_page_says_of_every_board_and_feature_what_its_build_has():
    lines = PAGE.read_text().splitlines()
    head = [part.strip() for part in next(x for x in lines if "`icebreaker`" in x).split("|")]
    for name in boards.names():
        (place,) = [n for n, part in enumerate(head) if f"`{name}`" in part.split(", ")]
        features = boards.read(name).geometry.features
        for feature in ABOUT:
            line = next(line for line in lines if f"({feature.name})" in line)
            found = line.split("|")[place].strip()
            assert (found == YES) == (feature in features), (name, feature)


def test_what_the_host_computes_from_events_is_told_apart():
    events = Geometry(features=Feature.EVENTS)
    counting = Geometry(features=Feature.EVENTS | Feature.MATCH)
    for feature in set(ABOUT) - {Feature.EVENTS, Feature.MATCH}:
        assert cell(events, feature) == (HOST if feature in MATCHED else NO)
        assert cell(counting, feature) == (HOST if feature in COMPUTED else NO)
        assert cell(Geometry(features=Feature.MATCH), feature) == NO
        whole = Geometry(code_bits=8, features=ALL_FEATURES | Feature.CODES)
        assert cell(whole, feature) == YES
    assert not COMPUTED & Feature.DITHER


@pytest.mark.parametrize("feature", ABOUT)
def test_a_refusal_names_the_board_the_feature_and_what_to_do(feature):
    geometry = replace(Geometry(), board="hx8kevn", features=Feature(0))
    assert refusal(geometry, feature, "strike0.dither") == (
        f"strike0.dither: board hx8kevn was built without {feature.name}, {ABOUT[feature].name}; "
        f"{ABOUT[feature].without}"
    )
    assert board_of(replace(geometry, board="")) == "this instrument"


def test_options_that_refusals_name_are_those_of_commands():
    known = {option for _, command in cli.every_command() for option in options_of(command)}
    for about in ABOUT.values():
        for option in re.findall(r"--([a-z-]+)", about.without):
            assert option in known, option


def test_no_other_text_of_the_host_says_what_a_build_lacks():
    here = ROOT / "host" / "plexor"
    said = {p.name for p in here.rglob("*.py") if "built without" in p.read_text()}
    assert said - {"document.py"} == {"features.py"}
