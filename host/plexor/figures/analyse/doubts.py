# SPDX-License-Identifier: Apache-2.0
"""What a run cannot tell of a channel, one line each, with what to look at or to change. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from plexor.base.counts import counted
from plexor.base.units import format_seconds, format_ticks
from plexor.figures.analyse.analyse import ChannelFigures, Report
from plexor.figures.analyse.evidence import is_struck_at_random, least_spacing_ticks
from plexor.figures.analyse.pulses import short_pulses
from plexor.figures.analyse.rules import rules_of
from plexor.model.results import Kind
from plexor.protocol.geometry import Feature
from plexor.protocol.memory import ResponseClass
from plexor.protocol.registers import Stream

_LEAST_DITHERED_TICKS = 64
"""Least spacing of strikes for which dither can tell them apart."""

_MOST_SAID = 3
"""Number of lines of a design that are shown."""
_MOSTLY = Fraction(3, 4)
"""Share of a run: a pin that is active for longer may rest at its active level."""


def doubts(report: Report) -> tuple[str, ...]:
    """Return a line for each doubt of each channel.

    A channel may be silent, its pin may toggle or rest at its active level, and its pairing may be
    ambiguous. Pulses may be too short for a pad. Where strikes were missed, a last line has what a
    simulated design said.
    """
    lines = [line for channel in report.channels for line in _of(report, channel)]
    return (*lines, *short_pulses(report), *_said(report))


def _said(report: Report) -> Iterator[str]:
    said = report.result.device_said
    if said and any(each.result.classes[ResponseClass.MISSED] for each in report.channels):
        shown = "; ".join(said[:_MOST_SAID])
        more = f"; and {len(said) - _MOST_SAID} more lines" if len(said) > _MOST_SAID else ""
        yield f"strikes were missed, and the design said, at {shown}{more}"


def _of(report: Report, channel: ChannelFigures) -> Iterator[str]:
    if channel.silent:
        yield f"{channel.name}: {_silent(report, channel)}"
    pairing = channel.pairing
    if pairing is None:
        return
    if pairing.toggles:
        number = channel.result.number
        yield (
            f"{channel.name}: the pin changes once a strike, up and down in turn, so that each "
            f"second strike counts as missed; --channel NAME=ch{number}:edge=either takes each "
            "edge for an answer"
        )
    elif (share := _active_share(report, channel)) > _MOSTLY:
        level = "low" if _is_inverted(report, channel) else "high"
        yield (
            f"{channel.name}: the pin is {level}, its active level, for {float(share):.0%} of the "
            "run; if it rests there, an answer begins with the other edge: measure it "
            f"{'without' if level == 'low' else 'with'} :invert{_if_held(channel)}"
        )
    elif channel.result.classes[ResponseClass.MISSED] and _never_ends(channel):
        yield (
            f"{channel.name}: the pin became active once and stayed so: an answer that is held "
            "until it is cleared is seen once; have it cleared within a period, by the device or "
            "by an output that clears it: --strike 1:start=strike0,phase=TIME,width=TIME"
        )
    if not pairing.known:
        yield f"{channel.name}: {_ambiguous(report, channel)}"


def _if_held(channel: ChannelFigures) -> str:
    if not channel.result.classes[ResponseClass.MISSED]:
        return ""
    return "; if it is held until it is cleared, a strike that comes before that is missed"


def _never_ends(channel: ChannelFigures) -> bool:
    """Return whether the pin became active once, and no trailing edge followed."""
    widths = channel.kinds.get(Kind.WIDTH)
    return channel.result.active_edges == 1 and widths is not None and not widths.count


def _active_share(report: Report, channel: ChannelFigures) -> Fraction:
    """Return the share of the run in which the pin was active, by its on-widths; 0: not known."""
    widths = channel.kinds.get(Kind.WIDTH)
    if widths is None or widths.mean_ticks is None or not report.duration_ticks:
        return Fraction(0)
    return widths.count * widths.mean_ticks / report.duration_ticks


def _is_inverted(report: Report, channel: ChannelFigures) -> bool:
    number = channel.result.number
    return any(own.number == number and own.invert for own in report.result.settings.channels)


def _silent(report: Report, channel: ChannelFigures) -> str:
    result = channel.result
    none = f"none of {counted(result.strikes, 'strike')} was answered"
    changes = sum(
        source.generated
        for source in report.result.accounting.sources
        if source.source == result.number
    )
    if result.active_edges:
        timeout = format_ticks(rules_of(report.result, result).timeout_ticks, report.tick_fs)
        return (
            f"{none}: {counted(result.active_edges, 'edge')} came, but none within the time-out of "
            f"{timeout} after a strike; look at --timeout and at the channel's `after`"
        )
    if changes:
        return (
            f"{none}: the pin changed, but never to its active level; look at its polarity (invert)"
        )
    settings = [own for own in report.result.settings.channels if own.number == result.number]
    if settings and settings[0].filter_s:
        return (
            f"{none}: no edge passed its filter of {format_seconds(settings[0].filter_s)}; look at "
            "the width of its pulses, then at the wiring"
        )
    return (
        f"{none}: no edge came; look at the wiring, the channel's number, its polarity (invert) "
        "and whether the device runs"
    )


def _ambiguous(report: Report, channel: ChannelFigures) -> str:
    pairing, tick_fs = channel.pairing, report.tick_fs
    assert pairing is not None
    least_ticks = least_spacing_ticks(report.result, channel.result)
    if pairing.lag is not None and pairing.latency_ticks is not None:
        about = format_ticks(pairing.latency_ticks, tick_fs)
        if pairing.lag > 0:
            timeout = _option(pairing.latency_ticks * 6 // 5, tick_fs)
            strike = f"{pairing.lag} before their own"
        else:
            timeout = _option(max(least_ticks, pairing.latency_ticks + 1), tick_fs)
            strike = f"{-pairing.lag} after the one that they were matched with"
        return (
            f"answers fit the strike {strike}: about {about}; --timeout {timeout} settles it; its "
            "latencies are left out"
        )
    counts = channel.result.classes
    surplus = counts[ResponseClass.DUPLICATE] + counts[ResponseClass.SPURIOUS]
    counted = [f"missed strikes: {grouped(counts[ResponseClass.MISSED])}"]
    counted += [f"edges too many: {grouped(surplus)}"] if surplus else []
    if channel.result.pending:
        counted.append(f"pending: {grouped(channel.result.pending)}")
    return (
        f"answers may be those of other strikes ({', '.join(counted)}): its latencies are left "
        f"out; {' or '.join(_options(report, channel, least_ticks))} settles it"
    )


def _options(report: Report, channel: ChannelFigures, least_ticks: int) -> Iterator[str]:
    """Yield the options that may settle an ambiguous pairing, the surest first."""
    result, tick_fs = report.result, report.tick_fs
    rise = channel.kinds.get(Kind.RISE)
    known = rise is not None and rise.samples is not None
    sends = Feature.EVENTS in result.identity.geometry.features
    if not known and sends and result.settings.stream != Stream.LIVE and result.imported is None:
        yield "--mode stream"
    if result.imported is None and Feature.DITHER in result.identity.geometry.features:
        if not is_struck_at_random(result, channel.result):
            if least_ticks >= _LEAST_DITHERED_TICKS:
                yield f"--dither {_option(1 << (least_ticks // 4).bit_length() - 1, tick_fs)}"
        else:
            yield "a longer --dither, more strikes (--count)"
    timeout_ticks = rules_of(result, channel.result).timeout_ticks
    if least_ticks and timeout_ticks > least_ticks:
        yield f"--timeout {_option(least_ticks, tick_fs)}"
    elif least_ticks:
        yield "a --timeout longer than any answer takes"
    yield "a lower --rate" if result.imported is None else "a capture at a lower rate"


def _option(ticks: int, tick_fs: int) -> str:
    """Return a time as an option takes it: `30us`."""
    return format_ticks(ticks, tick_fs, 6).replace("µ", "u").replace(" ", "")


def grouped(count: int) -> str:
    """Return a count with commas between thousands."""
    return f"{count:,}"
