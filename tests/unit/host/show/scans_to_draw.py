# SPDX-License-Identifier: Apache-2.0
"""Phase and burst scans that must be drawn."""

import re
from fractions import Fraction

import numpy as np

from plexor.experiments.burst.model import BurstResult, Lengths, SpacingLimit
from plexor.experiments.phase.fold import MISSED, Folded
from plexor.experiments.phase.model import PhaseReference, PhaseResult
from plexor.experiments.phase.windows import scan
from plexor.model.results import Accounting

PERIOD = 1000
NAME = "<ISR> & co"


def phase_result(latency, *, periodic=True, left_out=None, received=10, step=10, **other):
    """Return a result in which a strike of each 5th tick of phase has `latency(phase)`."""
    phases = np.arange(0, PERIOD, 5)
    reference = PhaseReference("ch1", 9, Fraction(PERIOD) if periodic else None, 990, 1010)
    folded = Folded(
        phases,
        np.array([latency(int(p)) for p in phases], np.int64),
        PERIOD,
        reference,
        left_out or {},
        0,
        sum(latency(int(p)) == MISSED for p in phases),
        10**6,
    )
    found = scan(NAME, folded, Fraction(step))
    return PhaseResult(
        TICK_FS,
        True,
        (found,),
        len(phases),
        Fraction(15_000),
        Fraction(10_000),
        Accounting(10, received, 0, 10 - received),
        **other,
    )


TICK_FS = 10**6
MASKS = {
    "wraps": lambda p: 300 + ((p - 900) % 1000 < 250) * (250 - (p - 900) % 1000),
    "missed": lambda p: MISSED if 200 <= p < 400 else 300,
    "missed, then late": lambda p: MISSED if p < 200 else 300 + (p < 500) * (500 - p),
    "all missed": lambda p: MISSED,
    "none": lambda p: 300,
    "one missed": lambda p: MISSED if p == 400 else 300,
    "at once": lambda p: 0,
}


def svg_of(page):
    """Return the picture in a page that fetches nothing."""
    assert "fetch(" not in page
    assert not re.search(r"""(?:src|href)=(?!"data:)|url\(""", page)
    return page[page.index("<svg") : page.index("</svg>") + 6]


def limit(spacing_us, passing, most=64, channel=NAME, **other):
    failing = passing + 1 if passing < most else None
    return SpacingLimit(
        Fraction(spacing_us, 10**6), channel, Lengths(passing, failing), most, 99, **other
    )


def burst_result(*limits, **other):
    return BurstResult(
        TICK_FS, True, "missed<1%@95%", Fraction(1, 1000), Fraction(1, 2000), limits, **other
    )
