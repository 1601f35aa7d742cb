# SPDX-License-Identifier: Apache-2.0
"""The simulated front-end's options: expands those that are drawn at random or read from a file.

    sampler=seed:7,spread_ps=200    instants off by up to 200 ps, up and down apart, by a seed
    sampler=NAME.txt                options from a file, one key=value a line, # before a remark

Every other option goes to the simulator unchanged; runtime/front_end.h documents them.
"""

from __future__ import annotations

import random
from pathlib import Path

from plexor.protocol.geometry import Geometry

FS_PER_PS = 1000


def front_end_options(text: str, geometry: Geometry) -> str:
    """Return the simulator's options. Raises ValueError with the option if one is wrong."""
    found: list[tuple[str, str]] = []
    sampler, spread = "", ""
    for item in filter(None, text.split(",")):
        key, equals, value = item.partition("=")
        if not equals:
            raise ValueError(f"front-end: {item!r}; must be key=value")
        if key == "sampler":
            sampler = value
        elif key == "spread_ps":
            spread = value
        else:
            found.append((key, value))
    planted: list[tuple[str, str]] = []
    if sampler.startswith("seed:"):
        planted = _random(sampler, spread, geometry)
    elif spread:
        raise ValueError(f"front-end: spread_ps={spread} applies to sampler=seed:N; give that too")
    elif sampler:
        planted = _from_file(Path(sampler))
    return ",".join(f"{key}={value}" for key, value in planted + found)


def _random(sampler: str, spread: str, geometry: Geometry) -> list[tuple[str, str]]:
    most = (geometry.tick_fs // FS_PER_PS - 1) // 2
    seed, spread = sampler.removeprefix("seed:"), spread or str(most // 2)
    if not seed.isdecimal():
        raise ValueError(f"front-end: sampler={sampler}; must be seed:N with a whole number N")
    if not spread.isdecimal() or int(spread) > most:
        raise ValueError(f"front-end: spread_ps={spread}; must be 0 to {most}")
    numbers = random.Random(int(seed))

    def drawn() -> str:
        late = (numbers.randint(-int(spread), int(spread)) for _ in range(geometry.phases))
        return ":".join(map(str, late))

    channels = range(geometry.channels)
    return [(f"{way}.{channel}", drawn()) for channel in channels for way in ("rise", "fall")]


def _from_file(path: Path) -> list[tuple[str, str]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"front-end: sampler={path}: {reason}") from error
    found: list[tuple[str, str]] = []
    for number, line in enumerate(lines, 1):
        option = line.partition("#")[0].replace(" ", "")
        key, equals, value = option.partition("=")
        if option and (not equals or "," in option):
            raise ValueError(f"front-end: {path}:{number}: {line.strip()!r}; must be key=value")
        if option:
            found.append((key, value))
    return found
