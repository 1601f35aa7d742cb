# SPDX-License-Identifier: Apache-2.0
"""Values come back as the device sent them, whatever comes between their parts."""

import numpy as np
import pytest

from plexor.figures.codes.values import values_of
from plexor.model.code_array import CODE_DTYPE

RUN, ISR, ENTER, SET = 1, 6, 8, 10


def parts(value, bits):
    """Return class and id of each part, as plexor_trace.h sends them."""
    width = bits - 4
    count = -(-32 // width)
    return [(11 + n % 2, value >> n * width & (1 << width) - 1) for n in range(count)]


def sent(codes, bits=8, gaps=(), torn=()):
    """Return the values of codes that are 10 ticks apart; gaps and torn ones by place."""
    array = np.zeros(len(codes), CODE_DTYPE)
    for place, (code_class, code_id) in enumerate(codes):
        array[place]["time_ticks"] = 10 * place
        array[place]["code"] = code_class << (bits - 4) | code_id
        array[place]["gap"] = place in gaps
        array[place]["torn"] = place in torn
    return values_of(array, bits)


@pytest.mark.parametrize("bits", range(6, 17))
@pytest.mark.parametrize("value", [0, 1, 0xFFFF_FFFF, 0xDEAD_BEEF, 0x8000_0000])
def test_a_value_of_32_bits_comes_back_from_any_width_of_codes(value, bits):
    assert sent(parts(value, bits), bits) == ((0, value),)


def test_each_value_has_the_time_of_its_first_part_and_others_may_come_between():
    codes = [(ISR, 1), *parts(7, 8)[:3], (ISR, 2), *parts(7, 8)[3:], *parts(250, 8)]
    assert sent(codes) == ((10, 7), (100, 250))


def test_a_part_that_is_missing_costs_values_until_the_program_sends_another_code():
    first = parts(0x12345678, 8)
    damaged = [*first[:4], *first[5:], *parts(9, 8)]
    assert sent([*damaged, (RUN, 1), *parts(3, 8)]) == ()
    for own in (ENTER, SET, 15):
        assert sent([*damaged, (own, 1), *parts(3, 8)]) == ((160, 3),)


@pytest.mark.parametrize("options", [{"gaps": (5,)}, {"torn": (5,)}])
def test_no_value_reaches_across_a_gap_or_a_torn_code(options):
    codes = [*parts(5, 8), *parts(6, 8), (SET, 1), *parts(7, 8)]
    assert sent(codes, **options) == ((170, 7),)


def test_a_programs_own_code_amid_a_value_does_not_cut_it():
    codes = parts(0xABCD, 8)
    assert sent([*codes[:3], (ENTER, 2), *codes[3:]]) == ((0, 0xABCD),)


def test_what_has_no_last_part_is_no_value():
    assert sent(parts(5, 8)[:-1]) == ()
