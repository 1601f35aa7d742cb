# SPDX-License-Identifier: Apache-2.0
"""What a scan is asked whose steps are runs of their own: a sweep, a burst scan."""

from __future__ import annotations

from plexor.library.pins import described, response_pins
from plexor.library.scans.workers import workers_of
from plexor.library.specs.options import (
    Elsewhere,
    Pins,
    Seeded,
    Stepwise,
    Target,
    check_kept,
)
from plexor.library.specs.spec import option
from plexor.library.specs.values import whole


class ScanSpec(Pins, Seeded, Elsewhere, Stepwise, topic="Steps"):
    """What every such scan is asked."""

    points: int = option(
        on_page=True,
        converter=whole(2, 1000),
        default=9,
        shows_default=True,
        metavar="N",
        help="Number of steps from --from to --to, 2 to 1000.",
    )


def check_scan(asked: ScanSpec, target: Target) -> None:
    """Raise UsageError for a device, workers or a folder that a scan cannot have."""
    if not asked.channels:
        response_pins(target.link, target.dut)
    described(target.link, target.dut, {})
    workers_of(target.link, asked.executor, asked.naming)
    check_kept(asked, asked.naming)
