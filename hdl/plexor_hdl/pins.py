"""What stands at the pins: from the stimuli to the outputs, and from every pin to the capture."""

from amaranth.hdl import Cat, Module, Signal, Value


def wire_pins(m: Module, instrument, bank, run, outputs, capture, sweep, loop_clocks: int) -> None:
    """Wire the outputs to their pins, and every pin's word of one clock to the capture.

    What the instrument drives is seen `loop_clocks` later: with the samples of its time.
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
    strikes = [_later(m, word, loop_clocks) for word in outputs.active]
    channels = [
        instrument.samples.word_select(number, samples)
        for number in range(len(instrument.samples) // samples)
    ]
    ends = [_later(m, level, loop_clocks).replicate(samples) for level in levels]
    for number, word in enumerate([*strikes, *channels, *ends]):
        m.d.sync += capture.words[number].eq(word)
    m.d.sync += capture.capture.eq(run.capture)


def _later(m: Module, word, clocks: int) -> Value:
    """Return the word of so many clocks before."""
    for _ in range(clocks):
        late = Signal(len(word))
        m.d.sync += late.eq(word)
        word = late
    return Value.cast(word)
