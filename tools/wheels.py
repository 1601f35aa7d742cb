# SPDX-License-Identifier: Apache-2.0
"""Makes the wheels: the host and bitstreams, for all computers, and a platform's simulation.

    .venv/bin/python -m tools.wheels [--to FOLDER] [--platform NAME ...]

`plexor` is pure Python. `plexor-boards` has the bitstreams that are in build/, for `plexor board
flash`; which boards have none there is said. `plexor-sim` has twins that are compiled by ziglang
against an old C library, and the firmware of the simulated devices: with it they are measured
without a compiler, Verilator, Amaranth or the network. Prints each wheel with its size.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from plexor.wire.desk.bitstreams import PACKAGE
from plexor_hdl.build import boards
from plexor_sim.build import build
from plexor_sim.devices import cpp_device
from plexor_sim.libraries.build import loader_device
from plexor_sim.packages import default_cache, freertos_kernel
from plexor_sim.prebuilt import INDEX, LIBRARY, RISCV, SYNTHETIC, name_of
from plexor_sim.riscv import ELF_FILE, DeviceBuild, firmware_for, programs, riscv_device
from plexor_sim.toolchain import in_place, zig_tools
from plexor_sim.twin.build import build_twin
from tools import bitstreams
from tools.setup import ROOT

Table = Mapping[str, Any]
"""A table of TOML."""
_OF_HOST = {"plexor": "host/plexor", "plexor_lab": "host/plexor_lab"}
_OF_SIM = {"plexor_sim": "sim/plexor_sim", "plexor_hdl": "hdl/plexor_hdl"}
_OF_CLONE = ("sim", "gateware", "soc", "dev")
"""Extras of a clone: what the host alone cannot use."""


@dataclass(frozen=True)
class Platform:
    """A kind of computer."""

    target: str
    """As zig names it."""
    tag: str
    """As wheels name it."""


PLATFORMS: Mapping[str, Platform] = {
    "linux-x86_64": Platform("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64"),
    "linux-aarch64": Platform("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64"),
}
_HOOK = """
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Hook(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-{tag}"
"""


def host_wheel(to: Path) -> Path:
    """Make the host's wheel in a folder."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    project["optional-dependencies"] = {
        name: needs for name, needs in extras.items() if name not in _OF_CLONE
    } | {name: [f"plexor-{name}=={project['version']}"] for name in ("sim", "boards")}

    def add(folder: Path) -> None:
        """Add the boards' files, which say how each is flashed."""
        (folder / "plexor" / "constraints").mkdir()
        for path in (ROOT / "constraints").glob("*.toml"):
            shutil.copy(path, folder / "plexor" / "constraints")

    return _wheel(project, _OF_HOST, to, add=add)


def boards_wheel(to: Path, say: Callable[[str], None], names: Iterable[str] = ()) -> Path | None:
    """Make the wheel of the bitstreams that are built, in a folder; None if none is.

    `names` are the builds to take; all of them without it.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    own = _of_project(project) | {
        "name": "plexor-boards",
        "description": "Bitstreams of Plexor's boards.",
        "dependencies": [f"plexor=={project['version']}"],
    }
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / PACKAGE
        if not bitstreams.fill(folder, names or boards.names(), say):
            return None
        return _wheel(own, {PACKAGE: folder}, to)


def _of_project(project: Table) -> dict[str, Any]:
    """Return what all wheels have in common."""
    shared = ("version", "license", "license-files", "requires-python", "readme")
    return {key: project[key] for key in shared}


def simulated_wheel(
    platform: Platform, to: Path, cores_of: Sequence[str], say: Callable[[str], None]
) -> Path:
    """Make the wheel of the simulated instrument for a platform in a folder.

    It has the gateware of some boards, for runs that the twin cannot take.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    yaml = [need for need in extras["sim"] if need.startswith("pyyaml")]
    own = _of_project(project) | {
        "name": "plexor-sim",
        "description": "The simulated instrument of Plexor, with its devices.",
        "dependencies": [f"plexor=={project['version']}", *yaml],
        "optional-dependencies": {
            "build": [need for need in extras["sim"] if need not in yaml],
            "gateware": extras["gateware"],
        },
    }

    def add(folder: Path) -> None:
        shutil.copytree(ROOT / "constraints", folder / "plexor_hdl" / "constraints")
        fill(folder / "plexor_sim" / "prebuilt", platform, cores_of, say)

    return _wheel(own, _OF_SIM, to, tag=platform.tag, add=add)


def fill(
    folder: Path, platform: Platform, cores_of: Sequence[str], say: Callable[[str], None]
) -> None:
    """Put a platform's twins, gateware of boards, the firmware and the index into a folder."""
    cache = default_cache()
    folder.mkdir()
    images: dict[str, str] = {}
    for name, device in _firmware(cache):
        kept = f"firmware-{len(images)}"
        (folder / kept).mkdir()
        image = Path(device.options["firmware"])
        for file in (image, image.with_name(ELF_FILE)):
            shutil.copy(file, folder / kept)
        images[name] = f"{kept}/{image.name}"
    devices = {
        SYNTHETIC: cpp_device(SYNTHETIC),
        RISCV: riscv_device("freertos", cache),
        LIBRARY: loader_device(),
    }
    cores: dict[str, dict[str, str]] = {}
    with in_place(zig_tools(platform.target)):
        for name, device in devices.items():
            shutil.copy(build_twin(device, cache, say), folder / f"twin-{name}")
        for board in cores_of:
            geometry = boards.simulated(board)
            files = {name: f"{board}-{name}" for name in (SYNTHETIC, RISCV)}
            for name, file in files.items():
                shutil.copy(build(geometry, devices[name], cache, report=say), folder / file)
            cores[repr(geometry)] = files
    twins = {name: f"twin-{name}" for name in devices}
    index = {"twins": twins, "gateware": cores, "firmware": images}
    (folder / INDEX).write_text(json.dumps(index, indent=1))
    shutil.copy(freertos_kernel(cache) / "LICENSE.md", folder / "LICENSE-FreeRTOS-Kernel.md")


def _firmware(cache: Path) -> Iterator[tuple[str, DeviceBuild]]:
    """Yield the devices with each firmware, by its name."""
    for kind, options in programs():
        yield name_of(firmware_for(kind, options)), riscv_device(kind, cache, options)


def _wheel(
    project: Table,
    packages: Mapping[str, str | Path],
    to: Path,
    *,
    tag: str = "",
    add: Callable[[Path], None] = lambda _: None,
) -> Path:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, place in packages.items():
            ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
            shutil.copytree(ROOT / place, folder / name, ignore=ignored)
        for name in ("README.md", "LICENSE"):
            shutil.copy(ROOT / name, folder)
        add(folder)
        (folder / "pyproject.toml").write_text(to_toml(project, sorted(packages), tag))
        if tag:
            (folder / "hatch_build.py").write_text(_HOOK.format(tag=tag))
        command = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist")
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"error: {done.stderr.strip()}")
        (wheel,) = (folder / "dist").glob("*.whl")
        to.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(wheel, to))


def to_toml(project: Table, packages: Sequence[str], tag: str) -> str:
    """Return the text of a pyproject.toml."""
    lines = ["[build-system]", 'requires = ["hatchling"]', 'build-backend = "hatchling.build"']
    lines += _table("project", project)
    lines += ["[tool.hatch.build]", "ignore-vcs = true"]
    lines += ["[tool.hatch.build.targets.wheel]", f"packages = {json.dumps(packages)}"]
    if tag:
        lines.append("[tool.hatch.build.targets.wheel.hooks.custom]")
    return "\n".join(lines) + "\n"


def _table(name: str, table: Table) -> Iterator[str]:
    """Yield the lines of a table, and of those in it."""
    yield f"[{name}]"
    for key, value in table.items():
        if not isinstance(value, dict):
            yield f"{json.dumps(key)} = {json.dumps(value)}"
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _table(f"{name}.{json.dumps(key)}", cast(Table, value))


def main(arguments: list[str] | None = None) -> int:
    """Make the wheels and print them."""
    parser = argparse.ArgumentParser(prog="wheels", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--to", type=Path, default=ROOT / "build" / "wheels", metavar="FOLDER")
    parser.add_argument("--platform", nargs="*", choices=PLATFORMS, default=list(PLATFORMS))
    parser.add_argument(
        "--core",
        nargs="*",
        choices=boards.names(),
        default=[boards.DEFAULT],
        help=f"boards whose gateware comes too ({boards.DEFAULT})",
    )
    options = parser.parse_args(arguments)

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    platforms = [PLATFORMS[name] for name in options.platform]
    made = [host_wheel(options.to)]
    made += filter(None, [boards_wheel(options.to, say)])
    made += [simulated_wheel(one, options.to, options.core, say) for one in platforms]
    for wheel in made:
        print(f"{wheel.stat().st_size / 1e6:6.2f} MB  {wheel}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
