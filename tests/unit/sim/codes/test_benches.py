# SPDX-License-Identifier: Apache-2.0
"""Firmware of the suites: the names of its tests, and that its options reach it."""

import re
from pathlib import Path

import pytest

from plexor.figures.codes.names import names_of
from plexor.protocol.codes import CodeClass
from plexor_lab.bench.suites import CLASS_BEGIN, FURTHER, SUITES
from plexor_sim.packages import default_cache
from plexor_sim.riscv import BENCHES, ELF_FILE, riscv_device

BENCH = Path(__file__).resolve().parents[4] / "sim/plexor_sim/firmware/bench"
MOST_LINES = 400


def image(**options):
    build = riscv_device("freertos", default_cache(), {"codes": "port", **options})
    return Path(build.options["firmware"])


@pytest.mark.parametrize("suite", BENCHES)
def test_the_firmware_names_the_tests_that_the_host_knows(suite):
    names = names_of(image(program=suite).with_name(ELF_FILE))
    first = {CodeClass.ENTER: 0, CLASS_BEGIN: FURTHER}
    found = {
        first[entry.code_class] + entry.code_id: entry.name
        for entry in names
        if entry.code_class in first
    }
    assert found == {test.number: test.title for test in SUITES[suite].tests}


def test_the_suites_are_those_of_the_host():
    assert set(BENCHES) == set(SUITES)


def test_numbers_and_states_are_those_of_the_host():
    header = (BENCH / "bench.h").read_text()
    codes = dict(re.findall(r"SUITE_(\w+) = (\d+)", header))
    assert codes == {name.upper(): str(suite.code) for name, suite in SUITES.items()}


@pytest.mark.parametrize("option", [{"iterations": "7"}, {"self": "1"}])
def test_an_option_makes_another_image(option):
    assert image(program="kernel", **option) != image(program="kernel")


@pytest.mark.parametrize("option", [{"iterations": "7"}, {"self": "1"}])
def test_another_program_does_not_take_the_options_of_a_suite(option):
    ((name, value),) = option.items()
    with pytest.raises(ValueError, match=f"{name}={value}: program=calls does not take it"):
        image(program="calls", **option)
    with pytest.raises(ValueError, match=f"{name}={value}: program=strikes does not take it"):
        image(**option)


def test_only_the_board_file_knows_the_board():
    for source in BENCH.glob("*.[ch]"):
        text = source.read_text()
        assert text.count("\n") <= MOST_LINES
        if source.name != "board.h":
            assert not re.search(r"\b(soc\.h|rtos\.h|CSR_|REGISTER|STORM|STRIKE)", text), source
