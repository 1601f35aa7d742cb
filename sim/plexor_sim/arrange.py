# SPDX-License-Identifier: Apache-2.0
"""Arrangement: what stages depend on lies side by side in the core, and is compared as words.

Verilator sorts a core's members by size and name. Here those that have the same clock and matter to
the same stages become a group. runtime/dormant.h compares groups instead of members.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from plexor_sim.dormant import Stage
from plexor_sim.netlist import Member, encoded
from plexor_sim.toolchain import BuildError

_MEMBER = re.compile(
    r"(?m)^ *(?P<type>(?:CData|SData|IData|QData|VlWide|VlUnpacked)\b.*) (?P<name>\w+);\n"
)
_EMPTY = re.compile(r"(?m)^ *struct \{\s*\};\n")
_FIRST = "    // DESIGN SPECIFIC STATE\n"
_WORDS, _END = "alignas(8) ", "plexor_end"


@dataclass(frozen=True)
class Group:
    """Members of the core with the same clock that matter to the same stages."""

    clock: int
    stages: int
    """The stages, as bits."""
    names: tuple[str, ...]
    """The members' names in C++. Those that must be aligned most come first."""


def groups(stages: Sequence[Stage]) -> list[Group]:
    """Return the groups, sorted by their clocks."""
    matters: dict[tuple[int, Member], int] = {}
    for number, stage in enumerate(stages):
        members = [(number + 1, member) for member in stage.state]
        members += [(clock, member) for clock, some in stage.inputs.items() for member in some]
        for key in members:
            matters[key] = matters.get(key, 0) | 1 << number
    found: dict[tuple[int, int], list[Member]] = {}
    for (clock, member), mask in matters.items():
        found.setdefault((clock, mask), []).append(member)
    return [
        Group(clock, mask, tuple(member.cpp for member in sorted(members, key=_order)))
        for (clock, mask), members in sorted(found.items())
    ]


def _order(member: Member) -> tuple[int, str]:
    bits = member.bits
    alignment = 8 if 32 < bits <= 64 else 4 if bits > 16 else 2 if bits > 8 else 1
    return -alignment, member.path


def arranged(header: str, groups: Sequence[Group]) -> str:
    """Return the header of Verilator's root with the groups at its beginning, each in whole words.

    Raises BuildError if it lacks one of their members.
    """
    types = {found["name"]: found["type"] for found in _MEMBER.finditer(header)}
    lines = ""
    for group in groups:
        align = _WORDS
        for name in group.names:
            if name not in types:
                raise BuildError(f"{name}: Verilator's model has no such member")
            lines += f"    {align}{types[name]} {name};\n"
            align = ""
    names = {name for group in groups for name in group.names}
    rest = _MEMBER.sub(lambda found: "" if found["name"] in names else found[0], header)
    return _EMPTY.sub("", rest).replace(_FIRST, f"{_FIRST}{lines}    {_WORDS}QData {_END};\n", 1)


def stages_cpp(stages: Sequence[Stage], groups: Sequence[Group], ports: Collection[str]) -> str:
    """Return the C++ that compares the groups. Only `ports` of the core's inputs vary."""
    masks: dict[str, int] = {}
    beats: dict[str, int] = {}
    for number, stage in enumerate(stages):
        for port in (port for port in stage.ports if port in ports):
            masks[encoded(port)] = masks.get(encoded(port), 0) | 1 << number
        for member in stage.rhythm:
            beats[member.cpp] = beats.get(member.cpp, 0) | 1 << number
    changed = dict.fromkeys(range(len(stages) + 1), "")
    fields = off_beat = ""
    for number, (port, mask) in enumerate(masks.items()):
        fields += f"  decltype(Core::{port}) port{number}_{{}};\n"
        changed[0] += _or(f"renewed(port{number}_, core_.{port})", mask)
    for number, (name, mask) in enumerate(beats.items()):
        fields += f"  decltype(Core::{name}) beat{number}_[kRoundClocks] = {{}};\n"
        off_beat += _or(f"renewed(beat{number}_[clock], core_.{name})", mask)
    ends = [*(group.names[0] for group in groups[1:]), _END]
    for group, end in zip(groups, ends, strict=True):
        changed[group.clock] += _or(f"renewed_in<at({group.names[0]}), at({end})>()", group.stages)
    for number, stage in enumerate(stages):
        for gate in stage.gates:
            changed[number + 1] += _or(f"core_.{gate.cpp} != 0", 1 << number)
    compared = "".join(
        f"    if (clocks >> {clock} & 1) {{\n{lines}    }}\n"
        for clock, lines in changed.items()
        if lines
    )
    writes = sum(1 << number for number, stage in enumerate(stages) if stage.writes)
    rhythmic = sum(1 << number for number, stage in enumerate(stages) if stage.rhythm)
    return f"""#include <cstddef>

#include "Vplexor.h"
#include "Vplexor___024root.h"
#include "dormant.h"

namespace plexor {{
namespace {{

using Core = Vplexor___024root;
#define at(member) offsetof(Core, member)
constexpr size_t kFirst = at({groups[0].names[0]});

class All : public Stages {{
 public:
  explicit All(const Core& core) : core_(core) {{}}
  int count() const override {{ return {len(stages)}; }}
  uint64_t writing() const override {{ return {writes}; }}
  uint64_t rhythmic() const override {{ return {rhythmic}; }}
  uint64_t changed(uint64_t clocks) override {{
    uint64_t stages = 0;
{compared}    return stages;
  }}
  uint64_t off_beat(unsigned clock) override {{
    uint64_t stages = 0;
{off_beat}    return stages;
  }}

 private:
  template <size_t kBegin, size_t kEnd>
  bool renewed_in() {{
    const char* now = reinterpret_cast<const char*>(&core_) + kBegin;
    return renewed_words<(kEnd - kBegin) / 8>(kept_ + (kBegin - kFirst) / 8, now);
  }}

  const Core& core_;
  uint64_t kept_[(at({_END}) - kFirst) / 8] = {{}};
{fields}}};

}}  // namespace

std::unique_ptr<Stages> stages(Vplexor& model) {{ return std::make_unique<All>(*model.rootp); }}

}}  // namespace plexor
"""


def _or(condition: str, stages: int) -> str:
    return f"      stages |= ({condition}) * uint64_t{{{stages}}};\n"
