# SPDX-License-Identifier: Apache-2.0
"""How a run's channels were matched, and whether all of a channel's edges have come."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plexor.constraints import MOST_TICKS
from plexor.decode.matched import Rules
from plexor.model.results import ChannelResult, RunResult
from plexor.model.settings import NO_DEADLINE_TICKS, parse_reference
from plexor.protocol import registers
from plexor.protocol.registers import Policy
from plexor.units import whole_ticks


def rules_of(result: RunResult, channel: ChannelResult) -> Rules:
    """Return a channel's rules, from the registers that the run was taken with.

    A capture was matched by the host, whose times have more bits than a register: they are in the
    settings.
    """
    taken = {(entry.block, entry.name): entry.value for entry in result.registers}

    def rule(name: str) -> int:
        return taken.get(("matcher", name), registers.register("matcher", name).reset)

    def time(name: str, time_s: Fraction | None) -> int:
        if result.imported is None or time_s is None:
            return rule(f"{name}_ticks")
        return whole_ticks(time_s, result.tick_fs)

    settings = result.settings
    no_deadline_ticks = NO_DEADLINE_TICKS if result.imported is None else MOST_TICKS
    source, polarity = parse_reference(channel.reference)
    deadline = channel.deadline_ticks
    return Rules(
        channel_source=channel.number,
        reference_source=source,
        reference_polarity=polarity,
        policy=Policy(rule("policy")),
        timeout_ticks=time("timeout", settings.timeout_s),
        window_min_ticks=time("window_min", settings.window_min_s),
        early_ticks=time("early", settings.early_s),
        deadline_ticks=no_deadline_ticks if deadline is None else deadline,
        queue_depth=result.identity.geometry.queue_depth,
    )


def has_rules(result: RunResult) -> bool:
    """Return whether a run says how it was matched. A recording may lack some of the rules."""
    return any(entry.block == "matcher" for entry in result.registers)


def is_complete(result: RunResult, channel: ChannelResult) -> bool:
    """Return whether every edge of a channel and of its reference has arrived."""
    if result.events is None:
        return False
    needed = {channel.number, parse_reference(channel.reference)[0]}
    parts = [entry for entry in result.accounting.sources if entry.source in needed]
    sources = result.events["source"]
    return len(parts) == len(needed) and all(
        entry.generated == entry.received == np.count_nonzero(sources == entry.source)
        for entry in parts
    )
