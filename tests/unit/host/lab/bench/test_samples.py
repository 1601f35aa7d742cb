# SPDX-License-Identifier: Apache-2.0
"""Codes as samples: pairs, what is between, what the firmware says, and what does not match."""

import numpy as np

from plexor_lab.bench.samples import Announced, samples_of

from .planted import BITS, DONE, ISR_ENTER, Script, announced, begin, end, report, suite_run, words


def of(script):
    return samples_of(script.codes(), BITS)


def ticks(found, test):
    return [sample.ticks for sample in found.samples.get(test, ())]


def test_a_sample_lasts_from_its_begin_to_its_end():
    found = of(Script().lasts(3, 250).lasts(3, 40).lasts(17, 9))
    assert ticks(found, 3) == [250, 40]
    assert ticks(found, 17) == [9]
    assert (found.unmatched, found.gaps, found.announced) == (0, 0, None)


def test_what_the_firmware_says_of_itself_is_read():
    found = of(suite_run(iterations=2))
    assert found.announced == Announced(3, 2, 100, 50_000_000, counts_itself=False)
    assert found.counters == {0: (2,), 1: (2,)}
    assert found.is_done


def test_counters_of_all_sizes_are_read():
    counters = (0, 1, 0xF0F0F0F0, 0xFFFFFFFF, 0x12345678)
    assert of(Script().say(report(2, *counters))).counters == {2: counters}


def test_an_interrupt_between_the_parts_of_a_value_does_no_harm():
    codes = report(2, 0xABCDEF01)
    codes[9:9] = [(ISR_ENTER, 15), (7, 15)]
    assert of(Script().say(codes)).counters == {2: (0xABCDEF01,)}


def test_cycles_behind_an_end_belong_to_its_sample():
    found = of(Script().lasts(1, 50).say(words(77)).lasts(1, 60).lasts(1, 70).say(words(99)))
    assert [sample.own_cycles for sample in found.samples[1]] == [77, None, 99]


def test_codes_between_are_kept_with_their_sample():
    found = of(suite_run())
    first, second = found.samples[1]
    assert [(code.code_class, code.number) for code in first.between] == [(ISR_ENTER, 3)]
    assert second.between == ()


def test_the_first_whole_pass_is_taken():
    one, other = suite_run(), Script()
    other.lasts(1, 999).say(DONE)
    other.rows += [(time + 5000, code) for time, code in one.rows]
    other.now = 50_000
    other.say(announced(3, 2)).lasts(1, 888)
    assert ticks(of(other), 1) == [140, 170]


def test_without_an_end_of_the_pass_it_is_not_done():
    found = of(Script().say(announced(1, 5)).lasts(1, 30))
    assert not found.is_done
    assert ticks(found, 1) == [30]


def test_begins_and_ends_without_a_partner_are_counted_and_no_sample():
    found = of(Script().say([begin(1), begin(2), end(2), end(2), begin(3), end(4)]))
    assert list(found.samples) == [2]
    # The first begin, the second end of 2, begin 3 and end 4.
    assert found.unmatched == 4


def test_a_begin_that_is_open_at_the_end_is_counted():
    assert of(Script().lasts(1, 5).say([begin(1)])).unmatched == 1


def test_no_sample_spans_a_gap():
    script = Script().lasts(1, 30).lasts(1, 40).lasts(1, 50)
    codes = script.codes()
    codes["gap"][3] = True
    found = samples_of(codes, BITS)
    assert ticks(found, 1) == [30, 50]
    assert (found.gaps, found.unmatched) == (1, 1)


def test_a_torn_code_is_no_code():
    script = Script().lasts(1, 30).lasts(1, 40)
    codes = script.codes()
    codes["torn"][2] = True
    found = samples_of(codes, BITS)
    assert ticks(found, 1) == [30]
    assert found.gaps == 1


def test_codes_of_16_bits_have_values_of_three_parts():
    parts = [(11, 0x678), (12, 0x345), (11, 0x12)]
    head = [(11, 2), (12, 0), (11, 0)], [(11, 1), (12, 0), (11, 0)]
    script = Script().say([(10, 1), *head[0], *head[1], *parts])
    codes = script.codes()
    codes["code"] = np.array([kind << 12 | number for _, (kind, number) in script.rows])
    assert samples_of(codes, 16).counters == {2: (0x12345678,)}


def test_a_value_without_a_sample_before_it_belongs_to_none():
    found = of(Script().say(words(77)).lasts(0, 50).say(words(5)).lasts(1, 60).say(words(6)))
    assert [sample.own_cycles for sample in found.samples[0]] == [5]
    assert [sample.own_cycles for sample in found.samples[1]] == [6]


def test_an_end_that_comes_first_ends_nothing():
    found = of(Script().say(DONE).lasts(1, 30))
    assert (ticks(found, 1), found.is_done) == ([30], False)
