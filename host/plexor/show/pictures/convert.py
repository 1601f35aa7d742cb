# SPDX-License-Identifier: Apache-2.0
"""A picture as a file. It is drawn once, as SVG; PNG and PDF are converted from that.

What the page and each file say of an axis is therefore the same text. The converter has typefaces
of its own, so that a file looks the same from every machine.
"""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from plexor.base.errors import UsageError
from plexor.base.shown import DRAWN
from plexor.show.pictures.scale import LEVEL, RAISED
from plexor.show.pictures.svg import FONT

_DOTS_PER_INCH = 144.0
"""Of a PNG: two pixels for each unit of a picture, sharp on paper and on a dense screen."""
_CONVERTER = "vl_convert"
_FACE = '"Liberation Sans"'
"""A typeface that the converter has."""
_RAISED = re.compile(f"[{RAISED}]+(?=[^<>]*</text>)")
_LEVEL = str.maketrans(RAISED, LEVEL.replace("-", "\u2212"))
"""Raised digits: the face has a few of them, and others would be of another face."""


def check_converter(path: Path) -> None:
    """Raise UsageError if a file of this suffix needs the extra `pictures`, and it is missing."""
    if path.suffix.lower() in DRAWN[1:] and find_spec(_CONVERTER) is None:
        raise UsageError(
            f"{path}: needs vl-convert-python, which is not installed; in a clone: pip install "
            "'.[pictures]'; .svg needs nothing"
        )


def converted(svg: str, path: Path) -> bytes:
    """Return a picture as the content of a file, by its suffix: SVG, PNG or PDF.

    PNG and PDF are in light colours. Raises UsageError if what they need is not installed.
    """
    if path.suffix.lower() not in DRAWN[1:]:
        return svg.encode()
    check_converter(path)
    converter: Any = import_module(_CONVERTER)
    svg = _RAISED.sub(_raised, svg.replace(FONT, _FACE))
    if path.suffix.lower() == ".png":
        return converter.svg_to_png(svg, ppi=_DOTS_PER_INCH)
    return converter.svg_to_pdf(svg)


def _raised(digits: re.Match[str]) -> str:
    style = 'baseline-shift="super" font-size="75%"'
    return f"<tspan {style}>{digits[0].translate(_LEVEL)}</tspan>"
