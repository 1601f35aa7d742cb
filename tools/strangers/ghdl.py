# SPDX-License-Identifier: Apache-2.0
"""A design in VHDL under GHDL's simulator: a test bench replays strikes, and logs all responses.

Plexor takes GHDL's synthesis, which is another part of it, and Verilator behind it.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plexor_sim.design.manifest import load
from plexor_sim.design.vhdl import NAMES, OPTIONS, libraries_of, ordered
from tools.strangers.bench import (
    FS_PER_PS,
    Edges,
    OracleError,
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

Bits = Mapping[str, tuple[str, int]]
"""Direction and number of bits of each port."""


def play_in_ghdl(
    path: Path, bits: Bits, strikes: Sequence[tuple[int, int]], end_ps: int, scratch: Path
) -> Edges:
    """Play (time_ps, levels of all strikes) to the design of a manifest; return its responses.

    As `play_in_icarus`, without inouts and probes; `bits` are those of the ports, 64 of a random
    one at most.
    """
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        raise OracleError("GHDL is not on the path")
    manifest = tomllib.loads(path.read_text())
    bench, log = scratch / "bench.vhdl", scratch / "edges.txt"
    bench.write_text(_bench(manifest, bits, strikes, end_ps, log))
    sources = load(path).sources
    options = [*OPTIONS, "--workdir=.", "-P."]
    for file, library in ordered(libraries_of(sources.vhdl, sources.libraries)).items():
        execute([program, "-a", *options, f"--work={library}", str(file)], scratch)
    execute([program, "-a", *options, str(bench)], scratch)
    execute([program, "-e", *options, "plexor_bench"], scratch)
    execute([program, "-r", *options, "plexor_bench", "--ieee-asserts=disable"], scratch)
    return logged_edges(log.read_text().replace(" fs ", " "), lead_ps(manifest), end_ps)


def _bench(
    manifest: dict[str, Any],
    bits: Bits,
    strikes: Sequence[tuple[int, int]],
    end_ps: int,
    log: Path,
) -> str:
    lead, ports = lead_ps(manifest), manifest["ports"]
    clocks, resets = tables(manifest, "clock"), resets_of(manifest)
    signals: list[str] = []
    lines: list[str] = []
    for name, (_, width) in bits.items():
        value = f"{manifest.get('constants', {}).get(name, 0):0{width}b}"
        signals.append(
            f"  signal at_{name} : std_ulogic := '{value}';"
            if width == 1
            else f'  signal at_{name} : std_ulogic_vector({width - 1} downto 0) := "{value}";'
        )
    for number, pin in enumerate(ports["strikes"]):
        lines.append(f"  {_signal(pin, bits)} <= strikes({number});")
    for number, pin in enumerate(ports["responses"]):
        lines.append(f"  responses({number}) <= {_signal(pin, bits)};")
    for number, clock in enumerate(clocks):
        edges = log.parent / f"clock{number}.txt"
        # A number is of 32 bits when it is read.
        parts = [divmod(edge, FS_PER_PS) for edge in bench_edges_fs(manifest, number, end_ps)]
        edges.write_text("".join(f"{ps} {fs}\n" for ps, fs in parts))
        lines.append(_replayed(f"at_{clock['port']}", edges))
        for port, values in drawn_values(manifest, number).items():
            width, path = bits[port][1], log.parent / f"random_{port}.txt"
            path.write_text("".join(f"{value % (1 << width):0{width}b}\n" for value in values))
            lines.append(_drawn(f"at_{port}", width, f"at_{clock['port']}", lead, path))
    inactive = {reset["port"]: int(reset.get("active") == "low") for reset, _ in resets}
    for reset, period in resets:
        signal, rest = f"at_{reset['port']}", inactive[reset["port"]]
        changes = reset_change_fs(manifest, reset, period)
        if changes is None:
            lines.append(f"  {signal} <= '{rest}';")
            continue
        begin, end = changes
        lines.append(
            f"  {signal} <= '{rest}', '{1 - rest}' after {begin} fs, '{rest}' after {end} fs;"
        )
    changes_at = [
        f"    wait for {time_ps + lead} ps - now; strikes <= {_literal(levels)};"
        for time_ps, levels in strikes
        if time_ps >= 0
    ]
    generics = ", ".join(
        f"{name} => {value}" for name, value in manifest.get("parameters", {}).items()
    )
    joined = ", ".join(f"{name} => at_{name}" for name in bits)
    newline = "\n"
    return f"""\
library ieee; use ieee.std_logic_1164.all; use std.textio.all;
entity plexor_bench is end;
architecture bench of plexor_bench is
  signal strikes : std_ulogic_vector(7 downto 0) := {_literal(idle_levels(manifest, strikes))};
  signal responses : std_ulogic_vector({len(ports["responses"]) - 1} downto 0);
{newline.join(signals)}
begin
  device : entity work.{manifest["top"]} {f"generic map ({generics})" if generics else ""}
    port map ({joined});
{newline.join(lines)}
  process
    file log : text open write_mode is "{log}";
    variable row : line;
  begin
    loop
      write(row, time'image(now) & " " & to_string(responses)); writeline(log, row);
      wait on responses;
    end loop;
  end process;
  process begin
{newline.join(changes_at)}
    wait for {end_ps + lead} ps - now;
    std.env.finish;
  end process;
end;
"""


def _signal(pin: str, bits: Bits) -> str:
    name, bit = pin_of(pin)
    return f"at_{name}" if bits[name][1] == 1 else f"at_{name}({bit})"


def _literal(levels: int) -> str:
    return f'"{levels:08b}"'


def _replayed(signal: str, edges: Path) -> str:
    """Return a process that changes a signal at each time in a file."""
    return f"""\
  process
    file times : text open read_mode is "{edges}";
    variable row : line;
    variable at_ps, at_fs : integer;
  begin
    while not endfile(times) loop
      readline(times, row); read(row, at_ps); read(row, at_fs);
      wait for at_ps * 1 ps + at_fs * 1 fs - now; {signal} <= not {signal};
    end loop;
    wait;
  end process;"""


def _drawn(signal: str, width: int, clock: str, lead_ps: int, values: Path) -> str:
    """Return a process that gives an input the next value in a file behind each rise of a clock."""
    value = "drawn(0)" if width == 1 else "drawn"
    return f"""\
  process
    file rows : text open read_mode is "{values}";
    variable row : line;
    variable drawn : std_ulogic_vector({width - 1} downto 0);
  begin
    loop
      readline(rows, row); read(row, drawn); {signal} <= {value};
      loop
        wait until rising_edge({clock});
        exit when now > {lead_ps} ps;
      end loop;
      wait for 1 fs;
    end loop;
  end process;"""
