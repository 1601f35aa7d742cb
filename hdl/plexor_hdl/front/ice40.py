# SPDX-License-Identifier: Apache-2.0
"""A front-end's parts of the iCE40: its PLL, global buffers, pads, and a ring oscillator of tables.

Limits of the PLL are from Lattice FPGA-TN-02052 (iCE40 sysCLOCK PLL design and usage guide): VCO
533 to 1066 MHz, phase detector 10 to 133 MHz, output 16 to 275 MHz, and a nominal fine delay of
(n + 1) x 0.15 ns of output A after B. The PLL's shift register would give exact quarters of a
period, but it divides the VCO by four. For 240 MHz the VCO would have to run at 960 MHz with
DIVQ = 0, which the guide does not allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from amaranth.hdl import ClockDomain, ClockSignal, Const, Instance, IOPort, Module, Signal, Value

PHASES = 4
VCO_MHZ = (533, 1066)
DETECTOR_MHZ = (10, 133)
DELAY_STEP_PS = 150
DELAY_STEPS = 16
RING_TABLES = 3
RING_BITS = 8
"""The ring oscillates at about 100 MHz. Divided by 2**RING_BITS it is slower than the link."""
# Minimum phase detector frequency in MHz for each FILTER_RANGE, from 1, as icestorm's icepll
# chooses it.
_FILTERS = (17, 26, 44, 66, 101)


@dataclass(frozen=True)
class Pll:
    """Dividers that make `fast_mhz` from the reference, and a delay near a quarter of its period.

    Raises ValueError if no dividers are within the PLL's limits.
    """

    reference_mhz: Fraction
    fast_mhz: Fraction

    def dividers(self) -> tuple[int, int, int]:
        """Return the dividers of reference and feedback, and the output's divider as log2."""
        for power in range(1, 7):
            vco_mhz = self.fast_mhz * 2**power
            ratio = Fraction(vco_mhz) / Fraction(self.reference_mhz)
            detector_mhz = Fraction(self.reference_mhz) / ratio.denominator
            if (
                VCO_MHZ[0] <= vco_mhz <= VCO_MHZ[1]
                and DETECTOR_MHZ[0] <= detector_mhz <= DETECTOR_MHZ[1]
                and ratio.numerator <= 128
            ):
                return ratio.denominator, ratio.numerator, power
        fast, reference = float(self.fast_mhz), float(self.reference_mhz)
        raise ValueError(
            f"clock: {fast:g} MHz cannot be made of {reference:g} MHz; a VCO of {VCO_MHZ[0]} to "
            f"{VCO_MHZ[1]} MHz and a phase detector of at least {DETECTOR_MHZ[0]} MHz are needed"
        )

    @property
    def delay_steps(self) -> int:
        """Return the number of steps by which output A is later than B."""
        quarter_ps = 10**6 / self.fast_mhz / PHASES
        return min(max(round(quarter_ps / DELAY_STEP_PS), 1), DELAY_STEPS)

    def phase_ps(self, phase: int) -> float:
        """Return the nominal delay of a phase's edge after that of phase 0, in ps."""
        half, late = divmod(phase, PHASES // 2)
        return half * 1e6 / float(self.fast_mhz) / 2 + late * self.delay_steps * DELAY_STEP_PS


def add_start_clock(m: Module, reference: Signal) -> Signal:
    """Return a clock that runs before the PLL locks: the reference."""
    return reference


def add_pll(
    m: Module,
    reference: Signal,
    pll: Pll,
    primitive: tuple[str, str] = ("SB_PLL40_2F_CORE", "REFERENCECLK"),
) -> tuple[list[Signal], Signal]:
    """Add the PLL; return its clocks, each a quarter of a period later, and its lock.

    `primitive` is the cell, and the name of its port for the reference.
    """
    reference_divider, feedback_divider, power = pll.dividers()
    clocks = [Signal(name=f"fast_{number}") for number in range(PHASES // 2)]
    locked = Signal()
    detector_mhz = pll.reference_mhz / reference_divider
    m.submodules.pll = Instance(
        primitive[0],
        p_FEEDBACK_PATH="SIMPLE",
        p_DELAY_ADJUSTMENT_MODE_FEEDBACK="FIXED",
        p_FDA_FEEDBACK=Const(0, 4),
        p_DELAY_ADJUSTMENT_MODE_RELATIVE="FIXED",
        p_FDA_RELATIVE=Const(pll.delay_steps - 1, 4),
        p_SHIFTREG_DIV_MODE=Const(0, 2),
        p_PLLOUT_SELECT_PORTA="GENCLK",
        p_PLLOUT_SELECT_PORTB="GENCLK",
        p_DIVR=Const(reference_divider - 1, 4),
        p_DIVF=Const(feedback_divider - 1, 7),
        p_DIVQ=Const(power, 3),
        p_FILTER_RANGE=Const(1 + sum(detector_mhz >= least for least in _FILTERS), 3),
        p_ENABLE_ICEGATE_PORTA=Const(0, 1),
        p_ENABLE_ICEGATE_PORTB=Const(0, 1),
        **{f"i_{primitive[1]}": reference},
        i_RESETB=Const(1),
        i_BYPASS=Const(0),
        o_PLLOUTGLOBALA=clocks[1],
        o_PLLOUTGLOBALB=clocks[0],
        o_LOCK=locked,
    )
    return clocks, locked


def add_buffer(m: Module, clock: Signal) -> Signal:
    """Return the clock behind a global buffer."""
    buffered = Signal(name="core")
    m.submodules.core_buffer = Instance(
        "SB_GB", i_USER_SIGNAL_TO_GLOBAL_BUFFER=clock, o_GLOBAL_BUFFER_OUTPUT=buffered
    )
    return buffered


def add_source(m: Module) -> Value:
    """Return an oscillation that is asynchronous to all clocks of the board: a divided ring's."""
    stages = [Signal(name=f"ring_{number}") for number in range(RING_TABLES)]
    for number, stage in enumerate(stages):
        before = stages[number - 1]
        # The tables are inverters: 1 if the first input is 0.
        m.submodules[f"ring_{number}_table"] = Instance(
            "SB_LUT4",
            a_keep=1,
            p_LUT_INIT=Const(0x5555, 16),
            i_I0=before,
            i_I1=Const(0),
            i_I2=Const(0),
            i_I3=Const(0),
            o_O=stage,
        )
    m.domains.ring = ClockDomain(reset_less=True)
    m.d.comb += ClockSignal("ring").eq(stages[-1])
    count = Signal(RING_BITS)
    m.d.ring += count.eq(count + 1)
    return count[-1]


def add_pad(m: Module, drive: Signal, port: IOPort, name: str) -> Signal:
    """Drive a pad; return the level read back from it."""
    back = Signal(name=f"{name}_back")
    m.submodules[name] = Instance(
        "SB_IO",
        # Neither output nor input has a flip-flop (FPGA-TN-02026, "SB_IO": PIN_TYPE 0110 01).
        p_PIN_TYPE=Const(0b011001, 6),
        i_D_OUT_0=drive,
        o_D_IN_0=back,
        io_PACKAGE_PIN=port,
    )
    return back


def xor(m: Module, bits: list[Signal], name: str) -> Signal:
    """Return the XOR of up to four bits, from one look-up table of that name."""
    joined = Signal(name=name)
    inputs = {f"i_I{number}": bit for number, bit in enumerate([*bits, *[Const(0)] * 4][:4])}
    m.submodules[f"{name}_table"] = Instance(
        "SB_LUT4", p_LUT_INIT=Const(0x6996, 16), **inputs, o_O=joined
    )
    return joined
