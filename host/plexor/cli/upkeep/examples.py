# SPDX-License-Identifier: Apache-2.0
"""`plexor examples`: the examples in a folder of the user's."""

from __future__ import annotations

import shlex
from pathlib import Path

from plexor.library.upkeep.examples import copy_examples


def examples(folder: Path) -> None:
    """Copy the examples, and say what to do with them."""
    files = copy_examples(folder)
    for path in files:
        print(path)
    design = shlex.quote(str(folder / "irq.toml"))
    print(f"Try: plexor measure --dut {design} --rate 20k --count 2k")
