# SPDX-License-Identifier: Apache-2.0
"""Sweeps that must be drawn, and where their marks are."""

import dataclasses
import re
import xml.etree.ElementTree as ET

from plexor.show.pictures.frame import WIDTH
from plexor.show.pictures.svg import svg_picture
from plexor.show.pictures.sweep import frontier
from plexor.show.sweep_page import sweep_page
from plexor.show.terminal.sweep import sweep_text

from ..pictures import SVG
from ..sweeps import RATES, figures, knee, result, step, swept

LOADS = {
    "none": 100_000,
    "polygons": 80_000,
    "critical sections and more": 40_000,
    "<storm & co>": 10_000,
    "cpu": 300_000,
    "memory": 81_000,
    "queue": 82_000,
    "all of the loads together and for long": 25_000,
}
SWEEPS = {
    "one load": swept({"none": 100_000}),
    "two loads": swept({"none": 100_000, "polygons": 80_000}),
    "eight loads": swept(LOADS, ("an interrupt with a long name", "APP")),
    "nine loads": swept(LOADS | {"ninth": 25_000}),
    "up and down": swept({"none": 100_000, "polygons": 80_000}, ("IST",), ("up", "down")),
    "no answer": result(
        [step("none", rate, figures("IST", missed=1000)) for rate in RATES],
        [knee("none", "IST", None, 20_000)],
    ),
    "interrupted": result(
        [step("none", 20_000, figures("IST"))], [knee("none", "IST", None, None)], interrupted=True
    ),
    "several limits": dataclasses.replace(
        swept({"none": 100_000}),
        criteria=("missed<0.1%@95%", "latency<=50 µs:0.1%@95%", "jitter<=10 µs:0.1%@95%"),
    ),
    "not monotonic": result(
        [step("none", rate, figures("IST", missed=900 * (rate == 40_000))) for rate in RATES],
        [knee("none", "IST", 25_000, 40_000, passing_above_hz=(80_000,))],
    ),
}


def drawn(sweep, width=WIDTH):
    return ET.fromstring(svg_picture(frontier(sweep, "IST", width), style=False))


def marks(svg):
    """Return (class, x, y of the middle, shape) of the marks, those of the legend left out."""
    found = []
    for path in svg.iter(f"{SVG}path"):
        style = path.get("class").split()
        if path.get("stroke-width") == "1.4" and len(style) == 2 and style[1] != "average":
            start = re.match(r"M(\S+) (\S+?)([al])(\S+)", path.get("d"))
            dot = start[3] == "a"
            half = 3.2 if dot else 3.5 * (1 if start[4][0] != "-" else -1)
            middle = float(start[1]) + half, float(start[2]) + (0 if dot else 4)
            found.append((path.get("class"), *middle, start[3] + start[4]))
    return found


def shown_everywhere(planted):
    """Return what the terminal, the page and the page's table say, each as one text."""
    return [" ".join(sweep_text(planted, width=4000, colour=False).split()), sweep_page(planted)]
