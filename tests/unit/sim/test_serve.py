# SPDX-License-Identifier: Apache-2.0
"""What `plexor board sim` prepares, where a device's parts cannot be had, and what it explains."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from plexor.protocol.geometry import Geometry
from plexor_hdl.build import boards
from plexor_sim import serve
from plexor_sim.devices import drawn_for, find_device
from plexor_sim.packages import PackageMissing, default_cache


@pytest.fixture
def missing(monkeypatch, tmp_path):
    """Return a function that prepares a device while some cannot be had."""

    def prepare(dut, *names, fallback=True):
        def find(name, cache, own):
            if name in names:
                raise PackageMissing(f"parts of {name}", "not there", "get them")
            return find_device("synthetic", cache)

        monkeypatch.setattr(serve, "find_device", find)
        monkeypatch.setattr(serve, "build", lambda *_, **__: tmp_path / "simulator")
        return serve.prepare(dut, Geometry(), tmp_path, fallback=fallback)

    return prepare


def test_a_device_that_cannot_be_had_is_replaced_and_that_is_said(missing, capsys):
    assert missing("freertos:load=all", "freertos").options == "load=all"
    out = capsys.readouterr().out
    assert out == (
        "fallback freertos is not available (parts of freertos: not there; get them); using bare\n"
    )


def test_options_are_left_out_where_the_device_changes_its_kind(missing, capsys):
    ready = missing("freertos:load=all", "freertos", "bare")
    assert (ready.device, ready.options) == ("synthetic", "")
    assert capsys.readouterr().out.count("fallback ") == 2


def test_nothing_is_replaced_without_being_asked_to(missing):
    with pytest.raises(PackageMissing, match="parts of freertos"):
        missing("freertos", "freertos", fallback=False)


def test_the_names_of_codes_are_those_of_the_firmware_that_runs(monkeypatch, tmp_path):
    monkeypatch.setattr(serve, "build", lambda *_, **__: tmp_path / "simulator")
    ours = serve.prepare("bare", Geometry(), default_cache())
    assert ours.elf is not None
    assert ours.elf.read_bytes()[:4] == b"\x7fELF"
    assert ours.said == ["device bare", "core gateware", f"firmware {ours.elf}"]
    users = serve.prepare("bare:firmware=mine.hex", Geometry(), default_cache())
    assert users.said == ["device bare", "core gateware"]


def test_help_names_every_option_that_the_simulator_takes(capsys):
    source = Path(serve.__file__).parent / "runtime" / "options.cpp"
    taken = set(re.findall(r'name == "(--[\w-]+)"', source.read_text()))
    with pytest.raises(SystemExit) as ended:
        serve.main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    named = set(re.findall(r"^  (--[\w-]+)", text, re.MULTILINE))
    # `--device` is what --dut becomes, and `--script` is for a twin that hands a run over.
    assert taken - {"--device", "--script"} <= named
    assert len(taken) > 15
    assert "plexor board devices NAME" in text


def test_an_option_that_there_is_not_is_code_2(capsys):
    with pytest.raises(SystemExit) as ended:
        serve.main(["--trut", "file"])
    assert ended.value.code == 2
    assert "--trut" in capsys.readouterr().err


def served(monkeypatch, tmp_path, *given):
    """Return exit code and the command that the simulator is started with; None: it is not."""
    ran = []
    ready = serve.Prepared("synthetic", tmp_path / "simulator", "seed=1")
    monkeypatch.setattr(serve, "prepare", lambda *_, **__: ready)
    monkeypatch.setattr(serve.os, "execv", lambda _, command: ran.append(command))
    return serve.main(list(given)), ran[0] if ran else None


def test_a_pace_is_a_time_and_goes_to_the_simulator_in_picoseconds(monkeypatch, tmp_path):
    _, command = served(monkeypatch, tmp_path, "--pace", "0.1ms")
    assert command[3:] == ["--pace", "100000000"]


@pytest.mark.parametrize("text", ["100", "19us", "2s", "fast"])
def test_a_wrong_pace_is_code_2_with_its_range(monkeypatch, tmp_path, capsys, text):
    assert served(monkeypatch, tmp_path, "--pace", text) == (2, None)
    error = capsys.readouterr().err
    assert f"pace: {text!r}; must be a time with a unit" in error
    assert "from 20us to 1s" in error


def test_options_of_the_simulation_go_to_the_simulator(monkeypatch, tmp_path):
    given = ["--free", "--stall", "0.5,3", "--gate", "5,9", "--trace-pins", "t.vcd"]
    _, command = served(monkeypatch, tmp_path, *given)
    assert command[1:3] == ["--device", "seed=1"]
    assert sorted(command[3:]) == sorted(given)


def test_a_simulator_that_is_built_starts_without_amaranth():
    """It would take longer than all else."""
    serve.prepare("synthetic", boards.simulated(), default_cache())
    program = (
        "import sys\n"
        "from plexor_hdl.build import boards\n"
        "from plexor_sim import packages, serve\n"
        "serve.prepare('synthetic', boards.simulated(), packages.default_cache())\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'amaranth', 'numpy'}))\n"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_text_of_draws_gives_the_device_another_seed_each_and_the_same_each_time(
    monkeypatch, tmp_path
):
    seeds = []
    for text in ("a", "b", "a"):
        _, command = served(monkeypatch, tmp_path, "--draws-of", text)
        seeds.append(command[2].split(","))
    assert [seed[0] for seed in seeds] == ["seed=1"] * 3
    assert seeds[0] == seeds[2] != seeds[1]
    assert served(monkeypatch, tmp_path, "--draws-of", "")[1][2] == "seed=1"


def test_draws_depend_on_the_devices_own_seed_too_and_firmware_has_none():
    one, other = (drawn_for("synthetic", f"seed={n}", "a").split("seed=")[2] for n in (1, 2))
    assert one != other
    assert drawn_for("synthetic", "", "a") == f"seed={one}"
    assert drawn_for("freertos", "load=cpu", "a") == "load=cpu"
    assert re.fullmatch(r"ppm=3,seed=\d+", drawn_for("d.toml", "ppm=3", "a"))


@pytest.mark.parametrize("text", ["ulx3s-25f", "ulx3s25f", "ULX3S_25F", "Ulx3s 25F"])
def test_a_board_is_known_however_its_name_is_written(text):
    chosen = serve.parser().parse_args(["--board", text])
    assert serve._geometry(chosen) == boards.simulated("ulx3s-25f")
