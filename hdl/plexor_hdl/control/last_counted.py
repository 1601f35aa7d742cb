# SPDX-License-Identifier: Apache-2.0
"""Finds when all counts of a run's last beat are in memory."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class LastCounted(wiring.Component):
    """Waits, at a run's end, for each stage that counts.

    Each stage strobes once, in any order; results say that they are idle.

    Latency: 2 clocks from the last strobe, 1 from `results_idle`.
    Throughput: one end of a run at a time.
    Reset: no stage has told.
    Wrap: none; it holds no count.
    Full: never; a strobe that comes twice counts once.

    Ports:
        counts_stb: The counts of the run stand in memory.
        records_stb: The records of `steps` do.
        results_idle: A bit for each of the `results`: nothing is on its way to it.
        all_counted: All have told: high for one clock.
    """

    def __init__(self, results: int, *, steps: bool) -> None:
        records = {"records_stb": In(1)} if steps else {}
        super().__init__(
            {
                "counts_stb": In(1),
                **records,
                "results_idle": In(results),
                "all_counted": Out(1),
            }
        )
        self._strobes = [self.counts_stb, *([self.records_stb] if records else [])]

    def elaborate(self, platform):
        m = Module()
        told = Signal(len(self._strobes))
        m.d.sync += [
            self.all_counted.eq(told.all() & self.results_idle.all() & ~self.all_counted),
            told.eq(Mux(self.all_counted, 0, told | Cat(self._strobes))),
        ]
        return m
