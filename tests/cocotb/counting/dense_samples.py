"""cocotb side: every word of every bank is the golden model's, also read while the other counts."""

import os
import random

import cocotb
import numpy as np
from clocked import Driver, Packing, clocks, start
from shapes import geometry_of

from plexor.protocol.memory import KINDS, STATISTICS, VALUE_MOST, bin_bits
from plexor_hdl.interfaces import READ_CLOCKS, Sample
from plexor_sim.golden import memory
from plexor_sim.golden.matcher import Samples

WHICH, CHANNELS, COUNT = (os.environ["WHICH"], *(int(os.environ[n]) for n in ("CHANNELS", "COUNT")))
GEOMETRY = geometry_of(CHANNELS)
KEYS = KINDS << GEOMETRY.key_bits
SAMPLE = Packing(Sample(GEOMETRY.key_bits + 1))
MANTISSA_BITS = getattr(GEOMETRY, f"{WHICH}_mantissa_bits")
LATENCY_CLOCKS = 13
"""Of the engine, from a sample to the words that tell of it."""
WORDS = {
    "bins": KEYS << bin_bits(MANTISSA_BITS),
    "zoom": KEYS << GEOMETRY.zoom_bits,
    "statistics": KEYS * STATISTICS.size_bytes // 4,
}


class Reader:
    """An Agent: reads a space's words of one bank, one address a clock."""

    def __init__(self, dut, space: str, bank: int) -> None:
        self._address = getattr(dut, f"{space}__address")
        self._data = getattr(dut, f"{space}__data")
        getattr(dut, f"{space}__bank").value = bank
        self._clock, self._count = 0, WORDS[space]
        self.words: list[int] = []

    @property
    def done(self) -> bool:
        """All words were read."""
        return len(self.words) == self._count

    def clock(self) -> None:
        """See Agent."""
        # What stands now was addressed READ_CLOCKS before the clock that ends.
        if READ_CLOCKS < self._clock <= READ_CLOCKS + self._count:
            self.words.append(int(self._data.value))
        self._address.value = min(self._clock, self._count - 1)
        self._clock += 1


def random_value(rng: random.Random) -> int:
    """Return small, close, wide, negative and greatest values."""
    least = 0 if WHICH == "interval" else -(1 << rng.randrange(32))
    return rng.choice(
        (
            rng.randrange(8),
            100 + rng.randrange(4),
            rng.getrandbits(rng.randrange(1, 32)),
            max(least, -(1 << 31)),
            VALUE_MOST,
            VALUE_MOST - 1,
        )
    )


def random_samples(rng: random.Random, count: int, bank: int, first_index: int):
    """Return samples; some keys come many times in a row."""
    samples, key = [], 0
    for number in range(count):
        if rng.random() < 0.5:
            key = rng.randrange(KEYS)
        samples.append(
            {
                "key": key,
                "value_ticks": random_value(rng),
                "index": first_index + number,
                "time_ticks": (1 << 40) + 7 * (first_index + number),
                "bank": bank,
            }
        )
    return samples


def of_key(samples, key: int) -> Samples:
    """Return one key's samples for the golden model."""
    rows = [s for s in samples if s["key"] == key]
    columns = ([s[name] for s in rows] for name in ("value_ticks", "index", "time_ticks"))
    return Samples(*(np.array(column, np.int64) for column in columns))


def expected(samples, firsts: list[int]) -> dict[str, list[int]]:
    """Return the words of each space after the samples of one bank."""
    keys = [of_key(samples, key) for key in range(KEYS)]
    statistics = b"".join(
        memory.pack_statistics(memory.statistics(each, GEOMETRY.features)) for each in keys
    )
    return {
        "bins": np.concatenate([memory.log_counts(k, MANTISSA_BITS) for k in keys]).tolist(),
        "zoom": np.concatenate(
            [
                memory.zoom_counts(k, first, GEOMETRY.zoom_bits)
                for k, first in zip(keys, firsts, strict=True)
            ]
        ).tolist(),
        "statistics": np.frombuffer(statistics, "<u4").tolist(),
    }


async def read_all(dut, bank: int, *agents) -> dict[str, list[int]]:
    """Return all words of one bank, while other agents go on."""
    readers = {space: Reader(dut, space, bank) for space in WORDS}
    most = max(WORDS.values()) + 2 * READ_CLOCKS
    done = lambda: all(reader.done for reader in readers.values())  # noqa: E731
    await clocks(dut, most, *readers.values(), *agents, until=done)
    return {space: reader.words for space, reader in readers.items()}


async def clear(dut) -> None:
    """Zero every memory."""
    dut.clear_stb.value = 1
    await clocks(dut, 1)
    dut.clear_stb.value = 0
    await clocks(dut, 3)
    await clocks(dut, 10_000, until=lambda: not dut.clear_busy.value)


@cocotb.test()
async def banks_flip_and_every_word_is_right(dut):
    await start(dut)
    rng = random.Random(3)
    for pauses in (0.0, 0.3):
        firsts = [rng.choice((0, 90, -5, rng.getrandbits(20))) for _ in range(KEYS)]
        for number, first in enumerate(firsts):
            getattr(dut, f"zoom_first__{number}").value = first
        await clear(dut)
        banks: tuple[list, list] = ([], [])
        at = bank = 0
        while at < COUNT // 2:
            samples = random_samples(rng, rng.randrange(1, COUNT // 4), bank, at)
            banks[bank].extend(samples)
            at += len(samples)
            driver = Driver(dut, "i_samples", map(SAMPLE.pack, samples), rng, pauses)
            other = 1 - bank
            # The bank that stands is read while the other counts.
            await clocks(dut, LATENCY_CLOCKS, driver)
            assert await read_all(dut, other, driver) == expected(banks[other], firsts)
            await clocks(dut, 20 * COUNT, driver, until=lambda driver=driver: driver.done)
            bank = other
        await clocks(dut, LATENCY_CLOCKS)
        for bank in (0, 1):
            assert await read_all(dut, bank) == expected(banks[bank], firsts)
        assert not dut.saturated.value
        dut._log.info("%d samples, %d and %d a bank", at, *map(len, banks))
