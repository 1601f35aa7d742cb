# SPDX-License-Identifier: Apache-2.0
"""Codes of FreeRTOS on two wires through the whole instrument, against what its core retired."""

import pytest

from .kernel_wires import received, told


@pytest.mark.parametrize(
    ("strikes", "most_codes"),
    [(60, 300), pytest.param(18_000, 100_000, marks=pytest.mark.full)],
)
def test_each_code_is_its_store_and_its_time_is_that_of_its_first_edge(
    tmp_path, strikes, most_codes
):
    found = told(tmp_path, "codes=two-wire", rate="5k", count=strikes)
    truth = found.sent
    assert len(truth) > most_codes
    assert found.run.result.valid
    # The run's end may cut the last one.
    assert received(found.run)[: len(truth) - 1] == truth[:-1]


def test_times_in_all_states_sum_to_the_run(tmp_path):
    found = told(tmp_path, "codes=two-wire", rate="5k", count=20)
    document = found.run.timeline().document()
    assert {"strike0", "idle", "tick", "external"} <= {e["name"] for e in document["lanes"]}
    for lane in document["lanes"]:
        assert sum(lane["time_ticks"].values()) == document["length_ticks"]
