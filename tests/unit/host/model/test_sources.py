# SPDX-License-Identifier: Apache-2.0
"""Sources of events by name, and what a reference names."""

import pytest

from plexor.model.sources import source_name, source_of
from plexor.protocol.frames import SOURCE_STRIKE


def test_sources_have_the_names_of_their_pins():
    names = [source_name(source) for source in range(20)]
    assert names == [
        *(f"ch{n}" for n in range(8)),
        *(f"strike{n}" for n in range(8)),
        *("load", "step", "code", "code value"),
    ]


def test_a_reference_is_a_pin_or_a_code():
    assert source_of("code:uart") is None
    assert source_of("strike1") == SOURCE_STRIKE + 1


@pytest.mark.parametrize("wrong", ["code:", "nothing", ""])
def test_what_is_no_reference_is_refused(wrong):
    with pytest.raises(ValueError, match="must "):
        source_of(wrong)
