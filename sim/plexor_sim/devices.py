# SPDX-License-Identifier: Apache-2.0
"""Devices under test: `synthetic`, its presets, `bare`, `freertos`, or the path of a manifest.

    python -m plexor_sim.devices NAME

prints the device's options as JSON, for `plexor board devices NAME`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from plexor_sim.design.manifest import load, manifest_in
from plexor_sim.design.verilog import verilog_device
from plexor_sim.device_forms import DISTRIBUTIONS, Distribution, Whole
from plexor_sim.device_options import LIBRARY, RISCV, SYNTHETIC, VERILOG, Option, checked, meant
from plexor_sim.entry import entered
from plexor_sim.libraries.build import FILES as COMPILED
from plexor_sim.libraries.build import is_of_libraries, library_device
from plexor_sim.presets import PRESETS
from plexor_sim.riscv import DeviceBuild, riscv_device

_DEVICE = Path(__file__).parent / "device"
_CPP: Mapping[str, tuple[Sequence[Option], tuple[str, ...]]] = {
    "synthetic": (
        SYNTHETIC,
        ("synthetic.cpp", "synthetic_options.cpp", "distribution.cpp", "planted_codes.cpp"),
    ),
}
"""Devices in C++: their options, and their files in the folder `device`."""

_SOURCES = (".v", ".sv", ".vhd", ".vhdl")
NAMES = (*_CPP, *PRESETS, "bare", "freertos")


def find_device(name: str, cache: Path, own: str = "") -> DeviceBuild:
    """Return the parts from which a device is linked.

    Some of a user's own options decide what they are. Raises ValueError for an unknown name or a
    wrong option, ManifestError, BuildError, and PackageMissing if a part cannot be had.
    """
    taken = checked(options_of(name), own, name)
    if (written := written_as(name)) in _CPP:
        return cpp_device(written)
    if name in ("bare", "freertos"):
        return riscv_device(name, cache, dict(chosen(taken)))
    if is_of_libraries(name):
        return library_device(Path(name), cache)
    initial = dict(chosen(taken)).get("initial", "0")
    return verilog_device(load(Path(name)), cache, is_random=initial != "0")


def chosen(taken: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of each option."""
    for item in filter(None, taken.split(",")):
        name, _, value = item.partition("=")
        yield name, value


def options_of(name: str) -> Sequence[Option]:
    """Return the options of a device. Raises ValueError for an unknown name."""
    if (written := written_as(name)) in _CPP:
        return _CPP[written][0]
    if name in ("bare", "freertos"):
        return RISCV
    if name.endswith(".toml"):
        return LIBRARY if is_of_libraries(name) else VERILOG
    if name.endswith(COMPILED):
        raise ValueError(
            f"device {name!r}: must stand in a manifest; two lines of a NAME.toml name it: "
            f'[[library]] and file = "{Path(name).name}"'
        )
    way = f"; plexor dut init TOP {name} writes one" if name.endswith(_SOURCES) else ""
    known, comma, own = name.partition(",")
    if comma and known in NAMES:
        way = f"; did you mean {known}:{own}?"
    if Path(name).is_dir():
        way = manifest_in(Path(name))
        if Path(name, "run.json").exists():
            way = f"; it is a run: plexor show {name} prints it"
    near = meant(name, NAMES)
    way = way or (near and f"; {near}")
    raise ValueError(f"device {name!r}: must be {', '.join(NAMES)} or a manifest NAME.toml{way}")


def written_as(name: str) -> str:
    """Return the device that a preset sets, or the name of any other."""
    return "synthetic" if name in PRESETS else name


def cpp_device(name: str) -> DeviceBuild:
    """Return a device that is written in C++."""
    return DeviceBuild(
        name=name,
        verilog=(),
        top="",
        prefix="",
        cpp=tuple(_DEVICE / file for file in _CPP[name][1]),
        key="",
    )


def option_text(name: str, device: DeviceBuild, own: str) -> str:
    """Return a device's options: those of its build, those of its preset, and the user's own.

    Raises ValueError if one of the user's is wrong.
    """
    built = [f"{key}={value}" for key, value in device.options.items()]
    preset = ",".join(f"{key}={value}" for key, value in PRESETS.get(name, {}).items())
    taken = [checked(options_of(name), text, name) for text in (preset, own)]
    return ",".join(filter(None, [*built, *taken]))


def drawn_for(name: str, options: str, text: str) -> str:
    """Return a device's options with a seed that its own and a text give, if it has a seed.

    Each text gives other random numbers, and always the same. An empty text leaves the seed as it
    is.
    """
    seed = next((option for option in options_of(name) if option.name == "seed"), None)
    if not text or seed is None or not isinstance(seed.form, Whole):
        return options
    own = dict(chosen(options)).get(seed.name, seed.default)
    digest = hashlib.sha256(f"{own}\0{text}".encode()).digest()
    drawn = 1 + int.from_bytes(digest[:16], "little") % seed.form.high
    return ",".join(filter(None, (options, f"{seed.name}={drawn}")))


def explained(name: str) -> dict[str, Any]:
    """Return the description of a device's options. Raises ValueError for an unknown device."""
    options = options_of(name)
    random = any(isinstance(option.form, Distribution) for option in options)
    return {
        "device": name,
        "options": [
            {
                "name": option.name,
                "value": option.form.symbol,
                "range": option.form.range,
                "default": PRESETS.get(name, {}).get(option.name, option.default),
                "meaning": option.meaning,
                "of_channel": option.of_channel,
            }
            for option in options
        ],
        "preset": dict(PRESETS.get(name, {})),
        "distributions": dict(DISTRIBUTIONS) if random else {},
    }


def main(arguments: list[str]) -> int:
    """Print the options of the named device; return an exit code."""
    try:
        (name,) = arguments
        json.dump(explained(name), sys.stdout)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(entered(lambda: main(sys.argv[1:])))
