# SPDX-License-Identifier: Apache-2.0
"""Codes of FreeRTOS through the whole instrument, against what its core retired."""

import itertools

import pytest

from .kernel_codes import received, told

CLOCK_PS, TICK_PS = 8000, 500


@pytest.mark.parametrize(
    ("strikes", "most_codes"),
    [(60, 300), pytest.param(18_000, 100_000, marks=pytest.mark.full)],
)
def test_each_code_is_its_store_one_clock_of_the_pins_later(tmp_path, strikes, most_codes):
    found = told(tmp_path, "codes=port", rate="18k", count=strikes)
    truth = found.within(CLOCK_PS)
    assert len(truth) > most_codes
    assert all(one[1] != other[1] for one, other in itertools.pairwise(truth))
    assert received(found.run) == truth
    assert found.run.result.valid
    codes = found.run.result.codes
    assert not (codes["torn"] | codes["gap"]).any()


def test_a_strobed_code_has_its_time_to_the_tick(tmp_path):
    found = told(tmp_path, "codes=strobed", port="ch7", rate="18k", count=60)
    truth = found.within(TICK_PS)
    assert len(truth) > 300
    assert received(found.run) == truth


def test_times_in_all_states_sum_to_the_run(tmp_path):
    found = told(tmp_path, "codes=port", rate="18k", count=20)
    document = found.run.timeline().document()
    assert {"strike0", "idle", "tick", "external"} <= {e["name"] for e in document["lanes"]}
    for lane in document["lanes"]:
        assert sum(lane["time_ticks"].values()) == document["length_ticks"]
