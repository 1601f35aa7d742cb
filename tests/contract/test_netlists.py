# SPDX-License-Identifier: Apache-2.0
"""Every stage of hdl/ is in a board's netlist; what no board has is deleted."""

import ast
from functools import cache
from pathlib import Path

import pytest
from tools.gateware import board as boards

from plexor_hdl.instrument import Instrument

from . import designs

ROOT = Path(__file__).resolve().parents[2]
HDL = ROOT / "hdl" / "plexor_hdl"
BUILDERS = ("tools/gateware", "sim/plexor_sim", "soc/plexor_soc", "host/plexor")
"""What asks for the boards' designs, and works on what comes of them."""


@cache
def on_boards() -> frozenset[str]:
    """Return the classes of hdl/ in designs of boards, as file:class."""
    return frozenset(f"{one.__module__}:{one.__qualname__}" for one in designs.on_boards())


def module_of(path: Path) -> str:
    """Return the name of a file of hdl/."""
    return ".".join(path.relative_to(HDL.parent).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports_of(path: Path) -> set[str]:
    """Return the modules of hdl/ that a file takes something from."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("plexor_hdl"):
            # What is taken may be a module itself.
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def stages_of(path: Path) -> set[str]:
    """Return the classes of a file that become gateware."""
    return {
        f"{module_of(path)}:{node.name}"
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(one, ast.FunctionDef) and one.name == "elaborate" for one in node.body)
    }


FILES = {module_of(path): path for path in sorted(HDL.rglob("*.py")) if path.name != "__init__.py"}
STAGES = sorted(stage for path in FILES.values() for stage in stages_of(path))


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_is_in_the_netlist_of_a_board(stage):
    assert stage in on_boards()


def test_every_other_file_is_used_by_one_that_is_or_by_what_builds_boards():
    used = {stage.partition(":")[0] for stage in on_boards()}
    others = {name for name, path in FILES.items() if not stages_of(path)}
    for folder in BUILDERS:
        for path in (ROOT / folder).rglob("*.py"):
            used |= imports_of(path) & others
    while new := {each for name in used & FILES.keys() for each in imports_of(FILES[name])} - used:
        used |= new
    assert FILES.keys() - used == set()


def test_a_stage_that_no_board_has_would_be_found():
    few = designs.recorded([Instrument(boards.load("icebreaker-counts").geometry, 1)])
    assert {"Instrument", "PlainBins"} <= {one.__name__ for one in few}
    assert "Bins" not in {one.__name__ for one in few}
