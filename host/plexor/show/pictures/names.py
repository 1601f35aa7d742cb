# SPDX-License-Identifier: Apache-2.0
"""Names cut to the room that a picture has for them, so that they still tell what is meant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence


def cut_middle(name: str, most: int) -> str:
    """Return a name, cut in its middle to so many letters."""
    if len(name) <= most:
        return name
    return f"{name[: most // 2]}…{name[len(name) - (most - most // 2 - 1) :]}"


def cut_apart(name: str, among: Collection[str], fits: Callable[[str], bool]) -> str:
    """Return a name, cut until it fits.

    It loses its middle, unless others of `among` would then look the same: it keeps the letters in
    which it differs from those.
    """
    shown = _without_middle(name, fits)
    alike = {other for other in among if _without_middle(other, fits) == shown} | {name}
    return shown if len(alike) == 1 else _from(name, _common_start([*alike]), fits)


def cut_letters(name: str, among: Collection[str], most: int) -> str:
    """Return a name, cut by `cut_apart` to so many letters."""
    return cut_apart(name, among, lambda shown: len(shown) <= most)


def _without_middle(name: str, fits: Callable[[str], bool]) -> str:
    cuts = (cut_middle(name, most) for most in range(max(len(name), 1), 0, -1))
    return next((shown for shown in cuts if fits(shown)), "…")


def _common_start(names: Sequence[str]) -> int:
    """Return how many first letters all names share."""
    least = min(map(len, names))
    return next((n for n in range(least) if len({name[n] for name in names}) > 1), least)


def _from(name: str, start: int, fits: Callable[[str], bool]) -> str:
    """Return a name cut before `start`, with as many letters as fit before the cut."""
    start = min(start, len(name) - 1)
    rest = name[start:]
    cuts = [f"{name[:head]}…{rest}" for head in range(start - 1, -1, -1)]
    cuts += [f"…{rest[:kept]}…" for kept in range(len(rest) - 1, 0, -1)]
    return next((shown for shown in cuts if fits(shown)), "…")
