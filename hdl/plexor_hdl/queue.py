"""The outstanding strikes of one channel."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out


class StrikeQueue(wiring.Component):
    """A FIFO of `depth` words whose oldest word stands at `head`.

    What a clock pushes and pops shows in the next one: `head` with `head_valid`, `full`, `level`.
    `pop` counts only with `head_valid`; `push` when `full` is the caller's mistake unless `pop` is
    in the same clock. `clear` empties it. A word pushed a clock ago can be popped.
    """

    def __init__(self, depth: int, width: int) -> None:
        self._depth = depth
        self._width = width
        super().__init__(
            {
                "clear": In(1),
                "push": In(1),
                "push_data": In(width),
                "pop": In(1),
                "head": Out(width),
                "head_valid": Out(1),
                "full": Out(1),
                "level": Out(range(depth + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # The head is one of the `depth` words; the memory has room for all, which is simpler.
        m.submodules.words = words = memory.Memory(shape=self._width, depth=self._depth, init=[])
        write, read = words.write_port(), words.read_port(domain="comb")
        stored = Signal(range(self._depth + 1))
        # Whether `stored` is not 0, ready-made: much follows from it.
        some = Signal()
        store, fetch = Signal(), Signal()
        m.d.comb += [
            write.data.eq(self.push_data),
            write.en.eq(store),
            fetch.eq(self.pop & some),
            store.eq(self.push & self.head_valid & (some | ~self.pop)),
            self.level.eq(stored + self.head_valid),
        ]
        with m.If(self.pop | ~self.head_valid):
            m.d.sync += [
                self.head.eq(Mux(some, read.data, self.push_data)),
                self.head_valid.eq(some | self.push),
            ]
        with m.If(store):
            m.d.sync += write.addr.eq(write.addr + 1)
        with m.If(fetch):
            m.d.sync += read.addr.eq(read.addr + 1)
        with m.If(store & ~fetch):
            m.d.sync += [
                stored.eq(stored + 1),
                some.eq(1),
                self.full.eq(stored == self._depth - 2),
            ]
        with m.Elif(fetch & ~store):
            m.d.sync += [stored.eq(stored - 1), some.eq(stored != 1), self.full.eq(0)]
        with m.If(self.clear):
            m.d.sync += [
                self.head_valid.eq(0),
                stored.eq(0),
                some.eq(0),
                self.full.eq(0),
                read.addr.eq(0),
                write.addr.eq(0),
            ]
        return m
