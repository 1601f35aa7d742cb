# SPDX-License-Identifier: Apache-2.0
"""The level behind each event."""

import numpy as np

from plexor.model.levels import with_levels
from plexor.model.results import EVENT_DTYPE
from plexor.model.settings import Channel, Settings

SOURCES = [8, 0, 1, 0, 1, 8, 0]
EVENTS = np.zeros(len(SOURCES), EVENT_DTYPE)
EVENTS["source"] = SOURCES
EVENTS["polarity"] = 1


def test_the_levels_of_a_pin_that_toggles_take_turns():
    settings = Settings(channels=(Channel(0, either=True), Channel(1)))
    assert with_levels(EVENTS, settings)["polarity"].tolist() == [1, 1, 1, 0, 1, 1, 1]
    assert EVENTS["polarity"].all()


def test_where_no_pin_toggles_the_events_are_the_same_array():
    assert with_levels(EVENTS, Settings(channels=(Channel(0),))) is EVENTS
