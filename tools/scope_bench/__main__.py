# SPDX-License-Identifier: Apache-2.0
"""Measures the live page: frames a second, edge to paint, and memory, in Chromium without a window.

    .venv/bin/python -m tools.scope_bench [--minutes N] [--channels N] [--rate RATE] [--json]

Computed in a browser that renders in software, from planted histograms of eight channels with
100,000 strikes a second, which no simulator gives in real time. Edge to paint is the time from an
edge, anywhere between two snapshots, until the frame after the one that shows it has begun. A
figure beyond its aim is printed and does not change the exit code.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from plexor.scope.instrument import EVERY_S
from plexor.scope.serve import Door, PageServer, ServedAt
from tools.scope_bench.browser import Browser, browser
from tools.scope_bench.planted import PlantedRig

FRAMES_AIM_HZ, PAINT_AIM_S = 60.0, 0.1
SETTLE_S, LOOK_S = 3.0, 10.0


@dataclass(frozen=True)
class Figures:
    """What was measured. Times are in seconds."""

    channels: int
    rate: str
    frames_hz: float
    """Frames that the browser drew in a second, while traces faded."""
    snapshots_hz: float
    draw_p50_s: float
    draw_p99_s: float
    shot_to_paint_p50_s: float
    shot_to_paint_p99_s: float
    edge_to_paint_p50_s: float
    edge_to_paint_p99_s: float
    minutes: float
    heap_bytes: tuple[int, ...]
    """JavaScript heap after garbage was collected, at even times."""
    nodes: tuple[int, ...]
    load_average: tuple[float, ...]


def measure(page: Browser, address: str, minutes: float, channels: int, rate: str) -> Figures:
    """Return the figures of a page while its run goes on."""
    page.driver.get(address)
    page.until("return Boolean(globalThis.plexor?.now.seats.steers)")
    page.run("document.querySelector('[name=rate]').value = arguments[0]", rate)
    page.run("document.getElementById('run').click(); plexor.view.set({ decay: 2 })")
    page.until("return plexor.probe.taken > 5")
    time.sleep(SETTLE_S)
    page.run("plexor.probe.start()")
    heap, nodes = [_heap(page)], [_nodes(page)]
    began = time.monotonic()
    first = page.run("return [performance.now(), plexor.stack.painted, plexor.probe.taken]")
    time.sleep(LOOK_S)
    last = page.run("return [performance.now(), plexor.stack.painted, plexor.probe.taken]")
    painted = np.array(page.run("return plexor.probe.painted"), float)
    draws = np.array(page.run("return plexor.probe.draws"), float) / 1e3
    seconds = (last[0] - first[0]) / 1e3
    while time.monotonic() - began < 60 * minutes:
        time.sleep(min(30.0, max(60 * minutes - (time.monotonic() - began), 0)))
        heap.append(_heap(page))
        nodes.append(_nodes(page))
    shots, edges = _latencies(painted)
    return Figures(
        channels,
        rate,
        round((last[1] - first[1]) / seconds, 1),
        round((last[2] - first[2]) / seconds, 1),
        *_percentiles(draws),
        *_percentiles(shots),
        *_percentiles(edges),
        minutes,
        tuple(heap),
        tuple(nodes),
        os.getloadavg(),
    )


def _latencies(painted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the times from snapshot and from edge to paint, of rows (taken, painted).

    The edges of a frame lie evenly between the snapshot before it and its own.
    """
    taken, shown = painted[:, 0], painted[:, 1]
    part = np.linspace(0, 1, 50)
    edge = taken[:-1, None] + part * (taken[1:, None] - taken[:-1, None])
    return shown - taken, (shown[1:, None] - edge).ravel()


def _percentiles(values: np.ndarray) -> tuple[float, float]:
    return tuple(round(float(at), 4) for at in np.percentile(values, (50, 99)))  # pyright: ignore


def _heap(page: Browser) -> int:
    page.tell("HeapProfiler.collectGarbage")
    return int(page.run("return performance.memory.usedJSHeapSize"))


def _nodes(page: Browser) -> int:
    return int(page.run("return document.querySelectorAll('*').length"))


def text(found: Figures) -> str:
    """Return the figures as text."""

    def ms(seconds: float) -> str:
        return f"{seconds * 1e3:.1f} ms"

    reached = "reached" if found.frames_hz >= 0.97 * FRAMES_AIM_HZ else "not reached"
    quick = "reached" if found.edge_to_paint_p99_s <= PAINT_AIM_S else "not reached"
    lines = [
        f"{found.channels} channels, {found.rate} strikes a second, planted histograms; "
        f"load average {found.load_average[0]:.1f}",
        f"frames           {found.frames_hz:.1f} a second; aim 60: {reached}",
        f"snapshots drawn  {found.snapshots_hz:.1f} a second",
        f"drawing          {ms(found.draw_p50_s)} p50, {ms(found.draw_p99_s)} p99 of a frame",
        f"snapshot to paint {ms(found.shot_to_paint_p50_s)} p50, "
        f"{ms(found.shot_to_paint_p99_s)} p99",
        f"edge to paint    {ms(found.edge_to_paint_p50_s)} p50, "
        f"{ms(found.edge_to_paint_p99_s)} p99; aim {ms(PAINT_AIM_S)}: {quick}",
        f"heap             {', '.join(f'{size / 1e6:.1f}' for size in found.heap_bytes)} MB in "
        f"{found.minutes:g} minutes",
        f"elements         {', '.join(map(str, found.nodes))}",
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.scope_bench", description=__doc__)
    parser.add_argument("--minutes", type=float, default=0.5, help="how long memory is watched")
    parser.add_argument("--channels", type=int, default=8)
    parser.add_argument("--rate", default="100k", help="strikes a second")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    chosen = parser.parse_args(arguments)
    with TemporaryDirectory() as folder:
        bench = PlantedRig(chosen.channels, float(EVERY_S))
        served = PageServer(bench, Door(ServedAt(folder=Path(folder))))
        try:
            with browser() as page:
                found = measure(page, served.address, chosen.minutes, chosen.channels, chosen.rate)
        finally:
            served.close()
    print(json.dumps(asdict(found), indent=2) if chosen.json else text(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
