# SPDX-License-Identifier: Apache-2.0
"""A user's own Verilog as a device: its glue played, its ports checked, its errors told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plexor.protocol.geometry import Geometry
from plexor_sim.build import BuildError
from plexor_sim.design.manifest import ManifestError, load
from plexor_sim.design.verilog import verilog_device
from plexor_sim.devices import find_device, option_text
from plexor_sim.packages import default_cache
from plexor_sim.riscv import DeviceBuild

from ..counter_device import COUNTER, MANIFEST, written
from ..verilog_player import play_design
from .test_vhdl import DELAY

Build = Callable[[Geometry, DeviceBuild], Path]
Play = Callable[..., Any]


GEOMETRY = Geometry(channels=2, strikes=1, samples=8, tick_fs=1_000_000)


GATE = "module gate (input a, output y, output n); assign y = a; assign n = ~a; endmodule"


GATE_MANIFEST = """
sources = ["gate.v"]
top = "gate"
[ports]
strikes = ["a"]
responses = ["y", "n"]
[timing]
delay_ps = 3_141
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path)


@pytest.fixture
def play_manifest(simulator: Build, play: Play) -> Callable[..., Any]:
    """Return a function of manifest, strike words and device options."""

    def run(path: Path, strikes: list[int], options: str = "") -> Any:
        device = find_device(str(path), default_cache())
        taken = option_text(str(path), device, options)
        return play(simulator(GEOMETRY, device), GEOMETRY, strikes, taken)

    return run


def edges(truth: list[tuple[int, int, int]], source: int) -> list[tuple[int, int]]:
    return [(time, level) for time, number, level in truth if number == source]


def echo_edges(strikes: list[tuple[int, int]], clock_ps: int, phase_ps: int) -> Any:
    """Return when a level has gone through DELAY + 2 = 4 flip-flops of the device's clock."""
    found = []
    for time_ps, level in strikes:
        first = phase_ps + -(-(time_ps - phase_ps) // clock_ps) * clock_ps
        found.append((first + 3 * clock_ps, level))
    return found


@pytest.mark.full
def test_a_clocked_device_answers_after_its_flip_flops_on_its_own_clock(
    folder: Path, play_manifest: Callable[..., Any]
) -> None:
    strikes = [0xFF] * 9 + [0] * 8 + [0xF0] + [0xFF] * 5 + [0x03]
    truth = play_manifest(folder / "dut.toml", strikes).truth
    assert len(edges(truth, 8)) == 4
    assert edges(truth, 0) == echo_edges(edges(truth, 8), 10_007, 1_003)
    assert edges(truth, 1) == []


@pytest.mark.full
def test_options_after_the_manifests_change_clock_and_delay(
    folder: Path, play_manifest: Callable[..., Any]
) -> None:
    options = "clock=7001ps,phase=50ps,delay=900ps"
    truth = play_manifest(folder / "dut.toml", [0xFF] * 9, options).truth
    expected = echo_edges(edges(truth, 8), 7_001, 50)
    assert edges(truth, 0) == [(time + 900, level) for time, level in expected]


@pytest.mark.full
def test_a_clock_runs_faster_by_its_ppm_without_adding_up_an_error(
    folder: Path, play_manifest: Callable[..., Any]
) -> None:
    truth = play_manifest(folder / "dut.toml", [0] * 200 + [0xFF] * 9, "ppm=100").truth
    (rise, _), *_ = edges(truth, 0)
    # 10007 ps / 1.0001: edge n is at 1003 + n * 10005.9994 ps, each rounded down.
    n = round((rise - 1003) / (10_007 / 1.0001))
    assert abs(rise - (1003 + n * 10_007 / 1.0001)) <= 2


@pytest.mark.full
def test_a_memory_image_reaches_readmemh_by_plusarg_and_by_parameter(
    folder: Path, play_manifest: Callable[..., Any]
) -> None:
    (folder / "one.hex").write_text("01\n")
    for table in ('[memory]\nrom = "one.hex"\n', '[memory.parameters]\nIMAGE = "one.hex"\n'):
        (folder / "rom.toml").write_text(MANIFEST + table)
        truth = play_manifest(folder / "rom.toml", [0xFF] * 9).truth
        assert edges(truth, 1) == edges(truth, 0) != []


@pytest.mark.full
def test_the_load_output_reaches_its_port_whatever_its_name(
    folder: Path, play_manifest: Callable[..., Any]
) -> None:
    text = MANIFEST.replace("[ports]", '[ports]\nload = "load__in"')
    (folder / "load.toml").write_text(text)
    truth = play_manifest(folder / "load.toml", [0xFF]).truth
    assert len(edges(truth, 16)) == 2
    # The strike is shorter than the device's clock; only the load's edges come through.
    assert len([time for time, _ in edges(truth, 0) if time > edges(truth, 16)[0][0]]) == 2


IMPORTING = """`timescale 1ns/1ps
`include "width.vh"
import "DPI-C" function int later(input int level);
module dut (input clk, input rst_n, input d, output reg q);
  reg [`STAGES - 3:0] stages;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) {stages, q} <= 0;
    else {stages, q} <= {later(int'(d)) != 0, stages};
endmodule
"""
LATER = """#include "later.h"
int later(int level) { static int kept; int was = kept; kept = level; return was * ONE; }
"""
LISTED = """
sources = ["all.f", "c/later.c"]
top = "dut"
[clock]
port = "clk"
period_ps = 10_007
phase_ps = 1_003
[reset]
port = "rst_n"
active = "low"
cycles = 3
[ports]
strikes = ["d"]
responses = ["q"]
"""


def test_a_list_of_files_with_macros_and_functions_in_c_is_a_device(
    tmp_path: Path, play_manifest: Callable[..., Any]
) -> None:
    """The function keeps a level from clock to clock, so that it is a flip-flop of four in all."""
    files = {
        "rtl/dut.sv": IMPORTING,
        "inc/width.vh": "`define STAGES (`DEPTH + 0)",
        "all.f": "+incdir+inc +define+DEPTH=4\nrtl/dut.sv\n",
        "c/later.c": LATER,
        "c/later.h": "#define ONE 1\n",
        "dut.toml": LISTED,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    truth = play_manifest(tmp_path / "dut.toml", [0xFF] * 9).truth
    assert edges(truth, 0) == echo_edges(edges(truth, 8), 10_007, 1_003)
    assert len(edges(truth, 0)) > 0
    # A changed header is compiled again.
    (tmp_path / "c/later.h").write_text("#define ONE 0\n")
    assert edges(play_manifest(tmp_path / "dut.toml", [0xFF] * 9).truth, 0) == []


@pytest.mark.full
def test_a_device_in_vhdl_answers_after_its_flip_flops(
    tmp_path: Path, play_manifest: Callable[..., Any]
) -> None:
    (tmp_path / "delay.vhd").write_text(DELAY)
    text = LISTED.replace('"all.f", "c/later.c"', '"delay.vhd"').replace('"dut"', '"delay"')
    (tmp_path / "delay.toml").write_text(text + "[parameters]\nSTAGES = 4\n")
    truth = play_manifest(tmp_path / "delay.toml", [0xFF] * 9).truth
    assert edges(truth, 0) == echo_edges(edges(truth, 8), 10_007, 1_003) != []


def test_a_combinational_device_answers_after_its_delay_alone(
    tmp_path: Path, play_manifest: Callable[..., Any]
) -> None:
    (tmp_path / "gate.v").write_text(GATE)
    (tmp_path / "gate.toml").write_text(GATE_MANIFEST)
    played = play_manifest(tmp_path / "gate.toml", [0b00100100, 0, 0xF0, 0x0F])
    strikes = edges(played.truth, 8)
    assert len(strikes) == 6
    assert edges(played.truth, 0) == [(time + 3141, level) for time, level in strikes]
    assert edges(played.truth, 1) == [(time + 3141, 1 - level) for time, level in strikes]
    # Its idle level is there from the first sample on.
    assert played.samples[1][0] == 1


@pytest.mark.full
def test_the_example_answers_both_interrupts(play_manifest: Callable[..., Any]) -> None:
    import plexor_sim  # noqa: PLC0415

    example = Path(plexor_sim.__file__).parent / "examples" / "irq.toml"
    truth = play_manifest(example, [0xFF] * 4).truth
    (strike, _), _ = edges(truth, 8)
    (entry, _), (left, _) = edges(truth, 0)
    (handled, _), (done, _) = edges(truth, 1)
    # Synchroniser 2, edge 1, taken 1: the fourth edge of the 100 MHz clock from the strike on,
    # and the pin 700 ps later.
    assert entry == -(-strike // 10_000) * 10_000 + 3 * 10_000 + 700
    assert (left - entry, handled - entry, done - handled) == (120_000, 120_000, 300_000)


@pytest.mark.full
def test_a_stop_in_the_verilog_is_the_simulations_error(
    folder: Path, play_manifest: Callable[..., Any]
) -> None:
    stopped = COUNTER.replace("echo <= shift", 'if (pins[1]) $fatal(1, "pin 1"); echo <= shift')
    (folder / "dut.v").write_text(stopped)
    with pytest.raises(Exception, match=r"error: .*dut\.v:\d+") as caught:
        play_manifest(folder / "dut.toml", [0xFF] * 9)
    assert getattr(caught.value, "exit_code", None) == 3


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            ('"pins[1]"', '"pin"'),
            r"ports.strikes: dut has no input 'pin'; must be one of clk, rst_n, pins",
        ),
        (('"pins[1]"', '"pins[3]"'), r"ports.strikes: pins\[3\]; pins has 3 bits"),
        (('"pins[1]"', '"echo"'), r"ports.strikes: dut has no input 'echo'"),
        (
            ('"echo"', '"clk"'),
            r"ports.responses: dut has no output 'clk'; must be one of echo, wide",
        ),
        (("enable = 1", "able = 1"), r"constants: dut has no input 'able'"),
        (
            ("enable = 1", "enable = 2"),
            r"constants.enable: 0x2 does not fit in the 1 bits of enable; must be at most 0x1",
        ),
        (('"clk"', '"clock"'), r"clock.port: dut has no input 'clock'"),
    ],
)
def test_an_unknown_port_is_named_with_those_there_are(
    folder: Path, change: tuple[str, str], sentence: str
) -> None:
    path = folder / "dut.toml"
    path.write_text(MANIFEST.replace(*change))
    with pytest.raises(ManifestError, match=sentence):
        verilog_device(load(path), default_cache())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("output reg echo,", "output reg echo"), r"verilating dut: %Error: .*dut\.v:4.*syntax"),
        (("module dut", "module other"), r"verilating dut: %Error: .*dut"),
    ],
)
def test_verilog_that_does_not_compile_is_its_first_error(
    folder: Path, change: tuple[str, str], sentence: str
) -> None:
    (folder / "dut.v").write_text(COUNTER.replace(*change))
    with pytest.raises(BuildError, match=sentence) as caught:
        verilog_device(load(folder / "dut.toml"), default_cache())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            "interface bus_if; logic a; endinterface\n"
            "module top(input clk, input d, output q, bus_if b); assign q = d; endmodule",
            r"top: top has an interface as a port, which is not supported",
        ),
        (
            "module top(input clk, input d, inout q); assign q = d ? 1'b0 : 1'bz; endmodule",
            r"ports.responses: q is an inout; \[inouts\] must say what it is",
        ),
        (
            'import "DPI-C" function int model(input int x);\n'
            "module top(input clk, input d, output reg q);\n"
            "always @(posedge clk) q <= model(int'(d)) != 0; endmodule",
            r"sources: model: no file in C or C\+\+ has what the design imports",
        ),
        (
            "module top(input clk, input d, output reg q); // no #3 here\n"
            "always @(posedge clk)\nq <= #1 d; endmodule",
            r"top\.v, line 3: #1 has no `timescale; put a file with `timescale 1ns/1ps",
        ),
        (
            "module top(input clk, input d, output reg q);\n"
            "always @(posedge clk) q <= d & $time > 10; endmodule",
            r"top\.v, line 2: \$time has no `timescale",
        ),
    ],
)
def test_what_is_not_supported_is_named_in_one_line(
    source: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "top.v").write_text(source)
    path = tmp_path / "top.toml"
    path.write_text(
        'sources = ["top.v"]\ntop = "top"\n[clock]\nport = "clk"\nperiod_ps = 10\n'
        '[ports]\nstrikes = ["d"]\nresponses = ["q"]\n'
    )
    with pytest.raises(ManifestError, match=sentence) as caught:
        verilog_device(load(path), default_cache())
    assert "\n" not in str(caught.value)


def test_all_modules_and_all_ports_that_are_missing_are_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text(
        "module top(input d, output q); core a(d, q); other b(d); core c(d); endmodule"
    )
    path = tmp_path / "top.toml"
    path.write_text(
        'sources = ["top.v"]\ntop = "top"\n[ports]\nstrikes = ["e"]\nresponses = ["r"]\n'
    )
    with pytest.raises(ManifestError, match=r"sources: no file has core, other; name the files"):
        verilog_device(load(path), default_cache())
    (tmp_path / "top.v").write_text("module top(input d, output q); assign q = d; endmodule")
    with pytest.raises(
        ManifestError, match=r"strikes: top has no input 'e'; .*responses: top has no output 'r'"
    ):
        verilog_device(load(path), default_cache())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("module top import own::*; (input d, output q);", "sources: no file has own; name"),
        ('`include "none.vh"\nmodule top(input d, output q);', "include: no folder has none.vh"),
    ],
)
def test_packages_and_included_files_that_are_missing_are_named(
    tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "top.sv").write_text(f"{text} assign q = d; endmodule")
    path = tmp_path / "top.toml"
    path.write_text(
        'sources = ["top.sv"]\ntop = "top"\n[ports]\nstrikes = ["d"]\nresponses = ["q"]\n'
    )
    with pytest.raises(ManifestError, match=said):
        verilog_device(load(path), default_cache())


def test_signals_that_a_design_marks_as_public_need_no_file_in_c(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text(
        "module top(input clk, input d, output reg q); reg r /* verilator public */;\n"
        "always @(posedge clk) begin r <= d; q <= r; end endmodule"
    )
    path = tmp_path / "top.toml"
    path.write_text(
        'sources = ["top.v"]\ntop = "top"\n[clock]\nport = "clk"\nperiod_ps = 1000\n'
        '[ports]\nstrikes = ["d"]\nresponses = ["q"]\n'
    )
    assert play_design(path, [(300, 1), (9300, 0)], 20_000).edges == [(2000, 0, 1), (11_000, 0, 0)]


def test_a_strike_that_idles_high_is_high_until_it_is_struck(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text(
        "module top(input a, input b, output q, output r); assign q = a; assign r = b; endmodule"
    )
    path = tmp_path / "top.toml"
    path.write_text(
        'sources = ["top.v"]\ntop = "top"\n[ports]\nstrikes = ["a", "b"]\n'
        'responses = ["q", "r"]\nidle_high = ["b"]\n'
    )
    # b alone is struck active low; then it is active high at once, which is said.
    right = play_design(path, [(-1, 0b10), (100, 0b00), (200, 0b10)], 1000)
    assert right.edges == [(100, 1, 0), (200, 1, 1)]
    assert right.said == ""
    wrong = play_design(path, [(100, 0b10), (200, 0b00)], 1000)
    assert wrong.edges == [(200, 1, 0)]
    assert "strike 1 idles high by the manifest and is struck active high" in wrong.said
    unstruck = play_design(path, [(100, 0b01)], 1000)
    assert unstruck.edges == [(100, 0, 1)]


def test_a_module_that_needs_no_timescale_needs_none(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text(
        "module half #(parameter N = 1) (input a, output b); assign b = a; endmodule\n"
        "module top(input d, output q); half #(2) u(d, q); endmodule"
    )
    (tmp_path / "top.toml").write_text(
        'sources = ["top.v"]\ntop = "top"\n[ports]\nstrikes = ["d"]\nresponses = ["q"]\n'
    )
    assert verilog_device(load(tmp_path / "top.toml"), default_cache()).notes == ()


def test_delays_that_are_switched_off_need_no_timescale(tmp_path: Path) -> None:
    """As in Chisel's files, whose registers may begin at random behind a delay."""
    (tmp_path / "top.v").write_text(
        "module top(input d, output q);\nassign q = d;\n`ifdef RANDOMIZE\n"
        "initial begin\n#0.002 begin end\nend\n`endif\nendmodule"
    )
    manifest = 'sources = ["top.v"]\ntop = "top"\n[ports]\nstrikes = ["d"]\nresponses = ["q"]\n'
    (tmp_path / "top.toml").write_text(manifest)
    assert verilog_device(load(tmp_path / "top.toml"), default_cache()).notes == ()
    (tmp_path / "top.toml").write_text(f"{manifest}[defines]\nRANDOMIZE = true\n")
    with pytest.raises(ManifestError, match=r"line 5: #0\.002 has no `timescale"):
        verilog_device(load(tmp_path / "top.toml"), default_cache())


def test_inputs_that_nothing_drives_are_named(folder: Path) -> None:
    (folder / "dut.toml").write_text(MANIFEST.replace("enable = 1", ""))
    (note,) = verilog_device(load(folder / "dut.toml"), default_cache()).notes
    assert note == (
        "nothing drives pins[0], pins[2], load__in, enable, which are 0; [constants] sets inputs"
    )


def test_random_initial_values_show_what_was_never_reset(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text(
        "module top(input clk, input d, output reg q, output reg r);\n"
        "reg [15:0] never;\n"
        "always @(posedge clk) begin q <= d; r <= d & ^never; never <= {never[14:0], 1'b0}; end\n"
        "endmodule"
    )
    path = tmp_path / "top.toml"
    path.write_text(
        'sources = ["top.v"]\ntop = "top"\n[clock]\nport = "clk"\nperiod_ps = 1000\n'
        '[ports]\nstrikes = ["d"]\nresponses = ["q", "r"]\n'
    )
    strikes = [(3300, 1), (9300, 0)]
    answers = [play_design(path, strikes, 20_000, f"initial={seed}") for seed in (0, 1, 2, 3, 1)]
    for played in answers:
        assert [edge for edge in played.edges if edge[1] == 0 and edge[0] > 3300] == [
            (4000, 0, 1),
            (10_000, 0, 0),
        ]
    own = [[edge for edge in played.edges if edge[1] == 1] for played in answers]
    assert own[0] == []
    assert own[1] == own[4]
    assert len({str(edges) for edges in own}) > 2


def test_ports_that_are_arrays_are_named(tmp_path: Path) -> None:
    (tmp_path / "top.sv").write_text(
        "module top(input d, input [3:0] tags [2], output q, output [1:0] ways [4]);\n"
        "assign q = d ^ tags[0][0]; assign ways[0] = tags[1][1:0]; endmodule"
    )
    (tmp_path / "top.toml").write_text(
        'sources = ["top.sv"]\ntop = "top"\n[ports]\nstrikes = ["d"]\nresponses = ["q"]\n'
    )
    assert verilog_device(load(tmp_path / "top.toml"), default_cache()).notes == (
        "tags, ways: an array at the pins is neither struck nor seen, and 0 if it is an input",
    )
