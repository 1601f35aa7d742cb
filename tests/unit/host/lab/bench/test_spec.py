# SPDX-License-Identifier: Apache-2.0
"""What a suite's run is asked: iterations within their bounds, of a suite that there is."""

import pytest

from plexor.base.errors import UsageError
from plexor_lab.bench.spec import BenchSpec


@pytest.mark.parametrize(("given", "number"), [(1, 1), ("20", 20), ("1M", 10**6)])
def test_iterations_are_numbers_or_texts(given, number):
    assert BenchSpec(suite="kernel", iterations=given).iterations == number


@pytest.mark.parametrize("given", [0, -1, 10**6 + 1, "2M"])
def test_iterations_out_of_range_are_refused(given):
    with pytest.raises(UsageError, match=f"{given}'?; must be"):
        BenchSpec(suite="kernel", iterations=given)


def test_another_suite_is_refused_with_those_that_there_are():
    with pytest.raises(UsageError, match="suite: 'dhrystone'; must be one of osbench, thread"):
        BenchSpec.of({"suite": "dhrystone"})
