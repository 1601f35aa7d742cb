# SPDX-License-Identifier: Apache-2.0
"""The table of known builds: a detour is bounded as if each way had a corner of its own."""

from dataclasses import replace

from plexor.experiments.calibration.ways import TABLE, Detours, Ways, detours_of, read
from plexor.model.calibration import UNKNOWN_PS, Detour

FOUND = Ways("a", 1, 600, ((1000, 2000), (1500, 3100)), (((3000, 6000), (3500, 6500)),))


def test_a_detour_is_the_loop_less_the_pin_at_opposite_corners_and_two_buffers():
    assert FOUND.detours() == (
        Detour(0, 0, 3000 - 2000 - 600, 6000 - 1000 + 600),
        Detour(0, 1, 3500 - 3100 - 600, 6500 - 1500 + 600),
    )


def test_each_row_of_the_table_is_a_build_and_lies_within_what_is_said_of_unknown_boards():
    rows = read(TABLE)
    assert rows
    for named, row in rows.items():
        # A board's build has bit 63 set, which no simulation's has.
        assert int(named, 16) >> 63 == 1
        assert detours_of(int(named, 16), row.board) == Detours(row.detours(), True)
        for detour in row.detours():
            assert UNKNOWN_PS[0] <= detour.least_ps <= detour.greatest_ps <= UNKNOWN_PS[1]


def test_another_build_of_a_known_board_is_within_1_ns_of_all_that_is_known_of_the_board():
    other = replace(FOUND, seed=2, loops=(((2000, 6000), (3500, 7500)),))
    known = {
        f"{1 << 63:016x}": FOUND,
        f"{3 << 62:016x}": replace(FOUND, board="b"),
        "c" * 16: other,
    }
    least_ps, greatest_ps = 3500 - 3100 - 600, 7500 - 1500 + 600
    assert detours_of(5, "a", known) == Detours(
        tuple(Detour(0, n, min(-600, least_ps) - 1000, greatest_ps + 1000) for n in (0, 1)), False
    )


def test_of_a_board_that_is_not_there_nothing_is_known():
    assert detours_of(7, "nowhere") == Detours((), False)
