"""The table of known builds: a detour is bounded as if each way had a corner of its own."""

from plexor.calibration.ways import TABLE, Ways, detours_of, read
from plexor.model.calibration import UNKNOWN_PS, Detour

FOUND = Ways("a", 1, 600, ((1000, 2000), (1500, 3100)), (((3000, 6000), (3500, 6500)),))


def test_a_detour_is_the_loop_less_the_pin_at_opposite_corners_and_two_buffers():
    assert FOUND.detours() == (
        Detour(0, 0, 3000 - 2000 - 600, 6000 - 1000 + 600),
        Detour(0, 1, 3500 - 3100 - 600, 6500 - 1500 + 600),
    )


def test_each_row_of_the_table_is_a_build_and_lies_within_what_is_said_of_unknown_ones():
    rows = read(TABLE)
    assert rows
    for named, row in rows.items():
        # A board's build has bit 63 set, which no simulation's has.
        assert int(named, 16) >> 63 == 1
        assert detours_of(int(named, 16)) == row.detours()
        for detour in row.detours():
            assert UNKNOWN_PS[0] <= detour.least_ps <= detour.greatest_ps <= UNKNOWN_PS[1]


def test_of_a_build_that_is_not_there_nothing_is_known():
    assert detours_of(7) == ()
