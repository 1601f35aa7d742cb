# SPDX-License-Identifier: Apache-2.0
"""A front-end's parts of the ECP5: its PLL, and the global buffer of the core clock.

Limits of the PLL are from Lattice FPGA-DS-02012 (ECP5 family data sheet), "sysCLOCK PLL Timing":
VCO 400 to 800 MHz, phase detector 10 to 400 MHz, output up to 400 MHz. Phases are set in eighths of
a VCO period: FPGA-TN-02200 (sysCLOCK PLL/DLL design and usage guide). No document has the loop
filter's settings. They are those of Project Trellis' ecppll, of LiteX and of Diamond's netlists.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from amaranth.hdl import Const, Instance, IOPort, Module, Signal, Value

PHASES = 8
VCO_MHZ = (400, 800)
DETECTOR_MHZ = (10, 400)
_OUTPUTS = ("CLKOP", "CLKOS", "CLKOS2", "CLKOS3")
_STEPS = 8
"""Steps of an output's phase in each period of the VCO."""


@dataclass(frozen=True)
class Pll:
    """Dividers that make `fast_mhz` from the reference; outputs are an eighth of a period apart.

    Raises ValueError if no dividers are within the PLL's limits.
    """

    reference_mhz: Fraction
    fast_mhz: Fraction

    def dividers(self) -> tuple[int, int, int]:
        """Return the dividers of reference, feedback and outputs."""
        ratio = Fraction(self.fast_mhz) / Fraction(self.reference_mhz)
        for output in range(1, 129):
            # An eighth of an output's period is `output` steps, a whole number.
            vco_mhz = self.fast_mhz * output
            if not VCO_MHZ[0] <= vco_mhz <= VCO_MHZ[1]:
                continue
            detector_mhz = Fraction(self.reference_mhz) / ratio.denominator
            if DETECTOR_MHZ[0] <= detector_mhz <= DETECTOR_MHZ[1]:
                return ratio.denominator, ratio.numerator, output
        fast, reference = float(self.fast_mhz), float(self.reference_mhz)
        raise ValueError(
            f"clock: {fast:g} MHz cannot be made of {reference:g} MHz; a VCO of {VCO_MHZ[0]} to "
            f"{VCO_MHZ[1]} MHz and a phase detector of at least {DETECTOR_MHZ[0]} MHz are needed"
        )

    def phase_ps(self, phase: int) -> float:
        """Return the delay of a phase's edge after that of phase 0, in ps."""
        return 1e6 / float(self.fast_mhz) * phase / PHASES


def add_start_clock(m: Module, reference: Signal) -> Signal:
    """Return a clock that runs before the PLL locks: the reference."""
    return reference


def add_pll(m: Module, reference: Signal, pll: Pll) -> tuple[list[Signal], Signal]:
    """Add the PLL; return its clocks, each an eighth of a period later, and its lock."""
    reference_divider, feedback_divider, output_divider = pll.dividers()
    clocks = [Signal(name=f"fast_{number}") for number in range(len(_OUTPUTS))]
    locked = Signal()
    parameters = {
        "p_CLKI_DIV": reference_divider,
        "p_CLKFB_DIV": feedback_divider,
        "p_FEEDBK_PATH": "CLKOP",
        "p_PLLRST_ENA": "DISABLED",
        "p_INTFB_WAKE": "DISABLED",
        "p_STDBY_ENABLE": "DISABLED",
        "p_DPHASE_SOURCE": "DISABLED",
    }
    for number, name in enumerate(_OUTPUTS):
        steps = number * output_divider * _STEPS // PHASES
        parameters |= {
            f"p_{name}_ENABLE": "ENABLED",
            f"p_{name}_DIV": output_divider,
            f"p_{name}_CPHASE": output_divider - 1 + steps // _STEPS,
            f"p_{name}_FPHASE": steps % _STEPS,
            f"o_{name}": clocks[number],
        }
    unused = {f"i_{name}": Const(0) for name in ("RST", "STDBY", "PLLWAKESYNC", "PHASESEL0")}
    unused |= {f"i_{name}": Const(0) for name in ("PHASESEL1", "PHASEDIR", "PHASESTEP")}
    unused |= {"i_PHASELOADREG": Const(0), "i_ENCLKOP": Const(0)}
    m.submodules.pll = Instance(
        "EHXPLLL",
        a_FREQUENCY_PIN_CLKI=f"{float(pll.reference_mhz):g}",
        a_FREQUENCY_PIN_CLKOP=f"{float(pll.fast_mhz):g}",
        a_ICP_CURRENT="12",
        a_LPF_RESISTOR="8",
        a_MFG_ENABLE_FILTEROPAMP="1",
        a_MFG_GMCREF_SEL="2",
        **parameters,
        **unused,
        i_CLKI=reference,
        i_CLKFB=clocks[0],
        o_LOCK=locked,
    )
    return clocks, locked


def add_buffer(m: Module, clock: Signal) -> Signal:
    """Return the clock behind a global buffer."""
    buffered = Signal(name="core")
    m.submodules.core_buffer = Instance("DCCA", i_CLKI=clock, i_CE=Const(1), o_CLKO=buffered)
    return buffered


def xor(m: Module, bits: list[Signal], name: str) -> Signal:
    """Return the XOR of up to four bits, from one look-up table of that name."""
    joined = Signal(name=name)
    inputs = {f"i_{port}": bit for port, bit in zip("ABCD", [*bits, *[Const(0)] * 4], strict=False)}
    m.submodules[f"{name}_table"] = Instance("LUT4", p_INIT=Const(0x6996, 16), **inputs, o_Z=joined)
    return joined


def add_source(m: Module) -> Signal:
    """Return an oscillation that is asynchronous to all clocks of the board.

    OSCG divides about 310 MHz, ±15 % (FPGA-DS-02012, "Internal Oscillators"), here by 128.
    """
    source = Signal(name="source")
    m.submodules.oscillator = Instance("OSCG", p_DIV=128, o_OSC=source)
    return source


def add_pad(m: Module, drive: Value, port: IOPort, name: str, off: Value | None = None) -> Signal:
    """Drive a pad, except while `off`; return the level read back from it."""
    back, released = Signal(name=f"{name}_back"), Const(0) if off is None else off
    m.submodules[name] = Instance("BB", i_I=drive, i_T=released, o_O=back, io_B=port)
    return back
