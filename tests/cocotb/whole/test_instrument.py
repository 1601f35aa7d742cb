# SPDX-License-Identifier: Apache-2.0
"""The whole instrument, its device answering at any picosecond; whole_runs.py has the claims."""

from pathlib import Path

import pytest

from plexor_hdl.instrument import Instrument

from ..bench import check
from .plan import GATEWARE_HASH, SHORT_STRIKES, geometry_of

HERE = Path(__file__).parent


def measured(samples: int, strikes: int, runs: int, *steps: int) -> None:
    """Run the claims of whole_runs.py, so many runs of so many strikes.

    With `steps` the runs go through sweep tables of so many steps, in turn; 0 is no table.
    """
    environment = {"SAMPLES": str(samples), "STRIKES": str(strikes), "RUNS": str(runs)}
    environment["STEPS"] = " ".join(map(str, steps))
    instrument = Instrument(geometry_of(samples), GATEWARE_HASH)
    check(instrument, f"whole_{samples}", HERE / "whole_runs.py", environment=environment)


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("samples", [4, 8, 16])
def test_long_sweep_tables_are_what_the_golden_model_makes_of_the_pins(samples):
    measured(samples, 150, 8, 1, 2, 7, 64)


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("samples", [4, 8, 16])
def test_twenty_runs_are_what_the_golden_model_makes_of_the_pins(samples):
    measured(samples, strikes=1000, runs=20)


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("samples", [4, 8, 16])
def test_short_runs_faster_than_they_are_matched_are_what_the_golden_model_makes_of_them(samples):
    measured(samples, SHORT_STRIKES, 20, 0, 1)
