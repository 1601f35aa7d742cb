"""Dormant stages: a part of the core gets a clock only while its state or its inputs change.

Most of the core stands still most of the time. The flip-flops of each stage of STAGES have a clock
of their own, a bit of the core's input `clk`. runtime/dormant.h withholds it as long as the stage
would stay as it is. What RESTLESS names, and what depends on that, is in no stage: so is a module
that STAGES lacks. That makes the simulation slow, not wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from plexor_sim.netlist import Block, Logic, Member, Module, encoded, split, unnumbered

STAGES = (
    r"capture\.(filter|edges)[0-7]",
    r"capture(\..*)?",
    r"outputs\.stimulus0(\..*)?",
    r"outputs\.stimulus1(\..*)?",
    r"matcher(\..*)?",
    r"results(\..*)?",
    r"records(\..*)?",
    r"counts(\..*)?",
    r"(dumper|ring)(\..*)?",
    r"(command|link|packetizer)(\..*)?",
    r"uplink(\..*)?",
    r"bank(\..*)?",
    r"(code_tables|schedule|table)(\..*)?",
    r"(outputs|run|snapshots|stall|timecode|trigger)(\..*)?",
)
"""The modules of each stage: a pattern of paths, without Amaranth's numbers. The first counts."""
RESTLESS = (
    r"capture\.(clock|stamp\.i_ready)",
    r"code_tables\.(table\.(counts|sums)\.)?turn",
    r"counts\.(chunk|line|odd|read_row|sample[0-9]+|visit_place|wait)",
    r"counts\.queue\.(\$like|\$signal)",
    r"counts\.counts\.(\$signature__data|_0_|second|visits|word)",
    r"outputs\.stimulus[0-9]\.(painter\.tail|scheduler\.timer)\..*",
    r"outputs\.stimulus[0-9]\.scheduler\.bursts\.\$signal",
    r"records\.\$signal",
    r"results\.bins\.(_1_|main_total|phase|place_1|take|written|upper\..*)",
    r"results\.records\..*",
    r"run\.(settle_left\.(chunk0|pairs0)|time_left\.chunk0_[0-9]+)",
    r"timebase\.low",
)
"""Registers that keep changing while little else does."""


@dataclass(frozen=True)
class Stage:
    """Flip-flops and memories that share a clock."""

    inputs: tuple[Member, ...]
    """Flip-flops that the stage's next state depends on, and that others write."""
    ports: tuple[str, ...]
    """Inputs of the core that it depends on."""
    state: tuple[Member, ...]
    """Its flip-flops, and those of its memories that are read without a clock."""


def gated(text: str) -> tuple[str, list[Stage]]:
    """Return the core's Verilog with a wide `clk`, and its stages.

    Bit 0 clocks what is in no stage, bit N + 1 clocks stage N, both at each edge.
    """
    before, modules = split(text)
    logic = Logic(modules)
    parts = [part for part in _parts(modules, logic) if part]
    bits = {block: bit for bit, part in enumerate(parts, 1) for block in part}
    clocked = "".join(
        _clocked(module, logic.blocks[module.name], bits, len(parts)) for module in modules
    )
    return before + clocked, [_stage(part, logic) for part in parts]


def _parts(modules: Sequence[Module], logic: Logic) -> list[set[Block]]:
    """Return the blocks of each stage."""
    parts = [set[Block]() for _ in STAGES]
    for module in modules:
        path = unnumbered(module.path)
        for stage, part in zip(STAGES, parts, strict=True):
            if re.fullmatch(stage, path):
                part.update(logic.blocks[module.name])
                break
    restless = re.compile("|".join(RESTLESS))
    never = {path for path in logic.flip_flops if restless.fullmatch(unnumbered(path))}
    for part in parts:
        part.difference_update(
            [block for block in part if block.targets & never],
            _readers(part, never, logic),
        )
        # The memories that a stage reads must be its own: they are too large to be compared.
        while foreign := _readers(part, _others(part, logic) & logic.memories.keys(), logic):
            part.difference_update(foreign)
    return parts


def _others(part: set[Block], logic: Logic) -> set[str]:
    """Return what is written by others than the part."""
    blocks = (block for of_module in logic.blocks.values() for block in of_module)
    return {target for block in blocks if block not in part for target in block.targets}


def _readers(part: set[Block], of: Collection[str], logic: Logic) -> list[Block]:
    bits = logic.bits(of)
    return [block for block in part if block.cone & bits]


def _clocked(module: Module, blocks: Sequence[Block], bits: dict[Block, int], high: int) -> str:
    """Return a module's text with clocks up to bit `high`."""
    text, end = "", 0
    for block in blocks:
        begin, until = block.place
        text += f"{module.text[end:begin]}edge clk[{bits.get(block, 0)}]"
        end = until
    return re.sub(r"(?m)^  (input|wire) clk;$", rf"  \1 [{high}:0] clk;", text + module.text[end:])


def _stage(part: set[Block], logic: Logic) -> Stage:
    own = {target for block in part for target in block.targets}
    cone = 0
    for block in part:
        cone |= block.cone
    sources = set(logic.members(cone))
    kept = logic.flip_flops | logic.read_at_once
    return Stage(
        tuple(logic.flip_flops[path] for path in sorted(sources & _others(part, logic))),
        tuple(sorted(sources & logic.inputs)),
        tuple(member for path, member in kept.items() if path in own),
    )


def stages_cpp(stages: Sequence[Stage], ports: Collection[str]) -> str:
    """Return the C++ that keeps and compares each stage. Only `ports` of the core's inputs vary."""

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
        + "".join(_struct(number, stage, ports) for number, stage in enumerate(stages))
        + "class All : public Stages {\n public:\n"
        "  explicit All(const Core& core) : core_(core) {}\n"
        f"  int count() const override {{ return {len(stages)}; }}\n"
        "  void keep(uint64_t of) override {\n"
        + each("    if (of >> {number} & 1) s{number}_.keep(core_);\n")
        + "  }\n"
        + compared("inputs_moved")
        + compared("state_moved")
        + "\n private:\n  const Core& core_;\n"
        + each("  Stage{number} s{number}_;\n")
        + "};\n\n}  // namespace\n\nstd::unique_ptr<Stages> stages(Vplexor& model) {\n"
        "  return std::make_unique<All>(*model.rootp);\n}\n\n}  // namespace plexor\n"
    )


def _struct(number: int, stage: Stage, ports: Collection[str]) -> str:
    inputs = [encoded(port) for port in stage.ports if port in ports]
    inputs += [member.cpp for member in stage.inputs]
    names = list(enumerate((*inputs, *(member.cpp for member in stage.state))))
    fields = "".join(f"  decltype(Core::{name}) m{number};\n" for number, name in names)
    kept = "".join(f"    m{number} = core.{name};\n" for number, name in names)
    moved = [f"moved(m{number}, core.{name})" for number, name in names]

    def compared(what: str, terms: Sequence[str]) -> str:
        found = " |\n           ".join(terms) or "false"
        return f"  bool {what}(const Core& core) const {{\n    return {found};\n  }}\n"

    return (
        f"struct Stage{number} {{\n{fields}  void keep(const Core& core) {{\n{kept}  }}\n"
        + compared("inputs_moved", moved[: len(inputs)])
        + compared("state_moved", moved[len(inputs) :])
        + "};\n\n"
    )
