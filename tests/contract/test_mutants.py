"""The list of mutants: long enough, and each still applies and names a test of `make test`."""

import ast
import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LEAST = 20

_spec = importlib.util.spec_from_file_location("mutants", ROOT / "tools" / "mutants.py")
mutants = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = mutants
_spec.loader.exec_module(mutants)

FAULTS = mutants.load()


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


def test_a_fault_whose_text_is_gone_is_refused():
    gone = mutants.Fault("gone", "plexor_hdl/capture/edges.py", "no such text", "", "")
    with pytest.raises(ValueError, match="0 times"):
        gone.mutated(ROOT / "hdl")
