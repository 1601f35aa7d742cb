# SPDX-License-Identifier: Apache-2.0
"""The bulk generator against one step at a time."""

from plexor_sim.golden.random import Xorshift64


def one_at_a_time(state, count):
    """xorshift64 with the shifts of Marsaglia's paper, on plain integers."""
    states = []
    for _ in range(count):
        state ^= (state << 13) % 2**64
        state ^= state >> 7
        state ^= (state << 17) % 2**64
        states.append(state)
    return states


def test_the_first_state_from_1_is_as_worked_by_hand():
    # 1 ^ 1<<13 = 0x2001; ^ 0x2001>>7 = 0x2041; ^ 0x2041<<17 = 0x40822041.
    assert Xorshift64(1).take(1).tolist() == [0x40822041]


def test_blocks_continue_the_sequence():
    generator = Xorshift64(0x9E3779B97F4A7C15)
    taken = [state for count in (1, 0, 2, 37, 500, 460) for state in generator.take(count).tolist()]
    assert taken == one_at_a_time(0x9E3779B97F4A7C15, 1000)


def test_seed_0_acts_as_1():
    assert Xorshift64(0).take(5).tolist() == one_at_a_time(1, 5)
