"""The outstanding strikes of one channel."""

from amaranth.hdl import Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out


class StrikeQueue(wiring.Component):
    """A FIFO of `depth` words whose oldest word stands at `head`.

    A word pushed into an empty queue is at `head` in the next clock. After a pop the next word
    needs up to 3 clocks; meanwhile `busy` is high and `head_valid` low though `level` is not 0.
    `pop` counts only with `head_valid`; `push` when `full` is the caller's mistake unless `pop` is
    in the same clock. `changing` says that `head` or `head_valid` will differ in the next clock.
    `clear` empties it. The memory is read through its own output register.
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
                "busy": Out(1),
                "changing": Out(1),
                "full": Out(1),
                "level": Out(range(depth + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # The head is one of the `depth` words; the memory has room for all, which is simpler.
        m.submodules.words = words = memory.Memory(shape=self._width, depth=self._depth, init=[])
        write = words.write_port()
        read = words.read_port()
        stored = Signal(range(self._depth + 1))
        # Whether `stored` is not 0, ready-made: much follows from it.
        some = Signal()
        settled = Signal(2)
        store, fetch = Signal(), Signal()
        data = Signal(self._width)
        m.d.comb += [
            write.data.eq(self.push_data),
            write.en.eq(store),
            read.en.eq(1),
            self.busy.eq(~self.head_valid & some),
        ]
        m.d.sync += data.eq(read.data)

        # `settled` holds one bit a stage between read address and `data`: all ones when the oldest
        # stored word, written and addressed long enough ago, stands in `data`.
        m.d.sync += settled.eq((settled << 1) | some)
        pop = Signal()
        m.d.comb += pop.eq(self.pop & self.head_valid)
        with m.If((~self.head_valid | pop) & settled.all() & some):
            m.d.comb += [fetch.eq(1), self.changing.eq(1)]
            m.d.sync += [self.head.eq(data), self.head_valid.eq(1)]
        with m.Elif((~self.head_valid | pop) & ~some & self.push):
            m.d.comb += self.changing.eq(1)
            m.d.sync += [self.head.eq(self.push_data), self.head_valid.eq(1)]
        with m.Elif(pop):
            m.d.comb += self.changing.eq(1)
            m.d.sync += self.head_valid.eq(0)
        m.d.comb += store.eq(self.push & ~((~self.head_valid | pop) & ~some) & ~self.clear)
        with m.If(store):
            m.d.sync += write.addr.eq(write.addr + 1)
        with m.If(fetch):
            m.d.sync += [read.addr.eq(read.addr + 1), settled.eq(0)]
        m.d.sync += stored.eq(stored + store - fetch)
        with m.If(store):
            m.d.sync += some.eq(1)
        with m.Elif(fetch):
            m.d.sync += some.eq(stored != 1)
        m.d.sync += self.level.eq(self.level + self.push - pop)
        m.d.sync += self.full.eq(
            (self.level + self.push - pop) == self._depth,
        )
        with m.If(self.clear):
            m.d.sync += [
                self.head_valid.eq(0),
                stored.eq(0),
                some.eq(0),
                settled.eq(0),
                self.level.eq(0),
                self.full.eq(0),
                read.addr.eq(write.addr),
            ]
        return m
