# SPDX-License-Identifier: Apache-2.0
"""Collects every source's samples, so that those of one clock are side by side."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import SOURCE_STEP
from plexor.protocol.geometry import Geometry
from plexor_hdl.lib.memory_reader import plain_memory


class Pins(wiring.Component):
    """Puts the sample words of all sources side by side: those of one clock, in one clock.

    What the instrument drives is seen at the pins `loop_clocks` later, so it waits that long: from
    two clocks on in a memory, of `ram_style`. Words leave in the order of `geometry.levels`.

    Latency: 1 clock from `samples`, `loop_clocks` + 1 from `strikes`, `load` and `step`.
    Throughput: a word of each source each clock.
    Reset: words are 0; for the first `loop_clocks` clocks those of strikes, load and step are of no
    clock, and `belongs` must be low.
    Wrap: the memory's row wraps after `loop_clocks`.
    Full: never; words pass.

    Ports:
        samples: One word of W samples for each channel, channel 0 lowest, oldest sample lowest.
        strikes: The word of each strike output, before it is inverted.
        load: The load's level.
        step: The level that each end of a step inverts, with Feature.SWEEP.
        capture: Whether the clock's samples belong to a run.
        words: One word for each source.
        belongs: `capture` of the clock that `words` are of.
    """

    def __init__(self, geometry: Geometry, loop_clocks: int = 0, ram_style: str = "auto") -> None:
        self._loop_clocks, self._samples, self._style = loop_clocks, geometry.samples, ram_style
        step = {"step": In(1)} if SOURCE_STEP in geometry.levels else {}
        samples = geometry.samples
        super().__init__(
            {
                "samples": In(geometry.channels * samples),
                "strikes": In(data.ArrayLayout(samples, geometry.strikes)),
                "load": In(1),
                **step,
                "capture": In(1),
                "words": Out(data.ArrayLayout(samples, len(geometry.levels))),
                "belongs": Out(1),
            }
        )
        self._levels = [self.load, *([self.step] if step else [])]

    def elaborate(self, platform):
        m = Module()
        samples = self._samples
        late = self._later(m, Cat(self.strikes, *self._levels))
        levels = late[len(self.strikes.as_value()) :]
        m.d.sync += [
            self.words.eq(
                Cat(
                    late[: len(self.strikes.as_value())],
                    self.samples,
                    *(level.replicate(samples) for level in levels),
                )
            ),
            self.belongs.eq(self.capture),
        ]
        return m

    def _later(self, m: Module, word):
        """Return the word of `loop_clocks` clocks ago, from a memory of that many words."""
        clocks = self._loop_clocks
        if not clocks:
            return word
        m.submodules.loop = memory = plain_memory(len(word), clocks, ram_style=self._style)
        write, read = memory.write_port(), memory.read_port()
        row = Signal(range(clocks))
        following = Signal.like(row)
        m.d.comb += [
            following.eq(Mux(row == clocks - 1, 0, row + 1)),
            write.addr.eq(row),
            write.data.eq(word),
            write.en.eq(1),
            read.addr.eq(following),
        ]
        m.d.sync += row.eq(following)
        return read.data
