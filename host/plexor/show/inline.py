# SPDX-License-Identifier: Apache-2.0
"""The drawing code of live pages as one script inside a page: nothing is fetched.

Modules become functions, in the order in which they need each other; what one exports is what its
function returns. They import with one line each, from this folder alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from plexor.show.pictures.scale import scales_js

_IMPORT = re.compile(r'^import \{([\w,\s]+)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:function|class|const) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^ */\*\*.*?\*/\n|^ *//[^\n]*\n", re.MULTILINE | re.DOTALL)


def html_stack(source: str, data: Mapping[str, Any], still: str) -> str:
    """Return a run's stack of pictures, hidden until the script draws it, and those without one.

    `source` says where the figures come from; `data` is what the script `report` draws.
    """
    if not data["channels"]:
        return still
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    colour = "bad" if source == "simulated" else "good"
    return (
        '<figure id="plexor-figure" hidden><figcaption><b>Persistence, histogram, tail, waterfall'
        f'</b><small class="{colour}">{escape(source)}</small><p>One axis of time after the strike.'
        " Wheel or two fingers zoom, a drag moves, a and b set cursors.</p></figcaption>"
        '<div class="stack" id="plexor-stack"></div><div class="readout"></div>'
        '<div class="tools"></div><dialog></dialog></figure>'
        f'<div class="still">{still}</div>'
        f'<script type="application/json" id="plexor-run">{text}</script>'
    )


GENERATED: Mapping[str, Callable[[], str]] = {"scales.js": scales_js}
"""Modules of the drawing code that are written from tables of the host."""


def asset(name: str) -> str:
    """Return the text of a file of the drawing code."""
    if name in GENERATED:
        return GENERATED[name]()
    return (files("plexor.show") / "assets" / name).read_text(encoding="utf-8")


@cache
def bundle(entry: str) -> str:
    """Return a module with all that it needs as one script."""
    found: dict[str, str] = {}
    _add(entry, found)
    return "".join(found.values())


def _add(name: str, found: dict[str, str]) -> None:
    source = _COMMENT.sub("", asset(f"{name}.js"))
    for _, needed in _IMPORT.findall(source):
        if needed not in found:
            _add(needed, found)
    body = _IMPORT.sub(r"const {\1} = plexor_\2;\n", source)
    exported = ", ".join(_EXPORT.findall(body))
    body = _EXPORT.sub("", body)
    found[name] = f"const plexor_{name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"
