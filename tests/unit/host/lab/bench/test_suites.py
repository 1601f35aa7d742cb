# SPDX-License-Identifier: Apache-2.0
"""The suites' tables: numbers, ids and bases."""

import pytest

from plexor_lab.bench.suites import BASE, FURTHER, MOST_TEST, OSBENCH, SUITES, THREADMETRIC


@pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))
def test_each_test_has_a_number_and_an_id_of_its_own(suite):
    numbers = [test.number for test in suite.tests]
    assert numbers == list(range(len(numbers)))
    assert numbers[-1] <= MOST_TEST
    assert len({test.id for test in suite.tests}) == len(numbers)


@pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))
def test_what_is_subtracted_is_a_base_of_samples_of_the_same_kind(suite):
    assert suite.test(BASE).base is None
    for test in suite.tests:
        if test.base is not None:
            base = suite.test(test.base)
            assert base.base is None
            assert base.looped == test.looped


def test_suites_have_codes_of_their_own():
    assert len({suite.code for suite in SUITES.values()}) == len(SUITES)


def test_osbench_has_its_seven_groups_and_threadmetric_its_eight():
    assert {test.group for test in OSBENCH.tests} - {0} == set(range(1, 8))
    assert {test.group for test in THREADMETRIC.tests} - {0} == set(range(1, 9))


def test_a_number_that_no_test_has_is_a_key_error():
    with pytest.raises(KeyError):
        OSBENCH.test(MOST_TEST)


def test_further_tests_begin_where_the_ids_of_8_bits_end():
    assert FURTHER == 1 << 4


@pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))
def test_places_in_a_group_follow_each_other_from_1_and_a_base_has_0(suite):
    for group in {test.group for test in suite.tests}:
        own = [test for test in suite.tests if test.group == group]
        places = [test.place for test in own if test.base is not None]
        assert places == list(range(1, len(places) + 1))
        assert {test.place for test in own if test.base is None} <= {0}
