# SPDX-License-Identifier: Apache-2.0
"""What other programs write into a VCD: each has the figures of the same dump in its plainest form.

The plain dump has strikes at 100 and 200 ns, and responses 50 and 60 ns later.
"""

import gzip
import re
from itertools import pairwise

import pytest

from plexor.base.errors import UsageError
from plexor.figures.analyse.rules import rules_of
from plexor.library.exchange import import_capture
from plexor.model.results import Kind
from plexor.protocol.memory import ResponseClass
from plexor.wire.decode.rematch import rematch

from .captures import read

HEAD = """$date today $end
$timescale 1 ns $end
$scope module t $end
$var wire 1 ! s $end
$var wire 1 " r $end
$upscope $end
$enddefinitions $end
"""
INITIAL = '#0\n$dumpvars\n0!\n0"\n$end\n'
BODY = '#100\n1!\n#150\n1"\n#160\n0!\n#170\n0"\n#200\n1!\n#260\n1"\n#270\n0!\n0"\n#300\n'
PLAIN = HEAD + INITIAL + BODY
OTHER = PLAIN.replace("$upscope", "$var wire 1 % q $end\n$upscope")


def imported(path, text, channel="R=r", strike="s", **options):
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(data)
    return import_capture(
        path, channels=[channel], strikes=strike, **{"timeout": "90ns"} | options
    ).result


def figures(run):
    """Return latencies in picoseconds, and strikes and responses by class."""
    (channel,) = run.channels
    rise = rematch(run.events, rules_of(run, channel), run.end_ticks).samples[Kind.RISE]
    latencies = [int(ticks) * run.tick_fs // 1000 for ticks in rise.value_ticks]
    counts = {kind.name: count for kind, count in channel.classes.items() if count}
    return latencies, counts | ({"PENDING": channel.pending} if channel.pending else {})


TWO = ([50_000, 60_000], {"STRIKES": 2, "ANSWERED": 2})


def scope(kind, name="t"):
    return PLAIN.replace("module t", f"{kind} {name}".rstrip())


SAME = {
    "a mark at the start": "\ufeff" + PLAIN,
    "a date in Latin-1": PLAIN.replace("today", "3. M\xe4rz").encode("latin-1"),
    "a comment in UTF-8": "$comment Grüße $end\n" + PLAIN,
    "a scope in UTF-8": scope("module", "tür"),
    "a kind of variable of SystemVerilog": PLAIN.replace("var wire 1 !", "var bit 1 !"),
    "a kind of net of 2005": PLAIN.replace("var wire 1 !", "var uwire 1 !"),
    "a scope of an interface": scope("interface"),
    "a scope of GHDL": scope("vhdl_architecture"),
    "a scope of generate": scope("generate"),
    "a scope that nobody knows": scope("unknown"),
    "a scope without a name": scope("module", ""),
    "an array of generated blocks": scope("module", "genblk1[0]"),
    "attributes of GTKWave": PLAIN.replace("$var", "$attrbegin misc 02 x 1 $end\n$var", 1),
    "U of a signal that nobody asked for": OTHER.replace("#0\n", "#0\nU%\n"),
    "- of a signal that nobody asked for": OTHER.replace("#0\n", "#0\n-%\n"),
    "x of a signal that nobody asked for": OTHER.replace("#170\n", "#170\nx%\n"),
    "no $end of $dumpvars": PLAIN.replace("$end\n#100", "#100"),
    # As Treadle writes it: levels before any time, and no $end.
    "$dumpvars before any time": PLAIN.replace("#0\n$dumpvars", "$dumpvars").replace(
        "$end\n#100", "#100"
    ),
    # As old programs write it.
    "no $enddefinitions": PLAIN.replace("$enddefinitions $end\n#0\n", ""),
    "a blank between a level and its code": PLAIN.replace("1!", "1 !").replace('0"', '0 "'),
    "the base of Python before bits": PLAIN.replace("1!", "b0b1 !").replace('1"', 'b0b01 "'),
    "times with decimals": re.sub(r"#(\d+)", lambda at: f"#{int(at[1]) / 1000}", PLAIN).replace(
        "1 ns", "1 us"
    ),
    "decimals that are zeros": re.sub(r"#(\d+)", r"#\1.0", PLAIN),
    "a checkpoint between": PLAIN.replace("#200", '$dumpall\n0!\n0"\n$end\n#200'),
    "a sample rate in a comment": "$comment at 1 MHz $end\n" + PLAIN,
    "a section that nobody knows": PLAIN.replace("$upscope", "$mine 1 2 $end\n$upscope"),
    "the name of another scope's signal": PLAIN.replace(
        "$upscope", '$upscope $end\n$scope module u $end\n$var wire 1 " r $end\n$upscope', 1
    ),
}
NAMED = {
    "a name with colons": (PLAIN.replace('" r ', '" a::r '), "R=a::r"),
    "a name with a dollar": (PLAIN.replace('" r ', '" $r '), "R=$r"),
    "a name in UTF-8": (PLAIN.replace('" r ', '" réponse '), "R=réponse"),
    "a bit of a vector that stands alone": (PLAIN.replace('" r ', '" r [3] '), "R=r[3]"),
    "a bit of a vector": (
        PLAIN.replace('wire 1 " r ', 'wire 8 " r [7:0] ')
        .replace('1"', 'b1 "')
        .replace('0"', 'b0 "'),
        "R=r[0]",
    ),
    "the upper bit of a vector": (
        PLAIN.replace('wire 1 " r ', 'wire 2 " r [0:1] ')
        .replace('1"', 'b10 "')
        .replace('0"', 'b00 "'),
        "R=r[0]",
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_what_programs_add_changes_no_figure(name, tmp_path):
    channel = "R=t.r" if "another scope" in name else "R=r"
    run = imported(tmp_path / "a.vcd", SAME[name], channel)
    assert figures(run) == TWO
    assert (run.valid, run.imported.left_out) == (True, ())


@pytest.mark.parametrize("name", NAMED)
def test_a_signal_has_its_name_however_it_is_written(name, tmp_path):
    text, channel = NAMED[name]
    assert figures(imported(tmp_path / "a.vcd", text, channel)) == TWO


@pytest.mark.parametrize("suffix", [".VCD", ".vcd.gz", ".Vcd.GZ"])
def test_a_suffix_is_known_in_any_case_and_what_gzip_packed_is_unpacked(suffix, tmp_path):
    text = gzip.compress(PLAIN.encode()) if suffix.lower().endswith(".gz") else PLAIN
    assert figures(imported(tmp_path / f"a{suffix}", text)) == TWO


@pytest.mark.parametrize("level", ["x", "z", "U", "w", "-"])
def test_a_response_that_is_not_known_for_a_while_is_a_gap(level, tmp_path):
    text = PLAIN.replace('#170\n0"', f'#170\n{level}"\n#175\n0"')
    run = imported(tmp_path / "a.vcd", text)
    assert figures(run) == TWO
    (line,) = run.imported.left_out
    assert line.startswith("t.r: its level is not known once, first at 170 ns; nothing is matched")
    assert (run.valid, run.imported.gaps_ticks) == (True, ((34, 35),))  # of 5 ns


def test_a_strike_in_a_gap_is_not_missed(tmp_path):
    """The second strike is open where the gap begins; a third one lies in it."""
    text = PLAIN.replace('#260\n1"', '#210\n0!\n#230\nx"\n#240\n1!\n#250\n0!\n#260\n0"')
    latencies, counts = figures(imported(tmp_path / "a.vcd", text))
    assert (latencies, counts) == ([50_000], {"STRIKES": 2, "ANSWERED": 1, "PENDING": 1})
    held = figures(imported(tmp_path / "b.vcd", text, unknown="hold", timeout="20ns"))
    assert held[1]["MISSED"] == 3


def test_what_is_not_dumped_for_a_while_is_a_gap(tmp_path):
    off = '#180\n$dumpoff\nx!\nx"\n$end\n#190\n$dumpon\n0!\n0"\n$end\n'
    run = imported(tmp_path / "a.vcd", PLAIN.replace("#200", off + "#200"))
    assert figures(run) == TWO
    assert len(run.imported.left_out) == 2


def test_a_first_level_of_ieee_1164(tmp_path):
    unknown = imported(tmp_path / "a.vcd", PLAIN.replace('$dumpvars\n0!\n0"', '$dumpvars\n0!\nu"'))
    assert figures(unknown) == ([60_000], {"STRIKES": 1, "ANSWERED": 1})
    assert "t.r: its level is not known once, first at 0 s" in unknown.imported.left_out[0]
    high = imported(tmp_path / "b.vcd", PLAIN.replace('$dumpvars\n0!\n0"', '$dumpvars\n0!\nH"'))
    assert figures(high) == ([60_000], {"STRIKES": 2, "ANSWERED": 1, "MISSED": 1})


@pytest.mark.parametrize("end", ['#260\n1"', "#26", "#260\n1", "#260\nb1 "])
def test_a_file_that_is_cut_is_read_to_its_end_and_called_incomplete(end, tmp_path):
    whole = PLAIN.partition("#260\n")[0]
    run = imported(tmp_path / "a.vcd", whole + end)
    if end.endswith('1"'):
        assert figures(run) == TWO
        assert run.imported.left_out == ()
    else:
        assert figures(run)[0] == [50_000]
        assert run.imported.left_out == (
            "the file ends within a line: it is incomplete, and what is whole is read",
        )


def test_a_level_before_the_first_value_is_not_known_and_said(tmp_path):
    text = HEAD + BODY
    run = imported(tmp_path / "a.vcd", text)
    assert figures(run) == ([60_000], {"STRIKES": 1, "ANSWERED": 1})
    assert run.imported.left_out == (
        "s: its level before 0 s is not known; left out an edge there",
        "r: its level before 50 ns is not known; left out an edge there",
    )


def test_a_change_that_lasts_no_time_is_counted(tmp_path):
    run = imported(tmp_path / "a.vcd", PLAIN.replace("#150", '#120\n1"\n0"\n#150'))
    assert figures(run) == TWO
    assert run.imported.left_out == ("r: left out a change that lasted no time",)


def test_femtoseconds_are_rounded_to_a_step_that_is_said(tmp_path):
    """Clocks of 48 and 60 MHz to a femtosecond: no tick divides them all."""
    changes = {(20_833_333 * n + 7, n % 2, "!") for n in range(1, 40)}
    changes |= {(16_666_666 * n + 11, n % 2, '"') for n in range(1, 50)}
    text = HEAD.replace("1 ns", "1 fs") + INITIAL
    text += "".join(f"#{time}\n{level}{code}\n" for time, level, code in sorted(changes))
    run = imported(tmp_path / "a.vcd", text)
    assert run.imported.left_out[0] == "times of the file are rounded to 0.001 ns"
    assert (run.tick_fs, run.valid) == (1000, True)
    wide = imported(tmp_path / "a.vcd", text, step="1ns")
    assert (wide.tick_fs, wide.imported.left_out[0]) == (
        10**6,
        "times of the file are rounded to 1 ns",
    )
    strikes = wide.events["time_ticks"][(wide.events["source"] >= 8)]
    assert strikes.tolist() == [round((20_833_333 * n + 7) / 10**6) for n in range(1, 40)]


def test_a_part_of_a_capture_is_taken_by_its_times(tmp_path):
    run = imported(tmp_path / "a.vcd", PLAIN, **{"begin": "180ns", "end": "280ns"})
    assert figures(run) == ([60_000], {"STRIKES": 1, "ANSWERED": 1})
    assert run.end_ticks * run.tick_fs == 100 * 10**6


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (PLAIN.replace("$timescale 1 ns $end\n", ""), "no $timescale; say how long a unit of time"),
        (PLAIN.replace("#150", "#90"), "time 90 after 100; must not go back"),
        (PLAIN.replace("$dumpvars", "$dumpports"), "it is an extended VCD, of ports"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(text, line, tmp_path):
    with pytest.raises(UsageError) as caught:
        imported(tmp_path / "a.vcd", text)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_each_strike_is_in_one_class_or_in_a_gap(tmp_path):
    """Gaps of any place and length: what is matched is what each side of them has by itself."""
    for first in range(0, 300, 7):
        for length in (1, 20, 90):
            lines = {100: "1!", 150: '1"', 160: "0!", 170: '0"', 200: "1!", 260: '1"', 270: "0!"}
            level = {0: "0", 150: "1", 170: "0", 260: "1", 270: "0"}
            after = first + length
            kept = {t: v for t, v in lines.items() if '"' not in v or not first <= t < after}
            known = level[max(t for t in level if t <= after)]
            body = sorted([(t, v) for t, v in kept.items() if t != after])
            body += [(first, 'x"'), (after, f'{known}"')]
            if after in lines and "!" in lines[after]:
                body.append((after, lines[after]))
            text = HEAD + INITIAL + "".join(f"#{t}\n{v}\n" for t, v in sorted(body)) + "#400\n"
            run = imported(tmp_path / "a.vcd", text)
            strikes = [t for t in (100, 200) if not first <= t < after]
            classes = run.channels[0].classes
            assert classes[ResponseClass.STRIKES] == len(strikes), (first, length)
            told = classes[ResponseClass.ANSWERED] + classes[ResponseClass.MISSED]
            assert told + run.channels[0].pending == len(strikes)
            # A strike whose answer or time-out lies before the gap, or behind it, is as without.
            missed = sum(
                1
                for strike, answer in ((100, 150), (200, 260))
                if not first <= strike < after and first <= answer < after and first < strike
            )
            assert classes[ResponseClass.MISSED] == missed, (first, length)


def at_start(level):
    return PLAIN.replace('0!\n0"', f'0!\n{level}"', 1)


def without_dumpvars(level):
    return PLAIN.replace("$dumpvars\n", "").replace('0!\n0"\n$end', f'0!\n{level}"')


def while_low(level):
    return PLAIN.replace("#200", f'#180\n{level}"\n#190\n0"\n#200')


def while_high(level):
    return PLAIN.replace("#160", f'#155\n{level}"\n#160')


def at_the_end(level):
    return PLAIN.replace("#300", f'#290\n{level}"\n#300')


def in_a_checkpoint(level):
    return PLAIN.replace("#200", f'#180\n$dumpall\n0!\n{level}"\n$end\n#190\n0"\n#200')


PLACES = (at_start, without_dumpvars, while_low, while_high, at_the_end, in_a_checkpoint)
RESPONSES = {
    "at_start": {0: None, 150: 1, 170: 0, 260: 1, 270: 0},
    "without_dumpvars": {0: None, 150: 1, 170: 0, 260: 1, 270: 0},
    "while_low": {0: 0, 150: 1, 170: 0, 180: None, 190: 0, 260: 1, 270: 0},
    "while_high": {0: 0, 150: 1, 155: None, 170: 0, 260: 1, 270: 0},
    "at_the_end": {0: 0, 150: 1, 170: 0, 260: 1, 270: 0, 290: None},
    "in_a_checkpoint": {0: 0, 150: 1, 170: 0, 180: None, 190: 0, 260: 1, 270: 0},
}
"""Levels of the response from each time on; None: the level in question."""


def expected(place, level):
    """Return the response's edges and gaps, by IEEE Std 1164: L is low, H high, others neither."""
    meaning = {"0": 0, "L": 0, "1": 1, "H": 1}.get(level)
    steps = [(t, meaning if v is None else v) for t, v in RESPONSES[place].items()]
    steps = [step for n, step in enumerate(steps) if not n or step[1] != steps[n - 1][1]]
    edges = [
        (time, to) for (_, was), (time, to) in pairwise(steps) if was is not None and to is not None
    ]
    ends = [*(time for time, _ in steps[1:]), None]
    gaps = [(t, end) for (t, v), end in zip(steps, ends, strict=True) if v is None]
    return edges, gaps


@pytest.mark.parametrize("is_wanted", [True, False])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("level", "UX01ZWLH-")
def test_each_level_of_ieee_1164_is_read_in_each_place(level, place, is_wanted, tmp_path):
    text = place(level)
    assert text != PLAIN or level == "0"
    path = tmp_path / "a.vcd"
    path.write_text(text)
    if not is_wanted:
        assert figures(imported(path, text, channel="R=s", strike="s"))[1]["STRIKES"] == 2
        return
    capture, whole = read(path, ["r"])
    found = capture.edges[whole["r"]]
    got = list(zip(found.times.tolist(), found.levels.tolist(), strict=True))
    edges, gaps = expected(place.__name__, level)
    assert got == edges
    assert [(max(first, 0), last) for first, last in found.gaps] == gaps
