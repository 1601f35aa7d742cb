# SPDX-License-Identifier: Apache-2.0
"""The C++ that names the pins of a design, as device/verilog.h requires."""

from __future__ import annotations

from collections.abc import Sequence

from plexor_sim.design import inside
from plexor_sim.design.manifest import Manifest
from plexor_sim.design.pins import Pin
from plexor_sim.netlist import encoded

PREFIX = "Vdevice"
FIRST_CODE_PIN = 8
"""Number of code pin 0 among a device's outputs, as `kFirstCodePin` in runtime/truth.h."""
Ports = dict[str, tuple[str, int]]
"""Direction and width of each port."""
_WHOLE_BITS, _WORD_BITS, _WORD_MASK = 64, 32, (1 << 32) - 1
"""Verilator's ports: up to so many bits are an integer, others are words of so many."""


def glue(
    manifest: Manifest, found: Ports, *, draws: bool, timed: bool, is_class: bool = False
) -> str:
    """Return the C++. `is_class` is as of `inside.is_class`."""
    top = "plexor_top->" if is_class else "plexor_top__DOT__"
    symbols = f'#include "{PREFIX}__Syms.h"\n' if is_class else ""
    clocks, resets, random = manifest.clocks, manifest.resets, manifest.random or {}
    draws = draws or bool(random)
    responses = " | ".join(
        f"{_getter(manifest, pin, top)} << {n}"
        for n, pin in (*enumerate(manifest.responses), *enumerate(manifest.codes, FIRST_CODE_PIN))
    )
    constants = " ".join(
        setting
        for name, value in (manifest.constants or {}).items()
        for setting in _constant(f"top.{encoded(name)}", value, found[name][1])
    )
    idle = sum(1 << manifest.strikes.index(pin) for pin in manifest.idle_high)
    reset_levels = [("!active" if reset.is_active_low else "active") for reset in resets]
    drawn = [
        " ".join(
            f"draw_bits(top.{encoded(name)}, {found[name][1]}, random);"
            for name, of in random.items()
            if of == number
        )
        for number in range(len(clocks))
    ]
    struck = [
        (name, pull, [(n, pin.bit) for n, pin in enumerate(manifest.strikes) if pin.port == name])
        for name, pull in manifest.inouts.items()
    ]
    wires = " ".join(
        f"is_new |= plexor::settle(top.{encoded(name)}, top.{encoded(name)}__out, "
        f"top.{encoded(name)}__en, {found[name][1]}, '{pull[0]}', {_driven(pull, pins)});"
        for name, pull, pins in struck
    )
    inputs = [(n, pin) for n, pin in enumerate(manifest.strikes) if pin.port not in manifest.inouts]
    return f"""\
#include "{PREFIX}.h"
#include "{PREFIX}___024root.h"
{symbols}#include "verilog.h"

namespace {{

using plexor::draw_bits;
using plexor::get_bit;
using plexor::set_bit;

struct Glue {{
  using Model = {PREFIX};
  static constexpr bool kDraws = {_bool(draws)};
  static constexpr bool kTimed = {_bool(timed)};
  static constexpr bool kLoads = {_bool(manifest.load is not None)};
  static constexpr bool kInouts = {_bool(bool(manifest.inouts))};
  static constexpr uint32_t kIdleHigh = {idle};
  static inline uint32_t driven = 0;  // the strikes
  static constexpr std::array<plexor::ClockPort, {len(clocks)}> kClocks{{{{{
        ", ".join(
            f'{{"{clock.pin.text}", {_bool(bool(drawn[n]))}}}' for n, clock in enumerate(clocks)
        )
    }}}}};
  static constexpr std::array<plexor::ResetPort, {len(resets)}> kResets{{{{{
        ", ".join(
            f'{{"{reset.pin.text}", {reset.clock}, {reset.early_cycles}, '
            f"{_bool(reset.is_synchronous)}}}"
            for reset in resets
        )
    }}}}};
  static void constants([[maybe_unused]] Model& top) {{ {constants} }}
  static void strikes([[maybe_unused]] Model& top, [[maybe_unused]] uint32_t mask) {{
    driven = mask;
    {" ".join(_setter(pin, f"mask >> {n} & 1") for n, pin in inputs)}
  }}
  static void load([[maybe_unused]] Model& top, [[maybe_unused]] bool level) {{
    {_setter(manifest.load, "level")}
  }}
  static void timecode([[maybe_unused]] Model& top, [[maybe_unused]] uint32_t mask) {{
    {_setters(manifest.timecode)}
  }}
  static void clock([[maybe_unused]] Model& top, [[maybe_unused]] size_t number,
                    [[maybe_unused]] bool level) {{
    {_choice([_setter(clock.pin, "level") for clock in clocks])}
  }}
  static void reset([[maybe_unused]] Model& top, [[maybe_unused]] size_t number,
                    [[maybe_unused]] bool active) {{
    {_choice([_setter(r.pin, level) for r, level in zip(resets, reset_levels, strict=True)])}
  }}
  static void random([[maybe_unused]] Model& top, [[maybe_unused]] size_t number,
                     [[maybe_unused]] plexor::Random& random) {{
    {_choice(drawn)}
  }}
  static bool settle([[maybe_unused]] Model& top) {{
    bool is_new = false;
    {wires}
    return is_new;
  }}
  static uint32_t responses(Model& top) {{ return {responses}; }}
}};

}}  // namespace

std::unique_ptr<plexor::Device> plexor::make_device(const std::string& options) {{
  return std::make_unique<VerilogDevice<Glue>>(options);
}}
"""


def _getter(manifest: Manifest, pin: Pin, top: str) -> str:
    if pin.port in manifest.probes:
        return f"get_bit({inside.member(manifest.probes, pin.port, top)}, 0)"
    return f"get_bit(top.{encoded(pin.port)}, {pin.bit})"


def _driven(pull: str, pins: Sequence[tuple[int, int]]) -> str:
    """Return the C++ of the bits of an inout that strikes drive against its pull."""
    level = "~driven" if pull == "up" else "driven"
    bits = [f"uint64_t{{{level} >> {n} & 1}} << {bit}" for n, bit in pins]
    return " | ".join(bits) or "uint64_t{0}"


def _bool(value: bool) -> str:
    return str(value).lower()


def _choice(statements: Sequence[str]) -> str:
    """Return the C++ that does what a number says."""
    return " ".join(f"if (number == {n}) {{ {text} }}" for n, text in enumerate(statements))


def _setter(pin: Pin | None, value: str) -> str:
    return f"set_bit(top.{encoded(pin.port)}, {pin.bit}, {value});" if pin else ""


def _setters(pins: tuple[Pin, ...]) -> str:
    return " ".join(_setter(pin, f"mask >> {n} & 1") for n, pin in enumerate(pins))


def _constant(port: str, value: int, bits: int) -> list[str]:
    """Return the C++ that sets a whole port."""
    if bits <= _WHOLE_BITS:
        return [f"{port} = {value}ull;"]
    words = range(-(-bits // _WORD_BITS))
    return [f"{port}.at({n}) = {value >> n * _WORD_BITS & _WORD_MASK}u;" for n in words]
