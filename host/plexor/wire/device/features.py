# SPDX-License-Identifier: Apache-2.0
"""Each feature's name for users, and the advice for instruments that were built without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plexor.model.identity import Identity
from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.registers import register


@dataclass(frozen=True, slots=True)
class About:
    """A feature's name for users, and what to do without it."""

    name: str
    without: str


_HOST = "the host computes it from events, except with --mode dump"

ABOUT: Mapping[Feature, About] = {
    Feature.MATCH: About(
        "matching and counting on the chip",
        "measure without --mode dump, and strikes start with the run; or take the board's build "
        "counts: plexor board flash NAME --build counts, simulated: sim:?board=NAME&build=counts",
    ),
    Feature.FALL: About("fall latency on the chip", _HOST),
    Feature.INTERVALS: About("on-width and period on the chip", _HOST),
    Feature.ZOOM: About(
        "windows of one-tick bins",
        "events give percentiles to the tick, except with --mode dump",
    ),
    Feature.SUM_SQUARES: About("sum of squares on the chip", _HOST),
    Feature.EXTREMES: About("index and time of extremes on the chip", _HOST),
    Feature.SNAPSHOT: About(
        "figures while a run is under way", "leave it out; the figures come after the run"
    ),
    Feature.FILTER: About("glitch filter", "leave it out; filter the signal before the pin"),
    Feature.LONG_FILTER: About(
        "glitch filter of up to 1 µs",
        "filter for a core clock at most, or use a board with an ECP5: docs/features.md lists them",
    ),
    Feature.EARLY: About(
        "responses before their strike",
        "leave it out; use the edge that comes first as the strike: --channel NAME=chN:after=EDGE",
    ),
    Feature.POISSON: About("random intervals", "leave it out; strike at a --rate"),
    Feature.RING: About("events around a trigger", "record all events, with --out"),
    Feature.BURST: About(
        "bursts, and strikes closer than a core clock",
        "leave it out; strike at a --rate, if needed from two outputs with a --phase between them",
    ),
    Feature.DITHER: About(
        "dither of strikes",
        "leave it out; use a --rate whose period is not a multiple of the device's clock",
    ),
    Feature.SWEEP: About(
        "sweep table",
        "leave it out; `plexor sweep` without --both-ways makes a run for each rate",
    ),
    Feature.EVENTS: About("events over the link", "measure with --mode dump"),
    Feature.CODES: About(
        "code port", "send codes on two channels: --code-wires chN:chN, on any instrument"
    ),
    Feature.SCHEDULE: About(
        "schedule of due times", "use a board with an ECP5: docs/features.md lists them"
    ),
    Feature.MEND: About(
        "mending of exchanged samples",
        "`plexor board calibrate` shows bins near 0, where phases may be exchanged "
        "(docs/boards.md)",
    ),
}
"""Name and advice of every feature."""


def timecode_is_switched(identity: Identity) -> bool:
    """Return whether the timecode's pins are driven only while `schedule.timecode_on` is set."""
    return bool(identity.geometry.timecode_bits) and knows(identity, "schedule", "timecode_on")


def knows(identity: Identity, block: str, name: str) -> bool:
    """Return whether an instrument's protocol is new enough to have a register."""
    return identity.protocol_version & 0xFFFF >= register(block, name).since


def refusal(geometry: Geometry, feature: Feature, request: str) -> str:
    """Return why `request` needs a feature that the instrument lacks, and what to do instead."""
    return f"{request}: {lack(geometry, feature)}; {ABOUT[feature].without}"


def lack(geometry: Geometry, feature: Feature) -> str:
    """Return a sentence: which board's instrument lacks which feature."""
    return f"{board_of(geometry)} was built without {feature.name}, {ABOUT[feature].name}"


def board_of(geometry: Geometry) -> str:
    """Return the name of an instrument's board."""
    return f"board {geometry.board}" if geometry.board else "this instrument"
