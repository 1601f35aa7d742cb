# SPDX-License-Identifier: Apache-2.0
"""Defects from events: each is named, and nothing else is blamed for it."""

from __future__ import annotations

import numpy as np
import pytest

from plexor.experiments.calibration.observation import FreeEdges, Looped, LoopedEdges
from plexor.experiments.selftest.judge import jumper_findings, loopback_findings, source_findings
from plexor.model.results import EVENT_DTYPE
from plexor.protocol.frames import SOURCE_STRIKE
from plexor.protocol.geometry import Geometry

GEOMETRY = Geometry(channels=3, strikes=2)
STRIKES = 16


def events(*edges):
    """Return events of (time, source, polarity), in order."""
    found = np.zeros(len(edges), EVENT_DTYPE)
    for index, (time, source, polarity) in enumerate(sorted(edges)):
        found[index] = (time, index, source, polarity)
    return found


def looped(output, channels, delay=3, extra=(), count=STRIKES):
    """Return strikes of an output, seen by `channels` after a delay."""
    edges = [*extra]
    for n in range(count):
        rise = 1000 + n * 1001
        for time, polarity in ((rise, 1), (rise + 300, 0)):
            edges.append((time, 8 + output, polarity))
            edges += [(time + delay, channel, polarity) for channel in channels]
    return events(*edges)


def times(found, source, polarity):
    """Return when a source had edges of a direction."""
    return np.array([t for t, _, s, p in found.tolist() if (s, p) == (source, polarity)], np.int64)


def echoes(found, output):
    """Return what each channel saw of an output."""
    made = {}
    for way in [(channel, polarity) for channel in ALL for polarity in (1, 0)]:
        strikes, seen = times(found, 8 + output, way[1]), times(found, *way)
        made[way] = LoopedEdges(len(strikes), len(seen), strikes, seen)
    return made


def loopback(*runs, complete=True):
    """Return what is found in the events of each output, none of which was dropped."""
    looped_back = {}
    for output, found in enumerate(runs):
        counts = dict(enumerate(np.bincount(found["source"], minlength=10).tolist()))
        looped_back[output] = Looped(counts, len(found) - (not complete), echoes(found, output))
    return loopback_findings(looped_back, GEOMETRY)


def subjects(found):
    return [finding.subject for finding in found]


ALL = (0, 1, 2)


def test_channels_that_follow_every_output_are_sound():
    assert loopback(looped(0, ALL), looped(1, ALL, 5)) == []


def test_a_channel_that_sees_no_output_is_stuck():
    found = loopback(looped(0, (0, 2)), looped(1, (0, 2)))
    assert subjects(found) == ["ch1"]
    assert "stuck" in found[0].text


def test_an_output_that_no_channel_sees_is_stuck_itself():
    found = loopback(looped(0, ALL), looped(1, ()))
    assert subjects(found) == ["strike1"]


def test_when_nothing_is_seen_of_anything_each_channel_is_named():
    found = loopback(looped(0, ()), looped(1, ()))
    assert subjects(found) == ["ch0", "ch1", "ch2"]


def mixed(delay):
    """Return strikes of output 1 that channel 2 alone sees after another delay."""
    odd = looped(1, (2,), delay)
    return np.concatenate([looped(1, (0, 1)), odd[odd["source"] == 2]])


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (looped(1, ALL, extra=[(500, 2, 1), (501, 2, 0)]), "sees 34 edges of strike1; must be 32"),
        (looped(1, (0, 1)), "sees 0 edges of strike1; must be 32"),
        (
            np.concatenate(
                [looped(1, (0, 1)), looped(1, (2,), -1)[looped(1, (2,), -1)["source"] == 2]]
            ),
            "sees strike1 up after -1 to -1 ticks",
        ),
        (
            np.concatenate(
                [looped(1, (0, 1)), looped(1, (2,), 400)[looped(1, (2,), 400)["source"] == 2]]
            ),
            "sees strike1 up after 400 to 400 ticks; must be 0 to 256",
        ),
    ],
)
def test_a_channel_that_follows_one_output_wrongly_is_named_with_it(other, says):
    found = loopback(looped(0, ALL), other)
    assert subjects(found) == ["ch2"]
    assert says in found[0].text


def test_where_events_were_dropped_the_counts_still_tell():
    sound, wrong = looped(0, ALL), looped(1, ALL, extra=[(500, 2, 1), (501, 2, 0)])
    assert loopback(sound, looped(1, ALL), complete=False) == []
    assert subjects(loopback(sound, wrong, complete=False)) == ["ch2"]


def test_a_delay_that_wanders_is_found():
    wander = [(1000 + n * 1001 + n, 2, 1) for n in range(STRIKES)]
    wander += [(1300 + n * 1001 + n, 2, 0) for n in range(STRIKES)]
    found = loopback(looped(0, (0, 1), extra=wander))
    assert subjects(found) == ["ch2"]
    assert "15 ticks apart" in found[0].text


ALL_PHASES = (0, 1, 2, 3)


def source(phases):
    """Return 400 edges each way on every channel; of a channel in `phases` at those alone."""
    edges = []
    for channel in range(3):
        rises, falls = phases.get(channel, (ALL_PHASES, ALL_PHASES))
        for n in range(400):
            edges.append((n * 400 + rises[n % len(rises)], channel, 1))
            edges.append((n * 400 + 200 + falls[n % len(falls)], channel, 0))
    return edges


def judged(edges, least=300):
    """Return what is found in edges of the source, counted by phase."""
    found = events(*edges)
    counts = {
        (channel, polarity): np.bincount(times(found, channel, polarity) % 4, minlength=4)[None]
        for channel in ALL
        for polarity in (1, 0)
    }
    return source_findings(FreeEdges(counts, 400), least, GEOMETRY)


def test_edges_at_every_phase_are_sound():
    assert judged(source({})) == []


@pytest.mark.parametrize(
    ("up", "down", "text"),
    [
        ((0, 1, 3), (0, 1, 2), "phase 2 is dead: always low"),
        ((0, 1, 2), (0, 1, 3), "phase 2 is dead: always high"),
        ((1, 2, 3), (0, 1, 2), "phase 3 is dead: always high"),
        ((0, 1, 3), (0, 1, 3), "phase 2 is dead: no edge ends there"),
        ((0, 1, 3), ALL_PHASES, "phase 2 is dead: no edge up ends there"),
        (ALL_PHASES, (0, 1, 3), "phase 2 is dead: no edge down ends there"),
    ],
)
def test_a_dead_phase_is_known_by_the_edges_that_it_never_ends(up, down, text):
    found = judged(source({1: (up, down)}))
    assert [(f.subject, f.text) for f in found] == [("ch1", text)]


def test_a_channel_with_too_few_edges_is_named_with_its_counts():
    found = judged(source({})[:400])
    assert subjects(found) == ["ch1", "ch2"] or subjects(found) == ["ch0", "ch1", "ch2"]
    assert "must be at least 300" in found[0].text


def test_a_bin_that_has_nearly_all_edges_is_a_defect():
    wide = (0, *[1] * 40, 2, 3)
    found = judged(source({0: (wide, ALL_PHASES)}))
    assert subjects(found) == ["ch0"]
    assert "phase 1: its bin is 3." in found[0].text


WIRING = {0: (0, 2), 1: (1,)}


def seen(**follows):
    """Return edges by (output, channel): all strikes where a channel follows an output."""
    return {
        (output, channel): 200 * (output in follows.get(f"ch{channel}", ()))
        for output in WIRING
        for channel in (0, 1, 2)
    }


def test_pins_that_follow_their_outputs_are_sound():
    assert jumper_findings(seen(ch0=[0], ch1=[1], ch2=[0]), 200, WIRING) == []


def test_swapped_pins_are_named_with_each_other():
    found = jumper_findings(seen(ch0=[1], ch1=[0], ch2=[0]), 200, WIRING)
    assert [(f.subject, f.text) for f in found] == [
        ("ch0", "follows strike1, but is wired to strike0: ch0 and ch1 are swapped"),
        ("ch1", "follows strike0, but is wired to strike1: ch1 and ch0 are swapped"),
    ]


def test_a_pin_that_follows_nothing_is_stuck_or_open():
    found = jumper_findings(seen(ch0=[0], ch2=[0]), 200, WIRING)
    assert subjects(found) == ["ch1"]
    assert "stuck" in found[0].text


def test_a_short_between_two_pins_is_seen_on_both():
    found = jumper_findings(seen(ch0=[0, 1], ch1=[0, 1], ch2=[0]), 200, WIRING)
    assert subjects(found) == ["ch0", "ch1"]
    assert found[0].text.startswith("follows strike0 and strike1, but is wired to strike0")


def test_a_pin_that_misses_some_strikes_is_named_with_their_number():
    counts = seen(ch0=[0], ch1=[1], ch2=[0]) | {(0, 2): 190}
    (found,) = jumper_findings(counts, 200, WIRING)
    assert (found.subject, found.text) == ("ch2", "its pin sees 190 edges of strike0; must be 200")


def test_without_echoes_counts_alone_are_judged():
    # As of a run whose events were not kept, though none was lost.
    counts = {SOURCE_STRIKE: 8, 0: 8, 1: 6}
    looped = Looped(counts, sum(counts.values()), {})
    found = loopback_findings({0: looped}, Geometry(channels=2, strikes=1))
    assert [finding.subject for finding in found] == ["ch1"]


@pytest.mark.parametrize(
    ("ups", "downs", "sound"), [(300, 300, True), (299, 300, False), (300, 299, False)]
)
def test_a_channel_must_see_enough_edges_of_each_direction(ups, downs, sound):
    counts = {(channel, polarity): np.full((1, 4), 75) for channel in ALL for polarity in (1, 0)}
    for polarity, total in ((1, ups), (0, downs)):
        counts[1, polarity] = np.array([[total - 225, 75, 75, 75]])
    found = source_findings(FreeEdges(counts, 400), 300, GEOMETRY)
    said = f"sees {ups} edges up and {downs} down of the source; must be at least 300 each"
    assert [(one.subject, one.text) for one in found] == ([] if sound else [("ch1", said)])
