# SPDX-License-Identifier: Apache-2.0
"""Proves an instrument step by step: first the steps without wires, then those with wires."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Protocol

from plexor.base.counts import counted
from plexor.base.errors import InstrumentError, LinkError
from plexor.base.units import seconds_of
from plexor.experiments.calibration.reference import Reference, measured_scale
from plexor.experiments.calibration.run import WIRE_PS, calibrate
from plexor.experiments.calibration.run import CalibrationGoal as CalibrationWanted
from plexor.experiments.calibration.runs import SPACES, whole_run
from plexor.experiments.calibration.sheet import OWN_PS, SHEETS, outside
from plexor.experiments.calibration.sheet import bins as bins_by
from plexor.experiments.prove.model import Proof, ProofFigure, ProofStep, judged, left_out
from plexor.experiments.prove.ribbon import over_ribbon
from plexor.experiments.prove.through import WireDelay, delay, echoes, missing, spread_ps
from plexor.experiments.selftest.by_events import FRAME_BYTES
from plexor.experiments.selftest.judge import WIDEST_TICKS
from plexor.experiments.selftest.run import SelftestGoal as SelfTestWanted
from plexor.experiments.selftest.run import link_check, selftest
from plexor.model.calibration import FS_PER_PS, SIGMAS, Calibration
from plexor.model.oscillators import oscillator_of
from plexor.model.settings import Channel, Settings
from plexor.protocol.frames import WORD_BYTES
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import InputSelect
from plexor.run.session.prepare import now
from plexor.wire.device.device import Device

STRIKE = 0
"""The output whose wires are moved."""
MOST_ZERO_PS = 40_000
"""A strike's pad, a jumper and a channel's pad: the slowest family's, twice."""
MOST_EDGES_PS = 5_000
"""Maximum difference between the delays of rising and falling edges over pads."""
MOST_SKEW_PS = 5_000
"""Maximum difference between channels' delays over pads and routes."""
MOST_RMS_TICKS = 0.5
"""An edge's RMS error in a bin of the greatest width that the sheets allow is 0.41 ticks."""
LEAST_RATE = Fraction(1, 2)
"""Least share of its nominal rate that a loaded link must carry."""


class StepWires(StrEnum):
    """The wires between pins that a step needs."""

    NONE = "no wire"
    JUMPER = "a jumper from strike0 to ch0"
    LONG = "a longer wire from strike0 to ch0"
    TEE = "wires of one length from strike0 to all channels"
    STRIKES = "a jumper from each strike output to the channel of its number"
    RIBBON = "a wire from each pin of the timecode to the code pin of its number"
    REFERENCE = "a reference on the channel that was named for it"


class Fixture(Protocol):
    """Whoever puts the wires in place."""

    def wired(self, wires: StepWires) -> Device | None:
        """Return the instrument with these wires; None if they are not in place."""
        ...


@dataclass(frozen=True, slots=True)
class ProofGoal:
    """The options of a proof."""

    steps: Sequence[str] = ()
    """Names of the steps; none: all."""
    edges: int = 20_000
    """Minimum number of edges of each direction on each channel for its bins."""
    wire_ps: tuple[int, int] | None = None
    """Bounds of the longer wire's extra delay; None: not known."""
    soak_s: Fraction = Fraction(10)
    """Duration of the load on the link, in the instrument's time."""
    reference: Reference | None = None
    """The reference for the oscillator; None: there is none."""


Report = Callable[[str], None]


@dataclass(slots=True)
class _Known:
    """Results of earlier steps that later steps use."""

    calibration: Calibration | None = None
    zero: Mapping[int, WireDelay] = field(default_factory=dict[int, WireDelay])
    """Delay through the jumper, by direction."""


def prove(fixture: Fixture, goal: ProofGoal, report: Report = lambda line: None) -> Proof:
    """Return the proof of an instrument; `report` gets a line about each step.

    Steps that are not requested or not wired are left out. Raises LinkError if the link breaks or
    stays silent.
    """
    started = now()
    known = _Known()
    steps: list[ProofStep] = []
    device = fixture.wired(StepWires.NONE)
    if device is None:
        raise LinkError("there is no instrument")
    identity, link, serial = device.identity, device.name, device.serial
    for name, (wires, step) in STEPS.items():
        if goal.steps and name not in goal.steps:
            steps.append(left_out(name, "not asked for"))
            continue
        if wires == StepWires.REFERENCE and goal.reference is None:
            steps.append(left_out(name, "no reference was named"))
            continue
        lack = _lack(wires, identity.geometry)
        if lack:
            steps.append(left_out(name, lack))
            continue
        report(f"{name}: {wires}")
        wired = fixture.wired(wires)
        if wired is None:
            steps.append(left_out(name, f"not wired: it needs {wires}"))
            continue
        try:
            steps.append(step(wired, goal, known))
        except InstrumentError as error:
            steps.append(judged(name, "ended early", findings=(str(error),)))
    return Proof(
        link,
        serial,
        identity.board,
        identity.gateware_hash,
        identity.build_id,
        identity.simulated,
        identity.tick_fs,
        started,
        tuple(steps),
    )


def _lack(wires: StepWires, geometry: Geometry) -> str:
    """Return why a board has no pins for these wires; empty if it has them."""
    if wires == StepWires.STRIKES and geometry.strikes < 2:
        return "the board has one strike output, which the jumper proves"
    if wires == StepWires.RIBBON and not (geometry.code_bits and geometry.timecode_bits):
        return "the board has no code port with a timecode"
    return ""


def _selftest(device: Device, goal: ProofGoal, known: _Known) -> ProofStep:
    del goal, known
    result = selftest(device, SelfTestWanted({}))
    text = "; ".join(f"{check.name}: {check.summary}" for check in result.checks)
    findings = tuple(f"{finding.subject}: {finding.text}" for finding in result.findings)
    return judged("selftest", text, findings=findings)


def _bins(device: Device, goal: ProofGoal, known: _Known) -> ProofStep:
    known.calibration = calibration = calibrate(device, CalibrationWanted(goal.edges))
    geometry = device.identity.geometry
    sheet = SHEETS.get(geometry.board)
    # Without a sheet, a bin may be as wide as for the self-test.
    least, most = 0.0, WIDEST_TICKS * calibration.tick_fs / FS_PER_PS
    if sheet is not None:
        ranges = bins_by(sheet, geometry.tick_fs, independent=True)
        least = max(min(bounds.least_ps for bounds in ranges) - OWN_PS, 0.0)
        most = max(bounds.greatest_ps for bounds in ranges) + OWN_PS
    figures: list[ProofFigure] = []
    for channel in calibration.channels:
        for direction, bins in (("up", channel.rise), ("down", channel.fall)):
            name = f"ch{channel.number} {direction}"
            widths = bins.widths_ps(calibration.tick_fs)
            error = SIGMAS * max(bins.error_ps)
            figures.append(
                ProofFigure(f"{name}: narrowest bin", min(widths), "ps", error, least=least)
            )
            figures.append(ProofFigure(f"{name}: widest bin", max(widths), "ps", error, most=most))
    rms = max(
        bins.rms_ps(calibration.tick_fs)
        for channel in calibration.channels
        for bins in (channel.rise, channel.fall)
    )
    figures.append(ProofFigure("greatest RMS error of an edge, from its bins", rms, "ps"))
    edges = min(
        bins.edges for channel in calibration.channels for bins in (channel.rise, channel.fall)
    )
    text = (
        f"{counted(edges, 'edge')} or more of the on-chip oscillator each way on "
        f"{len(calibration.channels)} "
    )
    clocks_text = (
        "no sheet is known of its clocks" if sheet is None else f"held against {sheet.source}"
    )
    return judged(
        "bins",
        f"{text}channels; {clocks_text}",
        tuple(figures),
        tuple(outside(calibration, geometry)),
    )


def _jumper(device: Device, goal: ProofGoal, known: _Known) -> ProofStep:
    del goal
    measured = echoes(device, STRIKE, (0,))
    lost = missing(measured)
    if lost:
        return judged("jumper", "the way through the pins", findings=tuple(lost))
    known.zero = {
        polarity: delay(measured, (0, polarity), device, known.calibration) for polarity in (1, 0)
    }
    difference = known.zero[1] - known.zero[0]
    figures = (
        *(
            ProofFigure(name, zero.value_ps, "ps", zero.error_ps, 0, MOST_ZERO_PS)
            for name, zero in (("edge up", known.zero[1]), ("edge down", known.zero[0]))
        ),
        ProofFigure(
            *("up less down", difference.value_ps, "ps", difference.error_ps),
            *(-MOST_EDGES_PS, MOST_EDGES_PS),
        ),
    )
    figures += _against_loop(known)
    return judged("jumper", "from a strike's tick through both pins to ch0, each phase", figures)


def _against_loop(known: _Known) -> tuple[ProofFigure, ...]:
    """Return the loop's detour against the pins, with the bounds of place and route if known."""
    calibration = known.calibration
    looped = None if calibration is None else calibration.delay(STRIKE, 0)
    if calibration is None or looped is None:
        return ()
    bounds = [e for e in calibration.detours if (e.output, e.channel) == (STRIKE, 0)]
    most_wire_ps = WIRE_PS[1]
    return tuple(
        ProofFigure(
            *(f"loop less pins and jumper, {name}", delay_ps - known.zero[polarity].value_ps, "ps"),
            error_ps + known.zero[polarity].error_ps,
            *(detour.least_ps - most_wire_ps, detour.greatest_ps),
        )
        for detour in bounds
        for name, polarity, delay_ps, error_ps in (
            ("up", 1, looped.rise_ps, looped.rise_error_ps),
            ("down", 0, looped.fall_ps, looped.fall_error_ps),
        )
    )


def _wire(device: Device, goal: ProofGoal, known: _Known) -> ProofStep:
    if not known.zero:
        return left_out("wire", "without the jumper's delay, that of a longer wire is not known")
    measured = echoes(device, STRIKE, (0,))
    lost = missing(measured)
    if lost:
        return judged("wire", "a longer wire", findings=tuple(lost))
    least, most = goal.wire_ps or (0, None)
    figures = tuple(
        ProofFigure(name, longer.value_ps, "ps", longer.error_ps, least, most)
        for name, polarity in (("edge up", 1), ("edge down", 0))
        for longer in (
            delay(measured, (0, polarity), device, known.calibration) - known.zero[polarity],
        )
    )
    bounds_text = "its delay was not told, so only that it is longer" if most is None else "as told"
    return judged("wire", f"how much longer than the jumper the wire is; {bounds_text}", figures)


def _tee(device: Device, goal: ProofGoal, known: _Known) -> ProofStep:
    del goal
    geometry = device.identity.geometry
    channels = tuple(range(geometry.channels))
    measured = echoes(device, STRIKE, channels)
    lost = missing(measured)
    if lost:
        return judged("tee", "one strike on all channels", findings=tuple(lost))
    figures: list[ProofFigure] = []
    most_ps = MOST_RMS_TICKS * device.identity.tick_fs / 1000
    first = {
        polarity: delay(measured, (0, polarity), device, known.calibration) for polarity in (1, 0)
    }
    for number in channels[1:]:
        for name, polarity in (("up", 1), ("down", 0)):
            skew = delay(measured, (number, polarity), device, known.calibration) - first[polarity]
            figures.append(
                ProofFigure(
                    *(f"ch{number} less ch0, {name}", skew.value_ps, "ps", skew.error_ps),
                    *(-MOST_SKEW_PS, MOST_SKEW_PS),
                )
            )
        rms = spread_ps(measured, (number, 1), (0, 1), device, known.calibration)
        figures.append(ProofFigure(f"ch{number} with ch0: RMS", rms, "ps", most=most_ps))
    text = (
        f"one strike on {counted(len(channels), 'channel')}; RMS is the spread of two channels' "
        "difference "
    )
    return judged("tee", f"{text}over the root of two", tuple(figures))


def _strikes(device: Device, goal: ProofGoal, known: _Known) -> ProofStep:
    del goal
    outputs = range(device.identity.geometry.strikes)
    measured = {output: echoes(device, output, (output,)) for output in outputs}
    lost = [f"strike{output}: {text}" for output in outputs for text in missing(measured[output])]
    if lost:
        return judged("strikes", "each strike output on its channel", findings=tuple(lost))
    figures: list[ProofFigure] = []
    for output in outputs:
        for name, polarity in (("up", 1), ("down", 0)):
            way = delay(measured[output], (output, polarity), device, known.calibration)
            figures.append(
                ProofFigure(
                    *(f"strike{output} to ch{output}, {name}", way.value_ps, "ps", way.error_ps),
                    *(0, MOST_ZERO_PS),
                )
            )
    text = f"from the ticks of {len(outputs)} strike outputs through both pins, each phase"
    return judged("strikes", text, tuple(figures))


def _codes(device: Device, goal: ProofGoal, known: _Known) -> ProofStep:
    del goal, known
    ribbon = over_ribbon(device)
    codes = ribbon.codes
    figures = (
        ProofFigure("codes", len(codes), "", least=1 << ribbon.bits),
        ProofFigure("torn codes", int(codes["torn"].sum()), "", most=0),
    )
    text = f"each of {1 << ribbon.bits} codes of the timecode, once, at {ribbon.bits} code pins"
    return judged("codes", text, figures, tuple(ribbon.findings()))


def _pps(device: Device, goal: ProofGoal, known: _Known) -> ProofStep:
    del known
    reference = goal.reference
    assert reference is not None  # otherwise the step is left out
    scale = measured_scale(device, reference, now())
    oscillator = oscillator_of(device.identity.board)
    fast = ProofFigure(
        *("the oscillator is fast by", scale.fast_ppb / 1000, "ppm", scale.error_ppb / 1000),
        *(-oscillator.ppm, oscillator.ppm),
    )
    text = f"{reference.name} for {float(reference.time_s):g} s; the oscillator's {oscillator.ppm} "
    return judged("pps", f"{text}ppm are {oscillator.source}", (fast,))


def _soak(device: Device, goal: ProofGoal, known: _Known) -> ProofStep:
    """Load the link beyond its rate; it must lose nothing."""
    del known
    checked = link_check(device)
    findings = tuple(f"{finding.subject}: {finding.text}" for finding in checked.findings)
    geometry = device.identity.geometry
    if Feature.EVENTS not in geometry.features:
        return judged("soak", f"{checked.summary}; it sends no events", findings=findings)
    decoder = device.decoder
    faults_before = decoder.fault_counts.total()
    settings = Settings(
        channels=tuple(Channel(number) for number in range(geometry.channels)),
        time_s=goal.soak_s,
        input_select=InputSelect.ASYNCHRONOUS,
        spaces=SPACES,
    )
    result = whole_run(device, settings)
    books = result.accounting
    ran_s = seconds_of(max(result.end_ticks - result.start_ticks, 1), result.tick_fs)
    carried = WORD_BYTES * books.received + FRAME_BYTES * books.frames_received
    nominal = device.nominal_bytes_s
    least = None if nominal is None else float(nominal * LEAST_RATE)
    figures = (
        ProofFigure("carried", float(carried / ran_s), "B/s", least=least),
        ProofFigure("events received", books.received, ""),
        ProofFigure(
            "events dropped on the chip, since the link was full", books.dropped_on_chip, ""
        ),
        ProofFigure("events lost on the link", books.lost_on_link, "", most=0),
        ProofFigure("frames lost", books.frames_lost, "", most=0),
        ProofFigure("damaged stretches", decoder.fault_counts.total() - faults_before, "", most=0),
    )
    text = f"{float(goal.soak_s):g} s of more events than the link carries"
    return judged("soak", text, figures, findings)


STEPS: Mapping[str, tuple[StepWires, Callable[[Device, ProofGoal, _Known], ProofStep]]] = {
    "selftest": (StepWires.NONE, _selftest),
    "bins": (StepWires.NONE, _bins),
    "soak": (StepWires.NONE, _soak),
    "jumper": (StepWires.JUMPER, _jumper),
    "wire": (StepWires.LONG, _wire),
    "tee": (StepWires.TEE, _tee),
    "strikes": (StepWires.STRIKES, _strikes),
    "codes": (StepWires.RIBBON, _codes),
    "pps": (StepWires.REFERENCE, _pps),
}
"""Each step by name, with the wires that it needs, in order."""
