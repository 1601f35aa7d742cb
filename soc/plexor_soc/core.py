# SPDX-License-Identifier: Apache-2.0
"""The instrument as a LiteX module: its Verilog as an Instance, its access port as a bus slave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from amaranth.hdl import ClockDomain, Module
from amaranth.hdl import ClockSignal as AmaranthClock
from amaranth.lib.wiring import Component, In
from litex.build.generic_platform import GenericPlatform
from litex.gen import LiteXModule
from litex.soc.interconnect import stream, wishbone
from litex.soc.interconnect.csr import CSRStatus
from migen import FSM, Cat, ClockSignal, If, Instance, NextState, NextValue, Signal

from plexor.protocol.frames import OpStatus
from plexor.protocol.geometry import Geometry
from plexor.protocol.window import window_bits
from plexor_hdl.build.emit import gateware_hash, verilog_of
from plexor_hdl.control.build_id import simulated
from plexor_hdl.instrument import Instrument

NAME = "plexor_core"
BYTE = [("data", 8)]
FRAME_BYTE = [("data", 8), ("end", 1)]
WORD = [("data", 32)]
FRAME_WORD = [("data", 32), ("end", 1)]


def ports_of(component: Component[Any]) -> Iterator[tuple[str, str, int]]:
    """Yield (name in Verilog, "in" or "out", bits) of every port, from `Component.metadata`."""

    def walk(members: Mapping[str, Any], before: str) -> Iterator[tuple[str, str, int]]:
        for name, member in members.items():
            path = f"{before}{name}"
            if isinstance(member, list):
                yield from walk({str(n): entry for n, entry in enumerate(member)}, f"{path}__")
            elif member["type"] == "port":
                yield path, member["dir"], member["width"]
            else:
                yield from walk(member["members"], f"{path}__")

    yield from walk(component.metadata.as_json()["interface"]["members"], "")


class WithoutReset(Component):
    """A component that begins from its initial values, as on boards without LiteX.

    The reset of an instrument's 12,000 flip-flops takes more wires than some devices have.

    Latency: none; the component's own.
    Throughput: the component's own.
    Reset: none.
    Wrap: the component's own.
    Full: the component's own.

    Ports:
        clk: The clock. All other ports are the component's.
    """

    def __init__(self, component: Component[Any]) -> None:
        self._component: Any = component
        super().__init__({**component.signature.members, "clk": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.sync = ClockDomain(reset_less=True)
        m.d.comb += AmaranthClock("sync").eq(self.clk)
        m.submodules.component = inner = self._component
        for path, member, theirs in inner.signature.flatten(inner):
            ours: Any = self
            for part in path:
                ours = ours[part] if isinstance(part, int) else getattr(ours, part)
            taken, given = (theirs, ours) if member.flow is In else (ours, theirs)
            m.d.comb += taken.eq(given)
        return m


class AmaranthModule(LiteXModule):
    """A component as an Instance of its Verilog; `ports` are by name.

    It belongs to a clock domain, but not to its reset, or with "" makes its own clocks. `more` are
    further ports of the Instance. `instance` is its name.
    """

    def __init__(
        self,
        component: Component[Any],
        name: str,
        clock_domain: str,
        instance: str = "",
        **more: Signal | ClockSignal,
    ) -> None:
        self.component = WithoutReset(component) if clock_domain else component
        self.name = name
        ports = list(ports_of(component))
        self.ports = {port: Signal(bits, name=f"{name}_{port}") for port, _, bits in ports}
        if clock_domain:
            more["i_clk"] = ClockSignal(clock_domain)
        more |= {
            f"{'i' if way == 'in' else 'o'}_{port}": self.ports[port] for port, way, _ in ports
        }
        self.specials += Instance(name, name=instance, **more)

    def add_source(self, platform: GenericPlatform, folder: Path) -> None:
        """Write the component's Verilog to a folder and give it to a platform."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.v"
        path.write_text(verilog_of(self.component, self.name))
        platform.add_source(str(path))


class PlexorCore(AmaranthModule):
    """The instrument as a LiteX module, its registers and memories on a Wishbone bus.

    It is in the clock domain `clock_domain`. The bus, in `sys`, has the access window
    (plexor.protocol.window); without `bus` there is none. What the instrument refuses there is
    read as 0, not written, and counted. `loop_clocks` is as for Instrument; `identity` is its
    gateware hash and build id, without it those of a simulation of plexor_hdl.

    Latency: an access of the bus takes what Access takes, and two crossings of clock domains.
    Throughput: one sample word a channel and one strike word an output each clock; one access at a
        time.
    Reset: nothing is counted as refused. The instrument begins idle and has no reset.
    Wrap: `refused` wraps at 2**32.
    Full: link and bus wait; nothing is dropped here.

    Ports:
        samples: One word of W samples a channel, oldest lowest.
        strikes: One word of W samples a strike output, oldest lowest.
        load: The load output.
        gate: The gate, of any clock.
        clock_lost: 1, of any clock, if the core's clock was not as it should be.
        input_select: What is sampled: an InputSelect.
        loopback_output: Output that is sampled with InputSelect.LOOPBACK.
        uart_divisor: Register of that name, for a UART.
        sink: Stream of the link's bytes; with `datagrams` bytes of frames, with an end after each
            frame.
        source: Stream of bytes for the link; with `datagrams` words of frames, with an end after
            each.
        bus: Wishbone slave in `sys`, or None.
        refused: CSR: number of accesses that the instrument refused.
        refusal: CSR: OpStatus of the last one.
        refused_address: CSR: its word of the window.
        kept: Stream of words to a deep memory, where the geometry has one.
        fetched: Stream of words from it.
    """

    def __init__(
        self,
        geometry: Geometry,
        *,
        datagrams: bool = False,
        bus: bool = True,
        clock_domain: str = "sys",
        loop_clocks: int = 0,
        identity: tuple[int, int] | None = None,
    ) -> None:
        self.geometry = geometry
        self.clock_domain = clock_domain
        named = gateware_hash(geometry)
        gateware, build_id = identity or (named, simulated(named))
        instrument = Instrument(
            geometry,
            gateware,
            build_id=build_id,
            loop_clocks=loop_clocks,
            access=bus,
            datagrams=datagrams,
        )
        AmaranthModule.__init__(self, instrument, NAME, clock_domain)
        self.samples, self.strikes = self.ports["samples"], self.ports["strikes"]
        self.load, self.gate = self.ports["load"], self.ports["gate"]
        self.clock_lost = self.ports["clock_lost"]
        self.input_select = self.ports["input_select"]
        self.loopback_output = self.ports["loopback_output"]
        self.uart_divisor = self.ports["uart_divisor"]
        self.sink = stream.Endpoint(FRAME_BYTE if datagrams else BYTE)
        self.source = stream.Endpoint(FRAME_WORD if datagrams else BYTE)
        rx = Cat(self.sink.data, self.sink.end, self.sink.end) if datagrams else self.sink.data
        tx = Cat(self.source.data, self.source.end) if datagrams else self.source.data
        self.comb += [
            self.ports["rx__payload"].eq(rx),
            self.ports["rx__valid"].eq(self.sink.valid),
            self.sink.ready.eq(self.ports["rx__ready"]),
            tx.eq(self.ports["tx__payload"]),
            self.source.valid.eq(self.ports["tx__valid"]),
            self.ports["tx__ready"].eq(self.source.ready),
        ]
        # Words to and from the deep memory, if there is one, in the core's clock domain.
        self.kept, self.fetched = stream.Endpoint(WORD), stream.Endpoint(WORD)
        if geometry.deep_depth:
            self.comb += [
                self.kept.data.eq(self.ports["kept__payload"]),
                self.kept.valid.eq(self.ports["kept__valid"]),
                self.ports["kept__ready"].eq(self.kept.ready),
                self.ports["fetched__payload"].eq(self.fetched.data),
                self.ports["fetched__valid"].eq(self.fetched.valid),
                self.fetched.ready.eq(self.ports["fetched__ready"]),
            ]
        self.bus = wishbone.Interface(data_width=32, adr_width=30) if bus else None
        if self.bus is not None:
            self.refused = CSRStatus(32, description="Accesses that the instrument refused.")
            self.refusal = CSRStatus(8, description="OpStatus of the last one.")
            self.refused_address = CSRStatus(32, description="Word of the window that it was for.")
            self._connect(self.bus, window_bits(geometry))

    def _connect(self, bus: wishbone.Interface, bits: int) -> None:
        requests = stream.ClockDomainCrossing(
            [("address", bits), ("write", 1), ("data", 32)], "sys", self.clock_domain
        )
        answers = stream.ClockDomainCrossing(
            [("data", 32), ("status", 8)], self.clock_domain, "sys"
        )
        self.submodules += requests, answers
        request, answer = requests.source, answers.sink
        self.comb += [
            self.ports["access__payload"].eq(Cat(request.address, request.write, request.data)),
            self.ports["access__valid"].eq(request.valid),
            request.ready.eq(self.ports["access__ready"]),
            Cat(answer.data, answer.status).eq(self.ports["answers__payload"]),
            answer.valid.eq(self.ports["answers__valid"]),
            self.ports["answers__ready"].eq(answer.ready),
        ]
        back = answers.source
        asked = Signal()
        self.comb += [
            asked.eq(bus.cyc & bus.stb),
            requests.sink.address.eq(bus.adr[:bits]),
            requests.sink.write.eq(bus.we),
            requests.sink.data.eq(bus.dat_w),
            bus.dat_r.eq(back.data),
        ]
        self.fsm = fsm = FSM(reset_state="IDLE")
        fsm.act(
            "IDLE",
            If(
                asked,
                requests.sink.valid.eq(1),
                If(requests.sink.ready, NextState("WAIT")),
            ),
        )
        fsm.act(
            "WAIT",
            back.ready.eq(1),
            If(
                back.valid,
                bus.ack.eq(asked),
                NextState("IDLE"),
                If(
                    back.status != OpStatus.OK,
                    NextValue(self.refused.status, self.refused.status + 1),
                    NextValue(self.refusal.status, back.status),
                    NextValue(self.refused_address.status, bus.adr[:bits]),
                ),
            ),
        )
