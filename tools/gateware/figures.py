# SPDX-License-Identifier: Apache-2.0
"""Formats a build's figures for a terminal."""

from __future__ import annotations

import hashlib

from tools.gateware.board import Board
from tools.gateware.build import Placed


def text(board: Board, placed: Placed) -> str:
    """Return a build's figures for a terminal."""
    used = ", ".join(f"{cell} {some}/{most}" for cell, (some, most) in placed.used.items())
    worst = min(placed.hops, key=lambda hop: hop.slack_ps)
    widest = max(bins.widest_ps for bins in placed.channels)
    size = placed.bitstream.stat().st_size
    digest = hashlib.sha256(placed.bitstream.read_bytes()).hexdigest()[:16]
    core = float(board.core_mhz)
    lines = [
        f"{board.name}, seed {placed.seed}: core {placed.core_mhz:.1f} MHz of {core:g}, "
        f"sampling {placed.fast_mhz:.1f} MHz of {float(board.fast_mhz):g}; {used}",
        f"  hops between phases: minimum slack {worst.slack_ps} ps of {worst.budget_ps}, "
        f"{worst.start} to {worst.end}",
    ]
    for number, bins in enumerate(placed.channels):
        widths = " ".join(f"{width:.0f}" for width in bins.widths_ps)
        errors = f"RMS {bins.raw_rms_ps():.0f} ps, calibrated {bins.rms_ps():.0f} ps"
        dnl = f"DNL {min(bins.dnl):+.2f} to {max(bins.dnl):+.2f}"
        lines.append(f"  channel {number}: bins {widths} ps, {dnl}, {errors}")
    for number, bins in enumerate(placed.outputs):
        name = "load" if number == len(placed.outputs) - 1 else f"strike {number}"
        lines.append(
            f"  {name}: steps " + " ".join(f"{width:.0f}" for width in bins.widths_ps) + " ps"
        )
    early_ps = min(placed.pad_ps)
    late = " ".join(str(pad_ps - early_ps) for pad_ps in placed.pad_ps)
    lines.append(f"  channels' skew: {late} ps after the earliest, from pad to look-up table")
    lines.append(
        f"  widest bin {widest:.0f} ps; {placed.bitstream}: {size} bytes, SHA-256 {digest}…"
    )
    return "\n".join(lines)
