# SPDX-License-Identifier: Apache-2.0
"""The UART link: bytes over two pins, 8N1, at a set or measured rate."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import DELIMITER
from plexor.protocol.registers import register
from plexor_hdl.lib.crossing import Crossing
from plexor_hdl.lib.memory_reader import MemoryReader, plain_memory

DIVISOR_BITS = 16
FRACTION_BITS = 3
"""Bit times are counted in 1/8 clock, because a measured rate is the length of eight bits."""
PERIOD_BITS = DIVISOR_BITS + FRACTION_BITS
FIFO_BITS = 9
DROPPED_BITS = register("status", "link_dropped").bits
LEAST_CLOCKS = 6
"""Length of the shortest bit that can be measured or received, in clocks."""
PREAMBLE = 0x55
PREAMBLE_RUNS = 9
"""Runs of equal level in the preamble byte and its start bit. Each is one bit long."""
DATA_BITS = 8


class BitClock(wiring.Component):
    """The clock of a UART's bits.

    `tick` strobes once each bit time of `period` / 8 clocks. No clock is lost or gained on average.

    Latency: `first_clocks` from `start_stb` to the first tick.
    Throughput: a tick in a bit time, 2 clocks or more.
    Reset: a tick may come at any time until the first `start_stb`.
    Wrap: the fraction of a clock that is left of one bit time goes into the next.
    Full: never; it stores nothing.

    Ports:
        period: Bit time in 1/8 clock.
        first_clocks: Clocks to the first tick, 1 or more; looked at with `start_stb`.
        start_stb: Begins anew.
        tick: Strobes once each bit time.
    """

    def __init__(self, divisor_bits: int = DIVISOR_BITS) -> None:
        super().__init__(
            {
                "period": In(divisor_bits + FRACTION_BITS),
                "first_clocks": In(divisor_bits),
                "start_stb": In(1),
                "tick": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        whole, fraction = self.period[FRACTION_BITS:], self.period[:FRACTION_BITS]
        left = Signal(len(whole))
        rest = Signal(FRACTION_BITS)
        carry = Signal()
        last = Signal()
        m.d.comb += self.tick.eq(last)
        m.d.sync += [left.eq(left - 1), last.eq(left == 2)]
        with m.If(self.start_stb):
            m.d.sync += [
                left.eq(self.first_clocks),
                last.eq(self.first_clocks == 1),
                Cat(rest, carry).eq(fraction),
            ]
        with m.Elif(last):
            m.d.sync += [left.eq(whole + carry), Cat(rest, carry).eq(rest + fraction)]
        return m


class RateMeter(wiring.Component):
    """Measures the bit time on a preamble byte 0x55, within 1/8 clock of the line's.

    The byte's nine runs of equal level must be alike: each differs from the one before by at most a
    quarter of that and 2 clocks. Bits of LEAST_CLOCKS to 2**16 - 2 clocks are measured.

    Latency: 3 clocks from the byte's last edge to `found_stb`.
    Throughput: a byte after the other.
    Reset: nothing is measured; `period` is 0.
    Wrap: none; the clocks of a run stay at 2**16 - 1, and such a run does not count.
    Full: never; a measurement replaces the one before.

    Ports:
        level: The line, in the core's clock domain.
        period: Length of eight bits in clocks, from `found_stb` to the next.
        found_stb: Strobes when a byte has been measured.
    """

    level: In(1)
    period: Out(PERIOD_BITS)
    found_stb: Out(1)

    def elaborate(self, platform):
        m = Module()
        level_r = Signal(init=1)
        edge, edge_r, edge_2r = Signal(), Signal(), Signal()
        run = Signal(DIVISOR_BITS)
        finished, was_low = Signal(DIVISOR_BITS), Signal()
        least, most = Signal(DIVISOR_BITS + 1), Signal(DIVISOR_BITS + 1)
        above, below = Signal(), Signal()
        total = Signal(PERIOD_BITS)
        runs = Signal(range(PREAMBLE_RUNS))
        m.d.comb += edge.eq(level_r != self.level)
        m.d.sync += [
            level_r.eq(self.level),
            edge_r.eq(edge),
            edge_2r.eq(edge_r),
            run.eq(run + ~run.all()),
            above.eq(finished >= least),
            below.eq(finished <= most),
            self.found_stb.eq(0),
        ]
        with m.If(edge):
            m.d.sync += [run.eq(1), finished.eq(run), was_low.eq(~level_r)]
        with m.If(edge_2r):
            m.d.sync += [
                least.eq(Mux(finished[2:] == 0, 0, finished - (finished >> 2) - 2)),
                most.eq(finished + (finished >> 2) + 2),
            ]
            with m.If((runs != 0) & above & below & ~finished.all()):
                with m.If(runs == PREAMBLE_RUNS - 1):
                    m.d.sync += [runs.eq(0), self.period.eq(total)]
                    m.d.sync += self.found_stb.eq(total >= LEAST_CLOCKS << FRACTION_BITS)
                with m.Else():
                    m.d.sync += [runs.eq(runs + 1), total.eq(total + finished)]
            with m.Else():
                m.d.sync += [runs.eq(was_low), total.eq(finished)]
        return m


class LinkUart(wiring.Component):
    """Takes bytes from two pins and sends bytes to them: 8N1, line high while idle.

    With `divisor` at 0 nothing is received or sent until a preamble byte 0x55 has been measured, to
    1/8 clock a bit. A framing error (or break) makes it measure again, while the last rate still
    serves: a host that changes the rate sends a break, or 0x00 for ten of the old bits, then 0x55,
    0x00. Preamble bytes after a 0x00 are swallowed, whatever the divisor; no command frame begins
    with one. A build with `set_period`, in 1/8 clock a bit, has that rate for ever.

    Bits are sampled in their middle: with an exact rate the margin is half a bit less 1 clock.

    Latency: 3 clocks from a byte to its start bit; 9 clocks from the middle of a stop bit to the
        byte.
    Throughput: a byte in ten bit times each way, without gaps.
    Reset: line high, nothing measured, no bytes.
    Wrap: none; `dropped` stays at its greatest value.
    Full: a received byte that finds no room in the FIFO of 2**FIFO_BITS places is dropped and
        counted, as is one without stop bit. Bytes to send wait, and all of them while `hold` is
        high: the byte under way is sent, and one more where it ended when `hold` rose.

    Ports:
        rx: Pin that is received from, of any clock.
        tx: Pin that is sent to.
        hold: The receiver at `tx` has no room, of any clock: RTS# of a bridge.
        divisor: Clocks a bit, LEAST_CLOCKS or more; 0 measures. Ignored with `set_period`.
        i_bytes: Stream of bytes to send.
        o_bytes: Stream of received bytes.
        clear: 1 sets `dropped` to 0.
        dropped: Number of received bytes that were dropped since `clear`.
    """

    def __init__(self, set_period: int = 0) -> None:
        least = LEAST_CLOCKS << FRACTION_BITS
        if set_period and not least <= set_period < 1 << PERIOD_BITS:
            raise ValueError(
                f"set_period: {set_period}; must be 0, or {least} to {(1 << PERIOD_BITS) - 1}"
            )
        self._set_period = set_period
        super().__init__(
            {
                "rx": In(1, init=1),
                "tx": Out(1, init=1),
                "hold": In(1),
                "divisor": In(DIVISOR_BITS),
                "i_bytes": In(stream.Signature(8)),
                "o_bytes": Out(stream.Signature(8)),
                "clear": In(1),
                "dropped": Out(DROPPED_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.rx_to_core = crossing = Crossing(init=1)
        m.d.comb += crossing.bit.eq(self.rx)
        level = crossing.crossed
        bad_stb = Signal()
        if self._set_period:
            period, known, relock = Const(self._set_period), Const(1), Const(0)
        else:
            period, known, relock = self._rate(m, level, bad_stb)
        self._receive(m, level, period, known, relock, bad_stb)
        self._send(m, period, known)
        return m

    def _rate(self, m: Module, level, bad_stb):
        """Return eight bits in clocks, whether that is known, and a strobe when it is measured."""
        m.submodules.meter = meter = RateMeter()
        armed, measured = Signal(init=1), Signal()
        measured_period, period = Signal(PERIOD_BITS), Signal(PERIOD_BITS)
        known, relock = Signal(), Signal()
        m.d.comb += [meter.level.eq(level), relock.eq(meter.found_stb & armed)]
        with m.If(relock):
            m.d.sync += [measured_period.eq(meter.period), measured.eq(1), armed.eq(0)]
        with m.Elif(bad_stb):
            m.d.sync += armed.eq(1)
        automatic = Signal()
        m.d.sync += [
            automatic.eq(self.divisor == 0),
            period.eq(Mux(automatic, measured_period, Cat(Const(0, FRACTION_BITS), self.divisor))),
            known.eq(~automatic | measured),
        ]
        return period, known, relock & automatic

    def _receive(self, m: Module, level, period, known, relock, bad_stb) -> None:
        m.submodules.receive_clock = clock = BitClock(len(period) - FRACTION_BITS)
        byte, byte_stb = Signal(DATA_BITS), Signal()
        bits = Signal(range(DATA_BITS))
        m.d.comb += [
            clock.period.eq(period),
            clock.first_clocks.eq(period[FRACTION_BITS + 1 :]),
        ]
        m.d.sync += byte_stb.eq(0)
        with m.FSM(name="receiver"):
            with m.State("IDLE"):
                m.d.sync += bits.eq(0)
                with m.If(~level & known):
                    m.d.comb += clock.start_stb.eq(1)
                    m.next = "START"
            with m.State("START"):
                with m.If(clock.tick):
                    m.next = "BITS"
                with m.If((clock.tick & level) | relock):
                    m.next = "IDLE"
            with m.State("BITS"):
                with m.If(clock.tick):
                    m.d.sync += [byte.eq(Cat(byte[1:], level)), bits.eq(bits + 1)]
                    with m.If(bits == DATA_BITS - 1):
                        m.next = "STOP"
                with m.If(relock):
                    m.next = "IDLE"
            with m.State("STOP"):
                with m.If(clock.tick):
                    m.d.sync += byte_stb.eq(level & ~relock)
                    m.d.comb += bad_stb.eq(~level)
                    m.next = "HIGH"
                with m.If(relock):
                    m.next = "IDLE"
            with m.State("HIGH"):
                with m.If(level):
                    m.next = "IDLE"

        m.submodules.received = received = plain_memory(8, 1 << FIFO_BITS)
        write, read = received.write_port(), received.read_port()
        m.submodules.fetch = fetch = MemoryReader(8, FIFO_BITS)
        wiring.connect(m, fetch.o_words, wiring.flipped(self.o_bytes))
        room, keep, lost, between = Signal(), Signal(), Signal(), Signal(init=1)
        following = Signal(FIFO_BITS, init=1)
        m.d.comb += [
            read.addr.eq(fetch.address),
            read.en.eq(1),
            fetch.data.eq(read.data),
            write.en.eq(keep & room),
            write.data.eq(byte),
        ]
        # The byte stays for some more clocks.
        m.d.sync += [
            keep.eq(byte_stb & ~(between & (byte == PREAMBLE))),
            # Bytes are further apart than this takes.
            following.eq(write.addr + 1),
            room.eq(fetch.address != following),
            fetch.limit.eq(write.addr),
            lost.eq(bad_stb | (keep & ~room)),
        ]
        with m.If(self.clear):
            m.d.sync += self.dropped.eq(0)
        with m.Elif(lost & ~self.dropped.all()):
            m.d.sync += self.dropped.eq(self.dropped + 1)
        with m.If(keep):
            m.d.sync += between.eq(byte == DELIMITER)
        with m.If(write.en):
            m.d.sync += write.addr.eq(following)

    def _send(self, m: Module, period, known) -> None:
        m.submodules.send_clock = clock = BitClock(len(period) - FRACTION_BITS)
        m.submodules.hold_to_core = crossing = Crossing()
        goes = Signal()
        m.d.comb += [crossing.bit.eq(self.hold), goes.eq(known & ~crossing.crossed)]
        shift = Signal(DATA_BITS + 1, init=(1 << (DATA_BITS + 1)) - 1)
        left = Signal(range(DATA_BITS + 3))
        last, none = Signal(), Signal(init=1)
        begins, load = Signal(), Signal()
        m.d.sync += begins.eq(goes & none & self.i_bytes.valid & ~begins)
        m.d.comb += [
            clock.period.eq(period),
            clock.first_clocks.eq(period[FRACTION_BITS:]),
            clock.start_stb.eq(begins),
            self.i_bytes.ready.eq(begins | (goes & last & clock.tick)),
            load.eq(self.i_bytes.ready & self.i_bytes.valid),
        ]
        m.d.sync += self.tx.eq(shift[0])
        with m.If(load):
            m.d.sync += [
                shift.eq(Cat(Const(0, 1), self.i_bytes.payload)),
                left.eq(DATA_BITS + 2),
                Cat(last, none).eq(0),
            ]
        with m.Elif(clock.tick & ~none):
            m.d.sync += [
                shift.eq(Cat(shift[1:], Const(1, 1))),
                left.eq(left - 1),
                last.eq(left == 2),
                none.eq(last),
            ]
