"""On-chip results do not depend on the link: idle, streaming, stalled, deaf or cut."""

from __future__ import annotations

import pytest
from bench import SMALL
from links import SCENARIOS, Subject, assert_same, deaf, idle, left_by

SUBJECT = Subject(
    "synthetic:seed=5,latency=uniform:50000:400000,ch0.width=100000,ch1.latency=30000", SMALL, 1000
)


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    return left_by(SUBJECT, idle, 3000, tmp_path_factory.mktemp("idle"))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_results_and_pins_are_the_same_whatever_the_link_does(scenario, quiet, tmp_path):
    assert len(quiet.truth) == 16 * 3000 * 6
    left = left_by(SUBJECT, SCENARIOS[scenario], 3000, tmp_path)
    assert_same(left, quiet)
    assert (left.upload_dropped > 0) == (scenario == "stalled")


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_many_results_are_the_same_whatever_the_link_does(tmp_path):
    reference = left_by(SUBJECT, idle, 100_000, tmp_path)
    for scenario in (*SCENARIOS.values(), deaf):
        left = left_by(SUBJECT, scenario, 100_000, tmp_path)
        assert_same(left, reference)
        assert (left.upload_dropped > 0) == (scenario in (SCENARIOS["stalled"], deaf))
