# SPDX-License-Identifier: Apache-2.0
"""Drafts of manifests: what ports of public designs are taken for, and that the text is taken."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from plexor_sim.design.draft import Reset, draft, drafted, guess
from plexor_sim.design.manifest import ManifestError, load
from plexor_sim.packages import default_cache
from plexor_sim.toolchain import BuildError

from ..counter_device import COUNTER

Names = dict[str, int]


def ports(inputs: Names, outputs: Names) -> dict[str, tuple[str, int]]:
    found = {name: ("in", bits) for name, bits in inputs.items()}
    return found | {name: ("out", bits) for name, bits in outputs.items()}


@pytest.mark.parametrize(
    ("inputs", "clock", "reset", "low", "strike"),
    [
        # PicoRV32, SERV, Ibex, VexRiscv and a pin of an FPGA's example, by their published ports.
        ({"clk": 1, "resetn": 1, "mem_ready": 1, "irq": 32}, "clk", "resetn", True, "irq[0]"),
        ({"i_clk": 1, "i_rst": 1, "i_timer_irq": 1}, "i_clk", "i_rst", False, "i_timer_irq"),
        ({"clk_i": 1, "rst_ni": 1, "irq_timer_i": 1}, "clk_i", "rst_ni", True, "irq_timer_i"),
        ({"clk": 1, "reset": 1, "timerInterrupt": 1}, "clk", "reset", False, "timerInterrupt"),
        (
            {"S_AXI_ACLK": 1, "S_AXI_ARESETN": 1, "trig": 1},
            "S_AXI_ACLK",
            "S_AXI_ARESETN",
            True,
            "trig",
        ),
        ({"CLOCK": 1, "nRST": 1, "BTN": 1}, "CLOCK", "nRST", True, "BTN"),
        # OpenTitan's GPIO block, by its published ports.
        ({"clk_i": 1, "rst_ni": 1, "cio_gpio_i": 32}, "clk_i", "rst_ni", True, "cio_gpio_i[0]"),
        ({"clk": 1, "rst": 1, "flush": 1, "push": 1}, "clk", "rst", False, "push"),
        # NEORV32, by its published ports: an interrupt rather than what comes before it.
        (
            {"clk_i": 1, "rstn_i": 1, "uart0_rxd_i": 1, "irq_mei_i": 1},
            "clk_i",
            "rstn_i",
            True,
            "irq_mei_i",
        ),
        # What acknowledges or permits is struck only where nothing else is.
        ({"clk": 1, "rst": 1, "ack_i": 1, "en": 1, "sense": 1}, "clk", "rst", False, "sense"),
        ({"clk": 1, "rst": 1, "ack": 1}, "clk", "rst", False, "ack"),
        ({"a": 1}, None, None, False, "a"),
    ],
)
def test_ports_are_taken_for_what_their_names_say(
    inputs: Names, clock: str | None, reset: str | None, low: bool, strike: str
) -> None:
    taken = guess(ports(inputs, {"q": 1}))
    assert taken.clocks == ((clock,) if clock else ())
    assert taken.resets == ((Reset(reset, low, clock),) if clock and reset else ())
    assert taken.strikes == (strike,)
    # A vector of which one bit is struck has others, which never change.
    whole = {clock, reset, strike}
    assert set(taken.constants) == {*inputs} - whole


def test_each_reset_is_of_the_clock_of_the_most_alike_name(tmp_path: Path) -> None:
    found = ports({"wclk": 1, "rclk": 1, "wrst_n": 1, "rrst_n": 1, "winc": 1}, {"wfull": 1})
    assert guess(found).resets == (Reset("wrst_n", True, "wclk"), Reset("rrst_n", True, "rclk"))
    (tmp_path / "top.v").touch()
    (tmp_path / "top.toml").write_text(draft("top", ["top.v"], found))
    manifest = load(tmp_path / "top.toml")
    assert [clock.pin.port for clock in manifest.clocks] == ["wclk", "rclk"]
    assert [reset.clock for reset in manifest.resets] == [0, 1]


def test_narrow_outputs_come_before_wide_ones_and_eight_at_most() -> None:
    outputs = {**{f"bus{n}": 8 for n in range(3)}, **{f"pin{n}": 1 for n in range(7)}}
    taken = guess(ports({"clk": 1, "d": 1}, outputs))
    assert taken.responses == ("bus0[0]", *(f"pin{n}" for n in range(7)))


def test_the_text_is_a_manifest_that_says_what_was_guessed(tmp_path: Path) -> None:
    (tmp_path / "top.v").touch()
    text = draft("top", ["top.v"], ports({"clk": 1, "rst_n": 1, "irq": 2, "mode": 4}, {"q": 1}))
    (tmp_path / "top.toml").write_text(text)
    manifest = load(tmp_path / "top.toml")
    assert manifest.top == "top"
    assert [reset.is_active_low for reset in manifest.resets] == [True]
    assert manifest.constants == {"irq": 0, "mode": 0}
    assert "irq = 0  # 2 bits, without the one that is struck\n" in text
    assert text.count("(?)") == 7


def test_a_designs_own_ports_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dut.v").write_text(COUNTER)
    made = drafted("dut", ["*.v"], default_cache())
    (tmp_path / "dut.toml").write_text(str(made["text"]))
    manifest = load(tmp_path / "dut.toml")
    assert [path.name for path in manifest.sources.verilog] == ["dut.v"]
    assert [clock.pin.port for clock in manifest.clocks] == ["clk"]
    with pytest.raises(BuildError, match="'nope' was not found in design"):
        drafted("nope", ["dut.v"], default_cache())
    with pytest.raises(ManifestError, match=r"none\.v does not exist"):
        drafted("dut", ["none.v"], default_cache())


def test_what_lies_beside_a_design_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rtl").mkdir()
    top = '`include "bits.vh"\nmodule top(input d, output q); part p(d, q); endmodule'
    (tmp_path / "rtl" / "top.v").write_text(top)
    (tmp_path / "rtl" / "bits.vh").write_text("`define BITS 1")
    part = "module part(input a, output b); assign b = a; endmodule"
    (tmp_path / "rtl" / "part.v").write_text(part)
    (tmp_path / "top.toml").write_text(str(drafted("top", ["rtl/top.v"], default_cache())["text"]))
    assert [path.name for path in load(tmp_path / "top.toml").sources.include] == ["rtl"]
    assert "include" not in str(drafted("part", ["rtl/part.v"], default_cache())["text"])


def test_the_clock_is_as_fast_as_the_design_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A debouncer or a serial port is right at that clock alone."""
    monkeypatch.chdir(tmp_path)
    head = "module top #(parameter CLK_HZ = 12_000_000 /* or 50_000_000 */) "
    body = "(input clk, input btn_n, output reg q); always @(posedge clk) q <= btn_n; endmodule"
    (tmp_path / "top.v").write_text(head + body)
    text = str(drafted("top", ["top.v"], default_cache())["text"])
    assert "period_ps = 83_333  # (?) 12 MHz, as CLK_HZ says\n" in text
    assert tomllib.loads(text)["ports"]["idle_high"] == ["btn_n"]
    given = {"parameters": {"CLK_HZ": 25_000_000}}
    text = str(drafted("top", ["top.v"], default_cache(), given)["text"])
    assert tomllib.loads(text)["clock"]["period_ps"] == 40_000
    plain = draft("top", ["top.v"], ports({"clk": 1, "d": 1}, {"q": 1}))
    assert "period_ps = 10_000  # (?) 100 MHz\n" in plain


def test_a_design_without_an_input_to_strike_is_told_so() -> None:
    text = draft("top", ["top.v"], ports({"clk": 1, "rst": 1}, {"q": 1}))
    assert "strikes = []" in text
    assert "# no input is left to strike: name a module around it that has one\n" in text


def test_variables_of_lists_stand_in_the_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dut.v").write_text(COUNTER)
    (tmp_path / "dut.f").write_text("${NAME}.v\n")
    variables = {"variables": {"NAME": "dut"}}
    made = drafted("dut", ["dut.f"], default_cache(), variables)
    (tmp_path / "dut.toml").write_text(str(made["text"]))
    assert tomllib.loads(str(made["text"]))["variables"] == {"NAME": "dut"}
    assert [path.name for path in load(tmp_path / "dut.toml").sources.verilog] == ["dut.v"]
    with pytest.raises(ManifestError, match="NAME: variables without a text"):
        drafted("dut", ["dut.f"], default_cache())


def test_a_core_is_drafted_as_it_was_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dut.v").write_text(COUNTER)
    (tmp_path / "dut.core").write_text(
        "CAPI=2:\nname: ::dut:1\nfilesets: {rtl: {files: ['!no ? (dut.v)'], file_type: "
        "verilogSource, depend: [none]}}\ntargets: {fast: {filesets: [rtl]}}\n"
    )
    core = {"target": "fast", "flags": ["-no"], "without": ["none"]}
    made = drafted("dut", ["dut.core"], default_cache(), {"core": core})
    (tmp_path / "dut.toml").write_text(str(made["text"]))
    assert tomllib.loads(str(made["text"]))["core"] == core
    assert [path.name for path in load(tmp_path / "dut.toml").sources.verilog] == ["dut.v"]
    with pytest.raises(ManifestError, match=r"core\.libraries: .*none is no folder"):
        drafted("dut", ["dut.core"], default_cache(), {"core": {**core, "libraries": ["none"]}})


@pytest.mark.parametrize(
    ("name", "rests_high"),
    [
        ("m_axis_tready", True),
        ("out_rdy_i", True),
        ("clk_en", True),
        ("ce", True),
        ("uart_rxd", True),
        ("miso_i", True),
        ("readyn", False),
        ("m_axis_tready_n", False),
        ("cs_n", True),
        ("btn_ni", True),
        ("wr_n_i", True),
        ("nIRQ", True),
        ("irq_bar", True),
        ("en_n", False),
        ("NMI", False),
        ("nibble", False),
        ("rx_valid", False),
        ("enable_mask", False),
        ("data", False),
    ],
)
def test_inputs_that_permit_or_take_rest_high(name: str, rests_high: bool) -> None:
    """A design whose outputs nobody takes stands still from its first word on."""
    ports = {
        "clk": ("in", 1),
        "trigger_irq": ("in", 1),
        name: ("in", 2),
        "q": ("out", 1),
    }
    manifest = tomllib.loads(draft("top", ["a.v"], ports))
    assert manifest["constants"] == {name: 3 if rests_high else 0}


def test_a_serial_line_that_is_struck_rests_high() -> None:
    ports = {"clk": ("in", 1), "rxd": ("in", 1), "q": ("out", 1)}
    manifest = tomllib.loads(draft("top", ["a.v"], ports))
    assert manifest["ports"]["strikes"] == manifest["ports"]["idle_high"] == ["rxd"]
    assert "idle_high" not in draft("top", ["a.v"], {**ports, "irq": ("in", 1)})
