# SPDX-License-Identifier: Apache-2.0
"""The commands that this package adds to `plexor`."""

from __future__ import annotations

from plexor.library.parts.extensions import Command

bench = Command(
    "Measure the operations of a kernel from outside, suite by suite.",
    "plexor_lab.bench.command:bench",
)
bound = Command(
    "Compute what a service takes at most, and check it against what was measured.",
    "plexor_lab.bound.command:bound",
)
mixed = Command(
    "Run a schedule on one time base with a device: done, late, early or missed.",
    "plexor_lab.mixed.command:mixed",
)
table = Command(
    "Show systems side by side, idle and loaded, next to a published study.",
    "plexor_lab.study.command:table",
)
