# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The UART link: bytes pass at set and at measured rates; line errors lose a byte and no more."""

import random
from fractions import Fraction

import pytest

from plexor_hdl.uplink.link_uart import DROPPED_BITS, FIFO_BITS, FRACTION_BITS, LinkUart

from ..simulation import made

IDLE_BITS = 12


def line_bits(data, pause_bits=0):
    """Return the levels of whole bits: start, eight from the lowest, stop."""
    bits = []
    for byte in data:
        bits += [0, *(byte >> bit & 1 for bit in range(8)), 1, *[1] * pause_bits]
    return bits


class Host:
    """The other end of the line, with bits of `clocks` clocks, a fraction."""

    def __init__(self, dut, clocks, looks_a_bit=None):
        self.dut = dut
        self.clocks = Fraction(clocks)
        self.look_clocks = None if looks_a_bit is None else self.clocks / looks_a_bit
        self.received = []
        self.framing_errors = 0
        self.closed = False
        self._bits = []
        self._sent = Fraction(0)

    def put(self, bits):
        self._bits += bits

    async def drive(self, ctx, until):
        """Send what was put, one level a clock, until `until()` holds."""
        at, now = Fraction(0), 0
        while not until():
            level = 1
            if self._bits:
                level = self._bits[0]
                if now + 1 > at + self.clocks:
                    at += self.clocks
                    self._bits.pop(0)
            else:
                at = Fraction(now + 1)
            ctx.set(self.dut.rx, level)
            await ctx.tick()
            now += 1

    async def listen(self, ctx):
        """Receive: each bit looked at in its middle.

        An ideal receiver sees each edge at once; one with `looks_a_bit`, as bridges are, sees a
        start bit at the next of its looks, and looks at bits at no other times.
        """
        now, looks = 0, 0

        async def level_at(clock):
            nonlocal now
            while now < clock:
                await ctx.tick()
                now += 1
            return ctx.get(self.dut.tx)

        async def next_level():
            nonlocal looks
            looks += 1
            return await level_at(int(looks * self.look_clocks) if self.look_clocks else now + 1)

        while not self.closed:
            if await next_level():
                continue
            start = looks * self.look_clocks if self.look_clocks else now
            bits = [
                await level_at(start + int((Fraction(1, 2) + n) * self.clocks)) for n in range(10)
            ]
            self.framing_errors += bits[0] or not bits[9]
            self.received.append(sum(bit << n for n, bit in enumerate(bits[1:9])))
            if self.look_clocks:
                looks = int(now / self.look_clocks)


def echo(
    bench, clocks, divisor, data, preamble=b"", pause_bits=0, before=(), set_period=0, looks=None
):
    """Send bytes, send back what arrives; return what arrived, came back, and the errors."""
    dut, arrived = made(LinkUart, set_period), []
    host = Host(dut, clocks, looks)
    host.put([*before, *[1] * IDLE_BITS, *line_bits(preamble, 2), *line_bits(data, pause_bits)])
    result = {}

    async def loop(ctx):
        while not host.closed:
            ctx.set(dut.i_bytes.valid, ctx.get(dut.o_bytes.valid))
            ctx.set(dut.i_bytes.payload, ctx.get(dut.o_bytes.payload))
            ctx.set(dut.o_bytes.ready, ctx.get(dut.i_bytes.ready))
            if ctx.get(dut.o_bytes.valid & dut.i_bytes.ready):
                arrived.append(ctx.get(dut.o_bytes.payload))
            await ctx.tick()

    async def wait(ctx):
        ctx.set(dut.divisor, divisor)
        bits = len(before) + 12 * (len(preamble) + 4) + (10 + pause_bits) * (len(data) + 4)
        for _ in range(int(bits * Fraction(clocks)) + 200):
            await ctx.tick()
        result["errors"] = ctx.get(dut.dropped)
        host.closed = True

    async def drive(ctx):
        await host.drive(ctx, lambda: host.closed)

    bench.simulate(dut, wait, drive, host.listen, loop)
    return bytes(arrived), bytes(host.received), result["errors"], host.framing_errors


DATA = bytes([0x00, 0xFF, 0x55, 0xAA, 0x01, 0x80, 0xF0, 0x0F, 0x33, 0x55, 0x7E])


@pytest.mark.parametrize(
    "divisor", [6, 7, *(pytest.param(n, marks=pytest.mark.full) for n in (8, 10, 13, 104))]
)
def test_bytes_pass_both_ways_at_a_set_rate(bench, divisor):
    data = b"\x01" + DATA[1:] if divisor > 50 else random.Random(divisor).randbytes(24)
    data = b"\x01" + data.replace(b"\0\x55", b"\0\x54")
    assert echo(bench, divisor, divisor, data) == (data, data, 0, 0)


@pytest.mark.parametrize(
    "period", [48, *(pytest.param(n, marks=pytest.mark.full) for n in (80, 125))]
)
def test_a_build_with_a_set_rate_has_it_and_no_other(bench, period):
    data = b"\x01" + random.Random(period).randbytes(24).replace(b"\0\x55", b"\0\x54")
    clocks = Fraction(period, 8)
    assert echo(bench, clocks, 99, data, b"\x55\x00", set_period=period) == (
        b"\0" + data,
        b"\0" + data,
        0,
        0,
    )


@pytest.mark.parametrize("period", [-80, 1, 47, 1 << 19])
def test_a_set_rate_that_cannot_be_had_is_refused(period):
    with pytest.raises(ValueError, match=f"set_period: {period}; must be 0, or 48 to 524287"):
        LinkUart(period)


@pytest.mark.parametrize(
    "clocks",
    [
        "6",
        "10.4167",
        *(pytest.param(n, marks=pytest.mark.full) for n in ("8.5", "12.3", "33.7", "108.507")),
    ],
)
def test_the_rate_is_measured_on_a_preamble_to_an_eighth_of_a_clock(bench, clocks):
    data = b"\x01" + DATA[1:4]
    assert echo(bench, clocks, 0, data, b"\x55\x00") == (b"\0" + data, b"\0" + data, 0, 0)


@pytest.mark.parametrize(
    ("mbaud", "looks", "count"),
    # Looks a bit: of an FT231X's 48 MHz, and of an FT2232H's 120 MHz (their data sheets).
    [(3, 16, 12), (12, 10, 40), pytest.param(3, 16, 200, marks=pytest.mark.full)],
)
@pytest.mark.parametrize("off_ppm", [-5_000, 5_000])
def test_a_bridge_at_its_fastest_rate_and_125_mhz_understand_each_other(
    bench, mbaud, looks, count, off_ppm
):
    """Neither rate is a whole number of eighths of a clock; crystals are some 100 ppm off."""
    clocks = Fraction(125, mbaud) * (1 + Fraction(off_ppm, 1_000_000))
    data = b"\x01" + random.Random(mbaud).randbytes(count).replace(b"\0\x55", b"\0\x54")
    both = b"\0" + data
    assert echo(bench, clocks, 0, data, b"\x55\x00", looks=looks) == (both, both, 0, 0)


@pytest.mark.parametrize("offset", ["0.97", "1.03"])
def test_a_rate_three_percent_off_still_passes(bench, offset):
    arrived, _, errors, _ = echo(bench, 16 * Fraction(offset), 16, b"\x01" + DATA[1:], pause_bits=1)
    assert (arrived, errors) == (b"\x01" + DATA[1:], 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (16, 17),
        *(pytest.param(*two, marks=pytest.mark.full) for two in ((10, 87), (87, 10))),
    ],
)
def test_after_a_break_another_rate_is_measured(bench, old, new):
    first = [1] * IDLE_BITS + line_bits(b"\x55\x00\x12", 2)
    before = [bit for bit in first for _ in range(old)] + [0] * (12 * max(old, new)) + [1] * 40
    # `before` is drawn clock by clock, so the host's bits are one clock there.
    dut, arrived = made(LinkUart), []
    data = b"\x55\x00\x34\x56"
    levels = before + [1] * (12 * new)
    levels += [bit for bit in line_bits(data, 2) for _ in range(new)] + [1] * 60 * 2

    async def drive(ctx):
        ctx.set(dut.o_bytes.ready, 1)
        for level in levels:
            ctx.set(dut.rx, level)
            await ctx.tick()

    bench.simulate(dut, drive, bench.receiver(dut.o_bytes, arrived))
    assert arrived[:2] == [0x00, 0x12]
    assert arrived[-3:] == [0x00, 0x34, 0x56]


def test_preambles_between_frames_are_swallowed(bench):
    data = b"\x55\x55\x00\x55\x07\x55\x00\x00\x55\x08"
    expected = b"\x00\x07\x55\x00\x00\x08"
    assert echo(bench, 10, 10, data)[0] == expected


def test_a_byte_without_stop_bit_is_dropped_and_counted(bench):
    broken = [*line_bits(b"\x21")[:-1], 0, 1, 1]
    before = [*[1] * IDLE_BITS, *line_bits(b"\x07"), *broken]
    arrived, _, errors, _ = echo(bench, 10, 10, b"\x42\x43", before=before)
    assert (arrived, errors) == (b"\x07\x42\x43", 1)


def test_bytes_that_find_no_room_are_counted_to_the_greatest_value_and_anew_after_a_clear(bench):
    dut = made(LinkUart)
    room, most = 1 << FIFO_BITS, (1 << DROPPED_BITS) - 1

    async def send(ctx, count):
        for number in range(count):
            for level in line_bits(bytes([1 + number % 200])):
                ctx.set(dut.rx, level)
                await ctx.tick().repeat(6)
        await ctx.tick().repeat(20)

    async def drive(ctx):
        ctx.set(dut.divisor, 6)
        await ctx.tick().repeat(40)
        await send(ctx, room)
        held = room - ctx.get(dut.dropped)
        assert room - 4 < held <= room
        await send(ctx, 7)
        assert ctx.get(dut.dropped) == room - held + 7
        await send(ctx, most)
        assert ctx.get(dut.dropped) == most
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.clear, 0)
        await send(ctx, 3)
        assert ctx.get(dut.dropped) == 3

    bench.simulate(dut, drive, clocks=100_000)


def test_a_short_low_pulse_is_no_byte(bench):
    dut, arrived = made(LinkUart), []

    async def drive(ctx):
        ctx.set(dut.divisor, 16)
        for level in [1] * 40 + [0] * 5 + [1] * 300:
            ctx.set(dut.rx, level)
            await ctx.tick()
        assert ctx.get(dut.dropped) == 0

    bench.simulate(dut, drive, bench.receiver(dut.o_bytes, arrived))
    assert arrived == []


def test_bytes_are_sent_without_gaps(bench):
    dut, levels = made(LinkUart), []

    async def drive(ctx):
        ctx.set(dut.divisor, 8)
        await ctx.tick().repeat(4)
        await bench.send(ctx, dut.i_bytes, [0x55] * 5)
        await ctx.tick().repeat(100)

    async def watch(ctx):
        for _ in range(480):
            levels.append(ctx.get(dut.tx))
            await ctx.tick()

    bench.simulate(dut, drive, watch)
    first = levels.index(0)
    expected = [bit for bit in line_bits(b"\x55" * 5) for _ in range(8)]
    assert levels[first : first + len(expected)] == expected
    assert all(levels[first + len(expected) :])


@pytest.mark.parametrize("first", [30, 37, 61])
def test_while_the_receiver_holds_no_byte_begins_and_none_is_lost(bench, first):
    clocks, data = 6, bytes(range(0x51, 0x59))
    dut = made(LinkUart, clocks << FRACTION_BITS)
    host, starts, holds, now = Host(dut, clocks), [], [], 0

    async def drive(ctx):
        nonlocal now
        line = 1
        for now in range(1500):
            hold = now >= first and now // 250 % 2 == 0
            ctx.set(dut.hold, hold)
            holds.append(hold)
            await ctx.tick()
            before, line = line, ctx.get(dut.tx)
            if before and not line and now >= (starts or [-100])[-1] + 10 * clocks - 1:
                starts.append(now)
        host.closed = True

    async def feed(ctx):
        await bench.send(ctx, dut.i_bytes, data)

    bench.simulate(dut, drive, host.listen, feed)
    assert (bytes(host.received), host.framing_errors) == (data, 0)
    # The crossing, and a byte that had been taken: nothing begins 10 clocks and more after a rise.
    assert not [at for at in starts if all(holds[max(at - 10, 0) : at + 1])]
