# SPDX-License-Identifier: Apache-2.0
"""The ECP5's PLL: dividers within the data sheet's limits, and outputs an eighth apart."""

from fractions import Fraction

import pytest
from amaranth.hdl import Module, Signal

from plexor_hdl.front import ecp5
from plexor_hdl.front.ecp5 import Pll

from .cells import cells_of

# FPGA-DS-02012, "sysCLOCK PLL Timing".
VCO_MHZ, DETECTOR_MHZ = (400, 800), (10, 400)
REFERENCES = [12, 25, Fraction(100, 3), 48, 100]


def possible(reference, fast):
    """Say whether any dividers make one clock of the other: feedback is output CLKOP."""
    detectors = [reference / divider for divider in range(1, 129)]
    return any(
        fast % detector == 0 and DETECTOR_MHZ[0] <= detector <= DETECTOR_MHZ[1]
        for detector in detectors
    ) and any(VCO_MHZ[0] <= fast * output <= VCO_MHZ[1] for output in range(1, 129))


@pytest.mark.parametrize("reference", REFERENCES, ids=str)
def test_dividers_are_exact_and_within_limits_wherever_there_are_any(reference):
    made = 0
    for fast in [*range(20, 401, 7), 240, 250, 320, 96, 375]:
        pll = Pll(Fraction(reference), Fraction(fast))
        if not possible(Fraction(reference), Fraction(fast)):
            with pytest.raises(ValueError, match=f"clock: {fast:g} MHz cannot be made"):
                pll.dividers()
            continue
        made += 1
        down, feedback, output = pll.dividers()
        assert Fraction(reference) / down * feedback == fast
        assert DETECTOR_MHZ[0] <= Fraction(reference) / down <= DETECTOR_MHZ[1]
        assert VCO_MHZ[0] <= fast * output <= VCO_MHZ[1]
    assert made


@pytest.mark.parametrize(("reference", "fast"), [(25, 250), (48, 240), (100, 200), (25, 100)])
def test_the_cells_outputs_are_an_eighth_of_a_period_apart(reference, fast):
    m, pin = Module(), Signal(name="pin")
    pll = Pll(Fraction(reference), Fraction(fast))
    ecp5.add_pll(m, pin, pll)
    (cell,) = cells_of(m, pin)["EHXPLLL"]
    vco_mhz = Fraction(reference, cell["CLKI_DIV"]) * cell["CLKFB_DIV"] * cell["CLKOP_DIV"]
    assert VCO_MHZ[0] <= vco_mhz <= VCO_MHZ[1]
    for number, name in enumerate(("CLKOP", "CLKOS", "CLKOS2", "CLKOS3")):
        assert vco_mhz / cell[f"{name}_DIV"] == fast
        # FPGA-TN-02200: whole periods of the VCO from DIV - 1 on, and eighths of one.
        periods = cell[f"{name}_CPHASE"] - (cell[f"{name}_DIV"] - 1)
        late_us = (periods + Fraction(cell[f"{name}_FPHASE"], 8)) / vco_mhz
        assert late_us * fast == Fraction(number, 8)
        assert pll.phase_ps(number) == pytest.approx(float(late_us * 10**6))


def test_a_table_of_exclusive_or_has_the_parity_of_its_four_inputs():
    m, pin = Module(), Signal(4, name="pin")
    ecp5.xor(m, list(pin)[:3], "joined")
    (cell,) = cells_of(m, pin)["LUT4"]
    assert all(cell["INIT"] >> n & 1 == n.bit_count() % 2 for n in range(16))
