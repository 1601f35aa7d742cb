# SPDX-License-Identifier: Apache-2.0
"""What a stalled host loses: the model against a stand-in that handles each byte."""

import pytest
from tools.stalled_reader import lost_by_a_process, stream
from tools.stalls import FRAME_BYTES, FT231X, FT2232H, PAGE, Link, links, page, stalls


def cut(link, begins_s, lasts_s, part):
    """Return the frames that lose a byte, by handling each byte in turn."""
    rate = link.bytes_s * part
    kept, lost = 0, set()
    for place in range(int((begins_s + lasts_s) * rate) + 1):
        time_s = place / rate
        if not begins_s <= time_s < begins_s + lasts_s:
            continue
        kept += 1
        if kept > link.bridge.kept_bytes:
            lost.add(place // FRAME_BYTES)
    return sorted(lost)


@pytest.mark.parametrize("part", [1.0, 0.3])
@pytest.mark.parametrize("lasts_s", [0.02, 0.05, 0.1234])
@pytest.mark.parametrize("begins_s", [0.0, 0.0456])
@pytest.mark.parametrize("bridge", [FT231X, FT2232H])
def test_a_stall_cuts_the_frames_whose_bytes_find_no_room(bridge, begins_s, lasts_s, part):
    link = Link(bridge, 300_000)
    found = list(link.lost_frames(begins_s, lasts_s, part))
    expected = cut(link, begins_s, lasts_s, part)
    # A border that falls between two bytes may be in either's frame.
    assert len(set(found) ^ set(expected)) <= 1
    assert bool(found) == (lasts_s > link.harmless_s(part))


def test_a_full_frame_is_as_long_as_the_protocol_makes_it():
    frames = stream(100_000).split(b"\0")[:-1]
    assert {abs(len(frame) + 1 - FRAME_BYTES) for frame in frames} <= {0, 1, 2, 3, 4}


def test_a_review_with_the_sheets_found_the_same():
    """7.7 ms at 12 Mbaud; in 200 ms 34 kB at an FT231X's 2 Mbaud, 230 kB at an unheld HX8K."""
    hx8k = Link(FT2232H, links()["hx8k-evn"].bytes_s)
    assert round(hx8k.harmless_s(1.0) * 1000, 1) == 7.7
    for link, lost_kb in ((Link(FT231X, 200_000), 34), (hx8k, 230)):
        assert int((0.2 - link.harmless_s(1.0)) * link.bytes_s / 1000) == lost_kb


def test_a_link_whose_bridge_holds_the_gateware_loses_nothing():
    found = links()["hx8k-evn"]
    assert found.lost_events(10.0, 1.0) == 0
    assert found.lost_part(stalls(), 1.0) == 0


def test_stalls_are_as_long_as_the_page_says():
    lasts_s = sorted(lasts_s for _, lasts_s in stalls())
    assert lasts_s[len(lasts_s) // 2] == pytest.approx(0.001, rel=0.1)
    assert 3 <= sum(each > 0.1 for each in lasts_s) <= 20


def test_the_page_is_that_of_the_model():
    assert PAGE.read_text() == page(), "make stalls"


def test_a_process_reads_all_that_was_not_lost():
    lost = lost_by_a_process(0.2, 100_000.0, 1 << 20)
    assert lost.lost_bytes == 0
    assert lost.decoded_events == stream(20_000).count(b"\0") * 250
