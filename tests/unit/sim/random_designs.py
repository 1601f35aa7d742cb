# SPDX-License-Identifier: Apache-2.0
"""Random small designs: registers, resets of both kinds, divided clocks, delays and memories."""

from __future__ import annotations

import random
from pathlib import Path

MANY = 8
"""Number of designs in one top, each with a response of its own."""
_REGISTERS = 4


def random_design(seed: int, folder: Path) -> Path:
    """Write a top with MANY random designs, its images and its manifest; return the manifest."""
    drawn = random.Random(seed)
    modules = [_module(drawn, f"part{number}", folder) for number in range(MANY)]
    parts = [f"  part{n} u{n}(clk, rst, d, q[{n}]);" for n in range(MANY)]
    top = f"module many(input clk, input rst, input [1:0] d, output [{MANY - 1}:0] q);"
    text = "\n".join(["`timescale 1ns/1ps", *modules, top, *parts, "endmodule", ""])
    (folder / "many.v").write_text(text)
    period_ps, phase_ps = drawn.choice([7_919, 10_000, 12_346]), drawn.choice([0, 0, 1_234])
    responses = ", ".join(f'"q[{n}]"' for n in range(MANY))
    active = drawn.choice(["low", "high"])
    (folder / "many.v").write_text(
        text.replace("RESET", "!rst" if active == "low" else "rst").replace(
            "EDGE", "negedge rst" if active == "low" else "posedge rst"
        )
    )
    (folder / "many.toml").write_text(
        f'sources = ["many.v"]\ntop = "many"\n[clock]\nport = "clk"\nperiod_ps = {period_ps}\n'
        f'phase_ps = {phase_ps}\n[reset]\nport = "rst"\nactive = "{active}"\n'
        f"cycles = {drawn.randrange(1, 6)}\n"
        f'[ports]\nstrikes = ["d[0]", "d[1]"]\nresponses = [{responses}]\n'
    )
    return folder / "many.toml"


def random_clocks(seed: int, folder: Path) -> Path:
    """Write a top with MANY random designs on several clocks and resets; return the manifest.

    A register takes what any clock drives: crossings between clocks are what they are.
    """
    drawn = random.Random(seed)
    clocks = [f"ck{n}" for n in range(drawn.randrange(2, 4))]
    resets = [f"rs{n}" for n in range(drawn.randrange(1, 4))]
    low = {name: drawn.random() < 0.5 for name in resets}
    parts: list[str] = []
    modules: list[str] = []
    inputs = ", ".join(f"input {name}" for name in (*clocks, *resets))
    joined = ", ".join((*clocks, *resets))
    for number in range(MANY):
        signals = ["d[0]", "d[1]", "noise[0]", "noise[2]", "d_n"]
        lines = [f"module part{number}({inputs}, input [1:0] d, input d_n, input [2:0] noise,"]
        lines += ["  output q);"]
        for register in (f"r{n}" for n in range(2 * _REGISTERS)):
            clock, reset = drawn.choice(clocks), drawn.choice(resets)
            edge = f"negedge {reset}" if low[reset] else f"posedge {reset}"
            active = f"!{reset}" if low[reset] else reset
            sensitive = f"posedge {clock}" + (f" or {edge}" if drawn.random() < 0.6 else "")
            lines += [
                f"  reg {register}; always @({sensitive}) if ({active}) {register} <= "
                f"{drawn.randrange(2)}; else {register} <= {_expression(drawn, signals)};"
            ]
            signals.append(register)
        answer = " ^ ".join(drawn.sample(signals[5:], 3))
        modules.append("\n".join([*lines, f"  assign q = {answer};", "endmodule"]))
        parts.append(f"  part{number} u{number}({joined}, d, d_n, noise, q[{number}]);")
    top = f"module many({inputs}, input [1:0] d, input d_n, input [2:0] noise,"
    text = ["`timescale 1ns/1ps", *modules, top, f"  output [{MANY - 1}:0] q);", *parts]
    (folder / "many.v").write_text("\n".join([*text, "endmodule", ""]))
    tables = ['sources = ["many.v"]', 'top = "many"']
    for name in clocks:
        period_ps = drawn.choice([5_000, 7_919, 10_000, 12_346])
        tables += ["[[clock]]", f'port = "{name}"', f"period_ps = {period_ps}"]
        tables += [f"phase_ps = {drawn.choice([0, 0, 1_234])}"]
        tables += [f"ppm = {drawn.choice([0, -40, 120])}"]
        tables += [f"jitter_ps = {drawn.choice([0, 0, 35])}"]
    for name in resets:
        tables += ["[[reset]]", f'port = "{name}"', f"cycles = {drawn.randrange(2, 6)}"]
        tables += [f'active = "{"low" if low[name] else "high"}"']
        tables += [f'clock = "{drawn.choice(clocks)}"']
        tables += [f"early_cycles = {drawn.choice([0, 0, 1, 3])}"]
        tables += [f"synchronous = {drawn.choice(['false', 'true'])}"]
    responses = ", ".join(f'"q[{n}]"' for n in range(MANY))
    tables += ["[ports]", 'strikes = ["d[0]", "d[1]", "d_n"]', f"responses = [{responses}]"]
    tables += ['idle_high = ["d_n"]', "[random]", f'noise = "{drawn.choice(clocks)}"']
    (folder / "many.toml").write_text("\n".join([*tables, ""]))
    return folder / "many.toml"


def _module(drawn: random.Random, name: str, folder: Path) -> str:
    """Return a module: registers on the clock or a divided one, and a response made of them."""
    names = [f"r{n}" for n in range(_REGISTERS)]
    lines = [f"module {name}(input clk, input rst, input [1:0] d, output q);"]
    lines += [f"  reg {', '.join(names)};", "  reg [3:0] count;", "  reg old;"]
    lines += ["  wire rise = d[0] & !old;"]
    lines += ["  always @(posedge clk or EDGE) if (RESET) old <= 0; else old <= d[0];"]
    lines += [
        "  always @(posedge clk or EDGE) if (RESET) count <= 0; else if (rise) count <= "
        f"{drawn.randrange(1, 15)}; else if (count != 0) count <= count - 1;"
    ]
    signals = ["d[0]", "d[1]", "old", "rise", "count[0]", "count[1]", "(count == 3)"]
    divides = drawn.random() < 0.4
    if divides:
        lines += ["  reg half;"]
        lines += ["  always @(posedge clk or EDGE) if (RESET) half <= 0; else half <= ~half;"]
    if drawn.random() < 0.4:
        image = f"{name}.hex"
        words = "\n".join(f"{drawn.randrange(4):x}" for _ in range(16))
        (folder / image).write_text(f"{words}\n")
        lines += ["  reg [1:0] rom [0:15];", f'  initial $readmemh("{image}", rom);']
        lines += ["  wire [1:0] word = rom[count];"]
        signals += ["word[0]", "word[1]"]
    for number, register in enumerate(names):
        # A register on the divided clock takes nothing that changes with that clock's own edges but
        # registers on it: whether the new or the old value counts is a race in any simulator.
        slow = divides and number == 0
        taken = ["d[0]", register] if slow else signals
        delay = f"#{drawn.randrange(1, 29) / 10:.1f} " if drawn.random() < 0.25 else ""
        value = _expression(drawn, taken)
        start = drawn.randrange(2)
        edge = "half" if slow else "clk"
        sensitive = f"posedge {edge} or EDGE" if slow or drawn.random() < 0.6 else f"posedge {edge}"
        lines += [
            f"  always @({sensitive}) if (RESET) {register} <= {start}; "
            f"else {register} <= {delay}{value};"
        ]
        signals.append(register)
    answer = (
        f"{names[-1]} ^ {names[drawn.randrange(_REGISTERS)]} & {drawn.choice(names)} | r1 & rise"
    )
    delay = f"#{drawn.randrange(1, 19) / 10:.1f} " if drawn.random() < 0.3 else ""
    return "\n".join([*lines, f"  assign {delay}q = {answer};", "endmodule"])


def _expression(drawn: random.Random, signals: list[str]) -> str:
    a, b, c = (drawn.choice(signals) for _ in range(3))
    forms = (f"{a} ^ {b}", f"{a} & !{b} | {c}", f"{a} ? {b} : {c}", f"!{a} & {b}", a, f"!{a}")
    return drawn.choice(forms)
