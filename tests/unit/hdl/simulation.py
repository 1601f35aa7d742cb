# SPDX-License-Identifier: Apache-2.0
"""Components, simulated again and again: to build a simulator takes longer than most tests."""

from functools import lru_cache

from amaranth.sim import Simulator

CLOCK_SECONDS = 8e-9
SCRIPTS = 6


class Simulation:
    """An elaboratable's simulator, built once; each run starts from reset."""

    def __init__(self, dut) -> None:
        self._dut, self._simulator, self._scripts = dut, None, ()

    def run(self, scripts) -> None:
        """Run the scripts, coroutines of a simulator's context, until all have ended."""
        if len(scripts) > SCRIPTS:
            raise ValueError(f"{len(scripts)} scripts; at most {SCRIPTS} fit")
        self._scripts = scripts
        # Not used again where a script fails: what the others wait for would wake the next ones.
        simulator, self._simulator = self._simulator, None
        if simulator is None:
            simulator = self._built()
        else:
            simulator.reset()
        simulator.run()
        self._simulator = simulator

    def _built(self) -> Simulator:
        simulator = Simulator(self._dut)
        simulator.add_clock(CLOCK_SECONDS)
        for place in range(SCRIPTS):
            simulator.add_testbench(self._part(place))
        return simulator

    def _part(self, place):
        async def run(ctx):
            if place < len(self._scripts):
                await self._scripts[place](ctx)

        return run


@lru_cache(maxsize=128)
def made(kind, *arguments, **named):
    """Return what `kind` makes of the arguments, the same each time, for `simulate`."""
    dut = kind(*arguments, **named)
    dut.simulation = Simulation(dut)
    return dut


def simulate(dut, *scripts) -> None:
    """Run scripts on a component from reset until all have ended.

    The simulator of one that was `made` is kept.
    """
    simulation = getattr(dut, "simulation", None) or Simulation(dut)
    simulation.run(scripts)


def settle(dut, script) -> None:
    """Run a script on an elaboratable without a clock."""
    simulator = Simulator(dut)
    simulator.add_testbench(script)
    simulator.run()
