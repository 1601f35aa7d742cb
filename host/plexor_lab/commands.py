"""The commands that this package adds to `plexor`."""

from __future__ import annotations

from plexor.library.parts.extensions import Command

mixed = Command(
    "Run a schedule on one time base with a device: done, late, early or missed.",
    "plexor_lab.mixed.command:mixed",
)
table = Command(
    "Show systems side by side, idle and loaded, next to a published study.",
    "plexor_lab.study.command:table",
)
