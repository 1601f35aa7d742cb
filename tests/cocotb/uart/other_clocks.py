# SPDX-License-Identifier: Apache-2.0
"""cocotb side: a host whose bits are counted in picoseconds, on no edge of the link's clock."""

import os
import random

import cocotb
from clocked import CLOCK_NS, clocks, reset, start
from cocotb.triggers import FallingEdge, Timer

BYTES = int(os.environ["BYTES"])
CLOCK_PS = CLOCK_NS * 1000
PREAMBLE = b"\x55\x00"
BITS = 10
"""Of a byte, start and stop bit with it."""


class Host:
    """The other end of the line: `bit_ps` is its bit, for both directions."""

    def __init__(self, dut, bit_ps: int) -> None:
        self.dut, self.bit_ps = dut, bit_ps
        self.received = bytearray()
        self.framing_errors = 0
        self._listener = cocotb.start_soon(self._listen())

    def close(self) -> None:
        """Listen no more."""
        self._listener.cancel()

    async def level(self, level: int, bits: int = 1) -> None:
        """Hold the line for some bits."""
        self.dut.rx.value = level
        await Timer(bits * self.bit_ps, "ps")

    async def send(self, data: bytes, rng: random.Random | None = None) -> None:
        """Send bytes; with `rng` some pauses between them, of any length."""
        for byte in data:
            for bit in (0, *(byte >> n & 1 for n in range(8)), 1):
                await self.level(bit)
            if rng is not None and rng.random() < 0.3:
                await Timer(rng.randrange(1, 3 * self.bit_ps), "ps")

    async def _listen(self) -> None:
        # An ideal receiver: each bit in its middle by the host's clock.
        while True:
            await FallingEdge(self.dut.tx)
            await Timer(self.bit_ps // 2, "ps")
            bits = [int(self.dut.tx.value)]
            for _ in range(BITS - 1):
                await Timer(self.bit_ps, "ps")
                bits.append(int(self.dut.tx.value))
            self.framing_errors += bits[0] or not bits[-1]
            self.received.append(sum(bit << n for n, bit in enumerate(bits[1:-1])))


def random_bytes(rng: random.Random) -> bytes:
    """Return bytes of which none is taken for a preamble: none is 0x55 after 0x00 or at first."""
    data = rng.randbytes(BYTES) + bytes([0x00, 0xFF, 0x80, 0x01, 0xAA, 0x55, 0xFE, 0x7F])
    return b"\x01" + data.replace(b"\x00\x55", b"\x00\x54")


async def prepare(dut, divisor: int, rng: random.Random) -> None:
    """Reset the link, and leave its clock at a random phase."""
    dut.rx.value = 1
    dut.divisor.value = divisor
    await reset(dut)
    await clocks(dut, 12)
    await Timer(rng.randrange(1, CLOCK_PS), "ps")


async def echoed(dut, host: Host, data: bytes, rng: random.Random) -> None:
    """Send the bytes; assert that they come back, and that no error was seen on either side."""
    before = len(host.received)
    await host.send(data, rng)
    # At the slower of both clocks the last bytes are still under way.
    await host.level(1, BITS * (4 + len(data) // 20))
    assert bytes(host.received[before:]) == data
    assert not host.framing_errors
    assert not int(dut.dropped.value)


@cocotb.test()
async def a_host_two_percent_off_a_set_rate_is_understood_both_ways(dut):
    await start(dut)
    for divisor in (6, 7, 13, 16, 87, 104):
        # A start bit is looked for from a clock after the middle of the stop bit's sample.
        percents = (-1, 0, 2) if divisor == 6 else (-2, 0, 2)
        for percent in percents:
            rng = random.Random(divisor * 10 + percent)
            await prepare(dut, divisor, rng)
            host = Host(dut, divisor * CLOCK_PS * (100 + percent) // 100)
            await echoed(dut, host, random_bytes(rng), rng)
            host.close()


@cocotb.test()
async def any_rate_is_measured_on_a_preamble(dut):
    await start(dut)
    for seed in range(12):
        rng = random.Random(seed)
        clock_count = (6.0, 8.68, 10.417, 108.507)[seed] if seed < 4 else rng.uniform(6, 40)
        await prepare(dut, 0, rng)
        host = Host(dut, round(clock_count * CLOCK_PS))
        await host.level(1, 12)
        await host.send(PREAMBLE)
        await host.level(1, 2 * BITS)
        assert bytes(host.received) == PREAMBLE[1:], clock_count
        await echoed(dut, host, random_bytes(rng), rng)
        host.close()


@cocotb.test()
async def after_a_break_another_rate_is_measured(dut):
    rng = random.Random(5)
    await start(dut)
    await prepare(dut, 0, rng)
    dut._log.info("rates in clocks a bit, each after a break")
    last = 0
    for clock_count in (10.4, 86.9, 6.3, 17.36, 16.2, 40.01):
        host = Host(dut, round(clock_count * CLOCK_PS))
        if last:
            await host.level(0, 1 + round(12 * max(last, clock_count) / clock_count))
        await host.level(1, 12)
        host.close()
        host = Host(dut, host.bit_ps)
        await host.send(PREAMBLE)
        await host.level(1, 4 * BITS)
        errors = int(dut.dropped.value)
        data = random_bytes(rng)
        host.received.clear()
        await host.send(data, rng)
        await host.level(1, BITS * (4 + len(data) // 20))
        assert bytes(host.received) == data, clock_count
        assert int(dut.dropped.value) == errors
        host.close()
        last = clock_count


@cocotb.test()
async def a_byte_without_stop_bit_is_counted_and_not_passed_on(dut):
    rng = random.Random(9)
    await start(dut)
    await prepare(dut, 16, rng)
    host = Host(dut, round(16.1 * CLOCK_PS))
    await host.send(b"\x07")
    for level in (0, 1, 0, 0, 0, 0, 1, 0, 0, 0):
        await host.level(level)
    await host.level(1, 12)
    await host.send(b"\x42\x43")
    await host.level(1, 4 * BITS)
    assert bytes(host.received) == b"\x07\x42\x43"
    assert int(dut.dropped.value) == 1
    host.close()
