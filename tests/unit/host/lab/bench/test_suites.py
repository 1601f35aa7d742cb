# SPDX-License-Identifier: Apache-2.0
"""The suites' tables: numbers, ids and bases."""

import re
from pathlib import Path

import pytest

from plexor_lab.bench.samples import samples_of
from plexor_lab.bench.suites import BASE, FURTHER, MOST_TEST, OSBENCH, SUITES, THREADMETRIC

from .planted import BITS, Script, words

PAGE = (Path(__file__).parents[5] / "docs" / "do" / "bench.md").read_text()


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


def test_the_page_has_each_suite_with_its_code_and_its_last_test():
    rows = re.findall(r"^\| (\d+) \| (\w+) \| 0 to (\d+)", PAGE, re.MULTILINE)
    assert [(int(code), name, int(last)) for code, name, last in rows] == [
        (suite.code, suite.name, suite.tests[-1].number) for suite in SUITES.values()
    ]


def test_codes_by_the_table_of_the_page_are_read_as_it_says():
    assert "| 10, 0 | the suite begins | suite, iterations, operations in a loop, cycles" in PAGE
    assert "| 8, test; 13, test less 16 |" in PAGE
    assert "| 9, test; 14, test less 16 |" in PAGE
    begins = [(10, 0), *(code for value in (3, 1, 100, 50, 1) for code in words(value))]
    script = Script().say([*begins, (8, 2), (9, 2), *words(77), (13, 1), (14, 1)])
    found = samples_of(
        script.say([(10, 1), *words(2), *words(1), *words(9), (10, 2)]).codes(), BITS
    )
    announced = found.announced
    assert announced is not None
    assert (announced.suite, announced.looped, announced.counts_itself) == (3, 100, True)
    assert found.samples[2][0].own_cycles == 77
    assert len(found.samples[17]) == 1
    assert (found.counters, found.is_done) == ({2: (9,)}, True)
