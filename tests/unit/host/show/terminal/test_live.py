# SPDX-License-Identifier: Apache-2.0
"""The view of a run under way: what it says, and that it fits."""

import re
from dataclasses import replace

import pytest

from plexor.model.results import SnapshotResult
from plexor.show.terminal.live import _label, live_text

from ..runs_to_draw import KINDS

TICK_FS = 1_000_000


def view(run, width=86, heading=" 50%  4 strikes", start_ticks=0, on_chip=True, colour=False):
    snapshot = SnapshotResult(1, 7, run.channels, on_chip)
    return live_text(snapshot, heading, TICK_FS, start_ticks, width=width, colour=colour)


def test_the_view_reads_as_written_here(run_of):
    run = run_of([[2000] * 8 + [3000, None]])
    lines = view(run).splitlines()
    assert lines[0] == " 50%  4 strikes"
    # Eight latencies fill their column, one is the lowest bar.
    name, eight, *one = lines[1].split()
    assert (name, set(eight), set("".join(one))) == ("ISR", {"█"}, {"▁"})
    assert abs(lines[1].index("█") - lines[2].index("█")) <= 1
    assert re.fullmatch(r" +µs 0 .* 3", lines[3])
    p50, p99 = (float(n) for n in re.findall(r"p\d+ ([\d.]+) µs", lines[4]))
    # In bins of 1/64 of their value or finer.
    assert p50 == pytest.approx(2, rel=1 / 64)
    assert p99 == 3
    assert "max seen 3 µs at " in lines[4]
    assert "answered 9  missed 1" in lines[4]


def test_a_rare_edge_is_seen_beside_many(run_of):
    lines = view(run_of([[1000] * 5000 + [9000]])).splitlines()
    for line in lines[1:3]:
        marks = [(m.start(), m.group()) for m in re.finditer("[^ ]", line[8:])]
        last = (8 + marks[-1][0]) / len(lines[3])
        assert last > 0.9, line


def test_channels_share_an_axis(run_of):
    lines = view(run_of([[1000] * 9, [8000] * 9])).splitlines()
    first, second = lines[1][8:].index("█"), lines[3][8:].index("█")
    assert second / first == pytest.approx(8, rel=0.2)


def test_without_a_response_there_is_no_picture(run_of):
    text = view(run_of([[None, None]]))
    assert "no response yet" in text
    assert "missed 2" in text
    assert "µs" not in text


def test_the_time_of_the_maximum_is_left_out_where_the_chip_keeps_none(run_of):
    assert " at " not in view(run_of([[2000]]), start_ticks=None)


def test_what_the_host_computes_says_so(run_of):
    assert "computed on the host" in view(run_of([[2000]]), on_chip=False)
    assert "computed" not in view(run_of([[2000]]))


def test_strikes_whose_class_is_not_known_are_counted_where_there_are_some(run_of):
    run = run_of([[2000, None]])
    assert "unknown" not in view(run)
    (channel,) = run.channels
    lossy = replace(run, channels=(replace(channel, unknown_strikes=1200),))
    assert "missed 1  unknown 1,200" in view(lossy)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [40, 57, 80, 200])
def test_the_view_is_never_wider_than_the_terminal(runs, kind, width):
    for line in view(runs[kind], width, "12%  3,000 of 12,345,678 strikes  20 kHz").splitlines():
        assert len(line) <= width


def test_colour_is_left_out_unless_it_is_wanted(run_of):
    run = run_of([[2000, None]])
    assert "\x1b" not in view(run)
    plain = re.sub(r"\x1b\[[0-9]+m", "", view(run, colour=True))
    assert plain == view(run)


def test_a_label_fills_the_margin_but_for_a_column_and_is_cut_to_it():
    labels = {"ISR": "    ISR", "channel": "channel", "channels": "channe…"}
    assert {name: _label(name) for name in labels} == labels
