# SPDX-License-Identifier: Apache-2.0
"""Dumps of other programs: read as pyvcd reads them, and refused in one line."""

import io
import random
import time
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vcd.reader import TokenKind, tokenize
from vcd.writer import VCDWriter

from plexor.base.errors import UsageError
from plexor.files.imports import vcd as module
from plexor.files.imports.capture import ReadRules, SignalBit
from plexor.files.imports.open import open_capture

from .captures import edges, read, vcd


def test_edges_are_at_their_times_in_units_of_the_file(tmp_path):
    changes = [(0, "a", 0), (0, "b", 1), (7, "a", 1), (9, "b", 0), (9, "a", 0)]
    path = vcd(tmp_path / "a.vcd", changes, timescale="10ps", end=40)
    assert edges(path, ["a", "b"]) == {"a": [(7, 1), (9, 0)], "b": [(9, 0)]}
    found, names = read(path, ["a", "b"])
    assert (found.unit_fs, found.start, found.end, found.sampled) == (10_000, 0, 40, False)
    assert names == {"a": "top.a", "b": "top.b"}


@given(data=st.data())
def test_any_dump_is_read_as_pyvcd_reads_it_in_pieces_of_any_size(data, tmp_path_factory):
    steps = st.tuples(st.integers(0, 3), st.integers(0, 2), st.sampled_from("01"))
    changes = data.draw(st.lists(steps, max_size=30))
    sink = io.StringIO()
    writer = VCDWriter(sink, "1 ns", date="", init_timestamp=data.draw(st.integers(0, 9)))
    wires = [writer.register_var("s", name, "wire", 1, "0") for name in "abc"]
    time = writer._timestamp
    for step, wire, value in changes:
        time += step
        writer.change(wires[wire], time, value)
    writer.close(time + 5)
    path = tmp_path_factory.getbasetemp() / "drawn.vcd"
    path.write_text(sink.getvalue())
    levels, truth, now, first, dumps = {}, {"a": [], "b": [], "c": []}, 0, None, False
    for token in tokenize(io.BytesIO(sink.getvalue().encode())):
        if token.kind is TokenKind.CHANGE_TIME:
            now = token.time_change
            first = now if first is None else first
        elif token.kind in (TokenKind.DUMPVARS, TokenKind.END):
            dumps = token.kind is TokenKind.DUMPVARS
        elif token.kind is TokenKind.CHANGE_SCALAR:
            change = token.scalar_change
            levels.setdefault(change.id_code, {})[-1 if dumps else now] = int(change.value)
    for name, code in zip("abc", (wire.ident for wire in wires), strict=True):
        truth[name] = [
            (at, level)
            for (_, before), (at, level) in pairwise(levels[code].items())
            if level != before
        ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PIECE", data.draw(st.sampled_from((13, 16, 1 << 20))))
        found, _ = read(path, ["a", "b", "c"])
        assert edges(path, ["a", "b", "c"]) == truth
    assert (found.start, found.end) == (first, now)


@pytest.mark.parametrize("piece", [1 << 20, 7, 60])
def test_declarations_end_with_a_whole_word_wherever_a_piece_of_the_file_ends(
    piece, tmp_path, monkeypatch
):
    text = b"$timescale 1ns $end $var wire 1 ! a $end $enddefinitions $end\n#0 0!\n#7 1!\n"
    path = tmp_path / "a.vcd"
    path.write_bytes(text)
    monkeypatch.setattr(module, "_PIECE", piece)
    assert edges(path, ["a"]) == {"a": [(7, 1)]}
    head, _, _ = text.partition(b"\n")
    path.write_bytes(text.replace(b"$end\n", b"$endless\n"))
    # A piece that ends with the whole `$end` of `$endless`.
    monkeypatch.setattr(module, "_PIECE", len(head))
    with pytest.raises(UsageError, match=r"no \$enddefinitions"):
        edges(path, ["a"])


def test_a_wire_may_be_written_as_a_vector_and_have_two_names(tmp_path):
    path = vcd(
        tmp_path / "a.vcd",
        [(0, "a", 0), (5, "a", "b1 "), (8, "a", "b0 ")],
        variables={"a": "!", "same": "!"},
    )
    found = edges(path, ["a", "same"])
    assert found["a"] == found["same"] == [(5, 1), (8, 0)]


def test_other_signals_may_be_anything(tmp_path):
    path = tmp_path / "a.vcd"
    path.write_text(
        "$timescale 1us $end $var wire 1 ! a $end $var real 64 r r $end $var string 1 s s $end "
        "$var wire 8 # v [7:0] $end $enddefinitions $end $comment 1! is no change $end "
        "$dumpvars 0! bxxxx1111 # r0.5 r sA\\x20B s x# $end #3 1! #4 b1z # r1e9 r "
        "$dumpall 1! $end #5 0!"
    )
    assert edges(path, ["a"]) == {"a": [(3, 1), (5, 0)]}


def test_a_level_that_is_not_known_yet_makes_no_edge(tmp_path):
    path = vcd(tmp_path / "a.vcd", [(0, "a", "x"), (3, "a", "z"), (5, "a", 1), (8, "a", 0)])
    assert edges(path, ["a"]) == {"a": [(8, 0)]}


def test_what_dumpvars_says_was_there_before(tmp_path):
    before = "#3\n$dumpvars\n0!\n$end\n"
    path = vcd(tmp_path / "a.vcd", [(3, "a", 1), (7, "a", 0)], before=before)
    assert edges(path, ["a"]) == {"a": [(3, 1), (7, 0)]}
    assert read(path, ["a"])[0].start == 3
    later = "#3\n0!\n#4\n$dumpvars\n0!\n$end\n"
    path = vcd(tmp_path / "b.vcd", [(4, "a", 1), (7, "a", 0)], before=later)
    assert edges(path, ["a"]) == {"a": [(4, 1), (7, 0)]}


def test_values_before_the_first_time_are_at_zero(tmp_path):
    path = vcd(tmp_path / "a.vcd", [(7, "a", 1)], before="$dumpvars\n0!\n$end\n")
    assert edges(path, ["a"]) == {"a": [(7, 1)]}
    assert read(path, ["a"])[0].start == 0


def test_names_have_scopes_and_bits(tmp_path):
    path = tmp_path / "a.vcd"
    path.write_text(
        "$timescale 1 ns $end $scope module top $end $scope module sub $end "
        "$var wire 1 ! h [0] $end $upscope $end $var wire 1 % h[1] $end $upscope $end "
        "$enddefinitions $end #0 0! 0% #5 1!"
    )
    _, names = read(path, ["h[0]", "top.h[1]"])
    assert names == {"h[0]": "top.sub.h[0]", "top.h[1]": "top.h[1]"}


def test_the_sample_rate_of_sigroks_comment_is_the_step(tmp_path):
    path = vcd(tmp_path / "a.vcd", [(0, "a", 0), (42, "a", 1)])
    text = path.read_text()
    comment = "$comment\n  Acquisition with 3/8 channels at 24 MHz\n$end\n"
    path.write_text(comment + text)
    assert read(path, ["a"])[0].step_fs == 41_666_667


@pytest.mark.parametrize(
    "comment", ["captured by foo at 1 MHz", "Acquisition with 3/8 channels", "clk at 24 MHz, 50 %"]
)
def test_a_rate_in_another_comment_is_not_the_step(comment, tmp_path):
    path = vcd(tmp_path / "a.vcd", [(0, "a", 0), (42, "a", 1)])
    path.write_text(f"$comment {comment} $end\n" + path.read_text())
    assert read(path, ["a"])[0].step_fs is None


def test_a_dump_of_values_without_its_end_ends_with_the_time(tmp_path):
    before = "#0\n$dumpvars\n0!\n"
    path = vcd(tmp_path / "a.vcd", [(100, "a", 1), (160, "a", 0)], before=before)
    path.write_text(path.read_text() + "#200\n$dumpoff\n$end\n")
    assert edges(path, ["a"]) == {"a": [(100, 1), (160, 0)]}
    assert read(path, ["a"])[0].edges["top.a"].first_value is None


def test_a_first_value_outside_of_dumpvars_may_be_a_change(tmp_path):
    found, _ = read(vcd(tmp_path / "a.vcd", [(100, "a", 1), (160, "a", 0)]), ["a"])
    assert found.edges["top.a"].first_value == (100, 1)


@pytest.mark.parametrize(
    ("text", "unit_fs"), [("435ps", 435_000), ("2 ns", 2 * 10**6), ("25\tns", 25 * 10**6)]
)
def test_a_unit_may_be_any_number_of_a_unit(text, unit_fs, tmp_path):
    path = vcd(tmp_path / "a.vcd", [(0, "a", 0), (42, "a", 1)], timescale=text)
    assert read(path, ["a"])[0].unit_fs == unit_fs


def test_a_unit_that_the_file_does_not_say_can_be_given(tmp_path):
    path = tmp_path / "a.vcd"
    path.write_text(GOOD.replace("$timescale 1 ns $end", ""))
    assert read(path, ["a"], unit_s=Fraction(1, 10**8))[0].unit_fs == 10**7


@pytest.mark.parametrize(
    "more",
    [
        "$date Mo 3 März $end",
        "$version Ünïversal 1 $end",
        "$comment Grüße µs 時 $end",
        "$scope module tür $end",
    ],
)
@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "latin-1"])
def test_declarations_may_have_characters_beyond_ascii(more, code, tmp_path):
    path = tmp_path / "a.vcd"
    path.write_bytes(f"{more}\n{GOOD}".encode(code, "replace"))
    assert edges(path, ["a"]) == {"a": [(5, 1), (9, 0)]}


@pytest.mark.parametrize("code", ["utf-8", "latin-1"])
def test_a_name_beyond_ascii_is_the_signals_name(code, tmp_path):
    path = tmp_path / "a.vcd"
    text = GOOD.replace("! a $end", "! réponse $end $var wire 1 ! répo_plexor_ $end")
    path.write_bytes(text.encode(code))
    assert set(read(path, ["réponse", "répo_plexor_"])[1]) == {"réponse", "répo_plexor_"}
    with pytest.raises(UsageError, match="no signal 'reponse'; it has réponse"):
        read(path, ["reponse"])


TWINS = """$timescale 1 ns $end $scope module top $end
$var wire 1 ! twin $end $var wire 1 " twin $end $var wire 1 ! alias $end $var wire 1 ! alias $end
$var wire 4 # a.word [3:0] $end $scope module a $end $var wire 4 % word [3:0] $end $upscope $end
$upscope $end $enddefinitions $end
#0 0! 0" b0 # b0 % #3 1! b10 # #5 1" b100 % #9
"""


def test_signals_of_one_name_have_numbers_and_those_that_are_one_do_not(tmp_path):
    path = tmp_path / "a.vcd"
    path.write_text(TWINS)
    names = ["twin#1", "twin#2", "alias", "a.word#1[1]", "a.word#2[2]"]
    times = [[at for at, _ in own] for own in edges(path, names).values()]
    assert times == [[3], [5], [3], [3], [5]]
    for name in ("twin", "top.twin"):
        with pytest.raises(UsageError, match=f"'{name}' is top.twin#1, top.twin#2; name one"):
            read(path, [name])


def test_a_time_unit_that_is_said_stands_for_one_that_cannot_be_read(tmp_path):
    path = tmp_path / "a.vcd"
    path.write_text(GOOD.replace("1 ns", "1.5 turns"))
    assert read(path, ["a"], unit_s=Fraction(1, 10**6))[0].unit_fs == 10**9
    with pytest.raises(UsageError, match="say how long a unit of time is, such as --timescale 1ns"):
        read(path, ["a"])


def test_what_is_cut_where_the_refusal_says_is_read(tmp_path):
    path = tmp_path / "a.vcd"
    for wrong in ("#4 1!", "#10 nonsense"):
        path.write_text(f"{GOOD} {wrong}")
        with pytest.raises(UsageError, match="cut the file before it to read what is whole"):
            read(path, ["a"])
        path.write_text(GOOD)
        assert edges(path, ["a"])["a"] == [(5, 1), (9, 0)]


def test_reading_many_signals_takes_time_by_their_changes(tmp_path):
    count = 16_000
    path = tmp_path / "a.vcd"
    declared = "".join(f"$var wire 1 s{number} w{number} $end\n" for number in range(count))
    changes = "".join(
        f"#{step}\n" + "".join(f"{step & 1}s{number}\n" for number in range(count))
        for step in range(20)
    )
    path.write_text(f"$timescale 1 ns $end\n{declared}$enddefinitions $end\n{changes}")
    file = open_capture(path, ReadRules())
    bits = [SignalBit(name, own.handle) for name, own in file.signals.items()]

    def took_s(chosen):
        before = time.process_time()
        capture = file.read(chosen)
        assert all(len(own.times) == 19 for own in capture.edges.values())
        return time.process_time() - before

    few_s = min(took_s(bits[:8]) for _ in range(3))
    # Each signal costs what its changes do, and some 50 us; it was 300.
    assert took_s(bits) < few_s + count * 130e-6


GOOD = "$timescale 1 ns $end $var wire 1 ! a $end $enddefinitions $end #0 0! #5 1! #9 0!"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", r"no \$enddefinitions; must be a value change dump"),
        ("$timescale 1 ns $end $var wire 1 ! a $end", r"no \$enddefinitions"),
        (GOOD.replace("$timescale 1 ns $end", ""), r"no \$timescale"),
        (GOOD.replace("1 ns", "1 as"), r"\$timescale"),
        (GOOD.replace("1 ns", "0 ns"), r"\$timescale"),
        (
            GOOD.replace("wire 1 ! a", "wire one ! a"),
            r"\$var wire one ! a; must be a kind, a number",
        ),
        (GOOD.replace("wire 1", "wire 8"), r"a has 8 bits; name one of them, such as a\[7\]"),
        (GOOD.replace("wire 1", "real 1"), "a is a real, which has no levels"),
        (GOOD.replace("! a", "! b"), r"no signal 'a'; it has b"),
        (GOOD.replace("#9", "#4"), "time 4 after 5; must not go back"),
        (GOOD.replace("#9", "#-9"), "#-9 at time 5; must be a time of at most 18 digits"),
        (GOOD.replace("#9", "#1_0"), "#1_0 at time 5; must be a time"),
        (GOOD.replace("#9", "#" + "9" * 5000), r"#9+\.\.\. at time 5; must be a time"),
        (GOOD.replace("#9 0!", "#9 b10 !"), "b10 at time 9; must be at most 1 bit"),
        (GOOD.replace("#9 0!", "#9 r1.0 !"), r"r1\.0 at time 9; must be bits"),
        (GOOD.replace("#9 0!", "#9 $dumpports 0! $end"), "an extended VCD, of ports"),
        (GOOD.replace("wire 1", "port 1"), "an extended VCD, of ports"),
        (GOOD.replace("#9", "q9"), "q9 at time 5; must be a change of a value"),
        ("\x00\xff" * 100 + " " + GOOD, "in the declarations; must be"),
        (GOOD + " \x80\xff", "at time 9; must be a change of a value"),
    ],
    ids=range(20),
)
def test_what_is_no_dump_is_one_line(text, line, tmp_path):
    path = tmp_path / "a.vcd"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match=line) as caught:
        read(path, ["a"])
    said = str(caught.value)
    assert said.startswith(f"{path}: ")
    assert "\n" not in said
    assert len(said) < len(str(path)) + 200


def test_a_folder_is_one_line(tmp_path):
    (tmp_path / "a.vcd").mkdir()
    with pytest.raises(UsageError, match=r"cannot read: .*Is a directory"):
        read(tmp_path / "a.vcd", ["a"])


def test_more_edges_than_memory_holds_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_EDGES", 3)
    path = vcd(tmp_path / "a.vcd", [(time, "a", time % 2) for time in range(9)])
    with pytest.raises(UsageError, match="edges of these signals; cut the capture"):
        read(path, ["a"])


def refusal(path):
    """Return why a file is refused; nothing if it is read."""
    try:
        read(path, ["a"])
    except UsageError as error:
        return str(error)
    return ""


def test_damaged_files_are_read_or_refused(tmp_path):
    rng = random.Random(18)
    path = tmp_path / "a.vcd"
    refused = 0
    for _ in range(400):
        data = bytearray(GOOD.encode())
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(data))
            choice = rng.randrange(3)
            if choice == 0:
                data[place] = rng.choice(b"\0 #$01xzbrs!\n\xff9")
            elif choice == 1:
                del data[place:]
                data += b" "
            else:
                data[place:place] = rng.choice([b"$end ", b"#3 ", b"b1 ", b"$comment ", b"9" * 30])
        path.write_bytes(data)
        said = refusal(path)
        assert said.startswith(f"{path}: ") or not said
        refused += bool(said)
    assert 50 < refused < 390


def test_a_word_of_an_error_is_whole_up_to_80_characters():
    assert module._shown("x" * 80) == "x" * 80
    assert module._shown(b"x" * 81) == "x" * 80 + "..."


ILA = """$timescale
        1ps
$end
$scope module dut $end
$var reg 1 # trig $end
$var reg 1 $ irq $end
$var reg 1 ! _TRIGGER $end
$var reg 1 " _WINDOW $end
$upscope $end
$enddefinitions $end
#0
0!
0"
0#
0$
#5
1#
#12
1$
#13
0#
0$
#20
"""


def test_times_of_an_ila_are_numbers_of_samples(tmp_path):
    """Its $timescale says 1 ps, whatever its clock is."""
    path = tmp_path / "a.vcd"
    path.write_text(ILA)
    with pytest.raises(UsageError, match="numbers of samples of an ILA; say the period of its clo"):
        read(path, ["irq"])
    capture, _ = read(path, ["irq"], unit_s=Fraction(1, 10**8))
    (found,) = capture.edges.values()
    assert [int(time * capture.unit_fs) for time in found.times] == [12 * 10**7, 13 * 10**7]
