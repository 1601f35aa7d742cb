# SPDX-License-Identifier: Apache-2.0
"""A run of the example coded.v, whose steps are known: 300 clocks of 20 ns each."""

import sys
from pathlib import Path

from plexor import cli

EXAMPLES = Path(__file__).resolve().parents[2] / "sim/plexor_sim/examples"
PROGRAM = Path(sys.executable).with_name("plexor")
STRIKES = 30
STEP_NS = 300 * 20


def measured(out: Path) -> Path:
    """Measure the example into a folder; return the folder."""
    options = f"--rate 10k --count {STRIKES} --channel irq=ch0 --channel done=ch1"
    codes = f"--code-wires ch2:ch3 --codes {EXAMPLES / 'names.toml'}"
    command = f"measure --dut {EXAMPLES / 'coded.toml'} {options} {codes} --json --out {out}"
    assert cli.main(command.split()) == 0
    return out
