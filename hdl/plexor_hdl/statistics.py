"""The exact statistics of each key: count, sums, and extremes with their events."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from plexor.protocol.geometry import Feature
from plexor.protocol.memory import STATISTICS, STATISTICS_SETS, VALUE_BITS
from plexor_hdl.extremes import Extremes
from plexor_hdl.interfaces import READ_CLOCKS, Sample, SpaceRead
from plexor_hdl.limb import ADD_STAGE, REACH, WRITE_STAGE, Limb, Line, Lookback
from plexor_hdl.square import Square
from plexor_hdl.tally import Sweep

COUNT_BITS = 48
SUM_BITS = 64
SQUARES_BITS = 96
WORD_BITS = 32
ENTRY_WORDS = STATISTICS.size_bytes // (WORD_BITS // 8)


def statistics_ports(key_bits: int) -> dict:
    """Return the ports of records of each key; raise ValueError for too many of them."""
    if not 1 <= key_bits <= 4:
        raise ValueError(f"key_bits: {key_bits}; must be 1 to 4")
    return {
        "i_sample": In(stream.Signature(Sample(key_bits), always_ready=True)),
        "read": In(SpaceRead()),
        "clear_stb": In(1),
        "clear_busy": Out(1),
    }


class Statistics(wiring.Component):
    """A record plexor.protocol.memory.STATISTICS for each key of `key_bits` bits, in each bank.

    Count (48 bits), sum (64), minimum and maximum (32) always; with Feature.SUM_SQUARES the sum of
    squares (96 bits); with Feature.EXTREMES index and time of the first minimum and the first
    maximum. Sums are added `limb_bits` bits a clock, modulo their width. With one bank the sample's
    bank and the reader's are ignored.

    Latency: a sample is in the words read for addresses `latency` clocks after it.
    Throughput: one sample a clock, of any keys.
    `read`: entry key at word key * 20, sign or zero extended; absent fields, keys without samples
    and addresses past the last entry read 0. The bank that a sample counts in reads undefined words
    in that clock. `clear_stb` zeroes all banks while `clear_busy`, an entry a clock; no samples
    then. Reset makes minima and maxima those of no sample; sums need a clear.
    """

    def __init__(self, key_bits: int, features: Feature, banks: int, limb_bits: int) -> None:
        if STATISTICS_SETS != 1 or ENTRY_WORDS % 4:
            raise ValueError("plexor.protocol.memory: one set of records of whole four words only")
        self._key_bits = key_bits
        self._features = features
        self._banks = banks
        self._limb_bits = limb_bits
        most = SQUARES_BITS if Feature.SUM_SQUARES in features else SUM_BITS
        self.latency = WRITE_STAGE + -(-most // limb_bits) - 1
        super().__init__(statistics_ports(key_bits))

    def elaborate(self, platform) -> Module:
        m = Module()
        sample = self.i_sample.payload
        keys = 1 << self._key_bits
        two = self._banks == 2
        bank = sample.bank if two else Const(0, 1)
        self._valid = Line(m, self.i_sample.valid, "valid")
        self._key = Line(m, sample.key, "key")
        self._bank = Line(m, bank, "bank")
        self._value = Line(m, sample.value_ticks, "value_ticks")
        place = Cat(sample.key, sample.bank) if two else sample.key
        m.submodules.sweep = self._sweep = Sweep(keys)
        m.submodules.lookback = lookback = Lookback(len(place), REACH)
        m.d.comb += [
            self._sweep.stb.eq(self.clear_stb),
            self.clear_busy.eq(self._sweep.busy),
            lookback.valid.eq(self.i_sample.valid),
            lookback.address.eq(place),
        ]
        self._same = Line(m, lookback.same, "same")

        # A record is a whole number of four words, so the table needs no address bits below.
        quads = ENTRY_WORDS // 4
        quad = self.read.address[2 : 2 + (keys * quads - 1).bit_length()]
        self._read_key = Signal(self._key_bits)
        word = Signal(range(ENTRY_WORDS))
        m.d.comb += [
            self._read_key.eq(Array(Const(n // quads) for n in range(keys * quads))[quad]),
            word.eq(
                Cat(
                    self.read.address[:2],
                    Array(Const(n % quads, 3) for n in range(keys * quads))[quad],
                )
            ),
        ]

        fields = {
            "count": self._sum(m, "count", COUNT_BITS, lambda low, bits, stage: 0, first_carry=1),
            "sum_ticks": self._sum(m, "sum", SUM_BITS, self._extended),
        }
        if Feature.SUM_SQUARES in self._features:
            squares = self._sum(m, "squares", SQUARES_BITS, self._squares(m))
            fields["sum_sq_low_ticks2"] = [value[:64] for value in squares]
            fields["sum_sq_high_ticks2"] = [value[64:] for value in squares]
        m.submodules.extremes = extremes = Extremes(
            self._key_bits, self._banks, Feature.EXTREMES in self._features
        )
        m.d.comb += [
            extremes.valid.eq(self.i_sample.valid),
            extremes.sample.eq(sample),
            extremes.same.eq(lookback.same),
            extremes.read_key.eq(self._read_key),
            extremes.read_bank.eq(self.read.bank),
            extremes.clear.eq(self._sweep.busy),
        ]
        fields |= {
            "min_ticks": [extremes.min_ticks],
            "max_ticks": [extremes.max_ticks],
            "min_index": [extremes.min_event.index],
            "max_index": [extremes.max_event.index],
            "min_time_ticks": [extremes.min_event.time_ticks],
            "max_time_ticks": [extremes.max_event.time_ticks],
        }
        clocks = READ_CLOCKS - 1
        read_bank = Line(m, self.read.bank, "read_bank")[clocks] if two else Const(0, 1)
        inside = Line(m, self.read.address < keys * ENTRY_WORDS, "inside")[clocks]
        words = []
        for field in STATISTICS.fields:
            by_bank = fields.get(field.name, [Const(0, 1)])
            value = Signal(field.bits, name=f"read_{field.name}")
            m.d.comb += value.eq(Mux(read_bank, by_bank[-1], by_bank[0]))
            words += [value[low : low + WORD_BITS] for low in range(0, field.bits, WORD_BITS)]
        word_r = Line(m, word, "word")[clocks]
        m.d.sync += self.read.data.eq(Mux(inside, Array(words)[word_r], 0))
        return m

    def _sum(self, m: Module, name: str, bits: int, addend, first_carry: int = 0) -> list:
        """Return a sum's words of each bank; `addend(low, bits, stage)` is due at that stage."""
        limbs = []
        for low in range(0, bits, self._limb_bits):
            begin = len(limbs)
            limb = Limb(1 << self._key_bits, min(self._limb_bits, bits - low), self._banks)
            m.submodules[f"{name}_{begin}"] = limb
            m.d.comb += [
                limb.valid.eq(self._valid[begin]),
                limb.address.eq(self._key[begin]),
                limb.bank.eq(self._bank[begin]),
                limb.same.eq(self._same[begin]),
                limb.addend.eq(addend(low, len(limb.addend), ADD_STAGE + begin)),
                limb.carry.eq(limbs[-1].carry_out if limbs else first_carry),
                limb.read_address.eq(self._read_key),
                limb.clear.eq(self._sweep.busy),
                limb.clear_address.eq(self._sweep.address),
            ]
            limbs.append(limb)
        return [Cat(limb.read_data[bank] for limb in limbs) for bank in range(self._banks)]

    def _extended(self, low: int, bits: int, stage: int):
        """Return bits of the sign-extended value."""
        if low >= VALUE_BITS:
            return self._value[stage][-1].replicate(bits)
        return self._value[stage][low : low + bits]

    def _squares(self, m: Module):
        """Return the addend of the sum of squares."""
        m.submodules.square = square = Square()
        m.d.comb += square.value_ticks.eq(self._value[0])
        low_half = Line(m, square.low, "square_low")
        high_half = Line(m, square.high, "square_high")

        def addend(low: int, bits: int, stage: int):
            if low >= 2 * VALUE_BITS:
                return 0
            if low >= VALUE_BITS:
                return high_half[stage - Square.HIGH_CLOCKS][low - VALUE_BITS :][:bits]
            return low_half[stage - Square.LOW_CLOCKS][low:][:bits]

        return addend
