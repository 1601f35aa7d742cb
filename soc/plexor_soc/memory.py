# SPDX-License-Identifier: Apache-2.0
"""The deep memory: a FIFO of the instrument's entries in an SDR SDRAM, by LiteDRAM, without a CPU.

An SDRAM's start is specified in JEDEC Standard 21-C, 3.11.5 (SDRAM), and the data sheets of ESMT's
M12L64322A ("Power Up Sequence") and Micron's MT48LC16M16A2 ("Initialization"): 100 to 200 us
without a command, precharge of all banks, at least two refreshes, mode register.
"""

from __future__ import annotations

from litedram.core.controller import ControllerSettings, LiteDRAMController
from litedram.core.crossbar import LiteDRAMCrossbar
from litedram.frontend.fifo import LiteDRAMFIFO
from litedram.modules import SDRAMModule
from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from litex.soc.interconnect.csr import CSRStatus
from migen import Case, If, Module, Signal

from plexor_soc.core import WORD, PlexorCore

POWER_UP_S = 200e-6
STEP_CLOCKS = 8
"""Clocks between commands of the start: more than tRP, tRFC and tMRD at up to 100 MHz."""
REFRESHES = 8
ALL_BANKS = 1 << 10
CAS_LATENCY_SHIFT = 4
CROSSING_WORDS = 16
"""Words in a clock domain crossing: enough for one word each clock of the slower side."""


class Sequencer(LiteXModule):
    """Starts an SDRAM after reset, as LiteDRAM has software do; then lets its controller at it.

    What the controller does before `done`, refreshes, does not reach the pins.

    Latency: `power_up_s`, and 10 steps of STEP_CLOCKS + 1 clocks, from reset to `done`.
    Throughput: one start after each reset.
    Reset: it starts the SDRAM anew.
    Wrap: none; it stops at its last step.
    Full: never; it takes nothing.

    Ports:
        done: 1 once the controller may be used.
    """

    def __init__(
        self, controller: LiteDRAMController, phy: Module, clock_hz: float, power_up_s: float
    ) -> None:
        self.done = Signal()
        pins = phy.dfi.p0
        precharge = [pins.ras_n.eq(0), pins.we_n.eq(0), pins.address.eq(ALL_BANKS)]
        refresh = [pins.ras_n.eq(0), pins.cas_n.eq(0)]
        # The burst length is one word.
        mode = [pins.ras_n.eq(0), pins.cas_n.eq(0), pins.we_n.eq(0)]
        mode += [pins.address.eq(phy.settings.cl << CAS_LATENCY_SHIFT)]
        steps = [precharge, *(REFRESHES * [refresh]), mode]
        power_up = int(power_up_s * clock_hz) + 1
        wait = Signal(max=max(power_up, STEP_CLOCKS) + 1, reset=power_up)
        number = Signal(max=len(steps) + 1)
        self.comb += If(self.done, controller.dfi.connect(phy.dfi)).Else(
            pins.cke.eq(1), pins.cs_n.eq(0), If(wait == 0, Case(number, dict(enumerate(steps))))
        )
        self.sync += If(wait != 0, wait.eq(wait - 1)).Elif(
            number != len(steps), wait.eq(STEP_CLOCKS), number.eq(number + 1)
        )
        self.sync += If((wait == 0) & (number == len(steps)), self.done.eq(1))


class DeepMemory(LiteXModule):
    """The FIFO between `kept` and `fetched` of a core, as deep as its geometry says, in `sys`.

    `phy` and `module` are LiteDRAM's of an SDR SDRAM in `sys`. Words leave in the order in which
    they came. Raises ValueError where it is deeper than the SDRAM is great.

    Latency: that of LiteDRAM and two crossings of clock domains; the core takes any.
    Throughput: together, words in and out, up to a word of the SDRAM a clock, less some 5 % for
        refreshes and changes of row.
    Reset: empty; the SDRAM is started anew.
    Wrap: none; places go round.
    Full: `kept` waits, as it does until the SDRAM has started, for `power_up_s`; nothing is
        dropped.

    Ports:
        ready: CSR: 1 once the SDRAM has started.
    """

    def __init__(
        self,
        core: PlexorCore,
        phy: Module,
        module: SDRAMModule,
        clock_hz: float,
        power_up_s: float = POWER_UP_S,
    ) -> None:
        geometry = module.geom_settings
        cells = 1 << (geometry.bankbits + geometry.rowbits + geometry.colbits)
        room = cells * phy.settings.databits // 32
        depth = core.geometry.deep_depth
        if depth > room:
            raise ValueError(f"deep_depth: {depth}; the SDRAM holds {room}")
        self.ready = CSRStatus(description="1: the SDRAM has started.")
        self.controller = controller = LiteDRAMController(
            phy.settings, geometry, module.timing_settings, clock_hz, ControllerSettings()
        )
        self.crossbar = crossbar = LiteDRAMCrossbar(controller.interface)
        self.sequencer = Sequencer(controller, phy, clock_hz, power_up_s)
        write, read = crossbar.get_port("write"), crossbar.get_port("read")
        width = write.data_width
        self.fifo = fifo = LiteDRAMFIFO(width, 0, 4 * depth, write, read)
        self.split = split = stream.Converter(32, width)
        self.join = join = stream.Converter(width, 32)
        self.kept = kept = stream.ClockDomainCrossing(
            WORD, core.clock_domain, "sys", CROSSING_WORDS
        )
        self.fetched = fetched = stream.ClockDomainCrossing(
            WORD, "sys", core.clock_domain, CROSSING_WORDS
        )
        self.comb += [
            core.kept.connect(kept.sink),
            kept.source.connect(split.sink),
            If(self.sequencer.done, split.source.connect(fifo.sink)),
            fifo.source.connect(join.sink),
            join.source.connect(fetched.sink),
            fetched.source.connect(core.fetched),
            self.ready.status.eq(self.sequencer.done),
        ]
