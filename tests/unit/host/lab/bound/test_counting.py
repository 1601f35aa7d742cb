# SPDX-License-Identifier: Apache-2.0
"""Rows from calls: fixed parts and steps of N, blocking or not, and never below a count."""

import pytest

from plexor.base.errors import UsageError
from plexor_lab.bound.counting import traced
from plexor_lab.bound.files.bus_log import calls, read_log
from plexor_lab.bound.files.image import read_image
from plexor_lab.bound.model import AccessKind

from .buses import HEAP, SUSPENDED, TEXT, TRAP, call, ran, read, walk, written, wrote


def of(tmp_path, records, interrupts=0):
    log = written(tmp_path, records)
    return traced(calls(read_log(log), 0), read_image(tmp_path / "bus.elf"), "walk", interrupts)


def numbers(found):
    """Return the counts of each section, without those of the marker's own store."""
    return {
        (section.name, str(section.repetition), section.blocking): {
            (count.region, count.access): count.number for count in section.counts
        }
        for section in found.model.sections
    }


def test_what_n_adds_is_a_section_that_runs_n_times(tmp_path):
    found = of(tmp_path, [record for n in (1, 2, 5) for record in call(n, walk(n))])
    assert numbers(found) == {
        ("once", "1", False): {
            ("branch", AccessKind.ANY): 1,
            ("bss32", AccessKind.WRITE): 1,
            ("registers32", AccessKind.WRITE): 1,
            ("text", AccessKind.READ): 1,
            ("text", AccessKind.BURST_READ): 1,
        },
        ("once-blocking", "1", True): {
            ("branch", AccessKind.ANY): 1,
            ("bss32", AccessKind.WRITE): 1,
            ("text", AccessKind.READ): 1,
        },
        ("each-blocking", "N", True): {
            ("branch", AccessKind.ANY): 1,
            ("heap32", AccessKind.READ): 1,
            ("text", AccessKind.READ): 1,
        },
    }
    assert (found.calls, found.interrupted, found.ns, found.excess) == (3, 0, (1, 2, 5), 0)
    assert found.region_map.regions == {
        "bss32": "bss",
        "heap32": "heap",
        "registers32": "registers",
    }


def test_widths_and_bursts_are_counted_apart(tmp_path):
    own = [read(HEAP, 1), read(HEAP, 2), read(HEAP), read(HEAP + 4, flags=1), wrote(HEAP, size=2)]
    (section, *_) = of(tmp_path, call(None, own)).model.sections
    counts = {(count.region, count.access): count.number for count in section.counts}
    assert counts.pop(("registers32", AccessKind.WRITE)) == 1
    assert counts == {
        ("heap8", AccessKind.READ): 1,
        ("heap16", AccessKind.READ): 1,
        ("heap32", AccessKind.READ): 1,
        ("heap32", AccessKind.BURST_READ): 1,
        ("heap16", AccessKind.WRITE): 1,
    }


def test_counts_that_are_on_no_line_are_below_the_models_and_the_excess_is_told(tmp_path):
    calls_of = {0: 0, 1: 4, 2: 6, 3: 8}
    found = of(
        tmp_path, [r for n, reads in calls_of.items() for r in call(n, [read(HEAP)] * reads)]
    )
    heap = {
        section.repetition.of_n: count.number
        for section in found.model.sections
        for count in section.counts
        if count.region == "heap32"
    }
    assert heap == {False: 2, True: 2}
    assert found.excess == 2  # at N = 0


def test_an_interrupt_is_left_out_or_a_section_of_its_own(tmp_path):
    handler = [*ran(TRAP, TRAP + 4, masked=True), read(HEAP, flags=4)]
    records = [*call(1, walk(1)), *call(2, walk(2)), *call(2, [*handler, *walk(2)])]
    assert [s.name for s in of(tmp_path, records).model.sections][-1] == "each-blocking"
    found = of(tmp_path, records, interrupts=2)
    assert found.interrupted == 1
    assert numbers(found)["interrupt", "2", True] == {
        ("branch", AccessKind.ANY): 1,
        ("heap32", AccessKind.READ): 1,
        ("text", AccessKind.READ): 1,
        ("text", AccessKind.BURST_READ): 1,
    }


@pytest.mark.parametrize(
    ("records", "interrupts", "text"),
    [
        ([read(HEAP)], 0, "the log has no call; must have one: is it the right pin"),
        (call(1, ran(TRAP)), 0, "1 call, each with an interrupt in it"),
        (call(1, walk(1)), 1, "no interrupt came into any of 1 call"),
        ([*call(None, walk(1)), *call(2, walk(2))], 0, "some calls in the log have an N"),
        (call(1, [read(TEXT + 0x800)]), 0, "0x40001800: an access to no section"),
    ],
)
def test_a_log_that_cannot_be_counted_is_refused(tmp_path, records, interrupts, text):
    with pytest.raises(UsageError, match=text):
        of(tmp_path, records, interrupts)


def test_a_suspended_scheduler_blocks_until_it_is_resumed(tmp_path):
    own = [read(HEAP), wrote(SUSPENDED, 2), read(HEAP), wrote(SUSPENDED, 0), read(HEAP)]
    found = numbers(of(tmp_path, call(None, own)))
    assert found["once", "1", False]["heap32", AccessKind.READ] == 2
    assert found["once-blocking", "1", True]["heap32", AccessKind.READ] == 1


@pytest.mark.parametrize("place", [HEAP, HEAP + 0xFF])
def test_the_first_and_the_last_byte_of_a_section_are_in_it(tmp_path, place):
    (section, *_) = of(tmp_path, call(None, [read(place, 1)])).model.sections
    counts = {(count.region, count.access): count.number for count in section.counts}
    assert counts["heap8", AccessKind.READ] == 1


def test_the_byte_behind_a_section_is_in_none(tmp_path):
    with pytest.raises(UsageError, match="0x40003100: an access to no section"):
        of(tmp_path, call(None, [read(HEAP + 0x100, 1)]))


def test_calls_behind_one_with_an_interrupt_are_counted(tmp_path):
    handler = [*ran(TRAP, TRAP + 4, masked=True), read(HEAP, flags=4)]
    records = [*call(1, [*handler, *walk(1)]), *call(1, walk(1)), *call(5, walk(5))]
    found = of(tmp_path, records)
    assert (found.calls, found.interrupted, found.ns) == (3, 1, (1, 5))
