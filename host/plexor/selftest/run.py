"""A self-test of an instrument: link first, for all else is told over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction

from plexor.calibration.run import (
    SPACES,
    TRIES,
    complete_run,
    loopback_settings,
    source_events,
    whole_run,
)
from plexor.device import Device, identity_places
from plexor.plan import need_events
from plexor.protocol.frames import CRC_BYTES, HEADER, WORD_BYTES
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import InputSelect, Stream, register
from plexor.results import RunResult
from plexor.selftest import memory
from plexor.selftest.judge import (
    Looped,
    Wiring,
    jumper_findings,
    loopback_findings,
    source_findings,
)
from plexor.selftest.model import Check, Finding, SelfTest, check
from plexor.settings import Channel, Settings, Stimulus
from plexor.units import seconds_of

EXCHANGES = 40
LOADED_BYTES = 1 << 16
LEAST_LOADED_S, MOST_LOADED_S = Fraction(1, 500), Fraction(1)
"""The link is loaded for as long as it takes LOADED_BYTES at its nominal rate, in these bounds."""
SOURCE_EDGES = 2000
JUMPER_STRIKES = 200
JUMPER_PERIOD_TICKS = 20_000
MEMORY_ROUNDS = 3
MEMORY_STRIKES = 200
FRAME_BYTES = HEADER.size_bytes + CRC_BYTES + 2
"""Of a frame beside its words: with what COBS adds, and its delimiter."""
SLOW = Fraction(1, 2)
"""A link that carries less than this part of its nominal rate, with more to carry, is slow."""

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of an instrument is to be tested beside what it can do alone."""

    wiring: Wiring
    """Channels that are wired to each strike output by jumpers; none: pins are not tested."""
    bytes_s: Fraction | None = None
    """What the link must carry. None: what is nominal for it, where that is known."""


def selftest(device: Device, wanted: Wanted, report: Report = lambda line: None) -> SelfTest:
    """Return what the parts of the self-test found. `report` is told what is done.

    Raises LinkError where the link breaks or stays silent, and InstrumentError for an instrument
    that cannot run. Raises UsageError for one that sends no events.
    """
    identity = device.identity
    need_events(identity, "selftest")
    geometry = identity.geometry
    for output, channels in wanted.wiring.items():
        for name, number, count in (
            ("strike", output, geometry.strikes),
            *(("ch", n, geometry.channels) for n in channels),
        ):
            if not 0 <= number < count:
                raise ValueError(
                    f"{name}{number}; this instrument has {name}0 to {name}{count - 1}"
                )
    checks: list[Check] = []
    parts: list[tuple[str, Callable[[], Check]]] = [
        ("link", lambda: link_check(device, wanted.bytes_s)),
        ("registers", lambda: memory.registers(device)),
        ("idle inputs", lambda: _idle(device)),
        ("strikes and channels, looped back", lambda: _loopback(device)),
        ("sampling phases", lambda: _source(device)),
        ("memories", lambda: _memories(device, _sound(geometry, checks))),
    ]
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
        datetime.now(UTC).isoformat(timespec="seconds"),
        tuple(checks),
    )


def link_check(device: Device, asked_bytes_s: Fraction | None = None) -> Check:
    """Exchange a known amount, then let the source of edges load the link.

    `asked_bytes_s` is what it must carry; None: what is nominal, where that is known.
    """
    decoder = device.decoder
    before = (decoder.bytes_received, device.retries, decoder.fault_counts.total())
    lost = decoder.frames_lost
    words = 0
    places = identity_places(device.identity.protocol_version)
    for _ in range(EXCHANGES):
        device.read_all(places)
        words += sum(register(block, name).words for block, _, name in places)
    nominal = asked_bytes_s or device.nominal_bytes_s
    loaded_s = Fraction(1, 10) if nominal is None else LOADED_BYTES / nominal
    loaded_s = min(max(loaded_s, LEAST_LOADED_S), MOST_LOADED_S)
    result = whole_run(device, _listening(device, InputSelect.ASYNCHRONOUS, loaded_s))
    received = decoder.bytes_received - before[0]
    retries, faults = device.retries - before[1], decoder.fault_counts.total() - before[2]
    lost = decoder.frames_lost - lost
    found: list[Finding] = []
    errors = f"{faults} faulty stretches, {lost} frames lost, {retries} commands repeated"
    if faults or lost:
        found.append(Finding("link", f"loses data: {errors}, in {received} bytes"))
    elif retries:
        found.append(Finding("link", f"answers late: {errors}, in {received} bytes"))
    books = result.accounting
    ticks = max(result.end_ticks - result.start_ticks, 1)
    carried = WORD_BYTES * books.received + FRAME_BYTES * books.frames_received
    bytes_s = carried / seconds_of(ticks, result.tick_fs)
    overrun = any(entry.upload_dropped for entry in books.sources)
    if nominal is not None and overrun and bytes_s < nominal * SLOW:
        text = f"slow: {_rate(bytes_s)} with more to send; nominal is {_rate(nominal)}"
        found.append(Finding("link", text))
    load = "with more to send" if overrun else "all there was to send"
    summary = f"{words} words asked for, {received} bytes came, {faults + lost + retries} errors; "
    return check("link", f"{summary}carried {_rate(bytes_s)}, {load}", found)


def _rate(bytes_s: Fraction) -> str:
    return f"{float(bytes_s) / 1e6:.3g} MB/s"


def _listening(device: Device, select: InputSelect, time_s: Fraction) -> Settings:
    channels = tuple(Channel(number) for number in range(device.identity.geometry.channels))
    return Settings(channels=channels, time_s=time_s, input_select=select, spaces=SPACES)


def _lost(name: str, results: Sequence[RunResult]) -> Check | None:
    """Return a check that could not be judged because the link lost events, None for whole runs."""
    lost = sum(result.accounting.lost_on_link for result in results)
    if not lost and all(result.events is not None for result in results):
        return None
    text = f"{name}: not judged, {lost} events were lost on the link in each of {TRIES} tries"
    return check(name, "not judged", [Finding("link", text)])


def _idle(device: Device) -> Check:
    """See that channels stand still while all inputs are low."""
    settings = _listening(device, InputSelect.LOW, Fraction(1, 5000))
    result = whole_run(device, replace(settings, stream=Stream.OFF))
    found = [
        Finding(entry.name, f"{entry.generated} edges while its input is held low")
        for entry in result.accounting.sources
        if entry.generated
    ]
    return check("idle inputs", f"{len(result.channels)} channels held low", found)


def _loopback(device: Device) -> Check:
    geometry = device.identity.geometry
    settings = [loopback_settings(geometry, output) for output in range(geometry.strikes)]
    results = [complete_run(device, entry) for entry in settings]
    name = "loopback"
    looped = {
        output: Looped(
            {entry.source: entry.generated for entry in result.accounting.sources},
            result.events,
            result.accounting.received == result.accounting.generated,
        )
        for output, result in enumerate(results)
        if result.events is not None
    }
    if unjudged := _lost(name, results):
        return unjudged
    strikes = sum(result.strikes for result in results)
    summary = f"{strikes} strikes of {geometry.strikes} outputs on {geometry.channels} channels"
    return check(name, summary, loopback_findings(looped, geometry))


def _source(device: Device) -> Check:
    geometry = device.identity.geometry
    events = source_events(device, SOURCE_EDGES)
    summary = f"{len(events)} edges of the on-chip source in {geometry.phases} phases"
    return check("phases", summary, source_findings(events, SOURCE_EDGES // 2, geometry))


def _sound(geometry: Geometry, checks: Sequence[Check]) -> tuple[Channel, ...]:
    """Return the channels of which nothing was found, after strike0."""
    bad = {finding.subject for check in checks for finding in check.findings}
    return tuple(Channel(n) for n in range(geometry.channels) if f"ch{n}" not in bad)


def _memories(device: Device, channels: tuple[Channel, ...]) -> Check:
    """Count known strikes twice: on the chip, and from their events."""
    geometry = device.identity.geometry
    compared, used = 0, 0
    found: list[Finding] = []
    results: list[RunResult] = []
    for number in range(MEMORY_ROUNDS):
        settings = loopback_settings(geometry, 0)
        (stimulus,) = settings.strikes
        assert stimulus.period_s is not None
        dithers = Feature.DITHER in geometry.features
        strikes = replace(
            stimulus,
            width_s=stimulus.period_s / 16**number / 4,
            dither_s=stimulus.period_s if dithers else Fraction(0),
            seed=number + 1,
            count=MEMORY_STRIKES,
        )
        settings = replace(settings, strikes=(strikes,), channels=channels, spaces=None)
        result = complete_run(device, settings)
        results.append(result)
        if result.events is None or result.accounting.received != result.accounting.generated:
            continue
        counted, wrong = memory.recounted(result)
        compared += counted
        found += wrong
        used += sum(
            int((entry.bins.counts > 0).sum())
            for channel in result.channels
            for entry in channel.measurements
        )
        found += [
            Finding(channel.name, f"{channel.strikes} strikes counted of {result.strikes}")
            for channel in result.channels
            if channel.classes[ResponseClass.STRIKES] != result.strikes
        ]
    if unjudged := _lost("memory", results):
        return unjudged
    if not compared:
        text = "not judged: no channel without a defect whose events all came"
        return check("memory", "not judged", [*found, Finding("memory", text)])
    return check("memory", f"{compared} counts compared with their events, {used} not 0", found)


def _jumpers(device: Device, wiring: Wiring) -> Check:
    geometry = device.identity.geometry
    channels = sorted(channel for wired in wiring.values() for channel in wired)
    seen: dict[tuple[int, int], int] = {}
    period_s = seconds_of(JUMPER_PERIOD_TICKS, geometry.tick_fs)
    for output in wiring:
        settings = Settings(
            strikes=(Stimulus(output, period_s, period_s / 2, count=JUMPER_STRIKES),),
            channels=tuple(Channel(n, reference=f"strike{output}") for n in channels),
            stream=Stream.OFF,
            spaces=SPACES,
        )
        result = whole_run(device, settings)
        for entry in result.channels:
            seen[output, entry.number] = entry.active_edges
    summary = f"{JUMPER_STRIKES} strikes of {len(wiring)} outputs by {len(channels)} jumpers"
    return check("jumpers", summary, jumper_findings(seen, JUMPER_STRIKES, wiring))
