# SPDX-License-Identifier: Apache-2.0
"""Columns as signals: levels, words of several bits, and volts with a hysteresis."""

import pytest

from plexor.base.errors import UsageError
from plexor.library.exchange import import_capture, list_capture

from .test_csv import written

VOLTS = [0.0, 0.9, 1.4, 1.6, 1.4, 1.6, 2.4, 3.0, 1.6, 1.4, 0.6, 0.0]


@pytest.mark.parametrize(
    ("threshold", "edges"),
    [
        ("1.5", [(3, 1), (4, 0), (5, 1), (9, 0)]),
        ("1:2", [(6, 1), (10, 0)]),
        # From 0 to 3 V: low below 1.2 V, high from 1.8 V on.
        (None, [(6, 1), (10, 0)]),
    ],
)
def test_volts_are_levels_with_a_hysteresis(threshold, edges, tmp_path):
    rows = "".join(f"{n}e-6,{volts}\n" for n, volts in enumerate(VOLTS))
    path = written(tmp_path / "a.csv", "Time,CH1\n" + rows)
    run = import_capture(path, channels=["R=CH1"], threshold=threshold).result
    found = run.events[["time_ticks", "polarity"]].tolist()
    assert [(time * run.tick_fs // 10**9, polarity) for time, polarity in found] == edges
    high = {"1.5": "1.5", "1:2": "2", None: "1.8"}[threshold]
    assert f"CH1: from 0 to 3 V; high from {high} V on" in run.imported.left_out[0]


def test_a_column_of_text_is_no_signal(tmp_path):
    path = written(tmp_path / "a.csv", "Time,s,bus\n0,0,IDLE\n1,1,BUSY\n2,0,IDLE\n3,1,IDLE\n")
    with pytest.raises(UsageError, match="bus is a column of text, which has no levels"):
        import_capture(path, channels=["R=bus"])


ILA = "Sample in Buffer,Sample in Window,TRIGGER,irq,u0/bus[3:0]\n"
ILA += "Radix - UNSIGNED,UNSIGNED,UNSIGNED,HEX,{}\n"


def edges_of_bit(path, signal, **options):
    run = import_capture(path, channels=[f"R={signal}"], **options).result
    return [
        (int(time) * run.tick_fs // 10**6, int(polarity))
        for time, polarity in run.events[["time_ticks", "polarity"]].tolist()
    ]


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("HEX", ["2", "a", "B", "0f", "3", "c"]),
        ("UNSIGNED", ["2", "10", "11", "15", "3", "12"]),
        ("SIGNED", ["2", "-6", "-5", "-1", "3", "-4"]),
        ("BINARY", ["0010", "1010", "1011", "1111", "0011", "1100"]),
        ("OCTAL", ["2", "12", "13", "17", "3", "14"]),
    ],
)
def test_the_bits_of_a_vector_are_those_of_its_base(base, words, tmp_path):
    """2, 10, 11, 15, 3, 12, a sample each 10 ns, as the logic analyser in an FPGA writes them."""
    rows = "".join(f"{n},{n},0,{n % 2},{word}\n" for n, word in enumerate(words))
    path = written(tmp_path / "a.csv", ILA.format(base) + rows)
    expected = {0: [(20, 1), (50, 0)], 1: [(50, 0)], 2: [(30, 1), (40, 0), (50, 1)]}
    expected[3] = [(10, 1), (40, 0), (50, 1)]
    for bit, edges in expected.items():
        assert edges_of_bit(path, f"bus[{bit}]", samplerate="100M") == edges
    with pytest.raises(UsageError, match=r"bus\[3:0\] has 4 bits; name one of them, such as"):
        import_capture(path, channels=["R=u0/bus"], samplerate="100M")


def test_a_word_with_a_mark_of_its_base_has_bits(tmp_path):
    rows = "".join(f"{n}e-6,0x{word}\n" for n, word in enumerate(("00", "81", "80", "1")))
    path = written(tmp_path / "a.csv", "Time,port\n" + rows)
    assert edges_of_bit(path, "port[0]") == [(1000, 1), (2000, 0), (3000, 1)]
    assert edges_of_bit(path, "port[7]") == [(1000, 1), (3000, 0)]


@pytest.mark.parametrize(("order", "first"), [("D0-D2", "100"), ("D2-D0", "001")])
def test_characters_of_channels_stand_in_the_order_of_their_name(order, first, tmp_path):
    """D0 alone rises at 1 µs; the channel that is not known is a gap."""
    texts = ["000", first, first.replace("00", "0X") if first[0] == "1" else "X01"]
    rows = "".join(f"{n}e-6,{text}\n" for n, text in enumerate(texts))
    path = written(tmp_path / "a.csv", f"Time,{order}\n" + rows)
    assert edges_of_bit(path, "D0") == [(1000, 1)]
    listed = {signal.name: signal.rises for signal in list_capture(path).listing.signals}
    assert listed == {"D0": 1, "D1": 0, "D2": 0}
    run = import_capture(path, channels=["R=D2"]).result
    assert any("D2" in line for line in run.imported.left_out)


def test_channels_as_a_number_are_counted_from_the_lowest_one(tmp_path):
    rows = "".join(f"{n}e-6,{word}\n" for n, word in enumerate((0, 1, 128, 129)))
    for order in ("D15-D8", "D8-D15"):
        path = written(tmp_path / "a.csv", f"Time,{order}\n" + rows)
        assert edges_of_bit(path, "D8") == [(1000, 1), (2000, 0), (3000, 1)]
        assert edges_of_bit(path, "D15") == [(2000, 1)]


@pytest.mark.parametrize("words", [("True", "False"), ("HIGH", "LOW"), ("on", "off")])
def test_words_are_levels(words, tmp_path):
    high, low = words
    path = written(tmp_path / "a.csv", f"Time,s\n0,{low}\n1e-6,{high}\n2e-6,{low}\n")
    assert edges_of_bit(path, "s") == [(1000, 1), (2000, 0)]


@pytest.mark.parametrize(
    ("heading", "threshold", "told"),
    [
        ("Time,A\n(us),(mV)\n\n", "1.5", "A: from 0 to 3 V; high from 1.5 V on, low below 1.5 V"),
        ("Time(us),A (Unit: kV)\n", None, "A (Unit: kV): from 0 to 3e+06 V; high from 1.8e+06 V"),
        ("Time(us),Current(uA)\n", None, "Current(uA): from 0 to 3000 uA; high from 1800 uA on"),
    ],
)
def test_volts_are_told_in_volts(heading, threshold, told, tmp_path):
    path = written(tmp_path / "a.csv", heading + "0,0\n1,3000\n2,0\n3,0\n")
    name = told.partition(":")[0] if "kV" not in told else "A (Unit: kV):"
    run = import_capture(path, channels=[f"R={name}"], threshold=threshold).result
    assert run.imported.left_out[0].startswith(told)
    assert [int(time) * run.tick_fs // 10**6 for time in run.events["time_ticks"]] == [1000, 2000]


@pytest.mark.parametrize("empty", ["", "NaN", "n/a"])
def test_a_row_without_a_value_is_not_known(empty, tmp_path):
    """An oscilloscope may end its file with a time alone."""
    rows = [0.0, 3.3, empty, 3.3, 0.1, 3.2, empty]
    text = "x-axis,1\nsecond,Volt\n" + "".join(f"{n}e-6,{volts}\n" for n, volts in enumerate(rows))
    path = written(tmp_path / "a.csv", text)
    assert edges_of_bit(path, "1") == [(1000, 1), (4000, 0), (5000, 1)]
    (line, unknown) = import_capture(path, channels=["R=1"]).result.imported.left_out
    assert line.startswith("1: from 0 to 3.3 V")
    assert unknown.startswith("1: its level is not known 2 times, first at 2 µs")
    held = import_capture(path, channels=["R=1"], unknown="hold").result
    assert held.imported.gaps_ticks == ()


def test_levels_and_words_may_be_missing_too(tmp_path):
    rows = "".join(
        f"{n}e-6,{level},{word}\n"
        for n, (level, word) in enumerate(
            [("0", "0x0"), ("1", "0x3"), ("", ""), ("0", "0x1"), ("1", "0x2")]
        )
    )
    path = written(tmp_path / "a.csv", "Time,s,bus[1:0]\n" + rows)
    assert edges_of_bit(path, "s") == [(1000, 1), (4000, 1)]
    assert edges_of_bit(path, "bus[1]") == [(1000, 1), (4000, 1)]
