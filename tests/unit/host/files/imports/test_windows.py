# SPDX-License-Identifier: Apache-2.0
"""Captures of several windows: each is matched by itself, and no time between them is measured.

The forms are those of AMD's logic analyser for FPGAs (github.com/Xilinx/chipscopy, ila_waveform.py:
WaveformWriterCSV and WaveformWriterVCD). A sample is 10 ns.
"""

from fractions import Fraction

import numpy as np
import pytest

from plexor.files.imports.edges import UNKNOWN
from plexor.files.imports.signals import Unknown
from plexor.files.imports.windows import edges_in_windows, steps_of
from plexor.library.exchange import import_capture, list_capture

WINDOWS = (
    ("0001110000", "0000001100"),  # answered 30 ns later
    ("0001110000", "0000000000"),  # not answered in its window
    ("0000000000", "0110000000"),  # what answers, if anything, lies before the window
    ("1111000110", "0000110011"),  # high at the start, answered; then 20 ns later
)
"""Levels of `trig` and of `irq`, sample by sample."""


def csv(path, gap=False):
    text = "Sample in Buffer,Sample in Window,TRIGGER," + "GAP," * gap + "trig,irq,bus[7:0]\n"
    text += "Radix - UNSIGNED,UNSIGNED,UNSIGNED,HEX,HEX,HEX\n"
    for window, (trig, irq) in enumerate(WINDOWS):
        for number, (strike, response) in enumerate(zip(trig, irq, strict=True)):
            text += f"{10 * window + number},{number},{int(number == 3)}," + "0," * gap
            text += f"{strike},{response},{'10' if response == '1' else '0f'}\n"
    path.write_text(text)
    return path, {"samplerate": "100M"}


def vcd(path):
    text = "$timescale\n        1ps\n$end\n$scope module dut $end\n"
    for name, code in (("trig", "$"), ("irq", "%"), ("_TRIGGER", "!"), ("_WINDOW", '"')):
        text += f"$var reg 1 {code} {name} $end\n"
    text += "$upscope $end\n$enddefinitions $end\n"
    last = {}
    for window, levels in enumerate(WINDOWS):
        for number, (strike, response) in enumerate(zip(*levels, strict=True)):
            now = {"!": int(number == 3), '"': window % 2, "$": strike, "%": response}
            changes = [f"{now[code]}{code}\n" for code in now if now[code] != last.get(code)]
            is_last = (window, number) == (len(WINDOWS) - 1, 9)
            text += f"#{10 * window + number}\n" * bool(changes or is_last) + "".join(changes)
            last = now
    path.write_text(text)
    return path, {"timescale": "10ns"}


@pytest.mark.parametrize("form", [csv, vcd])
@pytest.mark.parametrize("unknown", list(Unknown))
def test_each_window_is_matched_by_itself(form, unknown, tmp_path):
    path, options = form(tmp_path / f"a.{form.__name__}")
    options |= {"channels": ["R=irq"], "strikes": "trig", "unknown": unknown}
    run = import_capture(path, timeout="90ns", **options)
    result = run.result
    (channel,) = result.channels
    # Three strikes rise; the one without an answer is open where its window ends.
    assert {key.name: count for key, count in channel.classes.items() if count} == {
        "STRIKES": 3,
        "ANSWERED": 2,
        "SPURIOUS": 2,
    }
    assert (channel.pending, run.valid) == (1, True)
    times = [int(time) * result.tick_fs // 10**6 for time in result.events["time_ticks"]]
    rises = [time for time, high in zip(times, result.events["polarity"], strict=True) if high]
    assert rises == [30, 60, 130, 210, 340, 370, 380]
    latencies = next(m.statistics for m in channel.measurements if m.kind.name == "RISE")
    assert (latencies.count, latencies.min_ticks * result.tick_fs) == (2, 10**7)
    periods = next(m.statistics for m in channel.measurements if m.kind.name == "PERIOD")
    # From one answer to the next, but only within a window: 340 to 380 ns.
    assert (periods.count, periods.max_ticks * result.tick_fs) == (1, 4 * 10**7)
    assert result.imported.step_fs == 10**7
    assert (
        "4 windows: how long it is from one to the next is not known; nothing is matched across, "
        "and what is open at the end of one is pending"
    ) in result.imported.left_out


@pytest.mark.parametrize("form", [csv, vcd])
def test_the_listing_says_the_windows_and_counts_no_edge_between_them(form, tmp_path):
    path, options = form(tmp_path / f"a.{form.__name__}")
    listing = list_capture(path, **options).listing
    found = {signal.name.rpartition(".")[2]: signal for signal in listing.signals}
    assert (found["trig"].rises, found["trig"].falls) == (3, 4)
    assert (found["irq"].rises, found["irq"].falls) == (4, 3)
    assert found["irq"].period_s == Fraction(4, 10**8)
    assert found["trig"].period_s is None
    assert listing.notes[0].startswith("4 windows: ")
    assert (listing.from_s, listing.to_s, listing.step_s) == (
        0,
        Fraction(4, 10**7),
        Fraction(1, 10**8),
    )
    # The marks of the analyser are signals of their own, and no strike.
    assert listing.strike.endswith("trig")
    assert [name.rpartition(".")[2] for name in listing.responses] == ["irq"]
    if form is vcd:
        assert found["_WINDOW"].use == "nothing: it never changes"


def test_the_default_time_out_is_that_within_windows(tmp_path):
    """Strikes 20 and 30 ns apart, and 100 ns from window to window."""
    text = "Sample in Buffer,Sample in Window,TRIGGER,s,r\n"
    for window in range(5):
        for number, strike in enumerate("0100100000"):
            text += f"{10 * window + number},{number},0,{strike},0\n"
    path = tmp_path / "a.csv"
    path.write_text(text)
    run = import_capture(path, channels=["R=r"], strikes="s", samplerate="100M").result
    assert run.settings.timeout_s == Fraction(3, 10**8)


def test_a_gap_column_leaves_the_bases_where_they_are(tmp_path):
    """The row of bases has none for GAP: `10` of the last column is 16, not ten."""
    path, options = csv(tmp_path / "a.csv", gap=True)
    run = import_capture(path, channels=["R=bus[4]", "S=bus[0]"], **options).result
    rises = [row["time_ticks"] for row in run.events if row["source"] == 0 and row["polarity"]]
    assert [int(time) * run.tick_fs // 10**6 for time in rises] == [60, 210, 340, 380]


def test_words_of_x_are_not_known(tmp_path):
    """So samples of a gap are written, whatever the base; of a number one digit may be x."""
    text = "Sample in Buffer,Sample in Window,TRIGGER,GAP,irq,bus[7:0]\n"
    text += "Radix - UNSIGNED,UNSIGNED,UNSIGNED,HEX,HEX\n"
    rows = ("0,00", "1,11", "X,XX", "0,X0", "0,10", "1,01")
    text += "".join(f"{n},{n},0,{int('XX' in row)},{row}\n" for n, row in enumerate(rows))
    path = tmp_path / "a.csv"
    path.write_text(text)
    run = import_capture(path, channels=["A=irq", "B=bus[4]"], samplerate="100M").result
    # bus[4] is not known in samples 2 and 3, and no event is taken from there.
    assert [(e["time_ticks"], e["source"], e["polarity"]) for e in run.events] == [
        (1, 0, 1),
        (1, 1, 1),
        (5, 0, 1),
        (5, 1, 0),
    ]
    low = import_capture(path, channels=["C=bus[0]"], samplerate="100M").result
    assert [(e["time_ticks"], e["polarity"]) for e in low.events] == [(1, 1), (5, 1)]


def test_a_level_goes_on_in_a_window_that_does_not_tell_it_again():
    found = edges_in_windows(np.array([0, 3, 12]), np.array([0, 1, 0], np.uint8), [10, 20])
    assert list(zip(found.times, found.levels, strict=True)) == [(3, 1), (12, 0)]
    late = edges_in_windows(np.array([15, 17]), np.array([0, 1], np.uint8), [10])
    assert list(zip(late.times, late.levels, strict=True)) == [(17, 1)]


def test_what_is_not_known_at_the_end_of_a_window_is_known_in_the_next():
    levels = np.array([0, UNKNOWN, 0, UNKNOWN], np.uint8)
    found = edges_in_windows(np.array([0, 5, 10, 15]), levels, [10])
    assert found.gaps == ((5, 10), (15, None))


def test_steps_across_a_gap_are_none():
    times = np.array([1, 4, 11, 13, 30])
    assert steps_of(times, ((5, 10), (31, 40))).tolist() == [3, 2, 17]
    assert steps_of(times, ((0, 1),)).tolist() == [3, 7, 2, 17]
