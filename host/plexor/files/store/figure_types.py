# SPDX-License-Identifier: Apache-2.0
"""The types of the document that `--json` prints of a run; its JSON Schema is made from them.

Times are whole ticks of `tick_fs`. The document has `NAME_s`, the same in seconds, behind each
`NAME_ticks`. None: not known, or too few samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from plexor.base.constraints import Ge, Le, OneOf, Told, name_of
from plexor.base.documents import Document
from plexor.base.errors import ExitCode
from plexor.figures.analyse.pairing import Standing
from plexor.figures.judge.verdict import Outcome
from plexor.files.store.notes import Note
from plexor.model.results import Imported, Kind
from plexor.model.settings import MODES
from plexor.protocol.registers import Policy, StopReason, Trigger

Count = Annotated[int, Ge(0)]
Exact = Annotated[
    str,
    Told("Exact: a decimal, or a fraction such as 1/3 where that has no end."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictPart:
    """What is known of something that is judged."""

    outcome: Annotated[
        Outcome,
        Told(
            "What is known: it holds, it does not, there are too few samples to tell, or what "
            "there is says nothing of it."
        ),
    ]
    reason: str
    settles: Annotated[str, Told("What would settle it; empty if nothing is open.")]
    numbers: Annotated[
        Mapping[str, int | float | str | None],
        Told("What the verdict is by, with units in the names; null: not known."),
    ]


@dataclass(frozen=True, slots=True)
class StoppedPart:
    """Where a run ended by itself."""

    channel: str | None
    latency_ticks: Annotated[int | None, Told("Of the response; null for a missed strike.")]
    at_ticks: Annotated[
        int | None,
        Told(
            "From the start of the run: of the response, of the missed strike, of the code, or the "
            "end of the time in which a source had no event."
        ),
    ]
    strike: Annotated[
        int | None, Told("Which of the output's strikes, from 1 on; known with all events.")
    ]


@dataclass(frozen=True, slots=True)
class InstrumentPart:
    """What measured."""

    board: str
    gateware_hash: Annotated[str, Told("64 bits in hexadecimal.")]
    build_id: Annotated[
        str,
        Told(
            "Of one placement of the gateware: 64 bits in hexadecimal, the highest set in a "
            "bitstream's; 0: not known."
        ),
    ]
    protocol_version: Annotated[int, Told("major * 65536 + minor")]
    channels: Annotated[int, Ge(1)]
    samples: Annotated[int, Told("Ticks in a core clock.")]


@dataclass(frozen=True, slots=True)
class SourcePart:
    """The books of one source, in events."""

    name: str
    generated: int
    received: int
    dropped: Annotated[int, Told("Before matching: no figure knows them.")]
    upload_dropped: Annotated[int, Told("After matching, before the link.")]
    lost: Annotated[int, Told("On the link.")]


@dataclass(frozen=True, slots=True)
class BooksPart:
    """generated = received + dropped_on_chip + lost_on_link, in events."""

    generated: int
    received: int
    dropped_on_chip: int
    lost_on_link: int
    holds: bool
    disorder: Annotated[
        Mapping[str, int],
        Told(
            "Frames that did not come in their turn: duplicate (came before, left out), late "
            "(others had overtaken it: lost); on udp:// reordered too (and put back)."
        ),
    ]
    link_dropped: Annotated[
        Count,
        Told(
            "Bytes of commands that the instrument's UART dropped, for want of a stop bit or of "
            "room; 255: or more."
        ),
    ]
    mended_clocks: Annotated[
        Count,
        Told(
            "Core clocks in which samples of neighbouring phases that were exchanged were mended; "
            "65535: or more."
        ),
    ]
    filtered: Annotated[
        Count,
        Told(
            "Edges that glitch filters longer than a core clock removed. They are not in generated."
        ),
    ]
    sources: tuple[SourcePart, ...]


@dataclass(frozen=True, slots=True)
class StrikesPart:
    """What an output was asked to do, as it was applied."""

    output: Count
    rate_hz: Exact | None
    period_s: Exact | None
    width_s: Annotated[str | None, Told("As applied.")]
    duty: Annotated[
        str | None, Told("The part of a period that was asked for; null where a width was.")
    ]
    phase_s: Exact
    burst: Annotated[int, Ge(1)]
    spacing_s: Exact | None
    count: int | None
    dither_s: Annotated[Exact, Told("As applied: a power of two of ticks.")]
    poisson: bool
    trigger: Annotated[str, name_of(Trigger)]
    trigger_over_s: Exact | None
    seed: int
    invert: bool


@dataclass(frozen=True, slots=True)
class WiredPart:
    """How a channel was set."""

    name: str
    number: Count
    reference: str
    deadline_s: Exact | None
    filter_s: Exact
    invert: bool
    either: Annotated[bool, Told("Each edge is an answer, up or down.")]
    zoom_rise_s: Annotated[str, Told("Where the window of one-tick bins begins; 0: nowhere.")]


@dataclass(frozen=True, slots=True)
class StepPart:
    """A step of a sweep table."""

    rate_hz: Exact
    count: Count
    width_s: Exact | None
    duty: str | None


@dataclass(frozen=True, slots=True)
class RoundedPart:
    """A time that the instrument rounded to its ticks."""

    name: str
    asked_s: Exact
    taken_s: Exact


@dataclass(frozen=True, slots=True)
class SettingsPart:
    """What was done. Times in seconds and rates in hertz are exact texts."""

    strikes: tuple[StrikesPart, ...]
    channels: tuple[WiredPart, ...]
    policy: Annotated[str, name_of(Policy)]
    timeout_s: Annotated[str | None, Told("As applied.")]
    window_min_s: Exact
    early_s: Exact
    count: int | None
    time_s: Exact | None
    mode: Annotated[str, OneOf(tuple(MODES))] | None
    table: tuple[StepPart, ...]
    rounded: tuple[RoundedPart, ...]


@dataclass(frozen=True, slots=True)
class QuantilePart:
    """With its 95 % interval by order statistics."""

    q: float
    ticks: Annotated[int | None, Told("null: it is known only to be above over_ticks.")]
    over_ticks: int | None
    lower_ticks: int | None
    upper_ticks: int | None
    resolution_ticks: Annotated[int, Ge(1), Told("Width of the widest bin behind these figures.")]
    enough: bool


@dataclass(frozen=True, slots=True)
class FiguresPart:
    """Figures of one kind of sample."""

    count: Count
    min_ticks: int | None
    max_ticks: Annotated[int | None, Told("Of the latency: the back wall.")]
    over_ticks: Annotated[
        int | None,
        Told(
            "Samples are at the limit of the instrument's registers: above this, and no more is "
            "known. Maximum, sums and what follows from them are null then; the minimum is, too, "
            "if all samples are."
        ),
    ]
    max_at_ticks: Annotated[int | None, Told("When, from the start of the run.")]
    max_event: Annotated[int | None, Told("Index of its event.")]
    sum_ticks: int | None
    sum_sq_ticks: int | None
    p50_ticks: int | None
    p90_ticks: int | None
    p99_ticks: Annotated[int | None, Told("null: too few samples for an upper bound.")]
    p999_ticks: int | None
    p9999_ticks: int | None
    quantiles: tuple[QuantilePart, ...]
    exact: Annotated[bool, Told("Quantiles are of single ticks, not of bins.")]
    peak_to_peak_ticks: int | None
    rms_ticks: Annotated[float | None, Told("Standard deviation about the mean.")]
    variance_ticks2: Annotated[
        float | None,
        Told("Variance about the mean, in square ticks: exact sums, rounded once."),
    ]
    variance_ns2: Annotated[float | None, Told("The same, in square nanoseconds.")]
    jitter128_ticks: Annotated[
        int | None, Told("Span of the last 128 samples; null: fewer, or events are missing.")
    ]
    jitter128_max_ticks: Annotated[
        int | None, Told("Greatest span of any 128 samples in a row; null: as above.")
    ]
    first_ticks: Annotated[int | None, Told("The first sample, before the device was warm.")]
    clamped: Annotated[Count, Told("Samples below base_ticks, taken as 0.")]


@dataclass(frozen=True, slots=True)
class PairingPart:
    """Whether answers are those of the strikes that they were matched with."""

    standing: Standing
    by: Annotated[str | None, Told("What proves or supports it.")]
    proven: Annotated[
        Count, Told("Answers, from the first strike on, that no other strike can have had.")
    ]
    lag: Annotated[
        int | None,
        Told(
            "The strike that answers vary with, counted back from the one that they were matched "
            "with; null: not known."
        ),
    ]
    lag_latency_ticks: Annotated[
        int | None, Told("Median latency from that strike, if it is another one.")
    ]
    toggles: Annotated[bool, Told("The pin changes once a strike.")]


@dataclass(frozen=True, slots=True)
class DistancePart:
    """In metres."""

    mean_m: float | None
    min_m: float | None
    max_m: float | None
    p50_m: float | None
    p99_m: float | None
    p999_m: float | None


@dataclass(frozen=True, slots=True)
class ChannelPart:
    """strikes = answered + late + missed + pending + unknown_strikes"""

    name: str
    number: Count
    reference: Annotated[str, Told("The edge that is this channel's strike.")]
    strikes: Count
    answered: Count
    late: Count
    missed: Count
    duplicate: Count
    spurious: Count
    early: Annotated[Count, Told("Of the answered and late: before their strike.")]
    pending: Count
    pairing: PairingPart | None
    latency: Annotated[
        FiguresPart | None,
        Told("Strike to the active edge. null: not measured, or its pairing is ambiguous."),
    ]
    distance: Annotated[
        DistancePart | None,
        Told("How far something at velocity_m_per_s moves during the latency; null: unknown."),
    ]
    fall_latency: Annotated[
        FiguresPart | None, Told("Strike to the edge back; null as for latency.")
    ]
    width: Annotated[FiguresPart | None, Told("Active edge to the edge back.")]
    period: Annotated[FiguresPart | None, Told("Active edge to active edge.")]
    unknown_strikes: Annotated[
        Count, Told("Strikes whose class lost events leave unknown: in no figure.")
    ] = 0
    unknown_edges: Annotated[Count, Told("The same of active edges.")] = 0


@dataclass(frozen=True, slots=True)
class WindowPart:
    """A window of one-tick bins; both ends are in it."""

    channel: str
    kind: Kind
    first_ticks: int
    last_ticks: int
    inside: Annotated[Count, Told("Values in the window.")]
    count: Annotated[Count, Told("All values of this kind.")]
    share: Annotated[float, Ge(0), Le(1)] | None


@dataclass(frozen=True, slots=True)
class SpanPart:
    """A part of a latency, over all strikes."""

    min_ticks: int
    max_ticks: int
    sum_ticks: int


@dataclass(frozen=True, slots=True)
class SharesPart:
    """Over the strikes that both answered: total = rise + width + gap, each between two edges."""

    first: str
    second: str
    count: Annotated[Count, Told("Strikes.")]
    rise: Annotated[SpanPart, Told("Strike to the first channel's active edge.")]
    width: Annotated[SpanPart, Told("While the first channel is active.")]
    gap: Annotated[
        SpanPart,
        Told(
            "Its edge back to the second channel's active edge; negative where that comes sooner."
        ),
    ]
    total: Annotated[SpanPart, Told("Strike to the second channel's active edge.")]


@dataclass(frozen=True, slots=True)
class ClockPart:
    """How exact every time of the run is."""

    error_ppb: Annotated[
        Count,
        Told(
            "Maximum error of the board's oscillator, in parts in 10^9: of corrected figures if it "
            "was measured, of all if not."
        ),
    ]
    fast_ppb: Annotated[
        int | None,
        Told(
            "By how much it is fast, as calibrated. Corrected figures take it into account, ticks "
            "do not; null: it was not measured."
        ),
    ]
    source: Annotated[str, Told("What it was measured with, or where its tolerance is from.")]


@dataclass(frozen=True, slots=True)
class CorrectedQuantilePart:
    """A quantile of corrected samples."""

    q: float
    ps: int
    lower_ps: int | None
    upper_ps: int | None
    enough: bool


@dataclass(frozen=True, slots=True)
class PicosecondsPart:
    """Each sample in the middle of its bin, less the delay of pads and paths."""

    count: Count
    min_ps: int
    max_ps: int
    mean_ps: float
    rms_ps: Annotated[float, Told("Standard deviation about the mean.")]
    variance_ps2: Annotated[float, Ge(0), Told("Variance about the mean, in square picoseconds.")]
    error_ps: Annotated[Count, Told("Maximum error of each sample, mean, quantile and extreme.")]
    ways_error_ps: Annotated[
        Count, Told("The part of it that does not grow with the time: ways over pads and bins.")
    ]
    pins: Annotated[
        str,
        OneOf(("jumper", "loopback")),
        Told("What measured the ways over pads; loopback's own way differs within bounds."),
    ]
    quantiles: tuple[CorrectedQuantilePart, ...]


@dataclass(frozen=True, slots=True)
class CorrectedChannelPart:
    """One channel in picoseconds."""

    name: str
    number: Count
    reason: Annotated[str | None, Told("Why nothing was corrected.")]
    edge_rms_ps: Annotated[
        float | None, Told("RMS error of one active edge, by the widths of the channel's bins.")
    ]
    late_ps: Annotated[
        int | None,
        Told("The ways over the pads, which latencies in ticks have in them; null: unknown."),
    ]
    late_error_ps: Annotated[int | None, Told("Its maximum error.")]
    late_ticks: Annotated[
        int | None, Told("By how many ticks a latency in ticks is late on the average.")
    ]
    late_error_ticks: Annotated[int | None, Told("Its maximum error for one latency.")]
    latency: PicosecondsPart | None
    fall_latency: PicosecondsPart | None
    width: PicosecondsPart | None
    period: PicosecondsPart | None


@dataclass(frozen=True, slots=True)
class CorrectedPart:
    """In picoseconds, by the calibration of the instrument."""

    serial: Annotated[str, Told("Of the instrument.")]
    made: Annotated[str, Told("When it was calibrated.")]
    channels: tuple[CorrectedChannelPart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPart(VerdictPart):
    """One limit of a budget on one channel."""

    channel: str
    figure: str
    kind: Kind | None
    limit: Annotated[float, Told("In seconds; of a class (kind null): a number.")]
    goal: Annotated[bool, Told("Shown, never broken.")]
    found: Annotated[float | None, Told("In ticks; of a class: a number.")]
    over_ticks: Annotated[float | None, Told("The figure is known only to be above this.")]
    violations: Annotated[
        tuple[int, ...] | None, Told("Least and most; equal when every sample is known.")
    ]
    first_sample: Annotated[int | None, Told("The first violation, counted in samples from 0.")]
    first_event: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetPart(VerdictPart):
    """A budget, and what was found."""

    title: str
    checks: tuple[CheckPart, ...]
    silent: Annotated[
        tuple[str, ...],
        Told(
            "Channels that answered no strike, and of which the budget names none: nothing is "
            "proven."
        ),
    ]


@dataclass(frozen=True, slots=True)
class WarmedPart:
    """What one channel answered in a warm-up."""

    name: str
    classes: Annotated[Mapping[str, Count], Told("By class, as of a channel of the run.")]
    pending: Annotated[Count, Told("Strikes that were outstanding at its end.")]
    min_ticks: int | None
    max_ticks: int | None


@dataclass(frozen=True, slots=True)
class WarmUpPart:
    """Strikes that were made before a run, in a run of their own."""

    strikes: Count
    duration_ticks: int
    pause_ticks: Annotated[int, Told("From its end to the start of the run.")]
    accounting: BooksPart
    invalid_reasons: tuple[str, ...]
    channels: tuple[WarmedPart, ...]


@dataclass(frozen=True, slots=True)
class RunPart:
    """What plexor measure --json and plexor show --json print. Times are whole ticks of tick_fs
    femtoseconds, and NAME_s is NAME_ticks in seconds. null: not known, or too few samples.
    """

    simulated: Annotated[bool, Told("The instrument is a simulation.")]
    tick_fs: Annotated[int, Ge(1), Told("One tick in femtoseconds.")]
    valid: Annotated[bool, Told("false: the figures prove nothing, and invalid_reasons says why.")]
    invalid_reasons: tuple[str, ...]
    interrupted: Annotated[bool, Told("Stopped by the user.")]
    exit_code: Annotated[
        ExitCode, Told("The program's; 2: something that was asked for could not be written.")
    ]
    started: Annotated[str, Told("Wall time in UTC, ISO 8601; empty for a recording.")]
    wall_seconds: Annotated[float, Ge(0)]
    duration_ticks: Annotated[int, Told("Length of the run in the instrument's time.")]
    stop_reason: Annotated[str, name_of(StopReason)]
    stopped: Annotated[
        StoppedPart | None, Told("What --stop-on ended the run at; null where it did not.")
    ]
    instrument: InstrumentPart
    imported: Annotated[
        Imported | None,
        Told(
            "The capture of another analyser that the events are from; null where a Plexor took "
            "them. instrument then describes none."
        ),
    ]
    command: Annotated[
        str | None, Told("The command line that took the run; null where a program did.")
    ]
    settings: SettingsPart
    device: Annotated[Mapping[str, str], Told("The device under test, as described by --label.")]
    load: Annotated[bool, Told("The load output was raised.")]
    load_name: Annotated[str, Told("The load that was asked for by --load; empty: none was.")]
    device_load: Annotated[
        str | None,
        Told(
            "The load that the simulated device ran, such as cpu, or none; null: it has none, or "
            "nothing is known."
        ),
    ]
    device_said: Annotated[
        tuple[str, ...],
        Told(
            "The first lines that a simulated design wrote by $display and the like, each behind "
            "the simulated time."
        ),
    ]
    computed_on_host: Annotated[
        tuple[str, ...], Told("What the chip leaves out and the host computed from events.")
    ]
    accounting: BooksPart
    warm_up: Annotated[
        WarmUpPart | None, Told("Strikes before the run, in none of its figures; of --warmup.")
    ]
    strikes: Count
    base_ticks: Annotated[Count, Told("Taken off each latency.")]
    velocity_m_per_s: Annotated[float | None, Told("Of --columns: what distance is of.")]
    doubts: Annotated[
        tuple[str, ...],
        Told(
            "A line for each channel that is silent, that toggles, or whose pairing is ambiguous, "
            "and one for what a simulated design said where strikes were missed."
        ),
    ]
    channels: tuple[ChannelPart, ...]
    windows: Annotated[
        tuple[WindowPart, ...],
        Told("Windows of one-tick bins that were asked for; both ends are in them."),
    ]
    shares: Annotated[
        tuple[SharesPart, ...],
        Told(
            "Where the latency of a channel goes; of two with the same reference whose events all "
            "came."
        ),
    ]
    clock: Annotated[
        ClockPart | None, Told("How exact every time of the run is; null: it was imported.")
    ]
    corrected: Annotated[
        CorrectedPart | None,
        Told("In picoseconds, by the calibration of the instrument; null: it has none."),
    ]
    budget: BudgetPart | None
    notes: Annotated[tuple[Note, ...], Told("What was noted on it with --note.")] = ()


FIGURES = Document("run", 3, RunPart, sealed=False)
