# SPDX-License-Identifier: Apache-2.0
"""Finds defects in what channels saw of strikes and of the asynchronous source. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from plexor.base.counts import counted
from plexor.experiments.calibration.observation import FreeEdges, Looped
from plexor.experiments.selftest.model import Finding
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Geometry

MOST_DELAY_TICKS = 256
"""Maximum delay from a strike through its pad and back. Real delays are some ns."""
WIDEST_TICKS = 3
"""Maximum width of a sound bin. A wider one is a defect, not an uneven placement."""
Wiring = Mapping[int, Sequence[int]]
"""Channels that are wired to each strike output, by output."""


def loopback_findings(looped: Mapping[int, Looped], geometry: Geometry) -> list[Finding]:
    """Return the defects of channels and outputs; each output was looped back to all channels.

    Counts are compared. Delays are compared too if the echoes contain every edge.
    """
    channels, outputs = range(geometry.channels), sorted(looped)
    seen = {
        (output, channel): looped[output].generated.get(channel, 0)
        for output in outputs
        for channel in channels
    }
    silent = [n for n in channels if not any(seen[output, n] for output in outputs)]
    alive = [n for n in channels if n not in silent]
    found = [Finding(f"ch{n}", "stuck: sees no strike of any output") for n in silent]
    for output in outputs if alive else ():
        if not any(seen[output, n] for n in alive):
            found.append(Finding(f"strike{output}", "stuck: looped back, no channel sees it"))
            continue
        struck = looped[output].generated.get(SOURCE_STRIKE + output, 0)
        for channel in alive:
            text = ""
            if seen[output, channel] != struck:
                text = (
                    f"sees {counted(seen[output, channel], 'edge')} of strike{output}; must be "
                    f"{struck}"
                )
            elif looped[output].complete:
                text = _delayed(looped[output], output, channel)
            if text:
                found.append(Finding(f"ch{channel}", text))
    return found


def _delayed(looped: Looped, output: int, channel: int) -> str:
    """Return how a channel fails to follow an output; an empty text if it does not fail."""
    for way, name in ((1, "up"), (0, "down")):
        echo = looped.echoes[channel, way]
        if echo.seen != echo.struck:
            return (
                f"sees {counted(echo.seen, 'edge')} {name} of strike{output}; must be {echo.struck}"
            )
        if not echo.seen:
            continue
        delay = echo.seen_ticks - echo.strikes_ticks
        if delay.min() < 0 or delay.max() > MOST_DELAY_TICKS:
            return (
                f"sees strike{output} {name} after {delay.min()} to {delay.max()} ticks;"
                f" must be 0 to {MOST_DELAY_TICKS}"
            )
        if np.ptp(delay) > 2 * WIDEST_TICKS:
            return f"sees strike{output} {name} {np.ptp(delay)} ticks apart"
    return ""


def source_findings(source: FreeEdges, least: int, geometry: Geometry) -> list[Finding]:
    """Return dead phases, and channels that see fewer than `least` edges of a direction."""
    found: list[Finding] = []
    for channel in range(geometry.channels):
        counts = [source.counts[channel, way].sum(axis=0) for way in (1, 0)]
        totals = [int(count.sum()) for count in counts]
        if min(totals) < least:
            text = (
                f"sees {counted(totals[0], 'edge')} up and {totals[1]} down of the source; must "
                "be at least "
                f"{least} each"
            )
            found.append(Finding(f"ch{channel}", text))
            continue
        up, down = ({int(p) for p in np.flatnonzero(count == 0)} for count in counts)
        dead = _dead_phases(up, down, geometry.phases)
        found += [Finding(f"ch{channel}", text) for text in dead]
        if not dead:
            widest = [(count.max() / count.sum() * geometry.phases, count) for count in counts]
            width, count = max(widest, key=lambda entry: entry[0])
            if width > WIDEST_TICKS:
                text = f"phase {int(count.argmax())}: its bin is {width:.1f} ticks wide"
                found.append(Finding(f"ch{channel}", f"{text}; must be at most {WIDEST_TICKS}"))
    return found


def _dead_phases(up: set[int], down: set[int], phases: int) -> list[str]:
    """Return what is wrong with phases in which no rising edge ends, or no falling one.

    A flip-flop that is always low never shows a rise, and the next one never shows a fall. If it is
    always high, it is the other way round. One that samples together with the one before it shows
    neither.
    """
    texts: list[str] = []
    told: set[int] = set()
    for level, own, after in (("low", up, down), ("high", down, up)):
        for phase in sorted(own):
            if (phase + 1) % phases in after:
                texts.append(f"phase {phase} is dead: always {level}")
                told |= {phase, (phase + 1) % phases}
    for phase in sorted((up | down) - told):
        which = "edge" if phase in up & down else "edge up" if phase in up else "edge down"
        texts.append(f"phase {phase} is dead: no {which} ends there")
    return texts


def jumper_findings(
    seen: Mapping[tuple[int, int], int], count: int, wiring: Wiring
) -> list[Finding]:
    """Return the defects of wired pins; `seen` are rising edges by (output, channel)."""
    found: list[Finding] = []
    wired_to = {channel: output for output, wired in wiring.items() for channel in wired}
    follows = {
        channel: [output for output in wiring if seen[output, channel] >= count / 2]
        for channel in wired_to
    }
    for channel, output in wired_to.items():
        if follows[channel] == [output]:
            if seen[output, channel] != count:
                text = (
                    f"its pin sees {counted(seen[output, channel], 'edge')} of strike{output}; "
                    f"must be {count}"
                )
                found.append(Finding(f"ch{channel}", text))
        elif not follows[channel]:
            text = f"stuck: its pin does not follow strike{output}, or the jumper is open"
            found.append(Finding(f"ch{channel}", text))
        else:
            names = " and ".join(f"strike{n}" for n in follows[channel])
            other = [
                n for n in wired_to if follows[n] == [output] and wired_to[n] in follows[channel]
            ]
            text = f"follows {names}, but is wired to strike{output}"
            if other:
                text += f": ch{channel} and ch{other[0]} are swapped"
            found.append(Finding(f"ch{channel}", text))
    return found
