# SPDX-License-Identifier: Apache-2.0
"""Pulses that are too short for a pad: asked of an output, or seen on a channel. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from plexor.base.units import format_ticks
from plexor.figures.analyse.analyse import Report
from plexor.model.results import Kind, RunResult

LEAST_PULSE_FS = 2_500_000
"""Half a period of 200 MHz, the most that LVCMOS33 carries (Lattice FPGA-DS-02012, table 3.21)."""
_CARRIED = "an LVCMOS33 pad carries 200 MHz, pulses of 2.5 ns and more"


def short_pulses(report: Report) -> Iterator[str]:
    """Yield a line for each output and channel with pulses or gaps shorter than LEAST_PULSE_FS.

    An output's pulses are taken from its registers. An imported capture came through other pads.
    """
    result, tick_fs = report.result, report.tick_fs
    if result.imported is not None:
        return
    for number, (name, ticks) in sorted(_asked(result).items()):
        if ticks * tick_fs < LEAST_PULSE_FS:
            yield f"strike{number}: {name} of {format_ticks(ticks, tick_fs)}; {_CARRIED}"
    for channel in report.channels:
        width = channel.kinds.get(Kind.WIDTH)
        if width is None or width.min_ticks is None or width.min_ticks < 0:
            continue
        # A pulse of n ticks may last almost a tick longer.
        if (width.min_ticks + 1) * tick_fs <= LEAST_PULSE_FS:
            yield (
                f"{channel.name}: a pulse of {format_ticks(width.min_ticks, tick_fs)} came; "
                f"{_CARRIED}, so it may be a glitch: filter the signal, or --channel with :filter="
            )


def _asked(result: RunResult) -> dict[int, tuple[str, int]]:
    """Return the shortest pulse or gap that each enabled output is set to, in ticks."""
    values = {(w.block, w.copy, w.name): w.value for w in result.registers}
    shortest: dict[int, tuple[str, int]] = {}
    for (block, number, name), value in values.items():
        if (block, name, value) != ("stimulus", "enable", 1):
            continue
        stimulus = {
            name: values.get(("stimulus", number, name), 0)
            for name in (
                *("width_ticks", "burst_count", "spacing_ticks", "interval_ticks"),
                "strike_count",
            )
        }
        # A sequence of one strike, as a trigger starts it, has no interval.
        again = stimulus["burst_count"] <= 1 and stimulus["strike_count"] != 1
        pulses = [("pulses", stimulus["width_ticks"])]
        for to_next in (
            stimulus["spacing_ticks"] if stimulus["burst_count"] > 1 else 0,
            stimulus["interval_ticks"] if again else 0,
        ):
            if to_next > stimulus["width_ticks"]:
                pulses.append(("gaps between pulses", to_next - stimulus["width_ticks"]))
        shortest[number] = min(pulses, key=lambda pulse: pulse[1])
    return shortest
