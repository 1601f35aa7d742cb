"""The register bank, derived from plexor.protocol.registers."""

from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.frames import OpStatus
from plexor.protocol.geometry import BOARD_BYTES, MAGIC, PROTOCOL_VERSION, Feature, Geometry
from plexor.protocol.registers import (
    BASE_ADDRESSES,
    BLOCKS,
    CHANNEL,
    CONTROL,
    IDENTITY,
    LANE,
    MATCHER,
    SOURCE,
    STATUS,
    STIMULUS,
    Access,
    Action,
    Block,
    Register,
)
from plexor_hdl.fetch import plain_memory
from plexor_hdl.interfaces import block_layout

ACTION_LAYOUT = data.StructLayout({action.name.lower(): 1 for action in Action})
BUS_ADDRESS_BITS = 16
WORD_BITS = 32
STORED = (IDENTITY, CONTROL, MATCHER, CHANNEL, STIMULUS)
"""Blocks whose words are read from a memory: constants, or what was written last."""
SOURCE_ADDRESS_BITS = 6
COUNT_BITS = 48
LIVE = (STATUS, LANE, SOURCE)
DECIDED, LOW_NEXT, DONE = 2, 4, 7
"""Clocks from a request until the status of its answer stands, and so on."""
HALF_BITS = 4
HALF_WORDS = 1 << HALF_BITS
"""Words of a copy that are told apart by a row and a column of four."""


class RegisterBus(wiring.Signature):
    """Requests of one register word at a time; the requester sees these directions.

    `address`, `write` and `write_data` stand from `request_stb` to `done_stb`; from its clock to
    the next request `read_data` and `status` (an OpStatus) stand. `read_data` is 0 where `status`
    is NO_REGISTER.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "address": Out(BUS_ADDRESS_BITS),
                "write": Out(1),
                "write_data": Out(WORD_BITS),
                "request_stb": Out(1),
                "done_stb": In(1),
                "read_data": In(WORD_BITS),
                "status": In(8),
            }
        )


@dataclass(frozen=True)
class _Word:
    """One word of a block: its register, which word of it, and its bits."""

    register: Register
    number: int
    bits: int

    @property
    def reset(self) -> int:
        return self.register.reset >> self.number * WORD_BITS & (1 << WORD_BITS) - 1


def _words(block: Block) -> list[_Word]:
    return [
        _Word(register, number, min(register.bits - number * WORD_BITS, WORD_BITS))
        for register in block.registers
        for number in range(register.words)
    ]


def _cell(block: Block, place: int, rows, columns):
    """Return whether the word at `place` of its half of a copy is asked for."""
    row, column = place % HALF_WORDS // 4, place % 4
    return (rows[row] if block.stride_words > 4 else 1) & (
        columns[column] if block.stride_words > 1 else 1
    )


def identity_values(geometry: Geometry, gateware_hash: int) -> dict[str, int]:
    """Return the identity's registers; raise ValueError for a hash of more than 64 bits."""
    if not 0 <= gateware_hash < 1 << 64:
        raise ValueError(f"gateware_hash: {gateware_hash:#x}; must be 64 bits")
    values = {
        "magic": MAGIC,
        "protocol_version": PROTOCOL_VERSION,
        "gateware_hash": gateware_hash,
        "board": int.from_bytes(geometry.board.encode().ljust(BOARD_BYTES, b"\0"), "little"),
    }
    for register in IDENTITY.registers:
        if register.name not in values:
            values[register.name] = int(getattr(geometry, register.name))
    return values


class RegisterBank(wiring.Component):
    """All registers of a build.

    Outputs hold what was written, from the clock of `done_stb` on; `action` has one-clock strobes
    in that clock. Copies that the build leaves out answer NO_REGISTER. While `running`, SETUP
    registers answer RUNNING and keep their value. Bits beyond a register's are ignored and read 0.

    A 64-bit register of STATUS or SOURCE is read coherently low word first, if it grows by less
    than 2**31 a clock: the low word's read latches the high word, and reading any high word gives
    what was latched last.

    With Feature.SNAPSHOT SOURCE is read from `source`. Without it `source_value` is asked for:
    source x 2 or, for dropped, one more; it must stand from 4 clocks after `source_stb` on.

    Latency 8 clocks from `request_stb` to `done_stb`, one request at a time. Reset: registers have
    their reset values; for up to 512 clocks after it requests wait while readback is prepared.
    """

    def __init__(self, geometry: Geometry, gateware_hash: int) -> None:
        self._identity = identity_values(geometry, gateware_hash)
        self._counts_outside = Feature.SNAPSHOT not in geometry.features
        self._copies = {block.name: tuple(range(block.count)) for block in BLOCKS}
        self._copies[CHANNEL.name] = self._copies[LANE.name] = tuple(range(geometry.channels))
        self._copies[STIMULUS.name] = tuple(range(geometry.strikes))
        self._copies[SOURCE.name] = tuple(sorted(geometry.sources))

        def block_port(block: Block) -> wiring.Member:
            init = {register.name: register.reset for register in block.registers}
            return Out(block_layout(block), init=init)

        super().__init__(
            {
                "bus": In(RegisterBus()),
                "running": In(1),
                "action": Out(ACTION_LAYOUT),
                "control": block_port(CONTROL),
                "matcher": block_port(MATCHER),
                "channel": block_port(CHANNEL).array(geometry.channels),
                "stimulus": block_port(STIMULUS).array(geometry.strikes),
                "status": In(block_layout(STATUS)),
                "lane": In(block_layout(LANE)).array(geometry.channels),
                "source": In(block_layout(SOURCE)).array(SOURCE.count),
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
        stage = Signal(DONE)
        waiting, ready = Signal(), Signal()
        m.d.comb += self.source_stb.eq(waiting & ready)
        m.d.sync += [stage.eq(Cat(self.source_stb, stage)), self.bus.done_stb.eq(stage[-1])]
        with m.If(self.bus.request_stb):
            m.d.sync += waiting.eq(1)
        with m.Elif(ready):
            m.d.sync += waiting.eq(0)

        hits = {block.name: Signal(name=f"hit_{block.name}") for block in BLOCKS}
        found, setup, read_only = Signal(), Signal(), Signal()
        setups = []
        for block in BLOCKS:
            size = (block.stride_words * block.count - 1).bit_length()
            hit = address[size:] == BASE_ADDRESSES[block.name] >> size
            offset, copy = self._split(block, address)
            copies = sum(1 << number for number in self._copies[block.name])
            there = (1 << len(_words(block))) - 1
            m.d.sync += hits[block.name].eq(
                hit
                & Const(copies, 1 << max(len(copy), 0)).bit_select(copy, 1)
                & Const(there, block.stride_words).bit_select(offset, 1)
            )
            mask = self._mask(block, lambda word: word.register.access is Access.SETUP)
            setups.append(hits[block.name] & mask.bit_select(offset, 1))
        m.d.sync += [
            found.eq(Cat(hits.values()).any()),
            setup.eq(Cat(setups).any()),
            read_only.eq(Cat(hits[block.name] for block in (IDENTITY, *LIVE)).any()),
        ]
        status = Signal(8)
        with m.If(~found):
            m.d.comb += status.eq(OpStatus.NO_REGISTER)
        with m.Elif(self.bus.write & read_only):
            m.d.comb += status.eq(OpStatus.READ_ONLY)
        with m.Elif(self.bus.write & setup & self.running):
            m.d.comb += status.eq(OpStatus.RUNNING)
        write_stb = Signal()
        with m.If(stage[DECIDED]):
            m.d.sync += self.bus.status.eq(status)
        m.d.sync += write_stb.eq(stage[DECIDED] & self.bus.write & (status == OpStatus.OK))

        rows, columns = Signal(4), Signal(4)
        m.d.sync += [rows.eq(1 << address[2:4]), columns.eq(1 << address[:2])]
        self._write(m, hits, rows, columns, write_stb)
        stored, is_stored = self._stored(m, address, hits, write_stb, ready)
        live = self._live(m, address, hits, rows, columns, stage)
        with m.If(stage[-1]):
            m.d.sync += self.bus.read_data.eq(live | Mux(is_stored, stored, 0))
        return m

    def _lines(self, m: Module, block: Block, number: int, hits, condition, kind: str):
        """Return a line for each half of a copy's words: the copy is asked for, and `condition`."""
        address = self.bus.address
        offset, copy = self._split(block, address)
        lines = []
        for half in range(-(-block.stride_words // HALF_WORDS)):
            line = Signal(name=f"{kind}_{block.name}_{number}_{half}")
            here = (copy == number) & (len(offset) <= HALF_BITS or offset[HALF_BITS:] == half)
            m.d.sync += line.eq(hits[block.name] & here & condition)
            lines.append(line)
        return lines

    def _split(self, block: Block, address):
        """Return (word in the copy, copy) of an address in a block."""
        offset_bits = (block.stride_words - 1).bit_length()
        size_bits = (block.stride_words * block.count - 1).bit_length()
        return address[:offset_bits], address[offset_bits:size_bits]

    def _mask(self, block: Block, claim) -> Const:
        """Return a bit a word of a copy of the block: whether `claim` holds of it."""
        bits = sum(1 << offset for offset, word in enumerate(_words(block)) if claim(word))
        return Const(bits, block.stride_words)

    def _write(self, m: Module, hits, rows, columns, write_stb) -> None:
        """Write the output registers, a clock after `write_stb`."""
        m.d.sync += self.action.eq(0)
        for block in STORED[1:]:
            for number in self._copies[block.name]:
                port = self._copy(block, number)
                lines = self._lines(m, block, number, hits, write_stb, "write")
                for place, word in enumerate(_words(block)):
                    here = lines[place // HALF_WORDS] & _cell(block, place, rows, columns)
                    start = word.number * WORD_BITS
                    with m.If(here):
                        if word.register.name == "action":
                            m.d.sync += self.action.eq(self.bus.write_data)
                        else:
                            target = port[word.register.name]
                            target = target[start : start + word.bits]
                            m.d.sync += target.eq(self.bus.write_data)

    def _stored(self, m: Module, address, hits, write_stb, ready):
        """Return the word of a constant or an output register, and whether it is asked for.

        It comes from a memory that shadows them.
        """
        places = self._places()
        depth = 1 << (max(start + size for start, size in places.values()) - 1).bit_length()
        init = [0] * depth
        for block in STORED:
            for number in self._copies[block.name]:
                for offset, word in enumerate(_words(block)):
                    value = self._identity[word.register.name] if block is IDENTITY else None
                    init[places[block.name][0] + number * block.stride_words + offset] = (
                        word.reset
                        if value is None
                        else value >> word.number * WORD_BITS & (1 << WORD_BITS) - 1
                    )
        m.submodules.shadow = shadow = plain_memory(WORD_BITS, depth, init)
        write, read = shadow.write_port(), shadow.read_port()
        place = Signal(range(depth))
        mask = Signal(WORD_BITS)
        keep, is_stored, nothing = Signal(), Signal(), Signal()
        m.d.comb += [read.addr.eq(place), nothing.eq(hits[CONTROL.name] & (address[:4] == 0))]
        terms, widths = [], {}
        for block in STORED:
            start, size = places[block.name]
            bits = (size - 1).bit_length()
            terms.append(Mux(hits[block.name], start | address[:bits], 0))
            if block is IDENTITY:
                continue
            offset, _ = self._split(block, address)
            for bit in range(WORD_BITS):
                wide = self._mask(block, lambda word, b=bit: b < word.bits)
                widths.setdefault(bit, []).append(hits[block.name] & wide.bit_select(offset, 1))
        total = terms[0]
        for term in terms[1:]:
            total = total | term
        m.d.sync += [
            place.eq(total),
            mask.eq(Cat(Cat(terms).any() for terms in widths.values())),
            keep.eq(~nothing),
            is_stored.eq(Cat(hits[block.name] for block in STORED).any() & ~nothing),
        ]

        # After a reset the memory may hold what was written before it.
        walk = Signal(range(depth + 1))
        walked, walk_write = Signal(WORD_BITS), Signal()
        with m.Switch(walk):
            for index, value in enumerate(init):
                if places[IDENTITY.name][0] <= index < sum(places[IDENTITY.name]):
                    continue
                if value:
                    with m.Case(index):
                        m.d.comb += walked.eq(value)
        identity_start, identity_size = places[IDENTITY.name]
        bits = (identity_size - 1).bit_length()
        m.d.comb += [
            ready.eq(walk[-1]),
            walk_write.eq(~ready & (walk[bits:] != identity_start >> bits)),
        ]
        m.d.sync += walk.eq(Mux(ready, walk, walk + 1))
        m.d.sync += [
            write.addr.eq(Mux(ready, place, walk)),
            write.data.eq(Mux(ready, self.bus.write_data & mask, walked)),
            write.en.eq(Mux(ready, write_stb & keep, walk_write)),
        ]
        return read.data, is_stored

    def _places(self) -> dict[str, tuple[int, int]]:
        """Return (start, size) of each stored block in the shadow memory, aligned to its size."""
        sizes = {}
        for block in STORED:
            copies = 1 << (len(self._copies[block.name]) - 1).bit_length()
            sizes[block.name] = block.stride_words * copies
        places, start = {}, 0
        for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
            places[name] = (start, size)
            start += size
        return places

    def _live(self, m: Module, address, hits, rows, columns, stage):
        """Return the word of a register from outside, in the clock of stage[-1]; else 0.

        Of a wide register the high word is looked at the clock before the low word and the clock
        after it. Where the upper bit of the low word is set, it has not just wrapped, and the high
        word from before belongs to it; else it is not about to wrap, and the one from after does.
        """
        live, latched = Signal(WORD_BITS), Signal(WORD_BITS)
        is_high, is_wide = Signal(), Signal()
        high_masks, wide_masks, ways = [], [], []
        low_next = stage[LOW_NEXT]

        def way(value, condition) -> None:
            chosen = Signal(name=f"chosen{len(ways)}")
            m.d.sync += chosen.eq(condition)
            ways.append(Mux(chosen, value, 0))

        for block in LIVE:
            offset, _ = self._split(block, address)
            hit = hits[block.name]
            mask = self._mask(block, lambda word: word.number == 1)
            high_masks.append(hit & mask.bit_select(offset, 1))
            mask = self._mask(block, lambda word: not word.number and word.register.words == 2)
            wide_masks.append(hit & mask.bit_select(offset, 1))
            if block is SOURCE and self._counts_outside:
                way(self.source_value[:WORD_BITS], hit & low_next & ~address[0])
                way(self.source_value[WORD_BITS:], hit & ~low_next & ~address[0])
                continue
            for number in self._copies[block.name]:
                lines = self._lines(m, block, number, hits, 1, "read")
                for place, word in enumerate(_words(block)):
                    if word.number:
                        continue
                    value = self._copy(block, number)[word.register.name]
                    here = lines[place // HALF_WORDS] & _cell(block, place, rows, columns)
                    way(value[:WORD_BITS], here & low_next)
                    if word.register.words == 2:
                        way(value[WORD_BITS:], here & ~low_next)
        way(latched, is_high & low_next)
        m.d.sync += [is_high.eq(Cat(high_masks).any()), is_wide.eq(Cat(wide_masks).any())]
        while len(ways) > 1:
            ways = [ways[n] | ways[n + 1] for n in range(0, len(ways) - 1, 2)] + (
                ways[-1:] if len(ways) % 2 else []
            )
        m.d.sync += live.eq(ways[0])
        m.d.comb += self.source_address.eq(address[1:])
        read_wide = is_wide & ~self.bus.write
        with m.If(read_wide & (stage[-2] | (self.bus.done_stb & ~self.bus.read_data[-1]))):
            m.d.sync += latched.eq(live)
        return live
