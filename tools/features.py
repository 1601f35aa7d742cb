"""Write docs/features.md: what each board's instrument can do, from the builds themselves.

.venv/bin/python -m tools.features
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from plexor.device.features import ABOUT, COMPUTED
from plexor.protocol.document import table
from plexor.protocol.geometry import Feature, Geometry
from plexor_hdl.build import boards
from plexor_soc.boards import BOARDS as SYSTEMS

PAGE = Path(__file__).parent.parent / "docs" / "features.md"
YES, HOST, NO = "yes", "host", "-"
_HEAD = """# Features by board

Written by `make features` from the builds that bitstreams are made of:
`hdl/plexor_hdl/build/profiles.py` and `constraints/`. `plexor identify` says what the instrument at
a link has. "host": the chip has it not, and the host computes it from the events, which the print
of a run says; with `--mode dump` there are none, and the print says what is left out. What a board
has not is refused in one line, which names the board and says what to do instead, as the last
column does. No board was at hand: all of them are simulated, with `sim:?board=NAME`.

"""
_SYSTEMS = """
## LiteX systems

Of the same boards, with the instrument as a core ([litex.md](litex.md)).

"""


def _events(geometry: Geometry) -> str:
    return f"{geometry.upload_depth:,}" if Feature.EVENTS in geometry.features else NO


_NUMBERS: dict[str, Callable[[Geometry], object]] = {
    "tells its name as": lambda geometry: f"`{geometry.board}`",
    "response channels": lambda geometry: geometry.channels,
    "strike outputs": lambda geometry: geometry.strikes,
    "tick, ps": lambda geometry: f"{geometry.tick_fs / 1000:.0f}",
    "bins of latencies, of these": lambda geometry: f"1/{1 << geometry.latency_mantissa_bits}",
    "outstanding strikes a channel": lambda geometry: geometry.queue_depth,
    "events that wait for the link": _events,
}


def cell(geometry: Geometry, feature: Feature) -> str:
    """Return whether a build has a feature, or the host computes what it would give."""
    if feature in geometry.features:
        return YES
    computed = feature in COMPUTED and Feature.EVENTS in geometry.features
    return HOST if computed else NO


def rows(builds: Mapping[str, Geometry]) -> Iterable[Sequence[object]]:
    """Yield what each feature is called, which builds have it, and what to do without."""
    for name, number in _NUMBERS.items():
        yield (name, *map(number, builds.values()), "")
    for feature, about in ABOUT.items():
        found = (cell(geometry, feature) for geometry in builds.values())
        yield (f"{about.name} ({feature.name})", *found, about.without)


def columns(builds: Mapping[str, Geometry]) -> str:
    """Return the table of builds."""
    return table(("", *(f"`{name}`" for name in builds), "without it"), rows(builds))


def document() -> str:
    """Return the page."""
    bare = {name: boards.read(name).geometry for name in boards.names()}
    systems = {name: system.geometry for name, system in sorted(SYSTEMS.items())}
    deep = ", ".join(f"`{name}`" for name, system in sorted(SYSTEMS.items()) if system.sdram)
    kept = f"\nBuilt with deep memory they keep millions of events, for `--mode deep`: {deep}.\n"
    return _HEAD + columns(bare) + _SYSTEMS + columns(systems) + kept


if __name__ == "__main__":
    PAGE.write_text(document())
