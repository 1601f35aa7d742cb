# SPDX-License-Identifier: Apache-2.0
"""The register bank, derived from plexor.protocol.registers."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import OpStatus
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import (
    BASE_ADDRESSES,
    BLOCKS,
    CHANNEL,
    CHANNEL_STATUS,
    CODE,
    CONTROL,
    IDENTITY,
    LONG_FILTER,
    LONG_FILTER_STATUS,
    MATCHER,
    SCHEDULE,
    SOURCE,
    STATUS,
    STEP,
    STIMULUS,
    Access,
    Action,
    Block,
)
from plexor.protocol.window import copies
from plexor_hdl.control.build_id import identity_values
from plexor_hdl.control.limits import OWN, SHARED
from plexor_hdl.control.register_bus import RegisterBus
from plexor_hdl.control.register_memory import MARKED, RegisterMemory
from plexor_hdl.interfaces import COUNT_BITS, Kind, block_layout
from plexor_hdl.lib.addresses import (
    WORD_BITS,
    Word,
    blocks_of,
    claimed,
    hits_layout,
    split,
    words_of,
)
from plexor_hdl.lib.tables import table

ACTION_LAYOUT = data.StructLayout({action.name.lower(): 1 for action in Action})
SOURCE_ADDRESS_BITS = 6
LIVE = (STATUS, CHANNEL_STATUS, SOURCE, LONG_FILTER_STATUS)
STEP_WORDS_BITS = (STEP.count * STEP.stride_words - 1).bit_length()
SOURCE_CLOCKS = 17
"""Clocks from the request of a source's count to the count."""
DECIDED, LOW_NEXT, DONE = 2, SOURCE_CLOCKS - 1, SOURCE_CLOCKS + 2
"""Clocks from a request to the answer's status, to the read of a low word, and to the end."""
LAST_FROM = LOW_NEXT - 2
"""The first of its last clocks in which something is due."""
ZOOMS = ("zoom_rise_ticks", "zoom_fall_ticks", "zoom_width_ticks", "zoom_period_ticks")
"""Registers of CHANNEL that are kept in the results' memory, in the order of Kind."""
ZOOM_BITS = (len(Kind) - 1).bit_length()
ENTRY = ("due_ticks", "entry")
"""Registers of SCHEDULE that go into its memory."""
HALF_BITS = 4
HALF_WORDS = 1 << HALF_BITS
"""Words in half of a block's copy. A row and a column, each of four, select one."""


def _cell(block: Block, place: int, rows, columns):
    """Return whether the request is for the word at `place` of its half of a copy."""
    row, column = place % HALF_WORDS // 4, place % 4
    return (rows[row] if block.stride_words > 4 else 1) & (
        columns[column] if block.stride_words > 1 else 1
    )


class RegisterBank(wiring.Component):
    """Holds all registers of a build.

    Copies that the build leaves out answer NO_REGISTER. While `running`, SETUP registers answer
    RUNNING and keep their value. Bits beyond a register's are ignored and read 0.

    A wide register of LIVE is read coherently low word first, if it grows by less than
    2**31 a clock: the low word's read latches the high word, and reading any high word gives what
    was latched last.

    start_ticks and end_ticks are no ports: a mark keeps them. `track` must have been high for some
    clocks, without a request, in the last 2**31 ticks before a mark, and low while none is due. A
    request at a mark waits while `hold`, which must be high from the clock after it until 4 clocks
    after.

    Latency: SOURCE_CLOCKS + 4 (21) clocks from `request_stb` to `done_stb`, without `hold`. What is
        written is at its port after 8; strobes of windows, steps and entries come after 6, of
        limits after 7.
    Throughput: one request at a time.
    Reset: registers have their reset values; for up to 2048 clocks, not after configuration,
        requests wait while the memory is prepared.
    Wrap: none; it counts nothing.
    Full: never; a request waits while `hold`.

    Ports:
        bus: Requests of one register word at a time.
        running: 1 while a run lasts.
        hold: 1 lets requests wait.
        mark_stb: Keeps time_ticks of the next clock.
        mark_end: With `mark_stb`: 1 keeps it as end_ticks, 0 as start_ticks.
        track: 1 if a mark may be due.
        word_end: 1 for `word` of end_ticks, 0 for that of run_time_ticks.
        word_high: 1 for the high word, 0 for the low one.
        word: The word.
        word_valid: 1 if `word` is that, and `word_end` and `word_high` have stood for 3 clocks; 0
            during requests.
        action: Strobes of what the host has asked for.
        control: Registers of CONTROL.
        matcher: Registers of MATCHER.
        channel: Registers of CHANNEL, for each channel; those of ZOOMS stay at their reset value.
        stimulus: Registers of STIMULUS, for each strike output.
        code: Registers of CODE, with Feature.CODES.
        schedule: Registers of SCHEDULE, with Feature.SCHEDULE; those of ENTRY stay at 0.
        long_filter: Registers of LONG_FILTER, for each channel, with Feature.LONG_FILTER.
        zoom_stb: Strobes as one of ZOOMS is written.
        zoom_place: Which one: its Kind << key bits | channel.
        limit_stb: A bit strobes as a register of Limits is written.
        written: What is written, with the strobes and until the next request.
        step_stb: Strobes as a word of STEP is written.
        step_place: Its place among the words of all steps; its lowest bits are that in SCHEDULE.
        schedule_stb: Strobes as a word of ENTRY is written.
        status: Registers of STATUS, but for MARKED.
        channel_status: Registers of CHANNEL_STATUS, for each channel.
        long_filter_status: Registers of LONG_FILTER_STATUS, with Feature.LONG_FILTER.
        source_stb: Strobes with each request, and asks for a count of SOURCE.
        source_address: The source x 2, or one more for what was dropped of it.
        source_value: That count; it stands from SOURCE_CLOCKS after `source_stb` on.
    """

    def __init__(self, geometry: Geometry, gateware_hash: int, build_id: int = 0) -> None:
        self._geometry = geometry
        self._identity = identity_values(geometry, gateware_hash, build_id)
        self._copies = {block.name: copies(geometry, block) for block in BLOCKS}
        self._blocks = blocks_of(self._copies)

        def block_port(block: Block) -> wiring.Member:
            init = {register.name: register.reset for register in block.registers}
            return Out(block_layout(block), init=init)

        super().__init__(
            {
                "bus": In(RegisterBus()),
                "running": In(1),
                "hold": In(1),
                "mark_stb": In(1),
                "mark_end": In(1),
                "track": In(1),
                "word_end": In(1),
                "word_high": In(1),
                "word": Out(WORD_BITS),
                "word_valid": Out(1),
                "action": Out(ACTION_LAYOUT),
                "control": block_port(CONTROL),
                "matcher": block_port(MATCHER),
                "channel": block_port(CHANNEL).array(geometry.channels),
                "stimulus": block_port(STIMULUS).array(geometry.strikes),
                **{
                    block.name: block_port(block)
                    for block in (CODE, SCHEDULE)
                    if self._copies[block.name]
                },
                **(
                    {
                        "long_filter": block_port(LONG_FILTER).array(geometry.channels),
                        "long_filter_status": In(block_layout(LONG_FILTER_STATUS)),
                    }
                    if self._copies[LONG_FILTER.name]
                    else {}
                ),
                "zoom_stb": Out(1),
                "zoom_place": Out(geometry.key_bits + ZOOM_BITS),
                "limit_stb": Out(len(SHARED) + geometry.channels),
                "written": Out(WORD_BITS),
                "step_stb": Out(1),
                "step_place": Out(STEP_WORDS_BITS),
                "schedule_stb": Out(1),
                "status": In(block_layout(STATUS)),
                "channel_status": In(block_layout(CHANNEL_STATUS)).array(geometry.channels),
                "source_stb": Out(1),
                "source_address": Out(SOURCE_ADDRESS_BITS),
                "source_value": In(COUNT_BITS),
            }
        )

    def _copy(self, block: Block, copy: int):
        port = getattr(self, block.name)
        return port[copy] if block.count > 1 else port

    def elaborate(self, platform):
        m = Module()
        address = self.bus.address
        counts = {name: len(numbers) for name, numbers in self._copies.items()}
        m.submodules.shadow = shadow = RegisterMemory(self._identity, counts)
        # `stage` is a line with a strobe in it. Nothing asks for its middle, which is counted.
        first, last = Signal(DECIDED + 1), Signal(DONE - LAST_FROM)
        stage = Cat(first, Const(0, LAST_FROM - len(first)), last)
        count = Signal((LAST_FROM - 1).bit_length())
        waiting, again, busy, late = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.source_stb.eq(waiting & ~self.hold & ~shadow.walking),
            # A mark needs the request's paths, so a request that has not written yet starts again.
            again.eq(self.mark_stb & ~late),
        ]
        m.d.sync += [
            first.eq(Cat(self.source_stb, first)),
            count.eq(Mux(busy, count + 1, 0)),
            last.eq(Cat(busy & (count == LAST_FROM - 1), last)),
            busy.eq(self.source_stb | (busy & ~stage[-1])),
            late.eq(self.bus.write & (stage[DECIDED - 1] | (late & ~stage[-1]))),
            self.bus.done_stb.eq(stage[-1]),
        ]
        with m.If(self.bus.request_stb):
            m.d.sync += waiting.eq(1)
        with m.Elif(self.source_stb):
            m.d.sync += waiting.eq(0)
        with m.If(again):
            m.d.sync += [first.eq(0), last.eq(0), busy.eq(0), late.eq(0)]
            m.d.sync += self.bus.done_stb.eq(0)
            with m.If(self.source_stb | busy):
                m.d.sync += waiting.eq(1)

        hits = Signal(hits_layout(self._copies))
        found, setup, read_only = Signal(), Signal(), Signal()
        setups = []
        for block in self._blocks:
            size = (block.stride_words * block.count - 1).bit_length()
            hit = address[size:] == BASE_ADDRESSES[block.name] >> size
            _, copy = split(block, address)
            there = Const(sum(1 << number for number in self._copies[block.name]), 1 << len(copy))
            m.d.sync += hits[block.name].eq(
                hit & there.bit_select(copy, 1) & claimed(block, address, lambda word: True)
            )
            setup_word = claimed(block, address, lambda word: word.register.access is Access.SETUP)
            setups.append(hits[block.name] & setup_word)
        m.d.sync += [
            found.eq(hits.as_value().any()),
            setup.eq(Cat(setups).any()),
            read_only.eq(
                Cat(hits[block.name] for block in self._blocks if block in (IDENTITY, *LIVE)).any()
            ),
        ]
        # By then the request has been stable for a clock more than this takes.
        status = Signal(8)
        m.d.sync += status.eq(OpStatus.OK)
        with m.If(~found):
            m.d.sync += status.eq(OpStatus.NO_REGISTER)
        with m.Elif(self.bus.write & read_only):
            m.d.sync += status.eq(OpStatus.READ_ONLY)
        with m.Elif(self.bus.write & setup & self.running):
            m.d.sync += status.eq(OpStatus.RUNNING)
        write_stb = Signal()
        with m.If(stage[DECIDED]):
            m.d.sync += self.bus.status.eq(status)
        m.d.sync += write_stb.eq(stage[DECIDED] & self.bus.write & (status == OpStatus.OK))

        rows, columns = Signal(4), Signal(4)
        m.d.sync += [rows.eq(1 << address[2:4]), columns.eq(1 << address[:2])]
        self._write(m, hits, rows, columns, write_stb)
        latch_stb = Signal()
        live = self._live(m, hits, rows, columns, stage, latch_stb, shadow)
        m.d.comb += [
            shadow.hits.eq(hits),
            shadow.address.eq(address),
            shadow.busy.eq(busy),
            shadow.masking.eq(self.bus.write & ~stage[DECIDED]),
            shadow.write_data.eq(self.bus.write_data),
            shadow.write_stb.eq(write_stb),
            shadow.live.eq(live),
            shadow.latch_stb.eq(latch_stb),
            shadow.mark_stb.eq(self.mark_stb),
            shadow.mark_end.eq(self.mark_end),
            shadow.track.eq(self.track & ~busy),
            shadow.end.eq(self.word_end),
            shadow.high.eq(self.word_high),
            self.word.eq(shadow.word),
            self.word_valid.eq(shadow.word_valid),
        ]
        with m.If(stage[-1]):
            m.d.sync += self.bus.read_data.eq(live | Mux(shadow.stored, shadow.word, 0))
        return m

    def _lines(self, m: Module, block: Block, number: int, hits, condition, kind: str):
        """Return a line for each half of a copy: the copy is requested and `condition` holds."""
        address = self.bus.address
        offset, copy = split(block, address)
        lines = []
        for half in range(-(-block.stride_words // HALF_WORDS)):
            line = Signal(name=f"{kind}_{block.name}_{number}_{half}")
            here = (copy == number) & (len(offset) <= HALF_BITS or offset[HALF_BITS:] == half)
            m.d.sync += line.eq(hits[block.name] & here & condition)
            lines.append(line)
        return lines

    def _write(self, m: Module, hits, rows, columns, write_stb) -> None:
        """Write the output registers, two clocks after `write_stb`."""
        m.d.sync += self.action.eq(0)
        geometry = self._geometry
        offset, copy = split(CHANNEL, self.bus.address)
        names = [word.register.name for word in words_of(CHANNEL)]
        kind = Signal(ZOOM_BITS)
        m.d.comb += kind.eq(table({names.index(name): n for n, name in enumerate(ZOOMS)}, offset))
        is_zoom = claimed(CHANNEL, self.bus.address, lambda word: word.register.name in ZOOMS)
        is_entry = claimed(SCHEDULE, self.bus.address, lambda word: word.register.name in ENTRY)
        m.d.sync += [
            self.step_stb.eq(write_stb & hits[STEP.name]),
            self.schedule_stb.eq(write_stb & hits[SCHEDULE.name] & is_entry),
            self.zoom_stb.eq(write_stb & hits[CHANNEL.name] & is_zoom),
        ]
        m.d.comb += [
            self.step_place.eq(self.bus.address[:STEP_WORDS_BITS]),
            self.zoom_place.eq(Cat(copy[: geometry.key_bits], kind)),
            self.written.eq(self.bus.write_data),
        ]
        for block in (CONTROL, MATCHER, CHANNEL, STIMULUS, CODE, SCHEDULE, LONG_FILTER):
            for number in self._copies[block.name]:
                port = self._copy(block, number)
                lines = self._lines(m, block, number, hits, write_stb, "write")
                for place, word in enumerate(words_of(block)):
                    if word.register.name in (*ZOOMS, *ENTRY):
                        continue
                    enable = Signal(name=f"enable_{block.name}_{number}_{place}")
                    m.d.sync += enable.eq(
                        lines[place // HALF_WORDS] & _cell(block, place, rows, columns)
                    )
                    start = word.number * WORD_BITS
                    name = block.name, word.register.name
                    if name in SHARED:
                        m.d.comb += self.limit_stb[SHARED.index(name)].eq(enable)
                    elif name == OWN:
                        m.d.comb += self.limit_stb[len(SHARED) + number].eq(enable)
                    with m.If(enable):
                        if word.register.name == "action":
                            m.d.sync += self.action.eq(self.bus.write_data)
                        else:
                            target = port[word.register.name]
                            target = target[start : start + word.bits]
                            m.d.sync += target.eq(self.bus.write_data)

    def _live(self, m: Module, hits, rows, columns, stage, latch_stb, shadow):
        """Return the word of a register outside the bank in the clock of stage[-1]; else 0.

        A wide register's high word is read in the clocks before and after its low word. If the low
        word's upper bit is set, the low word has not just wrapped, so the high word from before
        belongs to it. Otherwise it is not about to wrap, so the one from after does.
        """
        address = self.bus.address
        live, is_wide = Signal(WORD_BITS), Signal()
        wides, ways = [], []
        low_next, high_next = Signal(), Signal()
        highs = stage[LOW_NEXT - 2] | stage[LOW_NEXT:-1].any()
        with m.If(self.mark_stb):
            m.d.sync += [low_next.eq(0), high_next.eq(0)]
        with m.Else():
            m.d.sync += [
                low_next.eq(stage[LOW_NEXT - 1] & ~self.bus.write),
                high_next.eq(highs & ~self.bus.write),
            ]

        def way(value, condition, look=0) -> None:
            chosen = Signal(name=f"chosen{len(ways)}")
            m.d.sync += chosen.eq(condition | look)
            with m.If(self.mark_stb):
                m.d.sync += chosen.eq(look)
            ways.append(Mux(chosen, value, 0))

        def is_low(word: Word) -> bool:
            register = word.register
            return register.words == 2 and not word.number and register.name not in MARKED

        for block in LIVE:
            if block not in self._blocks:
                continue
            hit = hits[block.name]
            wides.append(hit & claimed(block, address, is_low))
            if block is SOURCE:
                way(self.source_value[:WORD_BITS], hit & low_next & ~address[0])
                way(self.source_value[WORD_BITS:], hit & high_next & ~address[0])
                continue
            for number in self._copies[block.name]:
                lines = self._lines(m, block, number, hits, 1, "read")
                for place, word in enumerate(words_of(block)):
                    name = word.register.name
                    if word.number or (block is STATUS and name in MARKED):
                        continue
                    value = self._copy(block, number)[name]
                    here = lines[place // HALF_WORDS] & _cell(block, place, rows, columns)
                    is_time = block is STATUS and name == "time_ticks"
                    way(value[:WORD_BITS], here & low_next, is_time & shadow.look_low)
                    if word.register.words == 2:
                        way(value[WORD_BITS:], here & high_next, is_time & shadow.look_high)
        m.d.sync += is_wide.eq(Cat(wides).any())
        while len(ways) > 1:
            ways = [ways[n] | ways[n + 1] for n in range(0, len(ways) - 1, 2)] + (
                ways[-1:] if len(ways) % 2 else []
            )
        m.d.sync += live.eq(ways[0])
        m.d.comb += [
            self.source_address.eq(address[1:]),
            latch_stb.eq(
                is_wide
                & ~self.bus.write
                & (stage[-2] | (self.bus.done_stb & ~self.bus.read_data[-1]))
            ),
        ]
        return live
