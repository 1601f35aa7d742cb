# SPDX-License-Identifier: Apache-2.0
"""The iCE40's PLL: dividers within the guide's limits, and a delay near a quarter of a period."""

from fractions import Fraction

import pytest
from amaranth.hdl import Module, Signal

from plexor_hdl.front import ice40
from plexor_hdl.front.ice40 import Pll

from .cells import cells_of

# FPGA-TN-02052.
VCO_MHZ, DETECTOR_MHZ, DELAY_PS, MOST_STEPS = (533, 1066), (10, 133), 150, 16
FASTS = [*range(16, 276, 6), 240, 96, 100, 133]


def possible(reference, fast):
    """Say whether any dividers make one clock of the other."""
    return any(
        VCO_MHZ[0] <= fast * 2**power <= VCO_MHZ[1]
        and DETECTOR_MHZ[0] <= reference / down <= DETECTOR_MHZ[1]
        and fast * 2**power * down % reference == 0
        and fast * 2**power * down / reference <= 128
        for power in range(1, 7)
        for down in range(1, 17)
    )


@pytest.mark.parametrize("reference", [12, 16, 25, 48, 100])
def test_dividers_are_exact_and_within_limits_wherever_there_are_any(reference):
    made = 0
    for fast in FASTS:
        pll = Pll(Fraction(reference), Fraction(fast))
        if not possible(Fraction(reference), fast):
            with pytest.raises(ValueError, match=f"clock: {fast:g} MHz cannot be made"):
                pll.dividers()
            continue
        made += 1
        down, feedback, power = pll.dividers()
        vco_mhz = Fraction(reference, down) * feedback
        assert vco_mhz == fast * 2**power
        assert VCO_MHZ[0] <= vco_mhz <= VCO_MHZ[1]
        assert DETECTOR_MHZ[0] <= Fraction(reference, down) <= DETECTOR_MHZ[1]
        assert feedback <= 128
    assert made


@pytest.mark.parametrize("fast", [96, 100, 104, 110, 133, 240, 275])
def test_the_delay_is_the_step_nearest_to_a_quarter_of_a_period(fast):
    pll, period_ps = Pll(Fraction(12), Fraction(fast)), 1e6 / fast
    off = abs(pll.delay_steps * DELAY_PS - period_ps / 4)
    assert 1 <= pll.delay_steps <= MOST_STEPS
    assert off == min(abs(n * DELAY_PS - period_ps / 4) for n in range(1, MOST_STEPS + 1))
    phases = [pll.phase_ps(phase) for phase in range(4)]
    late = pll.delay_steps * DELAY_PS
    assert phases == pytest.approx([0, late, period_ps / 2, period_ps / 2 + late])


# Filters as icepll (of icestorm) chooses them: up to 17, 26, 44, 66 and 101 MHz.
@pytest.mark.parametrize(
    ("reference", "fast", "filter_range"),
    [(12, 240, 1), (12, 96, 1), (25, 100, 2), (48, 96, 4), (100, 250, 5)],
)
def test_the_cell_has_the_dividers_as_the_guide_counts_them(reference, fast, filter_range):
    m, pin, pll = Module(), Signal(name="pin"), Pll(Fraction(reference), Fraction(fast))
    ice40.add_pll(m, pin, pll)
    (cell,) = cells_of(m, pin)["SB_PLL40_2F_CORE"]
    vco_mhz = Fraction(reference, cell["DIVR"] + 1) * (cell["DIVF"] + 1)
    assert vco_mhz / 2 ** cell["DIVQ"] == fast
    # One step is there with 0.
    assert cell["FDA_RELATIVE"] + 1 == pll.delay_steps
    assert cell["FILTER_RANGE"] == filter_range


def test_a_ring_is_of_an_odd_number_of_inverters():
    m, pin = Module(), Signal(name="pin")
    m.d.comb += pin.eq(ice40.add_source(m))
    tables = cells_of(m, pin)["SB_LUT4"]
    assert len(tables) % 2 == 1
    # The output is 1 just where the first input is 0.
    assert all(cell["LUT_INIT"] >> n & 1 == 1 - (n & 1) for cell in tables for n in range(16))
