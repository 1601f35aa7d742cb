# SPDX-License-Identifier: Apache-2.0
"""How a run's channels were matched, and whether all of a channel's edges have come."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plexor.base.constraints import MOST_TICKS
from plexor.base.units import whole_ticks
from plexor.model.results import ChannelResult, RunResult
from plexor.model.settings import NO_DEADLINE_TICKS, parse_reference
from plexor.protocol import registers
from plexor.protocol.registers import Policy
from plexor.wire.decode.matched import Rules


def rules_of(result: RunResult, channel: ChannelResult) -> Rules:
    """Return a channel's rules, from the registers that the run was taken with.

    The host matches a capture. Its times may exceed a register's bits, so they come from the
    settings.
    """
    values = {(write.block, write.name): write.value for write in result.registers}

    def rule(name: str) -> int:
        return values.get(("matcher", name), registers.register("matcher", name).reset)

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
        gaps_ticks=() if result.imported is None else result.imported.gaps_ticks,
    )


def has_rules(result: RunResult) -> bool:
    """Return whether a run records its matching rules. A recording may lack some of them."""
    return any(write.block == "matcher" for write in result.registers)


def is_complete(result: RunResult, channel: ChannelResult) -> bool:
    """Return whether every edge of a channel and of its reference has arrived."""
    if result.events is None or result.accounting.lost_of_any:
        return False
    needed = {channel.number, parse_reference(channel.reference)[0]}
    accounts = [account for account in result.accounting.sources if account.source in needed]
    sources = result.events["source"]
    return len(accounts) == len(needed) and all(
        account.generated == account.received == np.count_nonzero(sources == account.source)
        for account in accounts
    )
