# SPDX-License-Identifier: Apache-2.0
"""Tests an instrument: the link first, because every other result comes over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from plexor.base.counts import agreed, counted
from plexor.base.units import seconds_of
from plexor.experiments.calibration.runs import SPACES, TRIES, whole_run
from plexor.experiments.selftest import memory
from plexor.experiments.selftest.by_bins import BinWitness
from plexor.experiments.selftest.by_events import EventWitness
from plexor.experiments.selftest.judge import (
    Wiring,
    jumper_findings,
    loopback_findings,
    source_findings,
)
from plexor.experiments.selftest.lamps import lamps
from plexor.experiments.selftest.model import Finding, SelfTest, SelftestPart, check
from plexor.experiments.selftest.witness import Witness
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import InputSelect, register
from plexor.run.plan.registers import quiet_stream
from plexor.run.session.prepare import now
from plexor.wire.device.device import Device, identity_registers

EXCHANGES = 40
IDLE_S = Fraction(1, 5000)
SOURCE_EDGES = 2000
JUMPER_STRIKES = 200
JUMPER_PERIOD_TICKS = 20_000
SLOW = Fraction(1, 2)
"""A link is slow if it carries less than this part of its nominal rate under load."""

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SelftestGoal:
    """What is tested beside the parts that need no preparation."""

    wiring: Wiring
    """Channels that jumpers connect to each strike output; if empty, pins are not tested."""
    bytes_s: Fraction | None = None
    """Rate that the link must carry, in bytes per second. None: its nominal rate, if known."""


def selftest(device: Device, wanted: SelftestGoal, report: Report = lambda line: None) -> SelfTest:
    """Return the results of all parts; `report` gets a line about each step.

    Raises LinkError if the link breaks or stays silent, and InstrumentError if the instrument
    cannot run.
    """
    identity = device.identity
    geometry = identity.geometry
    witness = witness_of(device)
    for output, channels in wanted.wiring.items():
        identity.check_pin("strike", output)
        for number in channels:
            identity.check_pin("ch", number)
    checks: list[SelftestPart] = []
    parts: list[tuple[str, Callable[[], SelftestPart]]] = [
        ("link", lambda: link_check(device, wanted.bytes_s)),
        ("registers", lambda: memory.registers(device)),
        ("idle inputs", lambda: _idle(device)),
        ("strikes and channels, looped back", lambda: _loopback(geometry, witness)),
        ("sampling phases", lambda: _source(geometry, witness)),
    ]
    if Feature.MATCH in geometry.features:
        parts.append(("memories", lambda: _memories(geometry, witness, checks)))
    if geometry.lamps:
        parts.append(("lamps", lambda: lamps(device)))
    if wanted.wiring:
        parts.append(("pins, by jumpers", lambda: _jumpers(device, wanted.wiring)))
    for name, part in parts:
        report(name)
        checks.append(part())
    return SelfTest(
        device.serial,
        identity.gateware_hash,
        identity.board,
        identity.simulated,
        now(),
        tuple(checks),
    )


def witness_of(device: Device) -> Witness:
    """Return a witness by events, or by histograms if the instrument sends no events."""
    able = Feature.EVENTS in device.identity.geometry.features
    return EventWitness(device) if able else BinWitness(device)


def link_check(device: Device, asked_bytes_s: Fraction | None = None) -> SelftestPart:
    """Exchange a known number of bytes, then load the link.

    `asked_bytes_s` is the rate that it must carry; None: its nominal rate, if known.
    """
    decoder = device.decoder
    before = (decoder.bytes_received, device.retries, decoder.fault_counts.total())
    lost = decoder.frames_lost
    words = 0
    places = identity_registers(device.identity.protocol_version)
    for _ in range(EXCHANGES):
        device.read_all(places)
        words += sum(register(block, name).words for block, _, name in places)
    nominal = asked_bytes_s or device.nominal_bytes_s
    load = witness_of(device).load(nominal)
    received = decoder.bytes_received - before[0]
    retries, faults = device.retries - before[1], decoder.fault_counts.total() - before[2]
    lost = decoder.frames_lost - lost
    found: list[Finding] = []
    errors = (
        f"{faults} faulty stretches, {counted(lost, 'frame')} lost, {counted(retries, 'command')} "
        "repeated"
    )
    if faults or lost:
        found.append(Finding("link", f"loses data: {errors}, in {counted(received, 'byte')}"))
    elif retries:
        found.append(Finding("link", f"answers late: {errors}, in {counted(received, 'byte')}"))
    if nominal is not None and load.more and load.bytes_s < nominal * SLOW:
        text = f"slow: {_rate(load.bytes_s)} with more to send; nominal is {_rate(nominal)}"
        found.append(Finding("link", text))
    more = "with more to send" if load.more else "with nothing more to send"
    summary = (
        f"{counted(words, 'word')} requested, {counted(received, 'byte')} received, "
        f"{counted(faults + lost + retries, 'error')}; "
    )
    return check("link", f"{summary}carried {_rate(load.bytes_s)}, {more}", found)


def _rate(bytes_s: Fraction) -> str:
    return f"{float(bytes_s) / 1e6:.3g} MB/s"


def _lost(name: str, lost: int) -> SelftestPart | None:
    """Return a failed check if the link lost events, so that nothing can be judged; else None."""
    if not lost:
        return None
    text = (
        f"{name}: not judged, {counted(lost, 'event')} {agreed(lost, 'was', 'were')} lost on the "
        f"link in each of {TRIES} "
        "tries"
    )
    return check(name, "not judged", [Finding("link", text)])


def _idle(device: Device) -> SelftestPart:
    """Check that channels see no edge while all inputs are low."""
    settings = Settings(
        channels=tuple(Channel(number) for number in range(device.identity.geometry.channels)),
        time_s=IDLE_S,
        input_select=InputSelect.LOW,
        stream=quiet_stream(device.identity),
        spaces=SPACES,
    )
    result = whole_run(device, settings)
    found = [
        Finding(entry.name, f"{counted(entry.generated, 'edge')} while its input is held low")
        for entry in result.accounting.sources
        if entry.generated
    ]
    return check("idle inputs", f"{counted(len(result.channels), 'channel')} held low", found)


def _loopback(geometry: Geometry, witness: Witness) -> SelftestPart:
    name = "loopback"
    looped = {output: witness.looped(output) for output in range(geometry.strikes)}
    if unjudged := _lost(name, sum(entry.lost for entry in looped.values())):
        return unjudged
    edges = sum(entry.generated[SOURCE_STRIKE + output] for output, entry in looped.items())
    strikes = (edges + 1) // 2
    summary = (
        f"{counted(strikes, 'strike')} of {counted(geometry.strikes, 'output')} on "
        f"{counted(geometry.channels, 'channel')}"
    )
    return check(name, summary, loopback_findings(looped, geometry))


def _source(geometry: Geometry, witness: Witness) -> SelftestPart:
    source = witness.source(SOURCE_EDGES)
    summary = (
        f"{counted(source.edges, 'edge')} of the on-chip source in "
        f"{counted(geometry.phases, 'phase')}"
    )
    return check("phases", summary, source_findings(source, SOURCE_EDGES // 2, geometry))


def _memories(geometry: Geometry, witness: Witness, checks: Sequence[SelftestPart]) -> SelftestPart:
    """Check the results of channels that have no findings so far."""
    bad = {finding.subject for check in checks for finding in check.findings}
    found = witness.recount([n for n in range(geometry.channels) if f"ch{n}" not in bad])
    if unjudged := _lost("memory", found.lost):
        return unjudged
    if not found.compared:
        text = "not judged: no channel without a defect whose edges were all counted"
        return check("memory", "not judged", [*found.findings, Finding("memory", text)])
    summary = f"{found.compared:,} counts compared with {found.against}, {found.used:,} not 0"
    return check("memory", summary, found.findings)


def _jumpers(device: Device, wiring: Wiring) -> SelftestPart:
    geometry = device.identity.geometry
    channels = sorted(channel for wired in wiring.values() for channel in wired)
    seen: dict[tuple[int, int], int] = {}
    period_s = seconds_of(JUMPER_PERIOD_TICKS, geometry.tick_fs)
    for output in wiring:
        settings = Settings(
            strikes=(Stimulus(output, period_s, period_s / 2, count=JUMPER_STRIKES),),
            channels=tuple(Channel(n, reference=f"strike{output}") for n in channels),
            stream=quiet_stream(device.identity),
            spaces=SPACES,
        )
        result = whole_run(device, settings)
        for entry in result.channels:
            seen[output, entry.number] = entry.active_edges
    summary = (
        f"{JUMPER_STRIKES} strikes of {counted(len(wiring), 'output')} through "
        f"{counted(len(channels), 'jumper')}"
    )
    return check("jumpers", summary, jumper_findings(seen, JUMPER_STRIKES, wiring))
