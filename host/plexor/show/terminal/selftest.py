# SPDX-License-Identifier: Apache-2.0
"""A self-test for a terminal."""

from __future__ import annotations

from plexor.base.counts import counted
from plexor.base.figure_words import source_text
from plexor.experiments.selftest.model import SelfTest
from plexor.show.terminal.columns import Paint, wrapped


def selftest_text(found: SelfTest, *, width: int, colour: bool) -> str:
    """Return a line for each part and each defect."""
    paint = Paint(colour)
    where = source_text(found.simulated, found.board)
    title = f"Self-test of {found.serial}, gateware {found.gateware_hash:016x} · {where}"
    lines = [*wrapped(title, width, paint, "bold"), ""]
    for check in found.checks:
        word, style = ("pass", "good") if check.passed else ("FAIL", "bad")
        lines += wrapped(f"{word}  {check.name}: {check.summary}", width, paint, style)
        for finding in check.findings:
            lines += wrapped(f"      {finding.subject}: {finding.text}", width, paint, "bad")
    count = len(found.findings)
    lines.append("")
    if found.passed:
        lines += wrapped("PASS: no defects found", width, paint, "good")
    else:
        lines += wrapped(f"FAIL: {counted(count, 'defect')} found", width, paint, "bad")
    return paint.done(lines)
