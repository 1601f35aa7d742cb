"""A user's own Verilog as a device: checks its ports, and writes the C++ glue around it."""

from __future__ import annotations

import re
from pathlib import Path

from plexor_sim.build import Verilation, ports, verilate
from plexor_sim.manifest import Manifest, ManifestError, Pin
from plexor_sim.netlist import encoded
from plexor_sim.packages import make_once, sha256
from plexor_sim.riscv import DeviceBuild

_PREFIX = "Vdevice"
FIRST_CODE_PIN = 8
"""Number of code pin 0 among a device's outputs, as `kFirstCodePin` in runtime/truth.h."""
_INCLUDED = (".v", ".vh", ".sv", ".svh", ".h", ".inc")


def verilog_device(manifest: Manifest, cache: Path) -> DeviceBuild:
    """Return the parts from which the device is linked; Verilates it to check its ports.

    Raises ManifestError for a port that is missing, BuildError if Verilator rejects the sources.
    """
    includes = [
        item
        for folder in manifest.include
        for item in sorted(folder.rglob("*"))
        if item.suffix in _INCLUDED
    ]
    key = sha256(
        "".join(f"{item.name}:{sha256(item.read_bytes())}\n" for item in includes).encode()
    )
    parameters = {
        name: f'"{value}"' if isinstance(value, str) else str(value)
        for name, value in (manifest.parameters or {}).items()
    }
    item = Verilation(
        name=manifest.top,
        verilog=manifest.sources,
        top=manifest.top,
        prefix=_PREFIX,
        parameters=parameters,
        flags=tuple(f"-I{folder}" for folder in manifest.include),
        key=key,
    )
    verilated = verilate(item, cache)
    _check_ports(manifest, ports(verilated, _PREFIX))
    text = glue(manifest, draws=draws_at_random(verilated))

    def fill(directory: Path) -> None:
        (directory / "glue.cpp").write_text(text)

    return DeviceBuild(
        name=manifest.top,
        verilog=manifest.sources,
        top=manifest.top,
        prefix=_PREFIX,
        cpp=(make_once(cache / "glue" / sha256(text.encode())[:32], fill) / "glue.cpp",),
        parameters=parameters,
        options=dict(manifest.options or {}),
        flags=item.flags,
        key=key,
    )


def _check_ports(manifest: Manifest, found: dict[str, tuple[str, int]]) -> None:
    wanted = [("ports.strikes", pin, "in") for pin in manifest.strikes]
    wanted += [("ports.responses", pin, "out") for pin in manifest.responses]
    wanted += [("ports.codes", pin, "out") for pin in manifest.codes]
    wanted += [("ports.timecode", pin, "in") for pin in manifest.timecode]
    for key, pin in (
        ("ports.load", manifest.load),
        ("clock.port", manifest.clock),
        ("reset.port", manifest.reset),
    ):
        if pin:
            wanted.append((key, pin, "in"))
    wanted += [("constants", Pin(name, 0), "in") for name in manifest.constants or {}]
    for key, pin, direction in wanted:
        way, bits = found.get(pin.port, ("", 0))
        if way != direction:
            names = ", ".join(
                name.replace("___05F", "__")
                for name, (is_way, _) in found.items()
                if is_way == direction
            )
            raise ManifestError(
                f"{manifest.path}: {key}: {manifest.top} has no {direction}put {pin.port!r}; must "
                f"be one of {names or 'none'}"
            )
        if pin.bit >= bits:
            raise ManifestError(
                f"{manifest.path}: {key}: {pin.port}[{pin.bit}]; {pin.port} has {bits} bits"
            )


def draws_at_random(verilated: Path) -> bool:
    """Return whether a design uses $random, $urandom or the like."""
    return any(
        re.search(r"\bVL_U?RANDOM", source.read_text())
        for source in verilated.glob(f"{_PREFIX}*.cpp")
    )


def glue(manifest: Manifest, *, draws: bool) -> str:
    """Return the C++ that names the pins, as device/verilog.h requires."""

    def setter(pin: Pin | None, value: str) -> str:
        return f"set_bit(top.{encoded(pin.port)}, {pin.bit}, {value});" if pin else ""

    def setters(pins: tuple[Pin, ...]) -> str:
        return " ".join(setter(pin, f"mask >> {n} & 1") for n, pin in enumerate(pins))

    responses = " | ".join(
        f"get_bit(top.{encoded(pin.port)}, {pin.bit}) << {n}"
        for n, pin in (*enumerate(manifest.responses), *enumerate(manifest.codes, FIRST_CODE_PIN))
    )
    constants = " ".join(
        f"top.{encoded(name)} = {value}u;" for name, value in (manifest.constants or {}).items()
    )
    active = "!active" if manifest.reset_active_low else "active"
    return f"""\
#include "{_PREFIX}.h"
#include "verilog.h"

namespace {{

using plexor::get_bit;
using plexor::set_bit;

struct Glue {{
  using Model = {_PREFIX};
  static constexpr bool kClocked = {str(manifest.clock is not None).lower()};
  static constexpr bool kDraws = {str(draws).lower()};
  static void constants([[maybe_unused]] Model& top) {{ {constants} }}
  static void strikes([[maybe_unused]] Model& top, [[maybe_unused]] uint32_t mask) {{
    {setters(manifest.strikes)}
  }}
  static void load([[maybe_unused]] Model& top, [[maybe_unused]] bool level) {{
    {setter(manifest.load, "level")}
  }}
  static void timecode([[maybe_unused]] Model& top, [[maybe_unused]] uint32_t mask) {{
    {setters(manifest.timecode)}
  }}
  static void clock([[maybe_unused]] Model& top, [[maybe_unused]] bool level) {{
    {setter(manifest.clock, "level")}
  }}
  static void reset([[maybe_unused]] Model& top, [[maybe_unused]] bool active) {{
    {setter(manifest.reset, active)}
  }}
  static uint32_t responses(Model& top) {{ return {responses}; }}
}};

}}  // namespace

std::unique_ptr<plexor::Device> plexor::make_device(const std::string& options) {{
  return std::make_unique<VerilogDevice<Glue>>(options);
}}
"""
