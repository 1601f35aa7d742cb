# SPDX-License-Identifier: Apache-2.0
"""Waveforms that Icarus and GHDL write: the edges that the design makes, in each format."""

import gzip
import struct
import subprocess
import sys

import pytest

from plexor.base.errors import UsageError
from plexor.library.exchange import import_capture, list_capture

from .captures import edges, read
from .test_cases import TWO, figures

VERILOG = """`timescale 1ns/1ps
module t;
  reg s = 0, r = 0; reg [7:0] port = 0; real volts = 0.5;
  initial begin
    $dumpfile("FILE"); $dumpvars(0, t);
    #100 s = 1; #50 r = 1; port[2] = 1; #10 s = 0; #10 r = 0; port[2] = 0;
    #30 s = 1; #60 r = 1; #10 s = 0; r = 0; #30.123 $finish;
  end
endmodule
"""
BITS = r"""`timescale 1ns/1ps
module t;
  reg \pin[0] = 0, \pin[1] = 0; event ticked;
  initial begin
    $dumpfile("FILE"); $dumpvars(0, t);
    #10 \pin[1] = 1; \pin[0] = 1; -> ticked; #10 \pin[1] = 0; #10 \pin[1] = 1; #10 $finish;
  end
endmodule
"""
VHDL = """library ieee; use ieee.std_logic_1164.all;
entity t is end;
architecture a of t is
  signal s, r : std_logic := '0';
  signal h : std_logic;
  signal port8 : std_logic_vector(7 downto 0) := x"00";
  signal turns : integer := 0;
begin
  process begin
    wait for 100 ns; s <= '1'; wait for 50 ns; r <= '1'; port8(2) <= '1'; h <= 'H'; turns <= 1;
    wait for 10 ns; s <= '0'; h <= 'L'; wait for 10 ns; r <= '0'; port8(2) <= '0'; h <= 'X';
    wait for 30 ns; s <= '1'; wait for 60 ns; r <= '1'; wait for 10 ns; s <= '0'; r <= '0';
    h <= '1'; wait for 30 ns; wait;
  end process;
end;
"""


@pytest.fixture(scope="module")
def waves(tmp_path_factory):
    folder = tmp_path_factory.mktemp("waves")

    def run(*words):
        subprocess.run(words, cwd=folder, check=True, capture_output=True)

    for suffix in ("vcd", "fst"):
        (folder / "t.v").write_text(VERILOG.replace("FILE", f"icarus.{suffix}"))
        run("iverilog", "-g2012", "-o", "t.vvp", "t.v")
        run("vvp", "t.vvp", f"-{suffix}")
    (folder / "t.vhd").write_text(VHDL)
    run("ghdl-mcode", "-a", "t.vhd")
    options = ("--wave=ghdl.ghw", "--fst=ghdl.fst", "--vcd=ghdl.vcd", "--stop-time=300ns")
    run("ghdl-mcode", "-r", "t", *options)
    return folder


ALL = ["icarus.vcd", "icarus.fst", "ghdl.vcd", "ghdl.fst", "ghdl.ghw"]


@pytest.mark.parametrize("name", ALL)
def test_a_design_has_the_same_figures_in_each_format(name, waves):
    run = import_capture(waves / name, channels=["R=r"], strikes="s", timeout="90ns").result
    assert figures(run) == TWO
    assert (run.valid, run.imported.left_out) == (True, ())


@pytest.mark.parametrize("name", ALL)
def test_a_bit_of_a_vector_is_a_signal(name, waves):
    port = "port[2]" if name.startswith("icarus") else "port8[2]"
    unit = read(waves / name, [port])[0].unit_fs
    found = edges(waves / name, [port])[port]
    assert [(int(time * unit // 10**6), level) for time, level in found] == [(150, 1), (170, 0)]


@pytest.mark.parametrize("name", ["icarus.fst", "ghdl.ghw"])
def test_a_bit_whose_range_the_reader_does_not_tell_is_said(name, waves):
    port = "port[2]" if name.startswith("icarus") else "port8[2]"
    (note,) = read(waves / name, [port])[0].notes
    assert "bit 2 from the right; the reader does not tell which range was declared" in note
    assert read(waves / name, ["s"])[0].notes == ()


@pytest.mark.parametrize("name", ["ghdl.vcd", "ghdl.fst", "ghdl.ghw"])
def test_weak_levels_are_levels_and_others_are_gaps(name, waves):
    capture, whole = read(waves / name, ["h"])
    found = capture.edges[whole["h"]]
    scale = 10**6 // int(capture.unit_fs)
    assert found.times.tolist() == [160 * scale]
    assert [last and last // scale for _, last in found.gaps] == [150, 270]


@pytest.mark.parametrize("name", ["icarus.fst", "ghdl.ghw"])
def test_what_a_waveform_holds_is_listed(name, waves):
    listing = list_capture(waves / name).listing
    rises = {signal.name: (signal.rises, signal.falls) for signal in listing.signals}
    assert rises["t.s"] == rises["t.r"] == (2, 2)
    assert (listing.strike, listing.responses[0]) == ("t.s", "t.r")
    use = {signal.name.partition("[")[0]: signal.use for signal in listing.signals}
    assert use["t.port" if name.startswith("icarus") else "t.port8"].startswith("one bit of it")


def test_an_fst_file_lasts_as_long_as_its_header_says(waves):
    assert read(waves / "icarus.fst", ["s"])[0].end == read(waves / "icarus.vcd", ["s"])[0].end


def test_an_fst_file_that_is_packed_whole_lasts_as_long(waves, tmp_path):
    whole, path = (waves / "icarus.fst").read_bytes(), tmp_path / "packed.fst"
    packed = gzip.compress(whole)
    path.write_bytes(b"\xfe" + struct.pack(">QQ", 16 + len(packed), len(whole)) + packed)
    capture = read(path, ["s"])[0]
    assert capture.end == read(waves / "icarus.fst", ["s"])[0].end
    assert edges(path, ["s"]) == edges(waves / "icarus.fst", ["s"])


def test_an_event_has_no_levels_and_bits_with_names_of_their_own_are_a_vector(tmp_path):
    text = BITS.replace("FILE", "bits.fst")
    (tmp_path / "a.v").write_text(text)
    subprocess.run(["iverilog", "-o", "a.vvp", "a.v"], cwd=tmp_path, check=True)
    subprocess.run(["vvp", "a.vvp", "-fst"], cwd=tmp_path, check=True, capture_output=True)
    signals = {
        signal.name: signal for signal in list_capture(tmp_path / "bits.fst").listing.signals
    }
    assert signals["t.ticked"].use == "no levels"
    # The reader makes a vector of both.
    path = tmp_path / "bits.fst"
    assert edges(path, [r"t.\pin[0]"])[r"t.\pin[0]"] == [(10_000, 1)]
    assert [at for at, _ in edges(path, [r"t.\pin[1]"])[r"t.\pin[1]"]] == [10_000, 20_000, 30_000]


def refusal(path):
    """Return why a file is refused; nothing if it is read."""
    try:
        import_capture(path, channels=["R=r"], strikes="s")
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", ["ghdl.fst", "ghdl.ghw", "icarus.fst"])
def test_a_damaged_waveform_is_one_line(name, waves, tmp_path, capfd):
    data = (waves / name).read_bytes()
    path = tmp_path / name
    lines = []
    for length in (0, 10, 100, len(data) // 2, len(data) - 20):
        path.write_bytes(data[:length])
        lines.append(refusal(path))
    assert all(line.startswith(f"{path}: ") for line in lines if line)
    assert all(lines[:3])
    assert not any("\n" in line for line in lines)
    # A library that panics prints a trace of its own.
    assert capfd.readouterr() == ("", "")


def test_what_is_called_a_waveform_and_is_none_is_one_line(waves, tmp_path):
    # The library would never return from a block of no length: another program is asked.
    whole = (waves / "icarus.fst").read_bytes()
    second = 1 + int.from_bytes(whole[1:9], "big")
    zeros = {"transducer.fst": b"\3" + bytes(60_000), "other.ghw": bytes(100)}
    emptied = whole[: second + 1] + bytes(8) + whole[second + 9 :]
    for name, data in {**zeros, "block.fst": emptied}.items():
        path = tmp_path / name
        path.write_bytes(data)
        command = (sys.executable, "-m", "plexor", "import", path)
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        kind = path.suffix[1:].upper()
        said = f"plexor: {path}: not a whole waveform: its bytes are not those of {kind}"
        said += "; write it again, or as a VCD\n"
        assert (done.returncode, done.stderr) == (2, said)


def test_a_library_that_is_not_installed_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pywellen", None)
    (tmp_path / "a.fst").touch()
    with pytest.raises(UsageError, match=r"needs pywellen, .* in Plexor's extra `captures`"):
        list_capture(tmp_path / "a.fst")


def test_an_fst_file_that_was_not_closed_is_told_so(tmp_path):
    """Its first block is whole, and the one behind it has no length yet."""
    path = tmp_path / "a.fst"
    path.write_bytes(b"\0" + (329).to_bytes(8, "big") + bytes(321) + b"\xff" + bytes(64))
    with pytest.raises(UsageError, match="the program that wrote it did not close it; let the sim"):
        list_capture(path)


def test_what_the_reader_lacks_is_no_fault_of_the_file(tmp_path, monkeypatch):
    """A GHW file of GHDL's with arrays of several dimensions: Rust's `todo!` has these words."""
    (tmp_path / "a.ghw").write_bytes(b"GHDLwave\n" + bytes(40))

    def waveform(_path):
        raise BaseException("not yet implemented: support multi-dimensional arrays!")

    monkeypatch.setattr("pywellen.Waveform", waveform)
    with pytest.raises(UsageError) as caught:
        read(tmp_path / "a.ghw", ["a"])
    told = "pywellen does not read it: support multi-dimensional arrays; write a VCD"
    assert str(caught.value) == f"{tmp_path / 'a.ghw'}: {told}"
