# SPDX-License-Identifier: Apache-2.0
"""Pulses that are too short for a pad: asked of an output, or seen on a channel. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from plexor.analyse.analyse import Report
from plexor.model.results import Kind, RunResult
from plexor.units import format_ticks

LEAST_PULSE_FS = 2_500_000
"""Half a period of 200 MHz, the most that LVCMOS33 carries (Lattice FPGA-DS-02012, table 3.21)."""
_CARRIED = "an LVCMOS33 pad carries 200 MHz, pulses of 2.5 ns and more"


def short_pulses(report: Report) -> Iterator[str]:
    """Yield a line for each output and channel with pulses, or gaps between them, that are shorter.

    Those of an output are as they were asked for. An imported capture has other pads.
    """
    result, tick_fs = report.result, report.tick_fs
    if result.imported is not None:
        return
    for number, (what, ticks) in sorted(_asked(result).items()):
        if ticks * tick_fs < LEAST_PULSE_FS:
            yield f"strike{number}: {what} of {format_ticks(ticks, tick_fs)}; {_CARRIED}"
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
    """Return the shortest pulse or gap that each enabled output was asked for, in ticks."""
    values = {(w.block, w.copy, w.name): w.value for w in result.registers}
    found: dict[int, tuple[str, int]] = {}
    for (block, number, name), value in values.items():
        if (block, name, value) != ("stimulus", "enable", 1):
            continue
        one = {
            name: values.get(("stimulus", number, name), 0)
            for name in ("width_ticks", "burst_count", "spacing_ticks", "interval_ticks")
        }
        pulses = [("pulses", one["width_ticks"])]
        for to_next in (
            one["spacing_ticks"] if one["burst_count"] > 1 else 0,
            one["interval_ticks"] if one["burst_count"] <= 1 else 0,
        ):
            if to_next > one["width_ticks"]:
                pulses.append(("gaps between pulses", to_next - one["width_ticks"]))
        found[number] = min(pulses, key=lambda pulse: pulse[1])
    return found
