# SPDX-License-Identifier: Apache-2.0
"""The numbers of a sweep are read, and put where they go."""

import pytest

from plexor.base.errors import UsageError
from plexor_lab.bound.swept import at_n, swept_ns


def test_each_number_is_taken_once_and_in_order():
    assert swept_ns("N=0,13, 50,13") == (0, 13, 50)
    assert swept_ns("N=7") == (7,)


@pytest.mark.parametrize("text", ["", "13", "n=1", "N", "N=", "N=1,", "N=-1", "N=1.5", "N=1;2"])
def test_what_is_no_list_of_numbers_is_refused(text):
    with pytest.raises(UsageError, match=r"must be such as N=0,1,13,50"):
        swept_ns(text)


def test_n_goes_wherever_it_is_left_room_for():
    assert at_n("freertos:blocks={N},seed={N}", 13) == "freertos:blocks=13,seed=13"
