# SPDX-License-Identifier: Apache-2.0
"""A cocotb test that sees every edge of the core's clock: a baseline of the simulator's speed.

CLOCKS is the number of clocks. Wall and CPU seconds are written to the file FIGURES.
"""

import os
import time
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

_WARM_UP_CLOCKS = 1000


@cocotb.test()
async def every_clock(dut: Any) -> None:
    """Wait for each rising edge of the clock in Python."""
    edge = RisingEdge(dut.clk)
    for _ in range(_WARM_UP_CLOCKS):
        await edge
    clocks = int(os.environ["CLOCKS"])
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    for _ in range(clocks):
        await edge
    wall_s, cpu_s = time.perf_counter() - wall_s, time.process_time() - cpu_s
    Path(os.environ["FIGURES"]).write_text(f"clocks {clocks}\nwall_s {wall_s}\ncpu_s {cpu_s}\n")
