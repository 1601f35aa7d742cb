# SPDX-License-Identifier: Apache-2.0
"""One step as work: strike at one rate until its verdict is known."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from plexor.base.counts import counted
from plexor.base.errors import InvalidRunError, UsageError
from plexor.base.units import format_rate, seconds_of
from plexor.experiments.criterion import Criterion, judge, stage_strikes
from plexor.experiments.decide import STAGES
from plexor.experiments.figures import LEAST_STRIKES, figures_of
from plexor.experiments.rates import DIGITS
from plexor.experiments.step import RateFigures, RateStep, Steps
from plexor.experiments.work import Work
from plexor.figures.judge.verdict import Outcome
from plexor.model.identity import Identity
from plexor.model.load import check_load
from plexor.model.results import RunResult
from plexor.model.settings import Settings, Stimulus
from plexor.model.timeouts import SWEPT, default_timeout_s
from plexor.protocol.geometry import Feature
from plexor.protocol.memory import ResponseClass, Space
from plexor.protocol.registers import Stream
from plexor.run.plan.carried import carried_hz, floored
from plexor.run.plan.registers import COUNTED_SPACES, plan_of, stream_of
from plexor.run.plan.sustained import sustained_clocks
from plexor.run.session.session import measure_whole
from plexor.wire.device.device import Device
from plexor.wire.link.base import Link
from plexor.wire.link.open import open_link
from plexor.wire.link.sim import SimLink

MOST_S = Fraction(60)
RECOVERY_S = 5.0
"""Wall time in which a device must answer again."""
RECOVERY_STRIKES = 16
"""If all of these are answered on all channels, a device answers again."""


OVERRUN = "lost edges that came faster than it matches them"


@dataclass(frozen=True, slots=True)
class RunCheck(Work[None]):
    """Work that strikes nothing: UsageError says if an instrument cannot run these settings."""

    link: str
    dut: str | None
    settings: Settings
    what: str
    """What the settings are of, for the message."""

    def take(self) -> None:
        """Plan the run, and nothing more."""
        with Device(open_link(self.link, self.dut, again=True)) as device:
            check_load(device.load, self.settings.load_name, self.settings.load)
            try:
                plan_of(self.settings, device.identity)
            except ValueError as error:
                raise UsageError(f"{self.what}: {error}") from error


@dataclass(frozen=True, slots=True)
class Job(Work[Steps]):
    """A step to take. The same job of a simulated device always gives the same step."""

    link: str
    dut: str | None
    load: str
    settings: Settings
    """Its first stimulus is swept: its rate and its count are set."""
    rate_hz: Fraction
    for_channel: str
    """Strike until this channel's verdict is known; empty: until every channel's is."""
    criteria: tuple[Criterion, ...]
    least_strikes: int = LEAST_STRIKES
    most_s: Fraction = MOST_S
    """In the instrument's time: no stage begins with which the step would take longer."""
    rest_hz: Fraction | None = None
    """A rate at which the device must answer before it is struck; None: it has just started."""

    @property
    def simulated(self) -> bool:
        """Whether each run has an instrument and a device of its own."""
        return self.link.startswith("sim:")

    @property
    def draws_of(self) -> str:
        """What the step is, so that its random numbers are its own: each time the same ones."""
        burst, spacing_s = self.settings.strikes[0].burst, self.settings.strikes[0].spacing_s
        what = f"bursts of {burst} every {spacing_s} s" if burst > 1 else "strikes"
        return f"{what} at {self.rate_hz} Hz under {self.load!r} for {self.for_channel!r}"

    @property
    def check(self) -> RunCheck:
        """What checks whether its rate is possible."""
        settings = _settings(self, self.rate_hz, 0, LEAST_STRIKES)
        return RunCheck(self.link, self.dut, settings, f"at {format_rate(self.rate_hz)}")

    def take(self) -> Steps:
        """Take its one step. Raises PlexorError for a run that breaks or is not valid.

        A real device is struck on from stage to stage. A simulated one is started anew, and struck
        from the first strike on: the longer run begins as the shorter one was, and goes on with
        what the device has come to and draws by then, so that no draw counts twice. As that strikes
        all of them again, stages that are not likely to end in a verdict are left out: the bounds
        hold for any.
        """
        first = first_stage(self.criteria, self.least_strikes)
        runs: list[RunResult] = []
        figures: tuple[RateFigures, ...] = ()
        drawn: bool | None = None
        sent = 0
        recovery_s = None if self.rest_hz is None else _recover(self, self.rest_hz)
        looks = looks_of(first, self.least_strikes)
        looks = [(s, n) for s, n in looks if not s or n / self.rate_hz <= self.most_s]
        while looks:
            (stage, strikes), *looks = looks
            if self.simulated:
                runs, sent = [], 0
            run, drawn = _run(self, self.rate_hz, len(runs), strikes - sent)
            if isinstance(run, InstrumentLimit):
                return (_beyond(self, run, sent, recovery_s),)
            runs.append(run)
            sent = strikes
            figures = figures_of(runs, self.criteria, stage, first, self.rate_hz, drawn)
            waited = [f for f in figures if self.for_channel in ("", f.name)]
            if all(entry.verdict != Outcome.TOO_FEW for entry in waited):
                break
            if self.simulated:
                looks = likely(looks, waited, self.criteria, first, run.tick_fs)
        step = RateStep(
            runs[0].tick_fs,
            runs[0].simulated,
            self.load,
            self.rate_hz,
            self.for_channel,
            sum(run.strikes for run in runs),
            figures,
            recovery_s,
            drawn=drawn,
            device_load=runs[0].device_load,
        )
        return (step,)


@dataclass(frozen=True, slots=True)
class InstrumentLimit:
    """Why the instrument could not carry a run, whatever the device does."""

    tick_fs: int
    simulated: bool
    reason: str
    ends_hz: Fraction | None = None
    """The highest rate that it carries, if nothing was struck because that is known."""


def _beyond(job: Job, found: InstrumentLimit, sent: int, recovery_s: float | None) -> RateStep:
    """Return the step of a rate that the instrument could not carry: nothing of it is known."""
    nothing = dict.fromkeys(ResponseClass, 0)
    figures = (
        RateFigures(channel.label, 0, nothing, verdict=Outcome.NOT_COMPARABLE, reason=found.reason)
        for channel in job.settings.channels
    )
    return RateStep(
        found.tick_fs,
        found.simulated,
        job.load,
        job.rate_hz,
        job.for_channel,
        sent,
        tuple(figures),
        recovery_s,
        ends_hz=found.ends_hz,
    )


def ends_hz(
    identity: Identity, settings: Settings, bytes_s: Fraction | None = None
) -> Fraction | None:
    """Return the highest rate at which all channels may answer without end and without a loss.

    `bytes_s` is what the link carries, if that is known: where the host matches, it needs every
    event. The rate is rounded down to the digits of a sweep's rates. None: it is not known for this
    build, or for bursts.
    """
    geometry = identity.geometry
    live = stream_of(settings, identity) == Stream.LIVE
    clocks = sustained_clocks(geometry, len(settings.channels), live=live)
    on_host = live and Feature.MATCH not in geometry.features
    if settings.strikes[0].burst > 1:
        return None
    if on_host and bytes_s is not None:
        return floored(carried_hz(settings, bytes_s), DIGITS)
    if clocks is None:
        return None
    return floored(1 / seconds_of(clocks * geometry.samples, geometry.tick_fs), DIGITS)


def _carried(device: Device, settings: Settings, rate_hz: Fraction) -> InstrumentLimit | None:
    """Return why an instrument cannot carry a rate, as far as that is known before a run."""
    identity = device.identity
    end_hz = ends_hz(identity, settings, device.carried_bytes_s)
    if end_hz is None or rate_hz <= end_hz:
        return None
    reason = (
        f"the instrument ends at {format_rate(end_hz)} with "
        f"{counted(len(settings.channels), 'channel')}"
    )
    return InstrumentLimit(identity.tick_fs, identity.simulated, reason, end_hz)


def drawn_anew(swept: Stimulus, draws_of: str) -> Stimulus:
    """Return a stimulus whose random numbers are those of its seed and of what is struck."""
    digest = hashlib.sha256(f"{swept.seed}\0{draws_of}".encode()).digest()
    return replace(swept, seed=1 + int.from_bytes(digest[:7], "little"))


def draws_option(swept: Stimulus, draws_of: str) -> tuple[str, str]:
    """Return the option by which a simulated device draws as `drawn_anew` has strikes do."""
    return "--draws-of", f"{draws_of}, seed {swept.seed}"


def first_stage(criteria: Sequence[Criterion], least_strikes: int) -> int:
    """Return the minimum number of strikes of a step."""
    return stage_strikes(criteria, max(least_strikes, LEAST_STRIKES))


def looks_of(first: int, least: int) -> list[tuple[int, int]]:
    """Return when to look at the figures: in which stage, after how many strikes in all.

    A long first stage is looked at early: what fails beyond doubt fails after `least` strikes, or
    after LEAST_STRIKES.
    """
    short = max(least, LEAST_STRIKES)
    early = [(0, short)] if first >= 4 * short else []
    return early + [(stage, first << stage) for stage in range(STAGES)]


def likely(
    looks: Sequence[tuple[int, int]],
    figures: Sequence[RateFigures],
    criteria: Sequence[Criterion],
    first: int,
    tick_fs: int,
) -> Sequence[tuple[int, int]]:
    """Return the looks from the one on at which all verdicts are likely; the last if none is.

    They are if bad strikes come on as they came.
    """
    for place, (stage, strikes) in enumerate(looks):
        grown = [entry.grown(strikes) for entry in figures]
        verdicts = [judge(criteria, entry, stage, first, tick_fs).outcome for entry in grown]
        if Outcome.TOO_FEW not in verdicts:
            return looks[place:]
    return looks[-1:]


def _recover(job: Job, rest_hz: Fraction) -> float:
    """Strike slowly until every channel answers; return the wall time that took.

    Raises InvalidRunError where one does not within RECOVERY_S.
    """
    began = time.monotonic()
    while True:
        waited_s = time.monotonic() - began
        run, _ = _run(job, rest_hz, 0, RECOVERY_STRIKES)
        if isinstance(run, InstrumentLimit):
            raise InvalidRunError(f"at {format_rate(rest_hz)}: {run.reason}")
        silent = [c.name for c in run.channels if c.classes[ResponseClass.MISSED]]
        if not silent:
            return round(waited_s, 3)
        if time.monotonic() - began > RECOVERY_S:
            raise InvalidRunError(
                f"{', '.join(silent)}: did not answer all of {RECOVERY_STRIKES} strikes at "
                f"{format_rate(rest_hz)} within {RECOVERY_S:g} s; restart the device, or begin at "
                "a lower rate"
            )


def _settings(job: Job, rate_hz: Fraction, number: int, count: int) -> Settings:
    swept, *others = job.settings.strikes
    swept = drawn_anew(swept, job.draws_of)
    swept = replace(swept, period_s=1 / rate_hz, count=count, seed=swept.seed + number)
    timeout_s = job.settings.timeout_s or default_timeout_s([1 / rate_hz], SWEPT)
    # Bins are for the quantiles of a step whose events a slow link does not carry.
    spaces = COUNTED_SPACES if job.simulated else (*COUNTED_SPACES, Space.LATENCY_BINS)
    return replace(job.settings, strikes=(swept, *others), timeout_s=timeout_s, spaces=spaces)


def _run(
    job: Job, rate_hz: Fraction, number: int, count: int
) -> tuple[RunResult | InstrumentLimit, bool | None]:
    """Return the run of this number, and whether anything in it was drawn at random.

    In its place why the instrument could not carry it: edges came faster than it matches them.
    """
    settings = _settings(job, rate_hz, number, count)
    own = draws_option(job.settings.strikes[0], job.draws_of) if job.simulated else ()
    link = open_link(job.link, job.dut, own, again=True)
    with Device(link) as device:
        beyond = _carried(device, settings, rate_hz)
        if beyond is not None:
            return beyond, None
        result = measure_whole(device, settings)
    if result.overrun:
        return InstrumentLimit(result.tick_fs, result.simulated, f"the instrument {OVERRUN}"), None
    # A device that is swept may leave every strike unanswered; nothing else may be wrong.
    if not result.valid:
        raise InvalidRunError(f"at {format_rate(rate_hz)}: {'; '.join(result.invalid_reasons)}")
    return result, is_drawn(settings, link)


def is_drawn(settings: Settings, link: Link) -> bool | None:
    """Return whether strikes or a simulated device are drawn at random; None: not known."""
    if any(strike.poisson or strike.dither_s for strike in settings.strikes):
        return True
    return link.draws if isinstance(link, SimLink) else None
