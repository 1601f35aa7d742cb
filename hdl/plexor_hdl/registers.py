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


class RegisterBus(wiring.Signature):
    """Requests of one register word at a time; the requester sees these directions.

    `address`, `write` and `write_data` stand from `request_stb` to `done_stb`, in whose clock
    `read_data` and `status` (an OpStatus) are valid. `read_data` is 0 where `status` is not OK.
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

    A 64-bit register of STATUS or SOURCE is read coherently low word first: the low word's read
    latches the high word, and reading any high word gives what was latched last.

    With Feature.SNAPSHOT SOURCE is read from `source`. Without it `source_value` is asked for:
    source x 2 or, for dropped, one more; it must stand from 4 clocks after `source_stb` on.

    Latency 6 clocks from `request_stb` to `done_stb`, one request at a time. Reset: registers have
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
        address = Signal(BUS_ADDRESS_BITS)
        stage = Signal(5)
        waiting, ready = Signal(), Signal()
        m.d.sync += [
            address.eq(self.bus.address),
            stage.eq(Cat(waiting & ready, stage)),
            self.bus.done_stb.eq(stage[4]),
        ]
        m.d.comb += self.source_stb.eq(waiting & ready)
        with m.If(self.bus.request_stb):
            m.d.sync += waiting.eq(1)
        with m.Elif(ready):
            m.d.sync += waiting.eq(0)

        hits = {block.name: Signal(name=f"hit_{block.name}") for block in BLOCKS}
        found, setup, read_only = Signal(), Signal(), Signal()
        founds, setups, read_onlys = [], [], []
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
            founds.append(hits[block.name])
            for access, into in ((Access.SETUP, setups), (Access.READ, read_onlys)):
                mask = self._mask(block, lambda word, a=access: word.register.access is a)
                into.append(hits[block.name] & mask.bit_select(offset, 1))
        m.d.sync += [
            found.eq(Cat(founds).any()),
            setup.eq(Cat(setups).any()),
            read_only.eq(Cat(read_onlys).any()),
        ]
        status = Signal(8)
        m.d.comb += status.eq(OpStatus.OK)
        with m.If(~found):
            m.d.comb += status.eq(OpStatus.NO_REGISTER)
        with m.Elif(self.bus.write & read_only):
            m.d.comb += status.eq(OpStatus.READ_ONLY)
        with m.Elif(self.bus.write & setup & self.running):
            m.d.comb += status.eq(OpStatus.RUNNING)
        with m.If(stage[3]):
            m.d.sync += self.bus.status.eq(status)
        write_stb = Signal()
        m.d.sync += write_stb.eq(stage[3] & self.bus.write & (status == OpStatus.OK))

        self._write(m, address, hits, write_stb)
        stored = self._stored(m, address, hits, write_stb, ready)
        live = self._live(m, address, hits, stage[3] & ~self.bus.write)
        is_live = Signal()
        m.d.sync += is_live.eq(Cat(hits[block.name] for block in LIVE).any())
        with m.If(stage[4]):
            m.d.sync += self.bus.read_data.eq(
                Mux(self.bus.status == OpStatus.OK, Mux(is_live, live, stored), 0)
            )
        return m

    def _split(self, block: Block, address):
        """Return (word in the copy, copy) of an address in a block."""
        offset_bits = (block.stride_words - 1).bit_length()
        size_bits = (block.stride_words * block.count - 1).bit_length()
        return address[:offset_bits], address[offset_bits:size_bits]

    def _mask(self, block: Block, claim) -> Const:
        """Return a bit a word of a copy of the block: whether `claim` holds of it."""
        bits = sum(1 << offset for offset, word in enumerate(_words(block)) if claim(word))
        return Const(bits, block.stride_words)

    def _write(self, m: Module, address, hits, write_stb) -> None:
        """Write the output registers; `enable` of each word is prepared a clock before."""
        action_offset = next(
            offset for offset, w in enumerate(_words(CONTROL)) if w.register.name == "action"
        )
        m.d.sync += self.action.eq(0)
        for block in STORED[1:]:
            offset, copy = self._split(block, address)
            for number in self._copies[block.name]:
                port = self._copy(block, number)
                for place, word in enumerate(_words(block)):
                    enable = Signal(name=f"enable_{block.name}_{number}_{place}")
                    m.d.sync += enable.eq(hits[block.name] & (offset == place) & (copy == number))
                    start = word.number * WORD_BITS
                    with m.If(write_stb & enable):
                        if block is CONTROL and place == action_offset:
                            m.d.sync += self.action.eq(self.bus.write_data)
                        else:
                            target = port[word.register.name]
                            target = target[start : start + word.bits]
                            m.d.sync += target.eq(self.bus.write_data)

    def _stored(self, m: Module, address, hits, write_stb, ready):
        """Return the word of a constant or an output register, from a memory that shadows them."""
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
        stored = Signal(WORD_BITS)
        keep = Signal()
        m.d.comb += read.addr.eq(place)
        m.d.sync += stored.eq(read.data)
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
        m.d.sync += place.eq(total)
        m.d.sync += mask.eq(Cat(Cat(terms).any() for terms in widths.values()))
        m.d.sync += keep.eq(~(hits[CONTROL.name] & (address[:4] == 0)))

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
        return stored

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

    def _live(self, m: Module, address, hits, read_stb):
        """Return the word of a register from outside, two clocks after `hits`."""
        low = Signal(WORD_BITS, name="live_low")
        high = Signal(WORD_BITS, name="live_high")
        latched = Signal(WORD_BITS)
        is_high, is_wide = Signal(), Signal()
        lows, highs, high_masks, wide_masks = [], [], [], []
        for block in LIVE:
            offset, copy = self._split(block, address)
            low_r = Signal(WORD_BITS, name=f"low_{block.name}")
            high_r = Signal(WORD_BITS, name=f"high_{block.name}")
            hit = hits[block.name]
            one_low, one_high = Signal.like(low_r), Signal.like(high_r)
            with m.Switch(Cat(offset, copy)):
                for number in self._copies[block.name]:
                    for place, word in enumerate(_words(block)):
                        value = self._copy(block, number)[word.register.name]
                        with m.Case(number * block.stride_words + place):
                            if block is SOURCE and self._counts_outside:
                                continue
                            m.d.comb += one_low.eq(value[:WORD_BITS])
                            if word.register.bits > WORD_BITS:
                                m.d.comb += one_high.eq(value[WORD_BITS:])
            m.d.sync += [low_r.eq(Mux(hit, one_low, 0)), high_r.eq(Mux(hit, one_high, 0))]
            if block is SOURCE and self._counts_outside:
                low_r = Mux(hit, self.source_value[:WORD_BITS], 0)
                high_r = Mux(hit, self.source_value[WORD_BITS:], 0)
            lows.append(low_r)
            highs.append(high_r)
            mask = self._mask(block, lambda word: word.number == 1)
            high_masks.append(hit & mask.bit_select(offset, 1))
            mask = self._mask(block, lambda word: not word.number and word.register.words == 2)
            wide_masks.append(hit & mask.bit_select(offset, 1))
        m.d.sync += [is_high.eq(Cat(high_masks).any()), is_wide.eq(Cat(wide_masks).any())]
        merged_low, merged_high = lows[0], highs[0]
        for one, other in zip(lows[1:], highs[1:], strict=True):
            merged_low, merged_high = merged_low | one, merged_high | other
        m.d.comb += [
            high.eq(merged_high),
            self.source_address.eq(address[1:]),
        ]
        m.d.sync += low.eq(Mux(is_high, latched, merged_low))
        with m.If(read_stb & is_wide):
            m.d.sync += latched.eq(high)
        return low
