"""What a run was asked to do, from the registers of a recording."""

from __future__ import annotations

from fractions import Fraction

from plexor.image import RegisterImage
from plexor.plan_strikes import FRACTION_BITS
from plexor.protocol.geometry import Geometry
from plexor.protocol.registers import (
    CHANNEL,
    CONTROL,
    MATCHER,
    MAX_STEPS,
    STEP,
    STIMULUS,
    Access,
    InputSelect,
    Policy,
    StopOn,
    Stream,
    Trigger,
)
from plexor.results import source_name
from plexor.settings import (
    NO_DEADLINE_TICKS,
    Channel,
    RegisterWrite,
    Settings,
    Stimulus,
    TableStep,
)
from plexor.units import seconds_of


def registers_in(image: RegisterImage, geometry: Geometry) -> tuple[RegisterWrite, ...]:
    """Return the registers that set a run up, as far as the recording has them."""
    found: list[RegisterWrite] = []
    for block, copies in (
        (STIMULUS, geometry.strikes),
        (MATCHER, 1),
        (CHANNEL, geometry.channels),
        (STEP, _steps(image)),
        (CONTROL, 1),
    ):
        for copy in range(copies):
            # A disabled copy may still hold what an earlier run was asked.
            idle = block in (STIMULUS, CHANNEL) and not image.get(block.name, "enable", copy)
            for entry in block.registers:
                wanted = entry.name == "enable" or not idle
                sets_up = entry.access == Access.SETUP or (block.name, entry.name) == _LOAD
                if wanted and sets_up and image.has(block.name, entry.name, copy):
                    value = image.value(block.name, entry.name, copy)
                    found.append(RegisterWrite(block.name, copy, entry.name, value))
    return tuple(found)


_LOAD = ("control", "load")


def settings_in(image: RegisterImage, geometry: Geometry) -> Settings:
    """Return the settings that the registers ask for; names and rounding are not in them."""
    tick_fs = geometry.tick_fs
    stop_on = StopOn(image.get("control", "stop_on") & sum(StopOn))
    policy = image.get("matcher", "policy")
    stream = image.get("control", "stream")
    return Settings(
        strikes=tuple(
            _stimulus(image, output, tick_fs)
            for output in range(geometry.strikes)
            if image.get("stimulus", "enable", output)
        ),
        channels=tuple(
            _channel(image, number, tick_fs)
            for number in range(geometry.channels)
            if image.get("channel", "enable", number)
        ),
        policy=Policy(policy) if policy in set(Policy) else Policy.OLDEST,
        timeout_s=seconds_of(image.get("matcher", "timeout_ticks"), tick_fs),
        window_min_s=seconds_of(image.get("matcher", "window_min_ticks"), tick_fs),
        early_s=seconds_of(image.get("matcher", "early_ticks"), tick_fs),
        time_s=_if(StopOn.TIME in stop_on, image.get("control", "run_time_ticks"), tick_fs),
        latency_over_s=_if(
            StopOn.LATENCY in stop_on, image.get("control", "trigger_latency_ticks"), tick_fs
        ),
        stop_on_missed=StopOn.MISSED in stop_on,
        stream=Stream(stream) if stream in set(Stream) else Stream.LIVE,
        load=bool(image.get("control", "load")),
        input_select=InputSelect(image.get("control", "input_select") & max(InputSelect)),
        loopback_output=image.get("control", "loopback_output"),
        settle_s=seconds_of(image.get("control", "settle_ticks"), tick_fs),
        table=tuple(_step(image, number, tick_fs) for number in range(_steps(image))),
    )


def _steps(image: RegisterImage) -> int:
    return min(image.get("control", "step_count"), MAX_STEPS)


def _step(image: RegisterImage, number: int, tick_fs: int) -> TableStep:
    """Return a step, whose bursts and dither are those of output 0."""
    return TableStep(
        seconds_of(_period(image, ("step", number), 0), tick_fs),
        image.get("step", "strike_count", number),
        width_s=seconds_of(image.get("step", "width_ticks", number), tick_fs),
        guard_s=seconds_of(image.get("step", "guard_ticks", number), tick_fs),
    )


def _period(image: RegisterImage, interval: tuple[str, int], output: int) -> Fraction:
    """Return the mean period in ticks of an output with the interval of a copy of a block."""
    block, copy = interval
    whole = image.get(block, "interval_ticks", copy)
    exact = whole + Fraction(image.get(block, "interval_fraction", copy), 1 << FRACTION_BITS)
    spacing = image.get("stimulus", "spacing_ticks", output)
    burst = image.get("stimulus", "burst_count", output)
    dither = (1 << image.get("stimulus", "dither_bits", output)) - 1
    return exact + spacing * (burst - 1) + Fraction(dither, 2)


def _if(given: bool, ticks: int, tick_fs: int) -> Fraction | None:
    return seconds_of(ticks, tick_fs) if given else None


def _stimulus(image: RegisterImage, output: int, tick_fs: int) -> Stimulus:
    def value(name: str) -> int:
        return image.get("stimulus", name, output)

    burst, spacing, count = value("burst_count"), value("spacing_ticks"), value("strike_count")
    dither = 1 << value("dither_bits") if value("dither_bits") else 0
    period = _period(image, ("stimulus", output), output)
    if burst == 0:
        period, burst, spacing = Fraction(spacing), 1, 0
    # The threshold of Poisson intervals is of their free clocks, and no interval follows one burst.
    unknown = value("poisson_threshold") or 0 < count <= burst
    trigger = value("trigger")
    return Stimulus(
        output=output,
        period_s=None if unknown else seconds_of(period, tick_fs),
        width_s=seconds_of(value("width_ticks"), tick_fs),
        phase_s=seconds_of(value("phase_ticks"), tick_fs),
        burst=burst,
        spacing_s=seconds_of(spacing, tick_fs) if spacing else None,
        count=count,
        dither_s=seconds_of(dither, tick_fs),
        poisson=bool(value("poisson_threshold")),
        trigger=Trigger(trigger) if trigger in set(Trigger) else Trigger.RUN,
        trigger_source=value("trigger_source"),
        invert=bool(value("invert")),
        seed=value("seed"),
    )


def _channel(image: RegisterImage, number: int, tick_fs: int) -> Channel:
    def value(name: str) -> int:
        return image.get("channel", name, number)

    deadline = value("deadline_ticks")
    falls = "" if value("reference_polarity") else ".fall"
    return Channel(
        number,
        invert=bool(value("invert")),
        filter_s=seconds_of(value("filter_ticks"), tick_fs),
        reference=source_name(value("reference_source")) + falls,
        deadline_s=_if(deadline != NO_DEADLINE_TICKS, deadline, tick_fs),
    )
