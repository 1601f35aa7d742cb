# SPDX-License-Identifier: Apache-2.0
"""The codes of a run come by its settings."""

from dataclasses import replace

import pytest

from plexor.figures.codes.of_run import codes_of
from plexor.model.codes import Codes, Port

from ...coded import BITS, array, coded_run
from ...runs import run

PLANTED = [(1000, 6, 0), (3000, 7, 0), (5000, 1, 3)]


def test_codes_are_read_from_the_wires_of_the_settings():
    codes, found = codes_of(coded_run(PLANTED, 9000))
    assert codes.bits == 16
    assert found["code"].tolist() == [0x6000, 0x7000, 0x1003]
    assert found["time_ticks"].tolist() == [1000, 3000, 5000]


def test_a_word_that_no_code_fits_is_torn():
    run_of = coded_run([(1000, 0, 5), (3000, 6, 0)], 9000)
    assert run_of.settings.codes is not None
    narrow = replace(run_of.settings, codes=replace(run_of.settings.codes, bits=10))
    _, found = codes_of(replace(run_of, settings=narrow))
    assert found["torn"].tolist() == [False, True]


def test_codes_of_a_port_are_those_that_came():
    planted = array([(100, 6, 0), (900, 7, 0)])
    at_port = coded_run([], 9000)
    settings = replace(at_port.settings, codes=Codes(port=Port(), bits=BITS))
    codes, found = codes_of(replace(at_port, settings=settings, codes=planted))
    assert codes.bits == BITS
    assert found.tolist() == planted.tolist()


def test_a_run_without_codes_or_events_says_what_to_do():
    plain, _ = run()
    with pytest.raises(ValueError, match="measure it with --code-port or --code-wires"):
        codes_of(plain)
    with pytest.raises(ValueError, match="measure it with --mode stream"):
        codes_of(replace(coded_run(PLANTED, 9000), events=None))
