# SPDX-License-Identifier: Apache-2.0
"""Runs of many strikes, at Verilator's speed; long_runs.py has the claims.

Their short form is in tests/unit/hdl/stimulus: to compile one takes longer than all of these.
"""

from pathlib import Path

import pytest
from amaranth.hdl import Shape

from plexor.protocol.geometry import TRIGGER_CLOCKS, Geometry
from plexor.protocol.registers import STIMULUS
from plexor_hdl.interfaces import block_layout
from plexor_hdl.stimulus.stimulus import Stimulus

from ..bench import BUILD, run, verilog

HERE = Path(__file__).parent
PUBLIC = {
    "strike_monitor": (
        *("settings", "start", "target"),
        *("seen", "seen_ticks", "rises", "widest", "narrowest"),
    )
}


def long_runs(samples: int, strikes: int) -> None:
    """Run the claims of long_runs.py with so many strikes."""
    geometry = Geometry(samples=samples)
    source = verilog(Stimulus(geometry, 0), "stimulus", BUILD / f"stimulus-{samples}")
    run(
        "strike_monitor",
        [source, HERE / "strike_monitor.v"],
        HERE / "long_runs.py",
        public=PUBLIC,
        parameters={
            "W": samples,
            "STRIKES": geometry.strikes,
            "CONFIG_BITS": Shape.cast(block_layout(STIMULUS)).width,
            "START_TO_PHASE": TRIGGER_CLOCKS,
        },
        environment={"STRIKES": str(strikes)},
    )


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("samples", [4, 8, 16])
def test_strikes_are_exact_to_the_tick_over_10_million(samples):
    long_runs(samples, 10**7)
