# SPDX-License-Identifier: Apache-2.0
"""A design under Icarus Verilog: a generic test bench replays strikes, and logs all responses."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plexor_sim.design.manifest import load
from tools.strangers.bench import (
    FS_PER_PS,
    Edges,
    bench_edges_fs,
    drawn_values,
    execute,
    idle_levels,
    lead_ps,
    logged_edges,
    pin_of,
    reset_change_fs,
    resets_of,
    tables,
)
from tools.strangers.slang import needs_slang, plain_verilog


def play_in_icarus(
    path: Path, strikes: Sequence[tuple[int, int]], end_ps: int, scratch: Path
) -> Edges:
    """Play (time_ps, levels of all strikes) to the design of a manifest; return its responses.

    A time below 0 gives the levels at which the strikes idle. Times are as of Plexor's device.
    SystemVerilog goes through slang, which sets the parameters.
    """
    manifest = tomllib.loads(path.read_text())
    bench, log, program = scratch / "bench.v", scratch / "edges.txt", scratch / "bench.vvp"
    folder, loaded = path.parent, load(path)
    command = ["iverilog", "-g2012", "-s", "plexor_bench", "-o", str(program), str(bench)]
    if needs_slang(loaded):
        manifest.pop("parameters", None)
        bench.write_text(_bench(manifest, strikes, end_ps, log))
        execute([*command, str(plain_verilog(loaded, scratch))], folder)
    else:
        sources = loaded.sources
        bench.write_text(_bench(manifest, strikes, end_ps, log))
        command += [word for name in sources.include for word in (f"-I{name}", f"-y{name}")]
        command += [
            f"-D{name}={text}" if text else f"-D{name}" for name, text in sources.defines.items()
        ]
        execute([*command, *map(str, sources.verilog)], folder)
    execute(["vvp", "-n", str(program)], folder)
    return logged_edges(log.read_text(), lead_ps(manifest), end_ps)


def _bench(
    manifest: dict[str, Any], strikes: Sequence[tuple[int, int]], end_ps: int, log: Path
) -> str:
    lead = lead_ps(manifest)
    ports, scratch = manifest["ports"], log.parent
    clocks, resets = tables(manifest, "clock"), tables(manifest, "reset")
    constants: dict[str, int] = {**manifest.get("constants", {})}
    inputs: dict[str, dict[int, str]] = {}
    inouts, drivers = manifest.get("inouts", {}), list[str]()
    for number, pin in enumerate(ports["strikes"]):
        name, bit = pin_of(pin)
        if name in inouts:
            driven = "1'bz : 1'b0" if inouts[name] == "up" else "1'b1 : 1'bz"
            drivers.append(f"  assign at_{name}[{bit}] = strikes[{number}] ? {driven};")
            continue
        inputs.setdefault(name, {})[bit] = f"strikes[{number}]"
    outputs: dict[str, dict[int, int]] = {}
    named: dict[int, str] = {}
    for number, pin in enumerate(ports["responses"]):
        if pin in manifest.get("probes", {}):
            named[number] = f"device.{manifest['probes'][pin]}"
            continue
        name, bit = pin_of(pin)
        outputs.setdefault(name, {})[bit] = number
    joined: list[str] = []
    for name, bits in inputs.items():
        rest = constants.pop(name, 0)
        width = max(max(bits) + 1, rest.bit_length())
        parts = [bits.get(bit, f"1'b{rest >> bit & 1}") for bit in reversed(range(width))]
        joined.append(f".{name}({{{', '.join(parts)}}})")
    wires: list[str] = []
    for name, bits in outputs.items():
        kind = {"up": "tri1", "down": "tri0", "keep": "trireg"}.get(inouts.get(name, ""), "wire")
        wires.append(f"  {kind} [{max(bits)}:0] at_{name};")
        joined.append(f".{name}(at_{name})")
    named |= {bits[bit]: f"at_{name}[{bit}]" for name, bits in outputs.items() for bit in bits}
    responses = ", ".join(named[number] for number in reversed(range(len(named))))
    joined += [f".{name}(512'd{value})" for name, value in constants.items()]
    joined += [f".{clock['port']}(clock[{n}])" for n, clock in enumerate(clocks)]
    joined += [f".{reset['port']}(reset[{n}])" for n, reset in enumerate(resets)]
    joined += [f".{name}(random_{name})" for name in manifest.get("random", {})]
    parameters = ", ".join(
        f'.{name}("{value}")' if isinstance(value, str) else f".{name}({value})"
        for name, value in manifest.get("parameters", {}).items()
    )
    changes: list[str] = []
    now = 0
    for time_ps, levels in strikes:
        if time_ps >= 0:
            then = (time_ps + lead) * FS_PER_PS
            changes.append(f"    #(64'd{then - now}) strikes = {levels};")
            now = then
    inactive = sum((reset.get("active") == "low") << n for n, reset in enumerate(resets))
    return f"""\
`timescale 1fs/1fs
module plexor_bench;
  reg [7:0] clock = 0, reset = {inactive};
  reg [7:0] strikes = {idle_levels(manifest, strikes)};
{chr(10).join(wires)}
  {manifest["top"]} {f"#({parameters})" if parameters else ""} device ({", ".join(joined)});
{chr(10).join(drivers)}
  wire [{len(named) - 1}:0] responses = {{{responses}}};
  integer file;
  initial begin
    file = $fopen("{log}", "w");
    $fwrite(file, "%0d %b\\n", $time, responses);
    forever @(responses) $fwrite(file, "%0d %b\\n", $time, responses);
  end
{_clocks(manifest, end_ps, scratch)}
{_resets(manifest)}
{_random(manifest, scratch)}
  initial begin
{chr(10).join(changes)}
  end
  initial #(64'd{(end_ps + lead) * FS_PER_PS}) $finish;
endmodule
"""


def _clocks(manifest: dict[str, Any], end_ps: int, scratch: Path) -> str:
    """Return the processes of all clocks, whose edges are in files."""
    lines: list[str] = []
    for number in range(len(tables(manifest, "clock"))):
        path = scratch / f"clock{number}.txt"
        edges = bench_edges_fs(manifest, number, end_ps)
        path.write_text("".join(f"{edge}\n" for edge in edges))
        lines += [
            f"  integer edges{number}; reg [63:0] edge{number};",
            f'  initial begin edges{number} = $fopen("{path}", "r");',
            f'    while ($fscanf(edges{number}, "%d\\n", edge{number}) == 1) begin',
            f"      #(edge{number} - $time) clock[{number}] = ~clock[{number}];",
            "    end",
            "  end",
        ]
    return "\n".join(lines)


def _resets(manifest: dict[str, Any]) -> str:
    lines: list[str] = []
    for number, (reset, period) in enumerate(resets_of(manifest)):
        changes = reset_change_fs(manifest, reset, period)
        if changes is None:
            continue
        active, (begin, end) = int(reset.get("active", "high") == "high"), changes
        lines.append(
            f"  initial begin #{begin} reset[{number}] = {active}; #{end - begin} "
            f"reset[{number}] = {1 - active}; end"
        )
    return "\n".join(lines)


def _random(manifest: dict[str, Any], scratch: Path) -> str:
    """Return the processes of the inputs that change at random behind edges of clocks."""
    lines: list[str] = []
    lead_fs = lead_ps(manifest) * FS_PER_PS
    for number in range(len(tables(manifest, "clock"))):
        for port, values in drawn_values(manifest, number).items():
            path = scratch / f"random_{port}.txt"
            path.write_text("".join(f"{value:x}\n" for value in values))
            lines += [
                f"  integer values_{port}, taken_{port}; reg [63:0] random_{port};",
                f'  initial begin values_{port} = $fopen("{path}", "r");',
                f'    taken_{port} = $fscanf(values_{port}, "%h\\n", random_{port}); end',
                f"  always @(posedge clock[{number}]) if ($time > {lead_fs}) begin",
                f'    #1 taken_{port} = $fscanf(values_{port}, "%h\\n", random_{port}); end',
            ]
    return "\n".join(lines)
