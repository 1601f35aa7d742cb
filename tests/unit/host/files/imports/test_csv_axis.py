# SPDX-License-Identifier: Apache-2.0
"""Times of a table: in the unit that it tells, exact as written, or by the rate of its rows."""

from fractions import Fraction

import pytest

from plexor.base.errors import UsageError
from plexor.library.exchange import import_capture, list_capture

from .test_cases import TWO, figures
from .test_csv import SAMPLES, written


def test_rows_without_times_have_a_rate_that_is_given(tmp_path):
    text = "s,r\n" + "".join(f"{s},{r}\n" for _, s, r in SAMPLES)
    path = written(tmp_path / "a.csv", text)
    with pytest.raises(UsageError, match="no column of times and no sample rate; give"):
        list_capture(path)
    run = import_capture(path, channels=["R=r"], strikes="s", timeout="90ns", samplerate="100M")
    assert figures(run.result) == TWO


def test_a_signal_that_rises_once_is_no_column_of_times(tmp_path):
    text = "; Samplerate: 1 MHz\nlogic,logic\n0,0\n0,0\n1,0\n1,0\n1,1\n1,1\n1,1\n1,1\n"
    run = import_capture(
        written(tmp_path / "a.csv", text), channels=["R=logic#2"], strikes="logic"
    ).result
    times = [int(time) * run.tick_fs // 10**9 for time in run.events["time_ticks"]]
    assert times == [2, 4]


def test_changes_that_are_almost_as_far_apart_as_samples_keep_their_jitter(tmp_path):
    """A strike each microsecond, 1 to 3 ns late: rows at changes only are no samples."""
    rows, time = "0.000000000,0\n", 0
    for number in range(1, 40):
        time = 500 * number + number % 3
        rows += f"{time / 1e9:.9f},{number % 2}\n"
    run = import_capture(written(tmp_path / "a.csv", "Time,s\n" + rows), channels=["S=s"]).result
    assert (run.events["time_ticks"] * run.tick_fs // 10**6).tolist() == [
        500 * number + number % 3 for number in range(1, 40)
    ]


def test_samples_whose_times_are_rounded_lie_where_they_were_taken(tmp_path):
    """A sample each 1.25 µs, told to 0.1 µs: 3.8 is 3.75."""
    levels = [0, 0, 0, 1, 1, 0, 0, 0, 0]
    rows = "".join(f"{n * 1.25 + 1e-9:.1f}e-6,{level}\n" for n, level in enumerate(levels))
    assert "3.8e-6,1\n5.0e-6,1\n6.3e-6,0\n" in rows
    run = import_capture(written(tmp_path / "a.csv", "Time,s\n" + rows), channels=["S=s"]).result
    assert [int(time) * run.tick_fs for time in run.events["time_ticks"]] == [
        3_750_000_000,
        6_250_000_000,
    ]


def test_times_are_exact_decimals(tmp_path):
    """A time of 0.1 + 0.2 s is 0.3 s, and 9 digits behind a million seconds stay."""
    rows = "0,0\n1000000.100000001,1\n1000000.300000002,0\n1000000.300000003,1\n"
    run = import_capture(written(tmp_path / "a.csv", "Time,r\n" + rows), channels=["R=r"]).result
    assert [int(time) * run.tick_fs for time in run.events["time_ticks"]] == [
        1000000100000001 * 10**6,
        1000000300000002 * 10**6,
        1000000300000003 * 10**6,
    ]


@pytest.mark.parametrize(
    "times_s",
    [
        # As Python, pandas and others write doubles: as short as they are exact.
        ["0.0", "1e-05", "1.25e-05", "2e-05"],
        ["0.0", "1e-05", "1.25e-05", "1.0"],
        ["0.0", "1.0000000000000001e-05", "1.25e-05", "1000.0"],
        # Of a fixed length, as instruments do.
        ["0.000000e+00", "1.000000e-05", "1.250000e-05", "2.000000e-05"],
    ],
)
def test_times_with_exponents_are_as_exact_as_they_are_written(times_s, tmp_path):
    rows = "".join(f"{time},{level}\n" for time, level in zip(times_s, (0, 1, 0, 1), strict=True))
    run = import_capture(written(tmp_path / "a.csv", "Time,s\n" + rows), channels=["S=s"]).result
    found = [int(time) * run.tick_fs for time in run.events["time_ticks"]]
    assert found == [round(Fraction(time) * 10**15 / 1000) * 1000 for time in times_s[1:]]


def test_times_of_a_fixed_length_are_known_as_well_as_the_largest(tmp_path):
    rows = "1.2345e-06,0\n1.5000e-06,1\n9.9990e-01,0\n1.0000e+00,1\n"
    run = import_capture(written(tmp_path / "a.csv", "Time,s\n" + rows), channels=["S=s"])
    assert run.result.imported.step_fs == 10**11


UNITS = {
    **{"Time [s]": 1, "Timestamp(ms)": 10**-3, "time_us": 10**-6, "t ns": 10**-9},
    **{"Time (µs)": 10**-6, "picoseconds": 10**-12, "Time in ms": 10**-3, "time unit: us": 10**-6},
    **{"TIME": 1, "Zeit [ms]": 10**-3, "timestamp_ns": 10**-9, "Seconds": 1, "micros": 10**-6},
}


@pytest.mark.parametrize("heading", UNITS)
def test_times_are_in_the_unit_that_their_heading_tells(heading, tmp_path):
    path = written(tmp_path / "a.csv", f"{heading},s\n0,0\n20,1\n30,0\n50,1\n")
    listing = list_capture(path).listing
    assert float(listing.to_s) == pytest.approx(50 * UNITS[heading], rel=0.5)
    times = import_capture(path, channels=["R=s"]).result
    found = [int(time) * times.tick_fs / 1e15 for time in times.events["time_ticks"]]
    assert found == pytest.approx([20 * UNITS[heading], 30 * UNITS[heading], 50 * UNITS[heading]])


NO_UNIT = "its times have no unit and are taken for seconds; --timescale says another"


def test_times_without_a_unit_that_may_be_others_are_told_and_can_be_set(tmp_path):
    path = written(tmp_path / "a.csv", "Time,s\n0,0\n20,1\n30,0\n50,1\n")
    assert list_capture(path).listing.notes == (NO_UNIT,)
    listing = list_capture(path, timescale="1us").listing
    assert (listing.notes, listing.to_s) == ((), Fraction(50, 10**6))
    path = written(tmp_path / "b.csv", "Time,s\n0,0\n0.0002,1\n0.0003,0\n")
    assert not list_capture(path).listing.notes


def test_a_column_that_numbers_the_rows_is_no_time(tmp_path):
    text = "".join(f"{n},{n // 3 % 2}\n" for n in range(9))
    path = written(tmp_path / "a.csv", text)
    with pytest.raises(UsageError, match="no column of times and no sample rate"):
        list_capture(path)
    assert list_capture(path, samplerate="1M").listing.to_s == Fraction(9, 10**6)
    assert list_capture(path, timescale="1us").listing.to_s == Fraction(9, 10**6)


def test_numbers_of_samples_are_times_by_their_rate(tmp_path):
    """Rows at changes only, as Saleae's Logic 1 writes sample numbers."""
    path = written(tmp_path / "a.csv", "Sample, Channel 0\n0, 0\n125, 1\n250, 0\n1000, 1\n")
    run = import_capture(path, channels=["R=Channel 0"], samplerate="1M").result
    found = [int(time) * run.tick_fs // 10**9 for time in run.events["time_ticks"]]
    assert found == [125, 250, 1000]


def test_rounded_times_of_changes_are_those_of_their_samples(tmp_path):
    """24 MHz in whole nanoseconds, cut: sample 5 is at 208.3 ns and written as 208."""
    changes = [(0, 0), (5, 1), (9, 0), (1_000_005, 1)]
    text = "; CSV generated by libsigrok 0.6.0\n; Samplerate: 24 MHz\nTime,irq\n"
    text += "".join(f"{n * 1000 // 24},{level}\n" for n, level in changes)
    run = import_capture(written(tmp_path / "a.csv", text), channels=["R=irq"]).result
    ticks = [int(time) for time in run.events["time_ticks"]]
    assert ticks == [5, 9, 1_000_005]
    assert run.tick_fs == round(10**15 / 24e6)


def test_times_with_too_few_digits_are_those_of_the_rows(tmp_path):
    """Samples each 4 ns, whose times an MDO3014 writes to 10 ns."""
    text = "Model,MDO3014\nSample Interval,4e-09\nTIME,CH1\n"
    text += "".join(f"{0.03952796 + n * 4e-9:.6e},{n // 10 % 2 * 3.3:.2f}\n" for n in range(40))
    run = import_capture(written(tmp_path / "a.csv", text), channels=["R=CH1"]).result
    found = [int(time) * run.tick_fs // 10**6 for time in run.events["time_ticks"]]
    assert found == [40, 80, 120]


def test_columns_of_other_times_are_refused(tmp_path):
    text = "TIME,CH1,,TIME,D0\n"
    text += "".join(f"{n}e-9,{n // 3 % 2 * 3.3},,{2 * n}e-9,{n // 2 % 2}\n" for n in range(30))
    with pytest.raises(UsageError, match="its columns 'TIME' have different times; export"):
        list_capture(written(tmp_path / "a.csv", text))


def test_a_time_may_have_its_digits_parted_by_threes(tmp_path):
    """As ScanaStudio writes it, with the unit that fits each time."""
    text = "Times;CH1 irq\n0 ns;0\n999.999 500 us;1\n4.860 53 ms;0\n1 234.5 ms;1\n"
    run = import_capture(written(tmp_path / "a.csv", text), channels=["R=CH1 irq"]).result
    found = [int(time) * run.tick_fs // 10**5 for time in run.events["time_ticks"]]
    assert found == [9_999_995, 48_605_300, 12_345_000_000]
