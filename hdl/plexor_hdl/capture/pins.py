"""What stands at the pins: from the stimuli to the outputs, and from every pin to the capture."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from plexor_hdl.lib.memory_reader import plain_memory


def wire_pins(
    m: Module, instrument, bank, run, outputs, capture, sweep, loop_clocks: int, loop_style: str
) -> None:
    """Wire the outputs to their pins, and every pin's word of one clock to the capture.

    What the instrument drives is seen `loop_clocks` later: with the samples of its time. It
    waits in a memory of `loop_style`.
    """
    samples = len(outputs.levels[0])
    m.d.comb += [
        *(
            outputs.config[number].eq(bank.stimulus[number])
            for number in range(1, len(outputs.config))
        ),
        outputs.start_stb.eq(run.start_stb),
        outputs.stop.eq(run.stop),
        outputs.gate.eq(instrument.gate),
        instrument.strikes.eq(outputs.levels),
        instrument.load.eq(bank.control.load),
        run.stimuli_done.eq(outputs.done),
        run.strike_stb.eq(outputs.strike_stb),
        run.striking.eq(outputs.striking),
        capture.strike_enables.eq(Cat(stimulus.enable for stimulus in bank.stimulus)),
    ]
    levels = [bank.control.load, sweep.level] if sweep else [bank.control.load]
    late = _later(m, Cat(*outputs.active, *levels), loop_clocks, loop_style)
    strikes = [late.word_select(number, samples) for number in range(len(outputs.active))]
    channels = [
        instrument.samples.word_select(number, samples)
        for number in range(len(instrument.samples) // samples)
    ]
    ends = [level.replicate(samples) for level in late[len(strikes) * samples :]]
    for number, word in enumerate([*strikes, *channels, *ends]):
        m.d.sync += capture.words[number].eq(word)
    m.d.sync += capture.capture.eq(run.capture)


def _later(m: Module, word: Value, clocks: int, style: str) -> Value:
    """Return the word of so many clocks before, none or more than one: from a memory of as many."""
    if not clocks:
        return word
    m.submodules.loop = memory = plain_memory(len(word), clocks, ram_style=style)
    write, read = memory.write_port(), memory.read_port()
    row = Signal(range(clocks))
    following = Signal.like(row)
    m.d.comb += [
        following.eq(Mux(row == clocks - 1, 0, row + 1)),
        write.addr.eq(row),
        write.data.eq(word),
        write.en.eq(1),
        read.addr.eq(following),
    ]
    m.d.sync += row.eq(following)
    return read.data
