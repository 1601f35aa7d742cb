# SPDX-License-Identifier: Apache-2.0
"""Lists of mutants: each still applies, and names a test of `make test`."""

import ast
import re
from pathlib import Path

import pytest
from tools.mutants import gateware, host
from tools.twin.planted import planted

from plexor_sim.twin.build import TWIN_SOURCES

ROOT = Path(__file__).resolve().parents[2]
LEAST = 20
FAULTS = gateware.load()
TWIN_LEAST = 100
TWIN_FAULTS = gateware.load(gateware.FAULTS / "twin")


def test_there_are_enough_faults_with_names_of_their_own():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= LEAST


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_applies_in_one_place_and_is_python(fault):
    ast.parse(fault.mutated(ROOT / "hdl"))
    assert fault.new != fault.old


@pytest.mark.parametrize("test", sorted({fault.test for fault in FAULTS}))
def test_the_test_of_a_fault_is_one_of_make_test(test):
    path, _, name = test.partition("::")
    functions = {
        node.name: [ast.unparse(decorator) for decorator in node.decorator_list]
        for node in ast.parse((ROOT / path).read_text()).body
        if isinstance(node, ast.FunctionDef)
    }
    marks = functions[re.sub(r"\[.*", "", name)]
    assert not {"pytest.mark.full", "pytest.mark.hardware"} & set(marks)


def test_there_are_enough_faults_of_the_twin_in_all_its_sources():
    assert len({fault.name for fault in TWIN_FAULTS}) == len(TWIN_FAULTS) >= TWIN_LEAST
    sources = {Path(fault.file).stem for fault in TWIN_FAULTS}
    assert sources >= {path.stem for path in TWIN_SOURCES.glob("*.cpp")}


def test_each_fault_of_the_twin_applies_in_one_place_and_names_a_measurement():
    measurements = planted()
    for fault in TWIN_FAULTS:
        assert fault.mutated(TWIN_SOURCES) != (TWIN_SOURCES / fault.file).read_text()
        assert fault.test in measurements, fault.name


def test_a_fault_whose_text_is_gone_is_refused():
    gone = gateware.Fault("gone", "plexor_hdl/capture/edges.py", "no such text", "", "")
    with pytest.raises(ValueError, match="0 times"):
        gone.mutated(ROOT / "hdl")


def test_each_fault_of_the_host_that_is_called_equivalent_is_still_one_that_can_be_drawn():
    every = {
        fault.name
        for files in host.rooms().values()
        for path in files
        if any(name.startswith(f"{path.relative_to(host.HOST)}:") for name in host.equivalent())
        for fault in host.every(path)
    }
    assert set(host.equivalent()) <= every
    assert all(host.equivalent().values())
