# SPDX-License-Identifier: Apache-2.0
"""A design under Icarus Verilog: a generic test bench replays strikes, and logs all responses.

The bench is what a user would write: it begins with an inactive reset, makes it active, and
inactive again at the end of the manifest's clock cycles; then the clocks run, and inputs change at
given times. Edges of clocks are 1 fs late, so that an input at the same time counts, and what a
flip-flop drives is 2 fs late, as docs/lookup/manifest.md says.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plexor_sim.design.manifest import load

Edges = list[tuple[int, int, int]]
"""(time_ps, channel, level)."""
_FS = 1000
_MOST_DRAWN = 20_000
"""Number of values of a random input."""


class OracleError(Exception):
    """Icarus does not take a design, or says x of a response."""


def tables(manifest: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return all clocks or resets of a manifest."""
    found: Any = manifest.get(name, [])
    return [found] if isinstance(found, dict) else found


def resets_of(manifest: dict[str, Any]) -> list[tuple[dict[str, Any], int]]:
    """Return each reset with the period of its clock."""
    periods = {clock["port"]: clock["period_ps"] for clock in tables(manifest, "clock")}
    first = next(iter(periods.values()), 0)
    return [
        (reset, periods.get(reset.get("clock", ""), first)) for reset in tables(manifest, "reset")
    ]


def reset_ps(manifest: dict[str, Any]) -> int:
    """Return how long before time zero the longest reset has its first cycle."""
    return max(
        (
            (reset.get("cycles", 1) + reset.get("early_cycles", 0)) * period
            for reset, period in resets_of(manifest)
            if reset.get("cycles", 1)
        ),
        default=0,
    )


def lead_ps(manifest: dict[str, Any]) -> int:
    """Return how long before time zero a device begins."""
    longest = reset_ps(manifest)
    return longest + tables(manifest, "clock")[0]["period_ps"] if longest else 0


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
    sources = load(path).sources
    options = [word for name in sources.include for word in (f"-I{name}", f"-y{name}")]
    options += [
        f"-D{name}={text}" if text else f"-D{name}" for name, text in sources.defines.items()
    ]
    command = ["iverilog", "-g2012", "-s", "plexor_bench", *options, "-o", str(program)]
    _run([*command, *map(str, sources.verilog), str(bench)], folder)
    _run(["vvp", "-n", str(program)], folder)
    return _edges(log.read_text(), lead_ps(manifest), end_ps)


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        raise OracleError((done.stdout + done.stderr).strip())


def _bench(
    manifest: dict[str, Any], strikes: Sequence[tuple[int, int]], end_ps: int, log: Path
) -> str:
    lead = lead_ps(manifest)
    ports, scratch = manifest["ports"], log.parent
    idle = strikes[0][1] if strikes and strikes[0][0] < 0 else 0
    clocks, resets = tables(manifest, "clock"), tables(manifest, "reset")
    high = [ports["strikes"].index(pin) for pin in ports.get("idle_high", [])]
    idle |= sum(1 << number for number in high)
    inputs: dict[str, dict[int, str]] = {}
    inouts, drivers = manifest.get("inouts", {}), list[str]()
    for number, pin in enumerate(ports["strikes"]):
        name, bit = _pin(pin)
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
        name, bit = _pin(pin)
        outputs.setdefault(name, {})[bit] = number
    joined: list[str] = []
    for name, bits in inputs.items():
        parts = [bits.get(bit, "1'b0") for bit in reversed(range(max(bits) + 1))]
        joined.append(f".{name}({{{', '.join(parts)}}})")
    wires: list[str] = []
    for name, bits in outputs.items():
        kind = {"up": "tri1", "down": "tri0", "keep": "trireg"}.get(inouts.get(name, ""), "wire")
        wires.append(f"  {kind} [{max(bits)}:0] at_{name};")
        joined.append(f".{name}(at_{name})")
    named |= {bits[bit]: f"at_{name}[{bit}]" for name, bits in outputs.items() for bit in bits}
    responses = ", ".join(named[number] for number in reversed(range(len(named))))
    joined += [f".{name}(512'd{value})" for name, value in manifest.get("constants", {}).items()]
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
            then = (time_ps + lead) * _FS
            changes.append(f"    #(64'd{then - now}) strikes = {levels};")
            now = then
    inactive = sum((reset.get("active") == "low") << n for n, reset in enumerate(resets))
    return f"""\
`timescale 1fs/1fs
module plexor_bench;
  reg [7:0] clock = 0, reset = {inactive};
  reg [7:0] strikes = {idle};
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
  initial #(64'd{(end_ps + lead) * _FS}) $finish;
endmodule
"""


def _clocks(manifest: dict[str, Any], end_ps: int, scratch: Path) -> str:
    """Return the processes of all clocks, whose edges are in files."""
    lines: list[str] = []
    lead, longest = lead_ps(manifest), reset_ps(manifest)
    for number, clock in enumerate(tables(manifest, "clock")):
        path, period = scratch / f"clock{number}.txt", clock["period_ps"]
        edges = [
            -cycle * period + half * (period // 2)
            for cycle in range(longest // period, 0, -1)
            for half in range(2)
        ]
        edges += edges_of(clock, number, end_ps)
        path.write_text("".join(f"{(edge + lead) * _FS + 1}\n" for edge in edges))
        lines += [
            f"  integer edges{number}; reg [63:0] edge{number};",
            f'  initial begin edges{number} = $fopen("{path}", "r");',
            f'    while ($fscanf(edges{number}, "%d\\n", edge{number}) == 1) begin',
            f"      #(edge{number} - $time) clock[{number}] = ~clock[{number}];",
            "    end",
            "  end",
        ]
    return "\n".join(lines)


def edges_of(clock: dict[str, Any], number: int, end_ps: int) -> list[int]:
    """Return the edges of a clock from time zero on."""
    half_units = clock["period_ps"] * 10**12 // (10**6 + clock.get("ppm", 0)) // 2
    jitter, drawn = clock.get("jitter_ps", 0), Xoshiro(0, number)
    edges: list[int] = []
    while not edges or edges[-1] < end_ps:
        edge = clock.get("phase_ps", 0) + len(edges) * half_units // 10**6
        if jitter:
            # Twelve uniform numbers of 16 bits: their mean is 12 * 65535 / 2, their deviation 2^16.
            edge += (sum(drawn.next() >> 48 for _ in range(12)) - 393_210) * jitter >> 16
        edges.append(max(edge, 0))
    return edges


def _resets(manifest: dict[str, Any]) -> str:
    lead = lead_ps(manifest)
    lines: list[str] = []
    for number, (reset, period) in enumerate(resets_of(manifest)):
        if not reset.get("cycles", 1):
            continue
        active = int(reset.get("active", "high") == "high")
        early = reset.get("early_cycles", 0) * period
        begin = tables(manifest, "clock")[0]["period_ps"] // 2 * _FS
        if reset.get("synchronous"):
            end = (lead - early - period) * _FS + 2
        else:
            end = (lead - early - period // 4) * _FS
        lines.append(
            f"  initial begin #{begin} reset[{number}] = {active}; #{end - begin} "
            f"reset[{number}] = {1 - active}; end"
        )
    return "\n".join(lines)


def _random(manifest: dict[str, Any], scratch: Path) -> str:
    """Return the processes of the inputs that change at random behind edges of clocks."""
    names = [clock["port"] for clock in tables(manifest, "clock")]
    lines: list[str] = []
    for number, name in enumerate(names):
        drawn = Xoshiro(0, len(names) + number)
        inputs = [port for port, of in manifest.get("random", {}).items() if of == name]
        rows: dict[str, list[str]] = {port: [] for port in inputs}
        for _ in range(_MOST_DRAWN if inputs else 0):
            for port in inputs:
                # 512 bits hold any port; the lowest 64 bits are drawn first.
                rows[port].append(f"{drawn.next():x}")
        for port, values in rows.items():
            path = scratch / f"random_{port}.txt"
            path.write_text("".join(f"{value}\n" for value in values))
            lines += [
                f"  integer values_{port}, taken_{port}; reg [63:0] random_{port};",
                f'  initial begin values_{port} = $fopen("{path}", "r");',
                f'    taken_{port} = $fscanf(values_{port}, "%h\\n", random_{port}); end',
                f"  always @(posedge clock[{number}]) if ($time > {lead_ps(manifest) * _FS}) begin",
                f'    #1 taken_{port} = $fscanf(values_{port}, "%h\\n", random_{port}); end',
            ]
    return "\n".join(lines)


class Xoshiro:
    """xoshiro256** (Blackman and Vigna), its state filled by splitmix64 as device/random.h says."""

    _MASK = (1 << 64) - 1

    def __init__(self, seed: int, stream: int) -> None:
        self._state = seed
        self._state = self._split() + stream & self._MASK
        self._words = [self._split() for _ in range(4)]

    def _split(self) -> int:
        self._state = self._state + 0x9E3779B97F4A7C15 & self._MASK
        value = self._state
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & self._MASK
        value = (value ^ value >> 27) * 0x94D049BB133111EB & self._MASK
        return value ^ value >> 31

    def _rotated(self, value: int, bits: int) -> int:
        return (value << bits | value >> 64 - bits) & self._MASK

    def next(self) -> int:
        """Return the next 64 bits."""
        words = self._words
        drawn = self._rotated(words[1] * 5 & self._MASK, 7) * 9 & self._MASK
        shifted = words[1] << 17 & self._MASK
        words[2] ^= words[0]
        words[3] ^= words[1]
        words[1] ^= words[2]
        words[0] ^= words[3]
        words[2] ^= shifted
        words[3] = self._rotated(words[3], 45)
        return drawn


def _pin(text: str) -> tuple[str, int]:
    matched = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", text)
    assert matched
    return matched[1], int(matched[2] or 0)


def _edges(log: str, lead: int, end_ps: int) -> Edges:
    """Return the changes of levels from time zero on.

    What was never known is 0, as docs/lookup/manifest.md says. Raises OracleError for what is no
    longer known.
    """
    levels: dict[int, int] = {}
    changes: Edges = []
    for line in log.splitlines():
        time_fs, now = line.split()
        time_ps = int(time_fs) // _FS - lead
        for channel, level in enumerate(reversed(now)):
            if level in "01":
                if int(level) != levels.get(channel, 0) and 0 <= time_ps < end_ps:
                    changes.append((time_ps, channel, int(level)))
                levels[channel] = int(level)
            elif channel in levels and 0 <= time_ps < end_ps:
                raise OracleError(f"response {channel} is {level} at {time_ps} ps")
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
