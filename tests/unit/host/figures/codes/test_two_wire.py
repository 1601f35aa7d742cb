# SPDX-License-Identifier: Apache-2.0
"""Two-wire codes: each is read with its time, and what is missing is never guessed."""

import numpy as np
import pytest

from plexor.figures.codes.two_wire import two_wire

from ...coded import BIT_TICKS, BITS, CLOCK, DATA, edges

WORD_TICKS = BITS * BIT_TICKS


def random_codes(count: int, seed: int, bits: int = BITS) -> list[tuple[int, int]]:
    rng = np.random.default_rng(seed)
    times = 100 + np.cumsum(rng.integers(WORD_TICKS, 9 * WORD_TICKS, count))
    return list(zip(times.tolist(), rng.integers(0, 1 << bits, count).tolist(), strict=True))


@pytest.mark.parametrize("bits", [6, 10, 16])
def test_each_code_has_its_value_and_the_time_of_its_first_clock_edge(bits):
    planted = random_codes(500, bits, bits)
    found = two_wire(edges(planted, bits), CLOCK, DATA, bits)
    assert list(zip(found["time_ticks"].tolist(), found["code"].tolist(), strict=True)) == planted
    assert not found["torn"].any()
    assert not found["gap"].any()


def test_codes_without_a_pause_between_them_are_read():
    planted = [(100 + n * WORD_TICKS, n * 257 % 65536) for n in range(200)]
    found = two_wire(edges(planted), CLOCK, DATA, BITS)
    assert list(zip(found["time_ticks"].tolist(), found["code"].tolist(), strict=True)) == planted


def test_equal_codes_are_as_many_as_were_sent():
    found = two_wire(edges([(100 + 2 * n * WORD_TICKS, 0) for n in range(9)]), CLOCK, DATA, BITS)
    assert found["code"].tolist() == [0] * 9
    assert not found["torn"].any()


def test_what_is_lost_makes_a_code_torn_and_never_wrong_without_that_mark():
    rng = np.random.default_rng(3)
    planted = random_codes(400, 4)
    whole = edges(planted)
    truth = dict(planted)
    for _ in range(40):
        kept = np.ones(len(whole), np.bool_)
        for first in rng.integers(0, len(whole), 6).tolist():
            kept[first : first + int(rng.integers(1, 60))] = False
        found = two_wire(whole[kept], CLOCK, DATA, BITS)
        sound = found[~found["torn"]]
        assert all(truth.get(e["time_ticks"]) == e["code"] for e in sound)
        assert len(sound) > 100
        assert found["gap"].any()


def test_without_a_clock_edge_there_is_no_code():
    assert len(two_wire(edges([]), CLOCK, DATA, BITS)) == 0


def test_what_is_missing_before_the_last_clock_edge_does_not_touch_the_code_behind_the_pause():
    whole = edges([(100, 0x5A5A), (100 + 20 * WORD_TICKS, 0x9234)])
    rises = np.flatnonzero((whole["source"] == CLOCK) & (whole["polarity"] == 1))
    kept = np.ones(len(whole), np.bool_)
    kept[rises[BITS - 2] + 1 : rises[BITS - 1]] = False
    assert not kept.all()
    found = two_wire(whole[kept], CLOCK, DATA, BITS)
    assert found["torn"].tolist() == [True, False]
    assert found["code"][1] == 0x9234


def test_the_first_edge_of_the_data_tells_its_level_behind_a_gap_too():
    whole = edges([(100, 0), (100 + 20 * WORD_TICKS, 0x9234), (100 + 40 * WORD_TICKS, 0x8001)])
    (first,) = np.flatnonzero(whole["source"] == DATA)[:1]
    # The last edges before it are the clock's, up and down.
    lost = first - 3
    found = two_wire(np.delete(whole, lost), CLOCK, DATA, BITS)
    assert found["code"].tolist() == [0, 0x9234, 0x8001]
    assert found["torn"].tolist() == [True, False, False]
    # Without that edge nobody knows what the data's level is.
    assert two_wire(np.delete(whole, [lost, first]), CLOCK, DATA, BITS)["torn"][1]
