# SPDX-License-Identifier: Apache-2.0
"""Devices that a wheel has built before, and those that must still be built."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import plexor_sim
from plexor.protocol.geometry import Geometry
from plexor_sim import serve
from plexor_sim.prebuilt import FOLDER, INDEX, Made, name_of, prebuilt
from plexor_sim.riscv import firmware_for, programs

EXAMPLES = Path(plexor_sim.__file__).parent / "examples"
GEOMETRY = Geometry(channels=2, strikes=1, samples=8, tick_fs=1_000_000)
PROGRAMS = {"strikes", "calls", "executor", "critsec", "philosophers", "malloc"}
BENCHES = {"osbench", "threadmetric", "kernel"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder as a wheel's, with the names of files that nobody runs here."""
    firmware = {
        name_of(firmware_for(kind, options)): f"{number}/firmware.hex"
        for number, (kind, options) in enumerate(programs())
    }
    twins = {name: f"twin-{name}" for name in ("synthetic", "riscv", "library")}
    gateware = {repr(GEOMETRY): {"synthetic": "plexor-sim-synthetic"}}
    index = {"twins": twins, "firmware": firmware, "gateware": gateware}
    (tmp_path / INDEX).write_text(json.dumps(index))
    return tmp_path


def found(dut: str, folder: Path) -> Made | None:
    name, _, own = dut.partition(":")
    return prebuilt(name, own, folder / "cache", folder=folder)


@pytest.mark.parametrize("dut", ["synthetic", "synthetic:latency=3us", "ce30", "cenet:seed=3"])
def test_the_synthetic_device_and_its_presets_are_there(dut: str, folder: Path) -> None:
    made = found(dut, folder)
    assert made is not None
    assert (made.device.name, made.executable) == ("synthetic", folder / "twin-synthetic")


@pytest.mark.parametrize("kind", ["bare", "freertos"])
def test_firmware_is_told_by_what_decides_it(kind: str, folder: Path) -> None:
    usual, coded = (found(f"{kind}{own}", folder) for own in ("", ":codes=strobed,load=cpu"))
    assert usual is not None
    assert coded is not None
    assert usual.executable == coded.executable == folder / "twin-riscv"
    images = [made.device.options["firmware"] for made in (usual, coded)]
    assert images[0] != images[1]
    assert all(image.endswith("firmware.hex") for image in images)


def test_each_program_has_its_own_image(folder: Path) -> None:
    images = [
        made.device.options["firmware"]
        for program in sorted(PROGRAMS | BENCHES)
        if (made := found(f"freertos:program={program}", folder))
    ]
    assert len(set(images)) == len(PROGRAMS | BENCHES)
    executor = found("freertos:program=executor", folder)
    assert executor is not None
    assert executor.device.options["codes"] == "strobed"


@pytest.mark.parametrize(
    "dut",
    [
        "freertos:program=osbench,iterations=5",
        "freertos:app=off",
        "bare:platform=sram",
        "bare:retired=out.bin",
        str(EXAMPLES / "irq.toml"),
    ],
)
def test_what_the_wheel_lacks_is_built(dut: str, folder: Path) -> None:
    assert found(dut, folder) is None


def test_a_wrong_option_is_told_as_ever(folder: Path) -> None:
    with pytest.raises(ValueError, match="latency=x"):
        found("synthetic:latency=x", folder)


def test_a_library_needs_a_compiler_only_for_its_source(folder: Path) -> None:
    made = found(str(EXAMPLES / "echo_py.toml"), folder)
    assert made is not None
    assert made.executable == folder / "twin-library"
    assert made.device.options["library.0.title"] == "echo.py"


def test_a_clone_has_nothing_built_before(tmp_path: Path) -> None:
    assert not (FOLDER / INDEX).exists()
    assert found("synthetic", tmp_path) is None


def test_with_a_wheel_no_tool_is_looked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a build")

    monkeypatch.setattr(serve, "build_twin", refuse)
    monkeypatch.setattr(serve, "prebuilt", partial(prebuilt, folder=folder))
    ready = serve.prepare("bare:load=cpu", GEOMETRY, tmp_path, core=serve.TWIN)
    assert ready.executable == folder / "twin-riscv"
    assert ready.elf is not None
    assert ready.options.startswith(f"firmware={folder}")
    assert ready.options.endswith("load=cpu")
    monkeypatch.setattr(serve, "build", refuse)
    ready = serve.prepare("synthetic", GEOMETRY, tmp_path, core=serve.GATEWARE)
    assert (ready.executable, ready.arguments) == (folder / "plexor-sim-synthetic", ())
    other = replace(GEOMETRY, channels=3)
    with pytest.raises(AssertionError, match="a build"):
        serve.prepare("synthetic", other, tmp_path, core=serve.GATEWARE)
