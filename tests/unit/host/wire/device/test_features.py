# SPDX-License-Identifier: Apache-2.0
"""What a user is told of a feature that an instrument has not got."""

import pytest

from plexor.protocol.geometry import Feature, Geometry
from plexor.wire.device.features import ABOUT, board_of, lack, refusal

BARE = Geometry(features=Feature(0), board="ice")


def test_every_feature_of_a_board_has_a_name_and_what_to_do_without_it():
    # That an instrument is simulated is nothing that a board could have.
    assert set(ABOUT) == set(Feature) - {Feature.SIMULATED}
    assert len({about.name for about in ABOUT.values()}) == len(ABOUT)


@pytest.mark.parametrize("feature", list(ABOUT))
def test_a_refusal_says_what_whose_which_and_what_to_do(feature):
    said = refusal(BARE, feature, "strike0.burst")
    begin = f"strike0.burst: board ice was built without {feature.name}, "
    assert said == f"{begin}{ABOUT[feature].name}; {ABOUT[feature].without}"
    assert lack(BARE, feature) in said


def test_an_instrument_without_a_boards_name_is_this_one():
    assert board_of(Geometry(board="")) == "this instrument"
    assert board_of(BARE) == "board ice"
