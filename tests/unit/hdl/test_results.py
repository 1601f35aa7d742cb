"""The results: each value in the bins, the window and the record of its kind and channel."""

import gc

import numpy as np
import pytest

from plexor.protocol.geometry import ALL_FEATURES, Feature, Geometry
from plexor.protocol.memory import KINDS, Space, bin_bits, first_bin, mantissa_bits
from plexor_hdl.interfaces import READ_CLOCKS, SPACE_ADDRESS_BITS
from plexor_hdl.results import Results
from plexor_sim.golden.matcher import Samples
from plexor_sim.golden.memory import log_counts, zoom_counts

from .simulation import made, simulate
from .test_records import values_of

SMALL = {"latency_mantissa_bits": 4, "fall_mantissa_bits": 2, "interval_mantissa_bits": 3}
BINS = ((Space.LATENCY_BINS, Space.LATENCY_ZOOM), (Space.INTERVAL_BINS, Space.INTERVAL_ZOOM))
FEATURES = ALL_FEATURES & ~(Feature.SNAPSHOT | Feature.SWEEP)
OUTSIDE = 1 << SPACE_ADDRESS_BITS - 1
READ_LATE = READ_CLOCKS + 10


async def words(ctx, dut, space, first, count):
    """Return words of a space, one after the other."""
    port, found = dut.reads[dut.spaces.index(space)], []
    for place in range(first, first + count):
        ctx.set(port.address, place)
        await ctx.tick().repeat(READ_LATE)
        found.append(ctx.get(port.data))
    ctx.set(port.address, OUTSIDE)
    return found


@pytest.mark.parametrize(
    ("features", "channels"),
    [(FEATURES, 2), (Feature.EVENTS | Feature.ZOOM, 3), (Feature.FALL, 1)],
    ids=["all", "rises", "falls"],
)
def test_every_value_is_in_its_bin_and_in_its_window(features, channels):
    geometry = Geometry(channels=channels, features=features, zoom_bits=4, **SMALL)
    dut, values = made(Results, geometry), list(values_of(geometry, 500, channels))
    firsts = {kind: -20 + 7 * kind for kind in range(4)}

    async def testbench(ctx):
        for port in dut.reads:
            ctx.set(port.address, OUTSIDE)
        for place, port in enumerate(dut.zoom_first):
            ctx.set(port, firsts[place >> geometry.key_bits] + (place & 1))
        ctx.set(dut.clear_stb, 1)
        await ctx.tick()
        ctx.set(dut.clear_stb, 0)
        await ctx.tick().until(~dut.clear_busy)
        for kind, channel, value, index, time in values:
            payload = {"kind": kind, "channel": channel, "value_ticks": value}
            if Feature.EXTREMES in features:
                payload |= {"index": index, "time_ticks": time}
            ctx.set(dut.i_measured.payload, payload)
            ctx.set(dut.i_measured.valid, 1)
            await ctx.tick().until(dut.i_measured.ready)
        ctx.set(dut.i_measured.valid, 0)
        await ctx.tick().until(dut.idle)
        for kind in range(4):
            bins, zoom = BINS[kind // KINDS]
            if bins not in dut.spaces:
                continue
            for channel in range(channels):
                ours = [value[2:] for value in values if value[:2] == (kind, channel)]
                samples = Samples(*np.array(ours, np.int64).reshape(-1, 3).T)
                bits = mantissa_bits(geometry, bins, kind % KINDS)
                first = first_bin(geometry, bins, kind % KINDS, channel)
                found = await words(ctx, dut, bins, first, 1 << bin_bits(bits))
                assert found == log_counts(samples, bits).tolist(), (kind, channel)
                if zoom not in dut.spaces:
                    continue
                first = first_bin(geometry, zoom, kind % KINDS, channel)
                found = await words(ctx, dut, zoom, first, 16)
                window = firsts[kind] + (channel & 1)
                assert found == zoom_counts(samples, window, 4).tolist(), (kind, channel)

    simulate(dut, testbench)


@pytest.mark.filterwarnings("ignore:.*created but never used")
def test_bins_of_falls_finer_than_those_of_rises_are_refused():
    with pytest.raises(ValueError, match="fall_mantissa_bits: 5; must be 4 or less"):
        Results(Geometry(latency_mantissa_bits=4, fall_mantissa_bits=5))
    gc.collect()
