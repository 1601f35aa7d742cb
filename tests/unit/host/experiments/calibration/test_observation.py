# SPDX-License-Identifier: Apache-2.0
"""What counts as all that was to be seen."""

import numpy as np
import pytest

from plexor.experiments.calibration.observation import FreeEdges, Looped, LoopedEdges

NONE = np.zeros(0, np.int64)
ECHOES = {(0, 1): LoopedEdges(0, 0, NONE, NONE)}


def test_edges_are_those_of_all_batches_channels_and_ways():
    counts = {(0, 1): np.array([[1, 2], [3, 4]]), (1, 0): np.array([[10, 20]])}
    assert FreeEdges(counts, 0).edges == 40
    assert FreeEdges({}, 0).edges == 0


@pytest.mark.parametrize(
    ("received", "echoes", "complete"),
    [(7, ECHOES, True), (6, ECHOES, False), (8, ECHOES, False), (7, {}, False)],
)
def test_strikes_are_complete_where_each_edge_of_every_source_came(received, echoes, complete):
    assert Looped({0: 3, 8: 4}, received, echoes).complete == complete
