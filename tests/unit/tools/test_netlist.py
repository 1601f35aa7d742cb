# SPDX-License-Identifier: Apache-2.0
"""A routed netlist is made fit for a simulator, or refused with the reason."""

import copy
import re
from fractions import Fraction
from pathlib import Path

import pytest
from tools.gateware import board as boards
from tools.gateware.netlist import simulated
from tools.gateware.run_bitstream import design_of, simulator

from plexor_sim.devices import find_device

_SEVERAL = re.compile(r"(DO[AB]|P)[0-9]+")
OUTPUTS = {"F", "FCO", "OFX", "Q", "O", "OSC", "LOCK", "CLKO", "CLKOP", "CLKOS", "CLKOS2", "CLKOS3"}
LOW, HIGH, CLOCK, REFERENCE, LOCK = 1, 2, 3, 4, 5


def cell(kind, wires, **parameters):
    """Return a cell; a wire of 0 is none."""
    return {
        "type": kind,
        "parameters": parameters,
        "connections": {port: [bit] if bit else [] for port, bit in wires.items()},
        "port_directions": {
            port: "output" if port in OUTPUTS or _SEVERAL.fullmatch(port) else "input"
            for port in wires
        },
    }


def pll():
    wires = {"CLKI": REFERENCE, "CLKFB": 10, "CLKOP": 10, "CLKOS": 11, "CLKOS2": 12, "CLKOS3": 13}
    still = ("RST", "STDBY", "PHASESEL0", "PHASESEL1", "PHASEDIR", "PHASESTEP", "PHASELOADREG")
    given = {"CLKI_DIV": 1, "CLKFB_DIV": 10}
    for number, name in enumerate(("CLKOP", "CLKOS", "CLKOS2", "CLKOS3")):
        given |= {f"{name}_DIV": 2, f"{name}_CPHASE": 1, f"{name}_FPHASE": 2 * number}
    texts = {f"{name}_ENABLE": "ENABLED" for name in ("CLKOP", "CLKOS", "CLKOS2", "CLKOS3")}
    texts |= {"FEEDBK_PATH": "CLKOP"}
    texts |= dict.fromkeys(
        ("PLLRST_ENA", "INTFB_WAKE", "STDBY_ENABLE", "DPHASE_SOURCE"), "DISABLED"
    )
    numbers = {name: f"{value:032b}" for name, value in given.items()}
    ports = wires | dict.fromkeys(still, LOW) | {"LOCK": LOCK}
    return cell("EHXPLLL", ports, **texts, **numbers)


def memory():
    wires = {"CLKA": CLOCK, "CLKB": 0, "WEA": 30, "WEB": 0, "CEA": 0, "CEB": 0}
    wires |= {f"{name}{side}": 0 for name in ("OCE", "RST") for side in "AB"}
    wires |= {f"CS{side}{n}": 0 for side in "AB" for n in range(3)}
    wires |= {f"AD{side}{n}": 0 for side in "AB" for n in range(14)}
    wires |= {
        f"DI{side}{n}": 31 if side == "A" and n == 0 else 0 for side in "AB" for n in range(18)
    }
    wires |= {f"DO{side}{n}": 100 + 18 * (side == "B") + n for side in "AB" for n in range(18)}
    held = {f"CS{side}{n}MUX": "INV" for side in "AB" for n in range(3)}
    held |= {
        "WEBMUX": "INV",
        "RSTAMUX": "INV",
        "RSTBMUX": "INV",
        "ADA1MUX": "0 ",
        "OCEAMUX": "OCEA",
    }
    widths = {f"DATA_WIDTH_{side}": f"{18:032b}" for side in "AB"}
    rows = {f"INITVAL_{row:02X}": f"{5 if row == 1 else 0:0320b}" for row in range(64)}
    modes = {"REGMODE_A": "OUTREG", "REGMODE_B": "NOREG", "CSDECODE_A": "0b000"}
    modes |= {"CSDECODE_B": "0b101", "RESETMODE": "ASYNC", "ASYNC_RESET_RELEASE": "SYNC"}
    return cell("DP16KD", wires, GSR="DISABLED", **widths, **rows, **modes, **held)


def multiplier():
    wires = {f"{name}{n}": 0 for name in "AB" for n in range(18)} | {"A0": 20, "A3": 21, "B1": 22}
    wires |= dict.fromkeys(("SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB"), LOW)
    held = {f"{name}{n}MUX": "0 " for name in "AB" for n in (16, 17)}
    return cell("MULT18X18D", wires | {"P0": 200, "P1": 0, "P35": 201}, **held)


def module():
    """Return a module of one cell of each kind."""
    cells = {
        "low": cell("TRELLIS_COMB", {"F": LOW}, INITVAL="0" * 16),
        "high": cell("TRELLIS_COMB", {"F": HIGH}, INITVAL="1" * 16),
        "table": cell(
            "TRELLIS_COMB", {"A": 20, "B": 0, "C": 0, "D": 21, "F": 22}, INITVAL="0110" * 4
        ),
        "sum": cell(
            "TRELLIS_COMB", {"A": 20, "FCI": 0, "FCO": 23, "F": 0}, INITVAL="01" * 8, MODE="CCU2"
        ),
        "bit": cell(
            "TRELLIS_COMB",
            {"A": 20, "WCK": CLOCK, "WRE": 24, "WD": 40, "F": 25}
            | {f"WAD{n}": 41 + n for n in range(4)},
            MODE="DPRAM",
            WCKMUX="WCK",
            WREMUX="INV",
        ),
        "write": cell(
            "TRELLIS_RAMW",
            {"A0": 50, "B0": 51, "C0": 52, "D0": 53, "A1": 54, "B1": 0, "C1": 55, "D1": 56}
            | {f"WADO{n}": 41 + n for n in range(4)}
            | {"WDO0": 40, "WDO1": 45, "WDO2": 46, "WDO3": 47},
        ),
        "block": cell("TRELLIS_COMB", {"F": 0}, MODE="RAMW_BLOCK"),
        "kept": cell(
            "TRELLIS_FF",
            {"CLK": CLOCK, "CE": 24, "LSR": 0, "DI": 22, "M": 21, "Q": 26},
            SD="1 ",
            CEMUX="INV",
            REGSET="SET",
        ),
        "direct": cell(
            "TRELLIS_FF",
            {"CLK": CLOCK, "CE": 0, "LSR": 20, "M": 21, "Q": 27},
            SD="0 ",
            CEMUX="1 ",
            CLKMUX="INV",
            LSRMUX="LSR",
        ),
        "memory": memory(),
        "product": multiplier(),
        "in": cell("TRELLIS_IO", {"B": 60, "O": REFERENCE, "I": 0}, DIR="INPUT"),
        "out": cell("TRELLIS_IO", {"B": 61, "O": 28, "I": 26, "T": LOW}, DIR="BIDIR"),
        "buffer": cell("DCCA", {"CLKI": 10, "CLKO": CLOCK, "CE": 0}),
        "pll": pll(),
        "source": cell("OSCG", {"OSC": 29}, DIV=f"{128:032b}"),
    }
    ports = {
        "reference": {"direction": "input", "bits": [60]},
        "outputs": {"direction": "inout", "bits": [61, 62]},
    }
    return {"cells": cells, "ports": ports}


CHIP = simulated(module(), Fraction(25))


def instance(kind, has):
    (line,) = [
        line for line in CHIP.verilog.splitlines() if line.lstrip().startswith(kind) and has in line
    ]
    return line


def test_ports_have_the_names_of_pins_and_outputs_are_driven():
    head = "module chip (input reference, output outputs_0, output outputs_1);"
    assert CHIP.verilog.startswith(head)
    assert "assign n4 = reference;" in CHIP.verilog
    assert "assign outputs_0 = n26;" in CHIP.verilog
    assert "assign n28 = n26;" in CHIP.verilog
    assert "wire n61;" not in CHIP.verilog


def test_a_pin_without_a_wire_is_high_unless_its_multiplexer_says_otherwise():
    table = instance("TRELLIS_COMB", "n22")
    assert ".INITVAL(16'b0110011001100110)" in table
    assert ".A(n20), .B(1'b1), .C(1'b1), .D(n21), .F(n22)" in table
    block = instance("DP16KD", "u")
    for pin in (".CEA(1'b1)", ".OCEA(1'b1)", ".WEA(n30)", ".WEB(1'b0)", ".RSTA(1'b0)"):
        assert pin in block
    # All address pins but one, which is held low, float.
    assert f".ADA({{{', '.join(['1' + chr(39) + 'b1'] * 12)}, 1'b0, 1'b1}})" in block
    assert block.count("n31") == 1


def test_a_port_without_a_clock_does_nothing():
    block = instance("DP16KD", "u")
    assert ".CLK(n3)" in block
    assert ".CEB(1'b0), .OCEB(1'b0)" in block


def test_a_memory_has_its_parameters_and_its_rows_in_order():
    block = instance("DP16KD", "u")
    for given in (
        '.REGMODE_A("OUTREG")',
        '.REGMODE_B("NOREG")',
        '.RESETMODE("ASYNC")',
        '.ASYNC_RESET_RELEASE("SYNC")',
        ".CSDECODE_A(3'b000)",
        ".CSDECODE_B(3'b101)",
        '.WRITEMODE_A("NORMAL")',
        ".DATA_WIDTH_A(18)",
        f".INITVAL(20480'h{5 << 320:x})",
    ):
        assert given in block


def test_a_multiplier_has_factors_of_eighteen_bits_and_its_product():
    product = instance("MULT18X18D", "u")
    floats = ", ".join(["1'b1"] * 12)
    assert f".A({{1'b0, 1'b0, {floats}, n21, 1'b1, 1'b1, n20}})" in product
    assert ", 1'b1, n22, 1'b1})" in product
    name = re.search(r"\.P\((\w+)\)", product)[1]
    assert f"wire [35:0] {name};" in CHIP.verilog
    assert f"assign n200 = {name}[0];" in CHIP.verilog
    assert f"assign n201 = {name}[35];" in CHIP.verilog
    assert f"{name}[1]" not in CHIP.verilog
    assert "#(.REGISTERS(0))" in product


def test_a_multipliers_registers_have_their_clock_enable_and_reset():
    design = changed("product", CLK0=[CLOCK], CE0=[HIGH], RST0=[LOW])
    names = (f"REG_{name}_CLK" for name in ("INPUTA", "INPUTB", "OUTPUT"))
    design["cells"]["product"]["parameters"] |= dict.fromkeys(names, "CLK0")
    lines = simulated(design, Fraction(25)).verilog.splitlines()
    (line,) = [line for line in lines if line.lstrip().startswith("MULT18X18D")]
    assert "#(.REGISTERS(1))" in line
    assert f".CLK(n{CLOCK}), .CE(n{HIGH}), .RST(n{LOW})" in line


def test_flip_flops_take_their_data_and_enable_from_where_they_are_packed():
    kept, direct = instance("TRELLIS_FF", "n26"), instance("TRELLIS_FF", "n27")
    assert '.CLKMUX("CLK"), .REGSET("SET"), .SRMODE("LSR_OVER_CE")' in kept
    assert ".CE(~n24), .LSR(1'b0), .D(n22)" in kept
    assert '.CLKMUX("INV"), .REGSET("RESET")' in direct
    assert ".CE(1'b1), .LSR(n20), .D(n21)" in direct


def test_a_memory_of_tables_is_written_through_its_slice():
    bit = instance("TRELLIS_DPRAM", "n25")
    assert ".WCK(n3), .WD(n40), .WRE(~n24), .WAD({n44, n43, n42, n41})" in bit
    for wire in ("n41 = n53", "n42 = n51", "n43 = n52", "n44 = n50", "n40 = n55", "n47 = 1'b1"):
        assert f"assign {wire};" in CHIP.verilog


def test_what_the_pll_makes_is_read():
    # FPGA-TN-02200: CLKFB_DIV / CLKI_DIV; phases in periods of a VCO of 500 MHz, and eighths.
    assert CHIP.ratio == 10
    assert CHIP.lates_ps == (0, 500, 1000, 1500)
    assert CHIP.source_half_ps == Fraction(10**6 * 128, 2 * 310)
    assert "assign n12 = board.fast[2];" in CHIP.verilog
    assert "assign n5 = board.locked;" in CHIP.verilog
    assert "assign n29 = board.source;" in CHIP.verilog


def changed(name, **changes):
    """Return the module with parameters, or wires, of a cell changed."""
    design = copy.deepcopy(module())
    for key, value in changes.items():
        where = "connections" if isinstance(value, list) else "parameters"
        design["cells"][name][where][key] = value
        design["cells"][name]["port_directions"].setdefault(key, "output")
    return design


@pytest.mark.parametrize(
    ("name", "changes", "says"),
    [
        ("table", {"OFX": [70]}, "table: a table of five inputs"),
        ("table", {"MODE": "OTHER"}, "table: MODE OTHER; must be LOGIC or"),
        ("bit", {"INITVAL": "1" * 16}, "bit: a memory of tables that starts with bits"),
        ("bit", {"WCKMUX": "INV"}, "bit: WCKMUX INV; must be WCK"),
        ("kept", {"GSR": "ENABLED"}, "kept: GSR ENABLED; must be DISABLED"),
        ("kept", {"LSRMODE": "PRLD"}, "kept: LSRMODE PRLD; must be LSR"),
        ("kept", {"CLK": []}, "kept: TRELLIS_FF without CLK"),
        ("memory", {"CLKB": [REFERENCE]}, "memory: 2 clocks; must be 1"),
        ("memory", {"CLKAMUX": "INV"}, "memory: CLKAMUX INV; must be CLKA"),
        ("memory", {"GSR": "ENABLED"}, "memory: GSR ENABLED"),
        ("memory", {"DATA_WIDTH_B": f"{36:032b}"}, "memory: a memory of 36 bits that is not"),
        ("product", {"SIGNEDB": [HIGH]}, "product: SIGNEDB is not low"),
        ("product", {"REG_OUTPUT_CLK": "CLK1"}, "product: REG_OUTPUT_CLK CLK1; must be NONE"),
        ("product", {"REG_OUTPUT_CLK": "CLK0"}, "product: some of its registers, but not all"),
        ("product", {"RESETMODE": "ASYNC"}, "product: RESETMODE ASYNC; must be SYNC"),
        ("product", {"MULT_BYPASS": "ENABLED"}, "product: MULT_BYPASS ENABLED; must be DISABLED"),
        ("pll", {"FEEDBK_PATH": "INT_OP"}, "pll: FEEDBK_PATH INT_OP; must be CLKOP"),
        ("pll", {"CLKOS_DIV": f"{4:032b}"}, "pll: outputs of several frequencies"),
        ("pll", {"PHASESTEP": [HIGH]}, "pll: PHASESTEP is not as it is modelled"),
        ("pll", {"CLKFB": [11]}, "pll: CLKFB is not as it is modelled"),
    ],
)
def test_what_is_not_modelled_is_refused(name, changes, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        simulated(changed(name, **changes), Fraction(25))


@pytest.mark.parametrize(("off", "says"), [(LOW, "n26;"), (19, "n26 & ~n19;")])
def test_a_pad_is_low_while_it_is_not_driven(off, says):
    chip = simulated(changed("out", T=[off]), Fraction(25))
    assert f"assign outputs_0 = {says}" in chip.verilog


def test_a_narrow_port_cannot_read_what_it_overwrites():
    narrow = changed("memory", DATA_WIDTH_A=f"{2:032b}", WRITEMODE_A="READBEFOREWRITE")
    simulated(narrow, Fraction(25))
    # Its data goes nowhere in `module`; here to a table.
    narrow["cells"]["table"]["connections"]["A"] = [100]
    with pytest.raises(ValueError, match="port A of less than 9 bits cannot read what it"):
        simulated(narrow, Fraction(25))


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("source", "TRELLIS_COMB", "0 OSCG; must be 1"),
        ("buffer", "ALU54B", "buffer: ALU54B; must be one of"),
    ],
)
def test_cells_are_of_kinds_that_are_modelled_and_clocks_are_there(name, kind, says):
    design = module()
    design["cells"][name]["type"] = kind
    with pytest.raises(ValueError, match=re.escape(says)):
        simulated(design, Fraction(25))


@pytest.mark.parametrize(
    ("board", "baud", "says"),
    [
        ("hx8k-evn", 2_000_000, "baud 2000000; must be 12000000, set"),
        ("ulx3s-25f", 20_833_334, "baud 20833334; must be 9600 to 20833333"),
        ("ulx3s-25f", -1, "baud -1; must be"),
    ],
)
def test_a_rate_that_a_boards_uart_has_not_is_refused(tmp_path, board, baud, says):
    device = find_device("synthetic", tmp_path)
    with pytest.raises(boards.BoardError, match=says):
        simulator(boards.load(board), Path("none"), device, tmp_path, baud)


def test_a_board_whose_cells_are_not_modelled_is_refused():
    found = [b for b in map(boards.load, boards.names()) if b.profile.family == "up5k"]
    assert found
    for board in found:
        with pytest.raises(boards.BoardError, match="up5k; must be a board with an ice40 or ecp5"):
            design_of(board)
