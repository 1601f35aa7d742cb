# SPDX-License-Identifier: Apache-2.0
"""What the golden model says of a run's events."""

import numpy as np

from plexor_sim.golden import matcher
from plexor_sim.golden.edges import Events


def truth(made, taken, end):
    """Return the golden model's matches of events (EVENT_DTYPE) by the host's rules."""
    events = Events(
        made["time_ticks"].astype(np.int64),
        made["source"],
        made["polarity"].astype(np.bool_),
        made["index"].astype(np.int64),
    )
    rules = matcher.Rules(
        taken.channel_source,
        taken.reference_source,
        taken.reference_polarity,
        taken.policy,
        taken.timeout_ticks,
        taken.window_min_ticks,
        taken.early_ticks,
        taken.deadline_ticks,
        taken.queue_depth,
    )
    return matcher.match(events, rules, end)
