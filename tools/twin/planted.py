# SPDX-License-Identifier: Apache-2.0
"""Measurements made for one rule each, which random ones seldom meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from plexor.model.codes import Codes, Port
from plexor.model.settings import Channel, RegisterWrite, Settings, Stimulus, TableStep
from plexor.protocol.frames import MAX_OPERATIONS, FrameType, OpCode, to_stream
from plexor.protocol.registers import (
    Access,
    Action,
    InputSelect,
    Policy,
    Stream,
    Trigger,
    address,
    entry_word,
    registers,
)
from tools.twin.draw import Measurement
from tools.twin.words import all_words, command, read_words, told

BOARD = "ulx3s-25f"
_NS = Fraction(1, 1_000_000_000)
_TICK = _NS / 2
_CLOCK = 8 * _NS
_WAY_TICKS = 16
"""From a run's start to phase 0."""
_DUT = "synthetic:latency=300ns,width=40ns"
_PULSES = "synthetic:width=uniform:1ns:10ns,latency=300ns"


def _stimulus(period: int = 4000, **more: Any) -> Stimulus:
    return Stimulus(period_s=period * _NS, **more)


def _measured(
    *strikes: Stimulus,
    dut: str = _DUT,
    channels: Sequence[Channel] = (Channel(0), Channel(1)),
    board: str = BOARD,
    extra: dict[str, Any] | None = None,
    **settings: Any,
) -> Measurement:
    if not {"count", "time_s", "table"} & settings.keys():
        settings["count"] = 60
    made = Settings(strikes or (_stimulus(),), tuple(channels), **settings)
    return Measurement(board, dut, made, **(extra or {}))


def _steps(*counts: int, **more: Any) -> tuple[TableStep, ...]:
    return tuple(
        TableStep((4000 + 1000 * number) * _NS, count, width_s=(50 + 30 * number) * _NS, **more)
        for number, count in enumerate(counts)
    )


def _entries(*due_ticks: int) -> tuple[RegisterWrite, ...]:
    """Return the writes that fill a schedule from its first entry on."""
    return tuple(
        write
        for number, ticks in enumerate(due_ticks)
        for write in (
            RegisterWrite("schedule", 0, "due_ticks", ticks),
            RegisterWrite("schedule", 0, "entry", entry_word(number, number * 3 % 256)),
        )
    )


def _coded(
    *changes: tuple[int, int],
    port: Port | None = None,
    bits: int = 8,
    from_ns: int = 370_000,
    strikes: Sequence[Stimulus] = (),
    **more: Any,
) -> Measurement:
    """Return a measurement with codes at the port, at times in ns from the first one on."""
    extra = {"codes": tuple((1000 * (from_ns + ns), value) for ns, value in changes)}
    extra |= {"writes": more.pop("writes", ())}
    codes = Codes(port=port or Port(), bits=bits)
    return _measured(*strikes, codes=codes, extra=extra, time_s=500_000 * _NS, **more)


def _every(period: int, count: int, values: Sequence[int]) -> list[tuple[int, int]]:
    return [(number * period, values[number % len(values)]) for number in range(count)]


def _matching() -> Iterator[tuple[str, Measurement]]:
    fast = _stimulus(1000, width_s=20 * _NS)
    yield (
        "filtered pulses",
        _measured(dut=_PULSES, channels=(Channel(0, filter_s=6 * _NS), Channel(1))),
    )
    yield "latency at the deadline", _measured(channels=(Channel(0, deadline_s=300 * _NS),))
    yield "latency at the window", _measured(policy=Policy.WINDOW, window_min_s=300 * _NS)
    latest = "synthetic:latency=1300ns,width=40ns,ch1.latency=300ns,drop=0.2"
    yield "latest strike", _measured(fast, dut=latest, policy=Policy.LATEST, timeout_s=2500 * _NS)
    late = "synthetic:latency=3us,width=40ns,ch0.drop=0.3"
    queue = _stimulus(100, width_s=20 * _NS, burst=20, spacing_s=60 * _NS)
    queue = replace(queue, period_s=80_000 * _NS)
    yield "full queue", _measured(queue, dut=late, timeout_s=20_000 * _NS)
    queue = replace(queue, burst=18, period_s=80_000 * _NS, spacing_s=200 * _NS)
    yield (
        "full queue of one channel",
        _measured(queue, dut=late, timeout_s=20_000 * _NS, channels=(Channel(0),), count=54),
    )
    other = _stimulus(4000, output=1, phase_s=500 * _NS, width_s=30 * _NS)
    early = (Channel(0), Channel(1, reference="strike1"), Channel(2, reference="strike1.fall"))
    dut = "synthetic:latency=300ns,width=40ns,ch1.after=strike0,ch2.after=strike0"
    for name, early_ns in (("answer just not too early", 200), ("answer just too early", 199)):
        yield name, _measured(_stimulus(), other, dut=dut, channels=early, early_s=early_ns * _NS)
    dut += ",duplicate=0.5,drop=0.2,spurious=200kHz"
    yield "early answers", _measured(_stimulus(), other, dut=dut, channels=early, early_s=700 * _NS)
    together = replace(other, phase_s=300 * _NS + _WAY_TICKS * _TICK)
    yield "edges in one tick", _measured(
        _stimulus(), together, dut="synthetic:latency=300ns,width=40ns,ch1.latency=300ns",
        channels=(Channel(0), Channel(1, reference="ch0"), Channel(2, reference="strike1")),
    )  # fmt: skip
    yield "negative window of the zoom", _measured(
        _stimulus(), other, dut=dut, early_s=700 * _NS,
        channels=[replace(each, zoom_rise_s=-210 * _NS) for each in early],
    )  # fmt: skip
    slow = _stimulus(1_080_000_000)
    yield "seconds", _measured(slow, count=2, timeout_s=400_000_000 * _NS)
    yield (
        "many strikes",
        _measured(_stimulus(2000), count=4200, channels=(Channel(0),), stream=Stream.OFF),
    )
    noisy = "synthetic:latency=300ns,width=uniform:20ns:90ns,duplicate=0.3,spurious=100kHz"
    yield "unanswered pulses", _measured(dut=noisy + ",drop=0.2", count=100, timeout_s=1500 * _NS)
    yield "either edge", _measured(dut=noisy, channels=(Channel(0, either=True), Channel(1)))
    yield "a missed strike at the end", _measured(
        dut="synthetic:latency=300ns,width=40ns,drop=1", count=1, timeout_s=500_000 * _NS,
        time_s=500_100 * _NS, stop_on_missed=True,
    )  # fmt: skip


def _strikes() -> Iterator[tuple[str, Measurement]]:
    yield "seed 0", _measured(_stimulus(poisson=True, seed=0, width_s=10 * _NS))
    dense = Stimulus(period_s=620 * _TICK, width_s=590 * _TICK, poisson=True, seed=3)
    yield "Poisson at its dead time", _measured(dense, count=800, stream=Stream.OFF)
    yield (
        "dither in steps",
        _measured(_stimulus(dither_s=256 * _TICK), table=_steps(20, 5, 20), time_s=None),
    )
    parts = [replace(step, period_s=step.period_s + _TICK / 3) for step in _steps(20, 7, 20)]
    yield "fractions in steps", _measured(table=tuple(parts))
    yield "steps and snapshots", _measured(table=_steps(9, 30, 12), report_s=90_000 * _NS)
    # 506 clocks behind the end of the first step; what is struck there waits for the record.
    yield "a snapshot while a step is recorded", _measured(
        Stimulus(period_s=4000 * _NS), _stimulus(1100, output=1, width_s=400 * _NS),
        dut="synthetic:ch0.after=strike0,latency=300ns,width=40ns,ch1.after=none",
        channels=(Channel(0),), table=_steps(9, 5), report_s=45_968 * _NS,
    )  # fmt: skip
    pending = "synthetic:latency=6us,width=40ns,ch0.drop=0.3"
    guarded = (replace(_steps(9)[0], guard_s=1000 * _NS), *_steps(4, 5)[1:], _steps(6)[0])
    yield "steps with strikes pending", _measured(dut=pending, table=guarded, timeout_s=9000 * _NS)
    yield (
        "more steps than the table has",
        _measured(
            table=_steps(*range(1, 17)),
            extra={"writes": (RegisterWrite("control", 0, "step_count", 40),)},
        ),
    )
    burst = _stimulus(8000, output=1, trigger=Trigger.STRIKE, burst=2, spacing_s=300 * _NS, count=3)
    yield "a burst cut short", _measured(_stimulus(8000), burst)
    once = Stimulus(output=1, trigger=Trigger.STRIKE, count=1, width_s=1500 * _NS)
    yield "triggers while busy", _measured(_stimulus(1000, width_s=20 * _NS), once)
    clocks = 125 - 24
    once = replace(once, width_s=(clocks * 16 + 5) * _TICK)
    yield "a trigger in the last clock", _measured(_stimulus(1000, width_s=20 * _NS), once)
    once = replace(once, phase_s=40 * _NS)
    yield (
        "fractions of a triggered sequence",
        _measured(
            _stimulus(9000),
            _stimulus(500, output=1, trigger=Trigger.STRIKE, count=4, dither_s=64 * _TICK),
        ),
    )
    for name, ticks in (("time limit at a strike", 0), ("time limit past a clock", 1)):
        limit = (_WAY_TICKS + 50 * 8000 + ticks) * _TICK
        yield name, _measured(time_s=limit, stream=Stream.LIVE)
    yield (
        "long last strike",
        _measured(
            _stimulus(4000, width_s=3000 * _NS + _TICK), settle_s=Fraction(0), timeout_s=200 * _NS
        ),
    )
    yield (
        "long last strike of a step",
        _measured(
            table=tuple(
                replace(step, width_s=3000 * _NS + _TICK, guard_s=Fraction(0))
                for step in _steps(3, 3, 3)
            )
        ),
    )
    lacks = (("burst_count", 3), ("dither_bits", 6), ("poisson_threshold", 1 << 42))
    for name, value in lacks:
        yield f"{name} without its feature", _measured(
            board="hx8k-evn", channels=(Channel(0),),
            extra={"writes": (RegisterWrite("stimulus", 0, name, value),)},
        )  # fmt: skip
    yield (
        "a strike that ends with its clock",
        _measured(_stimulus(4000, width_s=3000 * _NS), settle_s=Fraction(0), timeout_s=200 * _NS),
    )
    first = {"writes": (RegisterWrite("stimulus", 0, "phase_ticks", 0),)}
    yield "a strike in the first tick", _measured(extra=first)
    quiet: dict[str, Any] = {"count": 1500, "report_s": 2_601_300 * _NS}
    yield "snapshots in quiet", _measured(channels=(Channel(0),), **quiet)
    yield "no events", _measured(board="icebreaker-counts", channels=(Channel(0), Channel(1)))
    yield "events alone", _measured(board="icebreaker", channels=(Channel(0), Channel(1)))
    yield (
        "events alone, of active edges",
        _measured(board="icebreaker", channels=(Channel(0), Channel(1)), active_only=True),
    )
    yield "a small memory of bins", _measured(board="ulx3s-12f")
    yield "load", _measured(load=True, channels=(Channel(0), Channel(1, reference="load")))


def _schedules() -> Iterator[tuple[str, Measurement]]:
    due = Stimulus(output=1, trigger=Trigger.DUE, count=1, width_s=200 * _NS)
    two = (_stimulus(8000), due)
    channels = (Channel(0), Channel(1, reference="strike1"))
    dut = "synthetic:latency=300ns,width=40ns,ch1.after=strike1"

    def scheduled(writes: Sequence[RegisterWrite], **more: Any) -> Measurement:
        more = {"time_s": 400_000 * _NS} | more
        return _measured(*two, dut=dut, channels=channels, extra={"writes": tuple(writes)}, **more)

    near = (1280, 1279, 5000, 6679, 6680 + 1280, 9000, 8000, 20_000, 21_000, 90_000, 900_000)
    yield "schedule", scheduled(_entries(*near))
    near = (1279, 3000, 3000 + 400 + 16 * 80 - 1, 12_000, 12_000 + 400 + 16 * 80)
    yield "due times at their least distance", scheduled(_entries(*near))
    yield "a schedule that ends the run", scheduled(_entries(4000, 9000), count=20, time_s=None)
    many = [2000 + 3000 * number for number in range(131)]
    near = (4000, 4300, 12_000, 12_399, 30_000)
    yield "due times in the strike before", scheduled(_entries(*near))
    yield "a full schedule", scheduled(_entries(*many))
    again = _entries(3000, 9000, 15_000)
    yield (
        "an entry written twice",
        scheduled((*again, *again[2:4], *_entries(1, 2, 3, 40_000)[-2:])),
    )
    for name, gray in (("timecode", 0), ("Gray timecode", 1)):
        writes = [RegisterWrite("schedule", 0, "timecode_on", 1)]
        writes += [RegisterWrite("schedule", 0, "timecode_gray", gray)]
        burst = _stimulus(8000, burst=6, spacing_s=3 * _TICK, width_s=_TICK)
        codes = Codes(port=Port(skew_s=Fraction(0)), bits=8)
        extra: dict[str, Any] = {"writes": tuple(writes), "front_end": "ribbon=0:1:2:3:4:5:6:7"}
        yield name, _measured(burst, codes=codes, extra=extra, count=300)
        if not gray:
            other = _stimulus(9000, output=1, phase_s=700 * _NS)
            yield f"{name} of two outputs", _measured(_stimulus(), other, codes=codes, extra=extra)


def _codes() -> Iterator[tuple[str, Measurement]]:
    values = (0x12, 0x35, 0x81, 0x12, 0xFF, 0x00, 0x47)
    yield "codes", _coded(*_every(1501, 150, values))
    yield "codes of some classes", _coded(*_every(1501, 150, values), port=Port(without=(1, 4)))
    yield "codes of six bits", _coded(*_every(1501, 150, values), bits=6, port=Port(without=(1,)))
    wobble = [(ns, value) for at in range(0, 90_000, 1500) for ns, value in (
        (at, 1), (at + 3 + at // 1500 % 40, 3), (at + 60 + at // 1500 % 31, 0x13),
        (at + 400, 0x11), (at + 402, 0x13), (at + 404 + at // 1500, 0x33),
        (at + 700, 0))]  # fmt: skip
    yield "torn codes", _coded(*wobble)
    yield "torn codes, long to settle", _coded(*wobble, port=Port(None, 8 * _CLOCK, 3 * _CLOCK))
    close = [(at + offset, value) for at in range(0, 90_000, 3000) for offset, value in (
        (0, 1), (8 * (at // 3000 % 7), 3), (8 * (at // 3000 % 7 + 1 + at // 9000 % 4), 7),
        (200, 0), (200 + 32, 4), (200 + 40, 12), (1000, 5), (1000 + 32, 4), (1000 + 40, 6))
        if offset or value == 1]  # fmt: skip
    close = sorted(dict(close).items())
    yield "codes close to each other", _coded(*close)
    glitch = [(at + offset, value) for at in range(0, 90_000, 1509) for offset, value in (
        (0, 0x21), (1, 0x20), (900, 0x22), (902, 0x21), (909, 0x27))]  # fmt: skip
    yield "glitches of codes", _coded(*glitch)
    strobed = Port(strobe=7)
    channels = (Channel(0), Channel(7, invert=False))
    # It begins in the clock of a change, while a code from before settles, or between codes.
    dense = [
        (120 * number + later, (5 * number + later) % 251)
        for number in range(2500)
        for later in (0, 17, 41)
    ]
    for phase in range(5):
        yield (
            f"a run that begins among codes, {phase}",
            replace(
                _coded(*dense, from_ns=200_000 + 24 * phase, port=Port(skew_s=Fraction(0))),
                settings=_measured(
                    codes=Codes(port=Port(skew_s=Fraction(0)), bits=8), time_s=1000 * _NS
                ).settings,
            ),
        )
    yield "strobed codes", _coded(
        *_every(1501, 150, values), port=strobed, channels=channels,
        dut="synthetic:latency=300ns,width=40ns,code_strobe=1,code_skew=17ns,ch7.drop=1",
    )  # fmt: skip
    yield "a strobe upside down", _coded(
        *_every(1501, 150, values), port=strobed, channels=(Channel(0), Channel(7, invert=True)),
        dut="synthetic:latency=300ns,width=40ns,code_strobe=1,ch7.drop=1",
    )  # fmt: skip
    quick = [(at + offset, value) for at in range(0, 90_000, 1509) for offset, value in (
        (0, 0x21), (4, 0x20), (900, 0x22), (911, 0x21), (923, 0x27))]  # fmt: skip
    yield "strobes close to each other", _coded(
        *quick, port=strobed, channels=(Channel(0), Channel(7, filter_s=6 * _NS)),
        dut="synthetic:latency=300ns,width=40ns,code_strobe=1,ch7.drop=1",
    )  # fmt: skip
    struck = Stimulus(output=1, trigger=Trigger.CODE, trigger_code=0x35, count=1, phase_s=40 * _NS)
    yield (
        "a code that strikes",
        _coded(
            *_every(1501, 150, values), strikes=(_stimulus(), replace(struck, width_s=100 * _NS))
        ),
    )
    # Codes from before the run, around the last that is too early to strike in it.
    for number in range(4):
        at = ((1000 * (392_340 + 8 * number), 0x35), (700_000_000, 0x12))
        yield f"a code that strikes as the run begins, {number}", _measured(
            _stimulus(), struck, codes=Codes(port=Port(), bits=8), time_s=4000 * _NS,
            extra={"codes": at},
        )  # fmt: skip
    yield "an end before a code that strikes", _measured(
        _stimulus(), replace(struck, trigger_code=0xEE, width_s=100 * _NS),
        codes=Codes(port=Port(), bits=8), count=20,
        extra={"codes": ((370_000_000, 0x35), (800_000_000, 0xEE))},
    )  # fmt: skip
    yield (
        "a torn code that does not strike",
        _coded(
            *wobble,
            from_ns=410_000,
            strikes=(_stimulus(), replace(struck, trigger_code=0x13, width_s=100 * _NS)),
        ),
    )
    yield (
        "a code between strike and answer",
        _coded(*_every(700, 500, values), dut="synthetic:latency=2us,width=40ns"),
    )
    yield "a code at the end of the run", _coded(*_every(160, 3000, values), stream=Stream.OFF)


def _pins() -> Iterator[tuple[str, Measurement]]:
    def front(text: str, *channels: Channel, dut: str = _DUT, **more: Any) -> Measurement:
        return _measured(
            dut=dut,
            channels=channels or (Channel(0), Channel(1)),
            extra={"front_end": text},
            **more,
        )

    random = "synthetic:latency=uniform:200ns:400ns,width=uniform:3ns:60ns"
    delays = "output_ps.0=1234,input_ps.0=700,input_ps.1=3100,loop_ps.0=2900,back_ps.0=4321"
    loop: dict[str, Any] = {"input_select": InputSelect.LOOPBACK}
    yield "delays", front(delays, dut=random)
    yield "delays of the loopback", front(delays, Channel(0), **loop)
    two = (_stimulus(), _stimulus(7000, output=1, phase_s=500 * _NS))
    yield "two outputs in a loop", _measured(*two, input_select=InputSelect.LOOPBACK)
    yield "uneven instants", front("sampler=seed:5,spread_ps=200", dut=random, count=200)
    narrow = "synthetic:latency=uniform:200ns:400ns,width=uniform:100ps:2ns"
    yield "narrow pulses", front("sampler=seed:5,spread_ps=240", dut=narrow, count=200)
    yield "exchanged flip-flops", front("exchange.0=3,exchange.1=6", dut=random, count=200)
    yield "dead flip-flops", front("dead.0=3,stuck.1=1", dut=random, count=100)
    pulses = "synthetic:latency=uniform:200ns:400ns,width=uniform:400ps:3ns"
    yield "pulses of one tick", _measured(dut=pulses, count=300)
    yield (
        "a jumper",
        front(
            "jumper.1=0,wire_ps.1=2500,input_ps.1=300",
            Channel(0),
            Channel(1, reference="strike0.fall"),
        ),
    )
    idle = replace(_stimulus(), invert=True)
    high = (Channel(0), Channel(1, filter_s=6 * _NS, invert=True))
    yield (
        "a filter behind a high level",
        replace(_measured(idle, channels=high), front_end="jumper.1=0"),
    )
    yield "a filter longer than a word", _measured(
        dut="synthetic:latency=300ns,width=uniform:4ns:30ns",
        channels=(Channel(0, filter_s=8 * _NS),),
        extra={"writes": (RegisterWrite("channel", 0, "filter_ticks", 31),)}, count=100,
    )  # fmt: skip
    bounces = (
        "synthetic:latency=uniform:300ns:900ns,width=uniform:60ns:140ns,duplicate=0.5,"
        "duplicate_delay=uniform:100ns:300ns,gap=9ns,spurious=500kHz,ch1.after=strike0"
    )
    longer = tuple(Channel(number, filter_s=ns * _NS) for number, ns in ((0, 100), (1, 60)))
    yield "long filters", _measured(dut=bounces, channels=longer, count=200)
    yield "long filters and snapshots", _measured(
        dut=bounces, channels=longer, count=None, time_s=800_000 * _NS, report_s=37_000 * _NS,
        timeout_s=9_000 * _NS,
    )  # fmt: skip
    whole = (Channel(0, filter_s=1000 * _NS), Channel(1))
    # The last edges of the run are removed by what comes behind it.
    yield "a long filter at the end", _measured(
        dut="synthetic:latency=300ns,width=100ns,ch0.duplicate=1,ch0.duplicate_delay=700ns",
        channels=whole, count=None, time_s=40_600 * _NS,
    )  # fmt: skip
    # It rests high from some 35 µs of the run on.
    yield "a level that never lasts", _measured(
        dut="synthetic:ch0.after=none,ch0.tick=400ns,ch0.width=50ns,ch0.invert=1,"
        "ch0.mask=1s:200us:400us,ch1.after=strike0,ch1.latency=300ns",
        channels=(Channel(0, filter_s=1000 * _NS), Channel(1)), count=None, time_s=90_000 * _NS,
    )  # fmt: skip
    yield "a long filter and an oscillator", _measured(
        channels=(Channel(0, filter_s=1000 * _NS), Channel(1, filter_s=100 * _NS)),
        input_select=InputSelect.ASYNCHRONOUS, count=None, time_s=40_000 * _NS,
    )  # fmt: skip
    # A word each four clocks, which nothing but the filter keeps in the FIFO.
    yield "strikes in a long filter's time", _measured(
        _stimulus(64, width_s=32 * _NS), _stimulus(4000, output=1),
        dut="synthetic:ch0.after=strike1,ch1.after=none,latency=300ns,width=2us",
        channels=(Channel(0, filter_s=1000 * _NS, reference="strike1"),),
        count=None, time_s=60_000 * _NS, stream=Stream.OFF,
    )  # fmt: skip
    yield "an inverted output in a loop", _measured(idle, input_select=InputSelect.LOOPBACK)
    source: dict[str, Any] = {"input_select": InputSelect.ASYNCHRONOUS, "time_s": 40_000 * _NS}
    yield "an oscillator", _measured(**source)
    lamps = {"front_end": "lamp.3=1,lamp.5=0"}
    yield "lamps", _measured(_stimulus(20_000_000), time_s=290_000_000 * _NS, extra=lamps)
    yield "three lamps", _measured(_stimulus(20_000_000), time_s=95_000_000 * _NS, extra=lamps)
    yield "long frames", _measured(_stimulus(5_000_000), count=20)


def _sessions() -> Iterator[tuple[str, Measurement]]:
    """Yield runs behind other runs: nothing of those may be left."""
    noisy = "synthetic:latency=300ns,width=40ns,duplicate=0.3,drop=0.3,spurious=100kHz"
    before = _measured(
        _stimulus(1000, width_s=30 * _NS), timeout_s=400_000 * _NS, policy=Policy.OLDEST,
        channels=(Channel(0, either=True), Channel(1, invert=True)), count=100,
    ).settings  # fmt: skip
    odd = replace(before, report_s=60_000 * _NS, count=80)
    swept = _measured(table=_steps(4, 4)).settings
    codes = tuple((200_000_000 + 1_501_000 * number, number % 200) for number in range(600))
    coded = replace(
        before, codes=Codes(port=Port(without=(0, 1))), time_s=400_000 * _NS, count=None
    )
    plain = _measured(dut=noisy.replace("spurious=100kHz", "seed=3"), table=_steps(5, 5))
    yield "a second run", replace(plain, before=(before,))
    yield "a run behind snapshots", replace(_measured(), before=(odd,))
    yield "a run behind a sweep", replace(_measured(table=_steps(3, 3)), before=(swept,))
    yield (
        "a run behind codes",
        replace(
            _measured(codes=Codes(port=Port()), time_s=300_000 * _NS), before=(coded,), codes=codes
        ),
    )
    scheduled = next(made for name, made in _schedules() if name == "schedule")
    yield "a run behind a schedule", replace(scheduled, before=(scheduled.settings,))
    yield "a filter behind none", replace(
        _measured(
            replace(_stimulus(), invert=True), channels=(Channel(0), Channel(1, filter_s=6 * _NS))
        ),
        before=(before,), front_end="jumper.1=0",
    )  # fmt: skip


def _rates() -> Iterator[tuple[str, Measurement]]:
    """Yield runs over the sustained rate, which the gateware takes over."""
    dense = _stimulus(80, width_s=20 * _NS)
    yield "over the rate", _measured(dense, count=2000, stream=Stream.OFF)
    yield "over the rate with events", _measured(dense, count=300, stream=Stream.LIVE)
    yield "over the rate of the link", _measured(_stimulus(700, width_s=20 * _NS), count=3000)
    late = Stimulus(output=1, trigger=Trigger.STRIKE, count=1, width_s=20 * _NS)
    yield (
        "over the rate with steps",
        _measured(
            dense,
            late,
            table=(TableStep(4000 * _NS, 100), TableStep(80 * _NS, 2000)),
            stream=Stream.OFF,
        ),
    )
    many = [Channel(number) for number in range(8)]
    yield (
        "over the rate of eight channels",
        _measured(_stimulus(1000, width_s=20 * _NS), channels=many, count=1000, stream=Stream.OFF),
    )
    answered = "synthetic:latency=100ns,width=20ns"
    yield "over the rate behind events", _measured(
        _stimulus(40_000, burst=300, spacing_s=100 * _NS, width_s=20 * _NS),
        dut=answered, count=900, timeout_s=4000 * _NS, report_s=30_000 * _NS,
    )  # fmt: skip
    # Eight answers come at once, 40 clocks before the only snapshot.
    answers = _measured(dut=answered, channels=many, count=5, report_s=12_328 * _NS)
    never = Stimulus(output=1, trigger=Trigger.MISSED, trigger_source=0, count=1)
    decided = _measured(_stimulus(), never, dut=answered, time_s=100_000 * _NS)
    yield "decisions behind a snapshot among answers", replace(decided, before=(answers.settings,))
    yield "over the rate of strikes", _measured(
        _stimulus(48, width_s=8 * _NS), dut="synthetic:drop=1", channels=(Channel(0),),
        count=2000, stream=Stream.OFF, timeout_s=300 * _NS,
    )  # fmt: skip
    yield "over the rate of struck channels", _measured(
        _stimulus(150, width_s=20 * _NS), dut="synthetic:drop=1", channels=many, count=2000,
        stream=Stream.OFF, timeout_s=1000 * _NS,
    )  # fmt: skip
    yield "over the rate of early answers", _measured(
        _stimulus(240, width_s=20 * _NS),
        _stimulus(240, output=1, phase_s=400 * _NS, width_s=20 * _NS),
        channels=(Channel(0, reference="strike1"),), early_s=200 * _NS, count=2000,
        stream=Stream.OFF,
    )  # fmt: skip
    overtaken = {"front_end": "output_ps.0=1234,input_ps.0=700,input_ps.1=3100"}
    yield (
        "over the rate with delays",
        _measured(dense, count=2000, stream=Stream.OFF, extra=overtaken),
    )
    yield "over the rate behind snapshots", _measured(
        dut="synthetic:latency=normal:300ns:20ns", latency_over_s=375 * _NS, count=9000,
        report_s=500_000 * _NS,
    )  # fmt: skip
    yield (
        "a latency over its limit",
        _measured(dut="synthetic:latency=normal:300ns:50ns", latency_over_s=390 * _NS, count=400),
    )


def _words() -> Iterator[tuple[str, Measurement]]:
    """Yield what a host says that is not a measurement, with a short one behind it."""
    whole = all_words()
    writable = [
        (at + word, OpCode.WRITE, 0xFFFFFFFF)
        for block, _, register, at in registers()
        if register.access == Access.SETUP
        and block.name in {"channel", "stimulus", "code", "matcher"}
        for word in range(register.words)
    ]
    written = [told(*writable[n : n + 8]) for n in range(0, len(writable), 8)]
    identity = address("identity", "board")
    good = command([(identity, OpCode.READ, 0)])
    bad = to_stream(replace(good, payload=good.payload[:4]))
    crc = bytearray(to_stream(good))
    crc[6] = crc[6] ^ 1 or 2
    full = [(address("control", "dump_spaces"), OpCode.WRITE, 0xFFFFFFFF)] * MAX_OPERATIONS
    odd = [(0xF00 + n, 0x11 + n, 0x11111111 * (n % 15 + 1)) for n in range(MAX_OPERATIONS)]
    said = (
        b"\0\0\0", bytes(crc), bad, to_stream(replace(good, type=FrameType.LOG)),
        to_stream(command([])), told(*full), told(*full, full[0]), told(*odd),
        b"\x01" * 3000 + b"\0", to_stream(good), b"\xff" + b"\x07" * 20 + b"\0",
        told((identity, OpCode.WRITE, 5), (identity, 9, 5), (0xFFFF, OpCode.READ, 0)),
        told((address("control", "action"), OpCode.WRITE, Action.STOP)),
    )  # fmt: skip
    for board in (BOARD, "hx8k-evn"):
        yield (
            f"registers of {board}",
            _measured(
                board=board, channels=(Channel(0),), extra={"words": tuple(read_words(whole))}
            ),
        )
    yield (
        "all ones in registers",
        _measured(extra={"words": (*written, *read_words([at for at, _, _ in writable]))}),
    )
    # One of the last answers has a zero in its CRC, and none right before it.
    numbers = [RegisterWrite("channel", 7, "deadline_ticks", 0x7F010101 + n) for n in range(176)]
    yield (
        "a zero in an answer's CRC",
        _measured(channels=(Channel(0),), extra={"writes": tuple(numbers)}),
    )
    yield "damaged commands", _measured(extra={"words": said})


def planted() -> dict[str, Measurement]:
    """Return all by name, the shorter ones of a kind first."""
    kinds = (_matching, _strikes, _pins, _codes, _schedules, _words, _sessions, _rates)
    return {name: measurement for kind in kinds for name, measurement in kind()}
