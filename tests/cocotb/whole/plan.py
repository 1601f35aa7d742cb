# SPDX-License-Identifier: Apache-2.0
"""What both sides of the test know: the build, and settings of random runs."""

import random

from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Geometry
from plexor.protocol.memory import Space
from plexor.protocol.registers import Policy, StopOn, Trigger
from plexor_sim.golden.settings import Settings

GATEWARE_HASH = 0x0123_4567_89AB_CDEF
ALL_SPACES = sum(1 << space for space in Space)
SHORT_STRIKES = 24
"""What comes too fast to be matched waits: so many find room (docs/instrument.md, "Matching")."""
STRIKE_CLOCKS = 160
"""The time a strike needs in a longer run. Timeouts are as short as answers, so that channels are
looked at before most events (docs/instrument.md, "Matching")."""
STEP_STRIKES = 40


def geometry_of(samples: int) -> Geometry:
    """Return a build with every feature and small memories."""
    return Geometry(
        channels=2,
        samples=samples,
        latency_mantissa_bits=3,
        interval_mantissa_bits=2,
        zoom_bits=5,
        queue_depth=4,
        word_fifo_depth=64,
        upload_depth=64,
        ring_depth=16,
    )


def slack_ticks(strikes: int, samples: int) -> int:
    """Return what an interval must have beyond the shortest, in a run of so many strikes."""
    return 0 if strikes <= SHORT_STRIKES else STRIKE_CLOCKS * samples


def with_table(rng: random.Random, settings: Settings, samples: int, steps: int) -> Settings:
    """Return a run whose stimulus 0 goes through so many random steps, of up to STEP_STRIKES each.

    Guards are from none to the time-out, so that responses come after the end of their step.
    """
    values = dict(settings.values)
    values["control", 0, "step_count"] = steps
    timeout = settings.get("matcher", "timeout_ticks")
    # Three strikes an interval: those of a burst, or of the other stimulus that one triggers.
    slack = 3 * slack_ticks(steps * STEP_STRIKES, samples)
    values["stimulus", 1, "interval_ticks"] += slack
    for step in range(steps):
        values |= {
            ("step", step, "interval_ticks"): samples * rng.randrange(20, 50)
            + rng.randrange(samples)
            + slack,
            ("step", step, "interval_fraction"): rng.getrandbits(32),
            ("step", step, "width_ticks"): rng.randrange(1, 40),
            ("step", step, "strike_count"): rng.randrange(1, STEP_STRIKES + 1),
            ("step", step, "guard_ticks"): rng.randrange(timeout),
        }
    return Settings(values)


def random_settings(rng: random.Random, samples: int, strikes: int) -> Settings:
    """Return a run of two stimuli and two channels, one of them inverted and filtered."""
    slack = slack_ticks(strikes, samples)
    interval = rng.randrange(150, 400) + 3 * slack
    policy = rng.choice(list(Policy))
    early = rng.choice((0, 2 * samples))
    second = rng.choice(
        (
            {"trigger": Trigger.STRIKE, "trigger_source": 0, "strike_count": 2},
            {"trigger": Trigger.RUN, "strike_count": strikes // 2},
        )
    )
    return Settings.of(
        control={
            "stream": 1,
            "stop_on": StopOn.STRIKES,
            "step_count": 0,
            "settle_ticks": 1 + samples * rng.randrange(20, 125),
            "final_spaces": ALL_SPACES,
            "dump_spaces": 1 << Space.CLASSES | 1 << Space.LATENCY_STATISTICS,
        },
        matcher={
            "policy": policy,
            "timeout_ticks": rng.randrange(100, 800),
            "window_min_ticks": 3 * samples,
            "early_ticks": early,
        },
        channel={
            0: {
                "enable": 1,
                "deadline_ticks": rng.randrange(50, 150),
                "zoom_rise_ticks": rng.randrange(100),
                "zoom_width_ticks": 10,
            },
            1: {
                "enable": 1,
                "invert": 1,
                "filter_ticks": rng.randrange(samples + 1),
                "reference_source": rng.choice((SOURCE_STRIKE + 1, 0)),
                "reference_polarity": rng.randrange(2),
                "deadline_ticks": rng.randrange(50, 150),
                "zoom_fall_ticks": rng.randrange(100),
                "zoom_period_ticks": interval,
            },
        },
        stimulus={
            0: {
                "enable": 1,
                "interval_ticks": interval,
                "interval_fraction": rng.getrandbits(32),
                "width_ticks": rng.randrange(1, 40),
                "phase_ticks": rng.randrange(300),
                "burst_count": rng.choice((1, 3)),
                "spacing_ticks": rng.randrange(41, 90),
                "strike_count": strikes,
                "dither_bits": rng.choice((0, 6)),
                "seed": rng.getrandbits(64),
            },
            1: {
                "enable": 1,
                "interval_ticks": rng.randrange(60, 200) + slack,
                "width_ticks": rng.randrange(1, 30),
                "phase_ticks": rng.randrange(100),
                **second,
            },
        },
    )
