"""The commands that this package adds to `plexor`."""

from __future__ import annotations

from plexor.library.extensions import Command

table = Command(
    "Show systems side by side, idle and loaded, next to a published study.",
    "plexor_lab.study.command:table",
)
