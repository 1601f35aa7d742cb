# SPDX-License-Identifier: Apache-2.0
"""Each sample of each test of each suite, against the retired instructions of its core."""

import pytest

from plexor_lab.bench.suites import SUITES

from .benched import benched

FULL = [pytest.param(suite, 1000, marks=pytest.mark.full) for suite in SUITES]


@pytest.mark.parametrize(
    ("suite", "iterations"),
    [
        *(
            pytest.param(suite, 12, marks=pytest.mark.full if suite == "osbench" else ())
            for suite in SUITES
        ),
        *FULL,
    ],
)
def test_each_sample_is_the_time_between_the_retirements_of_its_two_stores(
    tmp_path, suite, iterations
):
    found = benched(tmp_path, suite, iterations)
    assert found.bench.reasons == ()
    assert set(found.spans_ps) == {test.number for test in SUITES[suite].tests}
    for test, spans_ps in found.spans_ps.items():
        assert len(spans_ps) >= iterations, test
    assert found.samples_ps() == found.spans_ps
