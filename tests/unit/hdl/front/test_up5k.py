# SPDX-License-Identifier: Apache-2.0
"""What an UltraPlus has in place of an iCE40's cells."""

from fractions import Fraction

from amaranth.hdl import ClockDomain, ClockSignal, Module, Signal

from plexor_hdl.front import ice40, up5k

from .cells import cells_of


def test_its_pll_takes_the_reference_from_the_pad_and_divides_as_an_ice40s_does():
    m, other, pin = Module(), Module(), Signal(name="pin")
    pll = up5k.Pll(Fraction(12), Fraction(96))
    up5k.add_pll(m, pin, pll)
    ice40.add_pll(other, pin, pll)
    (pad,), (core,) = cells_of(m, pin)["SB_PLL40_2F_PAD"], cells_of(other, pin)["SB_PLL40_2F_CORE"]
    assert "PACKAGEPIN" in pad
    del pad["PACKAGEPIN"], core["REFERENCECLK"]
    assert pad == core


def test_the_oscillator_of_48_mhz_is_divided_by_4_as_the_reference_of_12_mhz():
    m, pin, clock = Module(), Signal(name="pin"), Signal(name="clock")
    m.d.comb += clock.eq(up5k.add_start_clock(m, pin))
    # SB_HFOSC, FPGA-DS-02008: 0b10 is a division by 4.
    (cell,) = cells_of(m, pin, clock)["SB_HFOSC"]
    assert cell["CLKHF_DIV"] == "0b10"


def test_the_source_is_the_start_clock_divided_and_needs_no_ring():
    m, clock, source = Module(), Signal(name="clock"), Signal(name="source")
    m.domains.reference = ClockDomain(reset_less=True)
    m.d.comb += [ClockSignal("reference").eq(clock), source.eq(up5k.add_source(m))]
    assert "SB_LUT4" not in cells_of(m, clock, source)
