"""How a run's channels were matched, and whether all of a channel's edges have come."""

from __future__ import annotations

import numpy as np

from plexor.decode.matched import Rules
from plexor.model.results import ChannelResult, RunResult
from plexor.model.settings import NO_DEADLINE_TICKS, parse_reference
from plexor.protocol import registers
from plexor.protocol.registers import Policy


def rules_of(result: RunResult, channel: ChannelResult) -> Rules:
    """Return a channel's rules, from the registers that the run was taken with."""
    taken = {(entry.block, entry.name): entry.value for entry in result.registers}

    def rule(name: str) -> int:
        return taken.get(("matcher", name), registers.register("matcher", name).reset)

    source, polarity = parse_reference(channel.reference)
    deadline = channel.deadline_ticks
    return Rules(
        channel_source=channel.number,
        reference_source=source,
        reference_polarity=polarity,
        policy=Policy(rule("policy")),
        timeout_ticks=rule("timeout_ticks"),
        window_min_ticks=rule("window_min_ticks"),
        early_ticks=rule("early_ticks"),
        deadline_ticks=NO_DEADLINE_TICKS if deadline is None else deadline,
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
