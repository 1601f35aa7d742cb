# SPDX-License-Identifier: Apache-2.0
"""Board files, locked routes, and what is read of nextpnr's delays."""

import importlib

import pytest
from tools.gateware import board, build, limits, macro, report
from tools.gateware.board import BoardError
from tools.gateware.families import FAMILIES
from tools.gateware.sdf import Delays
from tools.gateware.skew import pad_lag_ps

from plexor.experiments.calibration.sheet import ECP5
from plexor_hdl.build import boards
from plexor_hdl.front.phases import hops

# amaranth-boards has the pins as well, from other hands.
AMARANTH = {
    "ulx3s-12f": ("ulx3s", "ULX3S_12F_Platform"),
    "ulx3s-25f": ("ulx3s", "ULX3S_25F_Platform"),
    "ulx3s-85f": ("ulx3s", "ULX3S_85F_Platform"),
    "orangecrab": ("orangecrab_r0_2", "OrangeCrabR0_2_25FPlatform"),
    "ecpix-5": ("ecpix5", "ECPIX585Platform"),
    "hx8k-evn": ("ice40_hx8k_b_evn", "ICE40HX8KBEVNPlatform"),
    "icebreaker": ("icebreaker", "ICEBreakerPlatform"),
    "icebreaker-bitsy": ("icebreaker_bitsy", "ICEBreakerBitsyPlatform"),
    "icesugar": ("icesugar", "ICESugarPlatform"),
    "icesugar-pro": ("icesugar_pro", "ICESugarProPlatform"),
    "tinyfpga-bx": ("tinyfpga_bx", "TinyFPGABXPlatform"),
    "upduino": ("upduino_v3", "UpduinoV3Platform"),
}
WIRED = {"upduino"}
"""Boards whose oscillator reaches the PLL by a wire."""


def platform(name):
    """Return a board's platform of amaranth-boards."""
    module, kind = AMARANTH[name]
    return getattr(importlib.import_module(f"amaranth_boards.{module}"), kind)


@pytest.mark.parametrize("name", AMARANTH)
def test_clock_and_connector_pins_are_those_of_amaranth_boards(name):
    ours, theirs = board.load(name), platform(name)
    wired = name in WIRED
    named = "clk12" if wired else theirs.default_clk
    (clock,) = [r for r in theirs.resources if r.name == named]
    assert (clock.ios[0].names == [ours.clock_site]) != wired
    assert clock.clock.frequency == ours.clock_mhz * 10**6
    sites = {site for connector in theirs.connectors for site in connector.mapping.values()}
    own = ("uart", "lamps", "low")
    free = [pin.site for port, pin in ours.pins.items() if not port.startswith(own)]
    assert set(free) <= sites
    assert not wired or ours.clock_site in sites


@pytest.mark.parametrize("name", ["ulx3s-25f", "ulx3s-85f"])
def test_lamps_are_those_of_amaranth_boards(name):
    ours, theirs = board.load(name), platform(name)
    leds = [r for r in theirs.resources if r.name == "led"]
    sites = [led.ios[0].names[0] for led in sorted(leds, key=lambda led: led.number)]
    assert [ours.pins[f"lamps[{n}]"].site for n in range(ours.geometry.lamps)] == sites


@pytest.mark.parametrize(
    ("name", "led", "number"),
    [
        ("orangecrab", "rgb_led", 0),
        ("ecpix-5", "rgb_led", 0),
        ("hx8k-evn", "led", 0),
        ("icebreaker", "led_g", 0),
        ("icebreaker-bitsy", "led_g", 0),
        ("icesugar", "led_g", 0),
        ("icesugar-pro", "rgb_led", 0),
        ("tinyfpga-bx", "led", 0),
        ("upduino", "rgb_led", 0),
    ],
)
def test_the_led_is_one_of_amaranth_boards_and_lit_by_the_same_level(name, led, number):
    ours = board.load(name)
    (theirs,) = [r for r in platform(name).resources if (r.name, r.number) == (led, number)]
    parts = [part.ios[0] if hasattr(part, "name") else part for part in theirs.ios]
    (pins,) = [pins for pins in parts if ours.led_site in pins.names]
    assert pins.invert == ours.led_is_low


@pytest.mark.parametrize(
    "name", ["ulx3s-25f", "ecpix-5", "hx8k-evn", "icebreaker", "icesugar", "icesugar-pro"]
)
def test_uart_pins_are_those_of_amaranth_boards(name):
    ours = board.load(name)
    (uart,) = [r for r in platform(name).resources if r.name == "uart"]
    sites = {part.name: part.ios[0].names[0] for part in uart.ios}
    assert {"rx": ours.pins["uart_rx"].site, "tx": ours.pins["uart_tx"].site} == {
        name: sites[name] for name in ("rx", "tx")
    }


@pytest.mark.parametrize("name", board.names())
def test_every_board_makes_its_clocks(name):
    ours = board.load(name)
    pll = importlib.import_module(f"plexor_hdl.front.{ours.profile.family}").Pll
    divisors = pll(ours.clock_mhz, ours.fast_mhz).dividers()
    output = 1 if ours.profile.family == "ecp5" else 2 ** divisors[2]
    multiply = divisors[1] / divisors[0] / output
    assert ours.clock_mhz * multiply == pytest.approx(float(ours.fast_mhz))
    # A tick to a part in a million: better than any crystal.
    assert ours.geometry.tick_fs * ours.geometry.samples * ours.core_mhz == pytest.approx(
        10**9, 1e-6
    )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("mhz = 25\n", "mhz = 'fast'\n", "fast"),
        ("[clock]", "[clocks]", "no 'clock'"),
        ('site = "A10"', 'site = "B11"', "pins: B11 is given twice"),
        ('    { site = "A6", header = "J1 GP7" },\n', "", "channels[7]"),
        ("[[18, 7], ", "[", "places.sampler: 7 tiles; must be 8"),
        ('profile = "ecp5"', 'profile = "ecp6"', "profile: 'ecp6'"),
        ("[flash]", "[burn]", "no 'flash'"),
        ('tool = "openFPGALoader"', 'tool = "iceprog"', "flash.tool: 'iceprog'; must be"),
        ("persistent = [", "lasting = [", "no 'persistent'"),
        ('volatile = ["--board", "ulx3s", "--write-sram"]', "volatile = []", "flash.volatile: []"),
        ("wheel = true", "wheels = true", "wheels"),
        ("title = ", "title ", "="),
        ("baud = 3_000_000\nset = false", "baud = 3_000_000\nset = true", "link.baud: 3000000"),
    ],
)
def test_a_wrong_board_file_is_one_line(monkeypatch, tmp_path, old, new, says):
    text = (board.CONSTRAINTS / "ulx3s-25f.toml").read_text()
    assert old in text
    monkeypatch.setattr(boards, "CONSTRAINTS", tmp_path)
    (tmp_path / "mine.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(BoardError) as error:
        board.load("mine")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_board_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(BoardError, match=r"nosuch.*ulx3s-25f"):
        board.load("nosuch")


ROUTES = {
    "X5/Y8/local_g2_6": "X8/Y10/local_g2_6",
    "X5/Y8/4.9.lutff_6:out.->.5.8.local_g2_6": "X8/Y10/7.11.lutff_6:out.->.8.10.local_g2_6",
    "X10/Y7/-1_0_H02E0501->0_0_V00B0100": "X13/Y9/-1_0_H02E0501->0_0_V00B0100",
}


def test_a_macro_moves_its_cells_and_routes_and_keeps_them_locked():
    one = macro.Macro(
        {"ff_#_Q": (-1, 2, "SLICEB.FF0")}, {"net_#": tuple((name, name) for name in ROUTES)}
    )
    cell = {
        "type": "TRELLIS_FF",
        "attributes": {},
        "connections": {"DI": [7], "Q": [8]},
        "port_directions": {"DI": "input", "Q": "output"},
        "parameters": {},
    }
    module = {"cells": {"ff_3_Q": cell}, "netnames": {"net_3": {"attributes": {}}}}
    one.put(module, 3, (3, 2))
    assert cell["attributes"]["BEL"] == "X2/Y4/SLICEB.FF0"
    assert cell["connections"] == {"M": [7], "Q": [8]}
    fields = module["netnames"]["net_3"]["attributes"]["ROUTING"].split(";")
    assert fields == [field for moved in ROUTES.values() for field in (moved, moved, "5")]


def test_what_was_placed_is_taken_as_it_stands():
    placed = {
        "cells": {"ff_1_Q_DFFLC": {"attributes": {"NEXTPNR_BEL": "X9/Y3/lc4"}}},
        "netnames": {"net_1": {"attributes": {"ROUTING": "X8/Y2/a;X8/Y2/8.2.b.->.9.3.c;1"}}},
    }
    taken = macro.taken(placed, 1, (8, 2), {"ff_#_Q": "ff_#_Q_DFFLC"}, ["net_#"])
    assert taken.cells == {"ff_#_Q": (1, 1, "lc4")}
    assert taken.nets == {"net_#": (("X0/Y0/a", "X0/Y0/0.0.b.->.1.1.c"),)}


SDF = """
        (INTERCONNECT \\$gbuf\\$a/Q b/M (100:150:200) (100:150:200))
        (INTERCONNECT lut/F b/CE (10:20:30) (10:20:30))
        (INTERCONNECT \\$gbuf\\$a/Q lut/A (40:50:60) (40:50:60))
  (CELL
    (INSTANCE \\$gbuf\\$a)
        (IOPATH CLK Q (430:477:525) (430:477:525))
    )
  (CELL
    (INSTANCE lut)
        (IOPATH A F (200:218:236) (200:218:236))
    )
  (CELL
    (INSTANCE b)
      (SETUPHOLD (posedge M) (posedge CLK) (5:6:7) (233:268:303))
    )
"""


def test_delays_are_read_and_added_up(tmp_path):
    (tmp_path / "x.sdf").write_text(SDF)
    greatest, least = Delays(tmp_path / "x.sdf"), Delays(tmp_path / "x.sdf", least=True)
    assert greatest.sinks("$gbuf$a", "Q") == {("b", "M"): 200, ("lut", "A"): 60}
    assert greatest.setup("b", "M") == 7
    assert least.through("lut", "A", "F") == 200
    # By the look-up table, 525 + 60 + 236 + 30, later than straight, 525 + 200 + 7.
    assert greatest.latest(["b"], besides="none") == 851
    assert least.into("lut", "F", "b") == ("CE", 10)


PADS = """
        (INTERCONNECT channels\\[1\\]{pad} front.sampler.seen_1{table} (1:2:{wire}) (1:2:{wire}))
        (INTERCONNECT other/O front.sampler.seen_1{other} (1:2:9000) (1:2:9000))
  (CELL
    (INSTANCE front.sampler.seen_1{cell})
        (IOPATH {pin} {out} (1:2:{through}) (1:2:{through}))
    )
"""


@pytest.mark.parametrize(
    ("family", "parts"),
    [
        ("ecp5", {"pad": "\\$tr_io/O", "cell": "_LUT4_Z", "pin": "C", "out": "F"}),
        ("ice40", {"pad": "\\$sb_io/D_IN_0", "cell": "_SB_LUT4_O_LC", "pin": "I2", "out": "O"}),
    ],
)
def test_a_pads_delay_is_that_to_its_table_and_through_it(tmp_path, family, parts):
    ends = {"table": f"{parts['cell']}/{parts['pin']}", "other": f"{parts['cell']}/X"}
    (tmp_path / "x.sdf").write_text(PADS.format(**parts, **ends, wire=1700, through=300))
    assert pad_lag_ps(FAMILIES[family], Delays(tmp_path / "x.sdf"), 1) == 2000


LAGS_PS = list(macro.read(board.CONSTRAINTS / "front" / "ecp5.json")["sampler"].lags_ps)
FASTER_PS = [686, 695, 693, 722, 719, 757, 732, 702]


@pytest.mark.parametrize(
    ("name", "lags_ps", "told"),
    [
        ("ulx3s-25f", [LAGS_PS, LAGS_PS], []),
        ("ulx3s-25f", [FASTER_PS, FASTER_PS], ["sampler 0", "sampler 1"]),
        ("ecpix-5", [FASTER_PS, FASTER_PS], []),
        ("ecpix-5", [FASTER_PS, [686, *FASTER_PS[:-1]]], ["sampler 1"]),
    ],
)
def test_a_channel_that_is_not_locked_is_told_at_each_speed_grade(name, lags_ps, told):
    found = build.moved(board.load(name), FAMILIES["ecp5"], {"sampler": lags_ps})
    assert [failure.split(":")[0] for failure in found] == told


def test_the_report_has_a_row_a_build_and_all_that_fails():
    row = {"failures": ["core clock: 99.0 MHz; must be 120 or more"]}
    row["cells"] = {name: f"<{name}>" for name in report.COLUMNS}
    kept = {"failures": [], "cells": dict.fromkeys(report.COLUMNS, 7)}
    lines = report.table([row, kept]).splitlines()
    assert lines[2] == "| " + " | ".join(f"<{name}>" for name in report.COLUMNS) + " |"
    assert lines[3] == "| " + " | ".join("7" for _ in report.COLUMNS) + " |"
    assert lines[-1] == "- <board>, seed <seed>: core clock: 99.0 MHz; must be 120 or more"
    assert report.table([kept]).splitlines()[-1] == "Nothing."


def test_every_hop_has_most_of_a_period():
    for phases in (4, 8):
        for start in range(phases):
            for end in (3 * phases, 2 * phases + start):
                times, at = [], start
                for phase in hops(start, end, phases):
                    at += (phase - at) % phases or phases
                    times.append(at)
                assert times[-1] == end
                gaps = [b - a for a, b in zip([start, *times], times, strict=False)]
                assert all(phases * 5 / 8 <= gap <= phases for gap in gaps)


def line(start, end, ns):
    """Return a line of nextpnr's log for two of eight phases."""
    (a, from_), (b, to) = ((n % 4, "neg" if n > 3 else "pos") for n in (start, end))
    return f"Info: Max delay {from_}edge $glbnet$fast_{a}   -> {to}edge $glbnet$fast_{b}: {ns} ns\n"


# Those of a placed board, as estimated first and as routed; the one from 0 to 5 is given.
HOPS = {
    *[(2, 0), (2, 1), (6, 4), (6, 5), (3, 2), (3, 1), (7, 6), (7, 4), (0, 6), (0, 7), (4, 2)],
    *[(4, 3), (1, 0), (5, 3), (5, 4)],
}
LOG = (
    line(0, 5, "9.99")
    + "".join(line(*hop, "1.50") for hop in sorted(HOPS))
    + line(0, 5, "{}")
    + "Info: Max delay posedge clk -> posedge $glbnet$front.divider.phase0_clk: 7.71 ns\n"
)


def test_the_last_report_of_a_hop_is_held_against_its_budget():
    hop = from_0_to_5("1.9")
    # Phase 0 to 5, an eighth of 4000 ps each.
    assert (hop.start, hop.end, hop.delay_ps, hop.budget_ps) == ("phase 0", "phase 5", 1900, 2500)
    assert from_0_to_5("2.6").slack_ps == -100


def from_0_to_5(ns):
    """Return the hop from phase 0 to 5, of so many ns."""
    hops_found = limits.phase_hops(LOG.format(ns), 8, 4000)
    return next(hop for hop in hops_found if (hop.start, hop.end) == ("phase 0", "phase 5"))


@pytest.mark.parametrize(
    ("sheet", "own", "end", "budget_ps"),
    [
        # Phase 0 to 5: two clocks' phases and one duty cycle, 200 ps each, and the jitter.
        (ECP5, True, "phase 5", 2500 - 600 - 50),
        # One duty cycle, and no errors of phases.
        (ECP5, False, "phase 5", 2500 - 200 - 50),
        (ECP5, True, "phase 6", 3000 - 600 - 50),
        (None, True, "phase 5", 2500),
    ],
)
def test_a_hop_has_the_time_that_the_sheet_leaves_it(sheet, own, end, budget_ps):
    found = limits.phase_hops(LOG.format("1.0"), 8, 4000, sheet, own=own)
    assert {hop.budget_ps for hop in found if (hop.start, hop.end) == ("phase 0", end)} == {
        budget_ps
    }


def test_a_hop_that_nextpnr_does_not_report_is_an_error():
    with pytest.raises(ValueError, match=r"no delay from phase 0 to 5$"):
        limits.phase_hops("".join(line(*hop, "1.50") for hop in HOPS), 8, 4000)


def test_a_hop_that_no_part_of_the_front_end_takes_is_an_error():
    with pytest.raises(ValueError, match="phase 0 to phase 1"):
        limits.phase_hops(LOG.format("1.9") + line(0, 1, "1.00"), 8, 4000)


def test_pulses_shorter_than_a_speed_grade_takes_are_told():
    assert limits.pulses(6, 250, 125) == []
    assert limits.pulses(6, 312, 156) == [
        "sampling clocks: 312 MHz; must be at most 257 for its pulse widths, at speed 6"
    ]
    assert "core clock: 260 MHz; must be at most 254" in limits.pulses(7, 300, 260)[0]
