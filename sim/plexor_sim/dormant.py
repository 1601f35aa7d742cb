"""Dormant stages: a part of the core gets a clock only while its state or its inputs change.

Most of the core stands still most of the time. Each stage of STAGES has a clock of its own, a bit
of the core's input `clk`. runtime/dormant.h withholds it as long as the stage would stay as it is.
A module that is in no stage makes the simulation slow, not wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plexor_sim.netlist import Member, Module, split, unnumbered

STAGES = (
    (r"capture\.code_port", r"capture\.code_values", r"timecode"),
    (r"capture\.filter[01]",),
    (r"capture\.filter[2-7]",),
    (r"command(\..*)?", r"table"),
    (r"dumper", r"ring(\..*)?"),
    (r"link(\..*)?", r"packetizer"),
    (r"uplink\..*",),
    (r"matcher(\..*)?",),
    (r"outputs\.stimulus0(\..*)?",),
    (r"outputs\.stimulus1(\..*)?",),
    (r"records\..*",),
    (r"results(\.(log_bins|zoom_bin|firsts|places))?",),
)
"""The modules of each stage: patterns of paths, without Amaranth's numbers."""
RESTLESS = r".*\.(bursts|tail|timer)"
"""Modules with registers that change in each clock. They are in no stage, but those below are."""
_INPUT = re.compile(r"(?m)^  input (?:\[\d+:0\] )?(\S+) ?;$")
_OUTPUT = re.compile(r"(?m)^  output (?:\[\d+:0\] )?(\S+) ?;$")


@dataclass(frozen=True)
class Stage:
    """Some modules of the core that share a clock."""

    inputs: tuple[Member, ...]
    """Signals from modules that are not of the stage."""
    state: tuple[Member, ...]
    """Flip-flops, and memories that are read without a clock."""


def gated(text: str) -> tuple[str, list[Stage]]:
    """Return the core's Verilog with a wide `clk`, and its stages.

    Bit 0 clocks what is in no stage, bit N + 1 clocks stage N, both at each edge.
    """
    before, modules = split(text)
    found = [[module for module in modules if _is_of(stage, module)] for stage in STAGES]
    parts = [part for part in found if part]
    bits = {module.path: bit for bit, part in enumerate(parts, 1) for module in part}
    clocked = "".join(_clocked(module, bits.get(module.path, 0), len(parts)) for module in modules)
    return before + clocked, [_stage(part, modules) for part in parts]


def _is_of(stage: Sequence[str], module: Module) -> bool:
    path = unnumbered(module.path)
    is_restless = re.fullmatch(RESTLESS, path)
    return not is_restless and any(re.fullmatch(pattern, path) for pattern in stage)


def _clocked(module: Module, bit: int, high: int) -> str:
    """Return a module's text with clocks up to bit `high`. Its own one is `bit`."""
    wide = re.sub(r"(?m)^  (input|wire) clk;$", rf"  \1 [{high}:0] clk;", module.text)
    return wide.replace("@(posedge clk)", f"@(edge clk[{bit}])")


def _stage(part: Sequence[Module], modules: Sequence[Module]) -> Stage:
    paths = {module.path for module in part}
    outside = [
        (module, pattern)
        for module in modules
        for pattern, inner, outer in (
            (_INPUT, module.path, module.above),
            (_OUTPUT, module.above, module.path),
        )
        if inner in paths and outer not in paths
    ]
    return Stage(
        tuple(member for module, pattern in outside for member in _ports(module, pattern)),
        tuple(member for module in part for member in _state(module)),
    )


def _ports(module: Module, pattern: re.Pattern[str]) -> Iterator[Member]:
    names = {name.removeprefix("\\") for name in pattern.findall(module.text)}
    return (m for m, _ in module.places if m.name in names and m.name not in ("clk", "rst"))


def _state(module: Module) -> Iterator[Member]:
    for member, place in module.places:
        read = f" = {place[3]} [" if place[3].startswith("\\") else f" = {place[3]}["
        if member.is_flip_flop or (member.is_memory and read in module.text):
            yield member


def stages_cpp(stages: Sequence[Stage], inputs: Sequence[str]) -> str:
    """Return the C++ that keeps and compares each stage, and the core's `inputs`: names in C++."""

    def each(form: str) -> str:
        return "".join(form.format(number=number) for number in range(len(stages)))

    def compared(what: str) -> str:
        asked = f"of >> {{number}} & 1 && s{{number}}_.{what}(core_)"
        return (
            f"  uint64_t {what}(uint64_t of) const override {{\n    uint64_t moved = 0;\n"
            + each(f"    if ({asked}) moved |= uint64_t{{{{1}}}} << {{number}};\n")
            + "    return moved;\n  }\n"
        )

    return (
        '#include "Vplexor.h"\n#include "Vplexor___024root.h"\n#include "dormant.h"\n\n'
        "namespace plexor {\nnamespace {\n\nusing Core = Vplexor___024root;\n\n"
        + _struct("Inputs", inputs, ())
        + "".join(
            _struct(f"Stage{number}", _names(stage.inputs), _names(stage.state))
            for number, stage in enumerate(stages)
        )
        + "class All : public Stages {\n public:\n"
        "  explicit All(const Core& core) : core_(core) { inputs_.keep(core); }\n"
        f"  int count() const override {{ return {len(stages)}; }}\n"
        "  void keep(uint64_t of) override {\n"
        + each("    if (of >> {number} & 1) s{number}_.keep(core_);\n")
        + "  }\n"
        + compared("inputs_moved")
        + compared("state_moved")
        + "  bool core_inputs_moved() override {\n"
        "    if (!inputs_.inputs_moved(core_)) return false;\n"
        "    inputs_.keep(core_);\n    return true;\n  }\n"
        "\n private:\n  const Core& core_;\n  Inputs inputs_;\n"
        + each("  Stage{number} s{number}_;\n")
        + "};\n\n}  // namespace\n\nstd::unique_ptr<Stages> stages(Vplexor& model) {\n"
        "  return std::make_unique<All>(*model.rootp);\n}\n\n}  // namespace plexor\n"
    )


def _names(members: Sequence[Member]) -> list[str]:
    return [member.cpp for member in members]


def _struct(name: str, inputs: Sequence[str], state: Sequence[str]) -> str:
    names = list(enumerate((*inputs, *state)))
    fields = "".join(f"  decltype(Core::{name}) m{number};\n" for number, name in names)
    kept = "".join(f"    m{number} = core.{name};\n" for number, name in names)
    moved = [f"moved(m{number}, core.{name})" for number, name in names]

    def compared(what: str, terms: Sequence[str]) -> str:
        found = " |\n           ".join(terms) or "false"
        return f"  bool {what}(const Core& core) const {{\n    return {found};\n  }}\n"

    return (
        f"struct {name} {{\n{fields}  void keep(const Core& core) {{\n{kept}  }}\n"
        + compared("inputs_moved", moved[: len(inputs)])
        + (compared("state_moved", moved[len(inputs) :]) if state else "")
        + "};\n\n"
    )
