# SPDX-License-Identifier: Apache-2.0
"""Codes: class and id fit into a code of any width, and come back."""

import pytest

from plexor.protocol.codes import LEAST_BITS, MOST_BITS, CodeClass, code_of, split_code


@pytest.mark.parametrize("bits", range(LEAST_BITS, MOST_BITS + 1))
def test_class_and_id_come_back_and_no_two_share_a_code(bits):
    found = {code_of(c, i, bits): (c, i) for c in range(16) for i in range(2 ** (bits - 4))}
    assert len(found) == 2**bits
    assert all(split_code(code, bits) == pair for code, pair in found.items())


@pytest.mark.parametrize(("code_class", "code_id"), [(16, 0), (-1, 0), (1, 64), (1, -1)])
def test_what_does_not_fit_is_refused_with_what_would(code_class, code_id):
    with pytest.raises(ValueError, match=r"must be 0 to (15|63)"):
        code_of(code_class, code_id, 10)


def test_the_classes_are_those_of_firmware_that_is_built():
    assert [member.value for member in CodeClass] == list(range(13))
