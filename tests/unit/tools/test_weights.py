# SPDX-License-Identifier: Apache-2.0
"""What an installation weighs."""

import pytest
from tools.weights import MODULES, weights


@pytest.mark.full
def test_the_host_stays_below_300_mb_with_the_live_page():
    found = {weight.extra: weight for weight in weights(("", "scope"))}
    assert found[""].megabytes < found["scope"].megabytes < 300
    assert set(found["scope"].import_s) == set(MODULES["scope"])
