# SPDX-License-Identifier: Apache-2.0
"""The page of a suite's run."""

import re

from plexor_lab.bench.bench import Bench

from ...pictures import texts_of_page
from .planted import DONE, Script, suite_run


def page_of(run, iterations=2):
    return Bench(run, "kernel", iterations=iterations).page()


def test_the_page_has_the_figures_of_the_text_and_is_labelled_simulated():
    bench = Bench(suite_run().run(), "kernel", iterations=2)
    shown = texts_of_page(bench.page())
    for line in bench.text().splitlines():
        if re.match(r"1\.01 +2 ", line):
            assert all(word in shown for word in re.split(r" {2,}", line.strip()))
            break
    else:
        raise AssertionError("the text has no row of 1.01")
    assert "simulated" in shown
    assert "yield, until the other task of this priority runs" in shown


def test_tiles_name_the_slowest_test_and_the_longest_sample():
    # 140 and 170 ticks of 0.5 ns, less the base of 40.
    shown = texts_of_page(page_of(suite_run().run()))
    tick_ns = Bench(suite_run().run(), "kernel").run.tick_fs / 10**6
    found = shown[shown.index("max seen") + 1].replace("\N{NO-BREAK SPACE}", " ")
    assert found == f"{130 * tick_ns:g} ns"


def test_figures_that_prove_nothing_are_told_before_all_others():
    shown = texts_of_page(page_of(suite_run().run(), iterations=3))
    first = shown.index("Invalid: these figures prove nothing")
    assert first < shown.index("max seen")


def test_a_run_without_an_operation_has_its_reason_and_no_empty_picture():
    content = page_of(Script().say(DONE).run())
    assert "no operation was seen" in content
    assert "<figure" not in content
    assert "<table" not in content
