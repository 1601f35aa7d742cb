# SPDX-License-Identifier: Apache-2.0
"""A design under Icarus Verilog: a generic test bench replays strikes, and logs all responses.

The bench is what a user would write: it begins with an inactive reset, makes it active, and
inactive again at the end of the manifest's clock cycles; then the clock runs, and inputs change at
given times. Its edges of the clock and of the reset are 1 fs late, so that an input at the same
time counts, as docs/lookup/manifest.md says.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Edges = list[tuple[int, int, int]]
"""(time_ps, channel, level)."""
_FS = 1000


def lead_ps(manifest: dict[str, Any]) -> int:
    """Return how long before time zero a device begins."""
    cycles = manifest["reset"].get("cycles", 1) if "reset" in manifest else 0
    return (cycles + 1) * manifest["clock"]["period_ps"] if cycles else 0


def play_in_icarus(
    path: Path, strikes: Sequence[tuple[int, int]], end_ps: int, scratch: Path
) -> Edges:
    """Play (time_ps, levels of all strikes) to the design of a manifest; return its responses.

    A time below 0 gives the levels at which the strikes idle. Times are as of Plexor's device.
    """
    manifest = tomllib.loads(path.read_text())
    bench, log, program = scratch / "bench.v", scratch / "edges.txt", scratch / "bench.vvp"
    bench.write_text(_bench(manifest, strikes, end_ps, log))
    folder = path.parent
    includes = [f"-I{folder / name}" for name in manifest.get("include", [])]
    sources = [str(folder / name) for name in manifest["sources"]]
    command = ["iverilog", "-g2012", "-s", "plexor_bench", *includes, "-o", str(program)]
    _run([*command, *sources, str(bench)], folder)
    _run(["vvp", "-n", str(program)], folder)
    return _edges(log.read_text(), lead_ps(manifest), end_ps)


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def _bench(
    manifest: dict[str, Any], strikes: Sequence[tuple[int, int]], end_ps: int, log: Path
) -> str:
    lead = lead_ps(manifest)
    clock, reset, ports = manifest.get("clock"), manifest.get("reset"), manifest["ports"]
    idle = strikes[0][1] if strikes and strikes[0][0] < 0 else 0
    inputs: dict[str, dict[int, str]] = {}
    for number, pin in enumerate(ports["strikes"]):
        name, bit = _pin(pin)
        inputs.setdefault(name, {})[bit] = f"strikes[{number}]"
    outputs: dict[str, dict[int, int]] = {}
    for number, pin in enumerate(ports["responses"]):
        name, bit = _pin(pin)
        outputs.setdefault(name, {})[bit] = number
    joined: list[str] = []
    for name, bits in inputs.items():
        parts = [bits.get(bit, "1'b0") for bit in reversed(range(max(bits) + 1))]
        joined.append(f".{name}({{{', '.join(parts)}}})")
    wires: list[str] = []
    for name, bits in outputs.items():
        wires.append(f"  wire [{max(bits)}:0] at_{name};")
        joined.append(f".{name}(at_{name})")
    named = {bits[bit]: f"at_{name}[{bit}]" for name, bits in outputs.items() for bit in bits}
    responses = ", ".join(named[number] for number in reversed(range(len(named))))
    joined += [f".{name}(512'd{value})" for name, value in manifest.get("constants", {}).items()]
    joined += [f".{clock['port']}(clock)"] if clock else []
    joined += [f".{reset['port']}(reset)"] if reset else []
    parameters = ", ".join(f".{k}({v})" for k, v in manifest.get("parameters", {}).items())
    changes: list[str] = []
    now = 0
    for time_ps, levels in strikes:
        if time_ps >= 0:
            then = (time_ps + lead) * _FS
            changes.append(f"    #(64'd{then - now}) strikes = {levels};")
            now = then
    active = int(bool(reset) and reset.get("active", "high") == "high")
    return f"""\
`timescale 1fs/1fs
module plexor_bench;
  reg clock = 0, reset = {1 - active};
  reg [7:0] strikes = {idle};
{chr(10).join(wires)}
  {manifest["top"]} {f"#({parameters})" if parameters else ""} device ({", ".join(joined)});
  wire [{len(named) - 1}:0] responses = {{{responses}}};
  integer file, half;
  initial begin
    file = $fopen("{log}", "w");
    $fwrite(file, "%0d %b\\n", $time, responses);
    forever @(responses) $fwrite(file, "%0d %b\\n", $time, responses);
  end
  task automatic to(input [63:0] ps); #(ps * 1000 + 1 - $time); endtask
{_clock(clock, reset, lead, active) if clock else ""}
  initial begin
{chr(10).join(changes)}
  end
  initial #(64'd{(end_ps + lead) * _FS}) $finish;
endmodule
"""


def _clock(clock: dict[str, Any], reset: dict[str, Any] | None, lead: int, active: int) -> str:
    period, phase = clock["period_ps"], clock.get("phase_ps", 0)
    lines: list[str] = []
    if reset:
        cycles = reset.get("cycles", 1)
        lines.append(f"to({period // 2}); reset = {active};")
        for number in range(2 * cycles):
            time_ps = number * period // 2 + lead - cycles * period
            lines.append(f"to({time_ps}); clock = {1 - number % 2};")
        lines.append(f"to({lead - period // 4}); reset = {1 - active};")
    lines.append("for (half = 0; 1; half = half + 1) begin")
    lines.append(f"  to(64'd{lead + phase} + (64'd{period} * half) / 2); clock = ~clock;")
    lines.append("end")
    return "  initial begin\n" + "".join(f"    {line}\n" for line in lines) + "  end"


def _pin(text: str) -> tuple[str, int]:
    matched = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", text)
    assert matched
    return matched[1], int(matched[2] or 0)


def _edges(log: str, lead: int, end_ps: int) -> Edges:
    """Return the changes of levels from time zero on; what is unknown then is no level."""
    levels: str = ""
    changes: Edges = []
    for line in log.splitlines():
        time_fs, now = line.split()
        time_ps = int(time_fs) // _FS - lead
        for channel, level in enumerate(reversed(now)):
            was = levels[::-1][channel] if levels else level
            if level != was and time_ps >= 0 and time_ps < end_ps:
                assert level in "01", f"response {channel} is {level} at {time_ps} ps"
                changes.append((time_ps, channel, int(level)))
        levels = now
    return settled(changes)


def settled(edges: Edges) -> Edges:
    """Return the edges without those that a later one at the same time takes back."""
    found: Edges = []
    for time_ps, channel, level in sorted(edges, key=lambda edge: (edge[1], edge[0])):
        if found and found[-1][:2] == (time_ps, channel):
            found.pop()
            continue
        found.append((time_ps, channel, level))
    return sorted(found)
