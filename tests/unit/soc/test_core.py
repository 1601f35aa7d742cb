# SPDX-License-Identifier: Apache-2.0
"""The instrument as a LiteX module: its ports, and a bus of another clock at one of them."""

from __future__ import annotations

import random
import re
from collections.abc import Generator
from typing import Any

import pytest
from amaranth.hdl import Module
from amaranth.lib import stream as amaranth_stream
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator
from litex.soc.interconnect import wishbone
from litex.soc.interconnect.csr import CSRStatus
from migen import Signal
from migen.sim import passive, run_simulation

from plexor.protocol.frames import OpStatus
from plexor_hdl.build.emit import verilog_of
from plexor_soc.core import PlexorCore, WithoutReset, ports_of

CLOCKS = {"sys": 20, "core": 9}
BITS = 12
WIDTHS = {
    "access__payload": BITS + 33,
    "access__valid": 1,
    "access__ready": 1,
    "answers__payload": 40,
    "answers__valid": 1,
    "answers__ready": 1,
}


class Parts(wiring.Component):
    """Ports of all kinds."""

    _MustUse__silence = True  # only its ports are looked at

    def __init__(self) -> None:
        super().__init__(
            {
                "word": In(12),
                "told": Out(1),
                "bytes": Out(amaranth_stream.Signature(8)),
                "lanes": In(amaranth_stream.Signature(3)).array(2),
            }
        )


def test_every_port_of_a_component_has_its_name_in_verilog_its_way_and_its_bits() -> None:
    assert set(ports_of(Parts())) == {
        ("word", "in", 12),
        ("told", "out", 1),
        ("bytes__payload", "out", 8),
        ("bytes__valid", "out", 1),
        ("bytes__ready", "in", 1),
        *(
            (f"lanes__{lane}__{name}", way, bits)
            for lane in range(2)
            for name, way, bits in (("payload", "in", 3), ("valid", "in", 1), ("ready", "out", 1))
        ),
    }


class Turning(wiring.Component):
    """Two lanes, the words of each of them a clock later in the other, one more each."""

    def __init__(self) -> None:
        lane = amaranth_stream.Signature(8)
        ports = {"given": In(lane).array(2), "told": Out(lane).array(2)}
        super().__init__({**ports, "clocks": Out(8, init=7)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.sync += self.clocks.eq(self.clocks + 1)
        for told, given in zip(self.told, reversed(self.given), strict=True):
            m.d.sync += told.payload.eq(given.payload + 1)
        return m


def test_a_component_without_reset_is_the_same_at_every_port_and_has_none() -> None:
    whole = WithoutReset(Turning())
    text = verilog_of(whole, "turning")
    assert {name for name, _, _ in ports_of(whole)} > {"clk", "told__1__payload"}
    assert not re.search(r"\brst\b", text)
    assert re.search(r"\brst\b", verilog_of(Turning(), "turning"))

    async def testbench(ctx: Any) -> None:
        for clocks in range(8, 12):
            words = [clocks, 100 + clocks]
            for lane, word in zip(whole.given, words, strict=True):
                ctx.set(lane.payload, word)
            ctx.set(whole.clk, 1)
            assert ctx.get(whole.clocks) == clocks
            told = [ctx.get(lane.payload) for lane in whole.told]
            assert told == [word + 1 for word in reversed(words)]
            ctx.set(whole.clk, 0)

    simulator = Simulator(whole)
    simulator.add_testbench(testbench)
    simulator.run()


class Bridge(PlexorCore):
    """The bridge of a core alone: its bus, and ports that a test is behind."""

    def __init__(self) -> None:  # the instrument's Verilog cannot be simulated here
        self.clock_domain = "core"
        self.ports = {name: Signal(bits, name=name) for name, bits in WIDTHS.items()}
        self.bus = wishbone.Interface(data_width=32, adr_width=30)
        self.refused = CSRStatus(32, name="refused")
        self.refusal = CSRStatus(8, name="refusal")
        self.refused_address = CSRStatus(32, name="refused_address")
        self._connect(self.bus, BITS)

    @passive
    def instrument(self, words: dict[int, int], asked: list[Any], seed: int) -> Generator:
        """Answer after some clocks; words that are not there are refused."""
        ports, rng = self.ports, random.Random(seed)
        while True:
            yield ports["access__ready"].eq(1)
            yield
            if not (yield ports["access__valid"]):
                continue
            payload = yield ports["access__payload"]
            yield ports["access__ready"].eq(0)
            address, write = payload & (1 << BITS) - 1, payload >> BITS & 1
            asked.append((address, write))
            for _ in range(rng.randrange(6)):
                yield
            status = OpStatus.OK if address in words else OpStatus.NO_REGISTER
            if write and status is OpStatus.OK:
                words[address] = payload >> BITS + 1
            found = words.get(address, 0)
            yield ports["answers__payload"].eq(found | status << 32)
            yield ports["answers__valid"].eq(1)
            yield
            while not (yield ports["answers__ready"]):
                yield
            yield ports["answers__valid"].eq(0)


@pytest.mark.parametrize("seed", range(2))
def test_each_access_of_the_bus_is_one_of_the_instrument_and_refusals_are_counted(seed) -> None:
    bridge, rng = Bridge(), random.Random(seed)
    truth = {address: rng.getrandbits(32) for address in (0, 1, 5, (1 << BITS) - 1)}
    words, asked, made = dict(truth), [], []

    def master() -> Generator:
        refused, last = 0, (0, 0)
        for _ in range(40):
            address = rng.choice((*truth, 2, 77))
            # What is above the window is no part of the address.
            high = rng.choice((0, 0x0800_0000))
            if rng.random() < 0.4:
                value = rng.getrandbits(32)
                yield from bridge.bus.write(address | high, value)
                if address in truth:
                    truth[address] = value
                made.append((address, 1))
            else:
                found = yield from bridge.bus.read(address | high)
                assert found == truth.get(address, 0)
                made.append((address, 0))
            if address not in truth:
                refused, last = refused + 1, (OpStatus.NO_REGISTER, address)
            yield
            assert (yield bridge.refused.status) == refused
            refusal = (yield bridge.refusal.status), (yield bridge.refused_address.status)
            assert refusal == last
        assert refused > 5

    scripts = {"sys": [master()], "core": [bridge.instrument(words, asked, seed)]}
    run_simulation(bridge, scripts, clocks=CLOCKS)
    assert words == truth
    assert asked == made
