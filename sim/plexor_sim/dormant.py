# SPDX-License-Identifier: Apache-2.0
"""Dormant stages: a part of the core gets a clock only while its state or its inputs change.

Most of the core stands still most of the time. The flip-flops of each stage of STAGES have a clock
of their own, a bit of the core's input `clk`. runtime/dormant.h withholds it as long as the stage
would stay as it is. Registers that keep changing have the clock that always comes. A stage may
depend on those of RHYTHMIC, not on those of RESTLESS: what does is in no stage. So is a module that
STAGES lacks. That makes the simulation slow, not wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from plexor_sim.netlist import Block, Logic, Member, Module, split, unnumbered

STAGES = (
    (r"capture\.(mend|filter|edges)[0-7]",),
    (r"capture\.queues",),
    (
        r"(capture|pins)(\..*)?",
        r"code_tables\.(low|\$signal\$(13|41))",
        r"uplink\.i_events__payload",
    ),
    (r"outputs\.stimulus0(\..*)?",),
    (r"outputs\.stimulus1(\..*)?",),
    (
        r"matcher(\..*)?",
        r"last_counted\.all_counted",
        r"records\.(final_stb|\$signal\$7[27])",
        r"snapshots\.\$signal\$16",
        r"trigger\.events",
    ),
    (r"results\.records(\..*)?", r"code_tables\.\$signal\$16", r"records\.extent\.valid_1"),
    (r"results\.bins(\..*)?",),
    (r"results(\..*)?",),
    (r"records\.(extent|memory)(\..*)?",),
    (r"records(\..*)?",),
    (r"counts\.queue(\..*)?",),
    (r"counts(\..*)?",),
    (r"dumper(\..*)?", r"bank\.shadow\.\$signal"),
    (r"command(\..*)?",),
    (r"link(\..*)?",),
    (r"packetizer(\..*)?", r"(command|dumper)\.o_bytes__valid", r"ring\.o_entries__valid"),
    (r"uplink(\..*)?",),
    (r"bank\.shadow(\..*)?", r"bank\.bus__read_data", r"run\.(part_clock|time_left\.\$signal)"),
    (r"bank(\..*)?",),
    (r"code_tables(\..*)?",),
    (r"ring(\..*)?",),
    (r"(schedule|table)(\..*)?",),
    (r"outputs(\..*)?",),
    (r"snapshots(\..*)?",),
    (r"(stall|trigger)(\..*)?",),
    (r"(flags|lamps|last_counted|run|timebase|timecode)(\..*)?",),
)
"""The modules of each stage: a pattern of paths, without Amaranth's numbers. The first counts.

Then come single registers of other modules. They follow this stage, and would wake their own.
"""
RESTLESS = (
    r"capture\.clock",
    r"code_tables\.(table\.(counts|sums)\.)?turn",
    r"counts\.(before|chunk|due|last_line|line|odd|read_row|sample[0-9]+|turn)",
    r"counts\.(visit_place|visited|wait|watched)",
    r"counts\.queue\.quiet",
    r"counts\.counts\.(\$signature__(addr|data)|_0_|live|row|visiting|visits|word|writing)",
    r"outputs\.stimulus[0-9]\.(painter\.tail|scheduler\.timer)\.(count|pool\.(borrow|chunk_0))",
    r"outputs\.stimulus[0-9]\.scheduler\.bursts\.\$signal",
    r"records\.\$signal\$89",
    r"results\.bins\.(_1_|main_total|phase|place_[12]|take|written)",
    r"results\.records\.calm",
    r"results\.records\.(candidate|chunk|number|which)(_[0-9])?",
    r"results\.records\.(clock|number_of_square_1|\$signal\$(33|41|42))",
    r"results\.records\.(square_)?sums\.(addend_1|first_[12]|turn|write__data)",
    r"(run\.settle_left|snapshots\.report)\.left\.(count|pool\.(borrow|chunk_0))",
    r"run\.time_left\.chunk0_[0-9]+",
    r"timebase\.low",
)
"""Registers that keep changing while little else does. Only modules lack their numbers here."""
RHYTHMIC = (
    r"capture\.stamp\.i_ready",
    r"counts\.counts\.second",
    r"counts\.queue\.\$signal\$16",
)
"""The same, but while all else stands still they are the same again after two clocks."""
AWAKE = (r"results\.bins\.upper\.(page|upper_word)",)
"""Registers that seldom change, but follow such as change often."""


@dataclass(frozen=True)
class Stage:
    """Flip-flops and memories that share a clock."""

    inputs: Mapping[int, Sequence[Member]]
    """Flip-flops that the stage's next state depends on, and that others write, by their clocks.

    Clock 0 also stands for several.
    """
    ports: tuple[str, ...]
    """Inputs of the core that it depends on."""
    state: tuple[Member, ...]
    """What it depends on of its own: flip-flops, and memories that are read without a clock.

    If it depends on a rhythm, all of its flip-flops.
    """
    gates: tuple[Member, ...]
    """Those of its flip-flops that must be low: what they let through keeps changing."""
    rhythm: tuple[Member, ...]
    """Those of RHYTHMIC that it depends on."""
    writes: bool
    """Whether it writes memories."""


def gated(text: str) -> tuple[str, list[Stage]]:
    """Return the core's Verilog with a wide `clk`, and its stages.

    Bit 0 clocks what is in no stage, bit N + 1 clocks stage N, both at each edge.
    """
    before, modules = split(text)
    logic = Logic(modules)
    parts = [part for part in _parts(modules, logic) if part.blocks]
    bits = {block: bit for bit, part in enumerate(parts, 1) for block in part.blocks}
    clocked = "".join(
        _clocked(module, logic.blocks[module.name], bits, len(parts)) for module in modules
    )
    return before + clocked, [part.stage(_clocks(logic, bits)) for part in parts]


def _parts(modules: Sequence[Module], logic: Logic) -> Iterator[_Part]:
    kinds = _Kinds(logic)
    found: list[set[Block]] = [set() for _ in STAGES]
    single = {
        path: number
        for number, (_, *registers) in enumerate(STAGES)
        for path in _matching(registers, logic.flip_flops)
    }
    for module in modules:
        path = unnumbered(module.path)
        whole = [number for number, (names, *_) in enumerate(STAGES) if re.fullmatch(names, path)]
        for block in logic.blocks[module.name]:
            numbers = [single[target] for target in block.targets if target in single] or whole
            for number in numbers[:1]:
                found[number].add(block)
    return (_Part(blocks, logic, kinds) for blocks in found)


class _Kinds:
    """Kinds of leaves, as bits."""

    def __init__(self, logic: Logic) -> None:
        restless = _matching(RESTLESS, logic.flip_flops)
        rhythmic = _matching(RHYTHMIC, logic.flip_flops)
        self.restless = logic.bits(restless)
        self.rhythmic = logic.bits(rhythmic)
        self.moving = self.restless | self.rhythmic
        always = restless | rhythmic | _matching(AWAKE, logic.flip_flops)
        self.always = [block for block in logic.all_blocks if block.targets & always]
        self._courses = dict.fromkeys(rhythmic, 0)
        self._bits = {path: logic.bits([path]) for path in rhythmic}
        for block in self.always:
            for path in block.targets & rhythmic:
                self._courses[path] |= block.cone
        for _ in rhythmic:
            self._courses = {path: self.reach(course) for path, course in self._courses.items()}

    def reach(self, cone: int) -> int:
        """Return a cone with what its rhythmic registers depend on."""
        for path, bit in self._bits.items():
            if cone & bit:
                cone |= self._courses[path]
        return cone


def _matching(patterns: Sequence[str], paths: Iterable[str]) -> set[str]:
    whole = re.compile("|".join(patterns))
    split_up = ((path, *path.rpartition(".")) for path in paths)
    return {
        path for path, scope, _, name in split_up if whole.fullmatch(f"{unnumbered(scope)}.{name}")
    }


class _Part:
    """The blocks of a stage."""

    def __init__(self, blocks: set[Block], logic: Logic, kinds: _Kinds) -> None:
        """Keep those of the blocks that can do without a clock."""
        self.blocks = blocks.difference(kinds.always)
        self._logic = logic
        self._kinds = kinds
        while lost := self._lost():
            self.blocks.difference_update(lost)

    def _lost(self) -> list[Block]:
        others = self._others()
        memories = self._logic.memories.keys()
        # The memories that a stage reads must be its own: they are too large to be compared.
        never = self._kinds.restless | self._logic.bits(others & memories)
        return [
            block
            for block in self.blocks
            if self._kinds.reach(self._cone(block)) & never
            or (self._is_gated(block) and block.gate in others)
            # It may write something else in each clock of a round.
            or (block.targets & memories and self._cone(block) & self._kinds.rhythmic)
        ]

    def _is_gated(self, block: Block) -> bool:
        """Return whether a block's gate must be low, because its cone keeps changing."""
        return block.gate in self._logic.flip_flops and bool(block.cone & self._kinds.moving)

    def _cone(self, block: Block) -> int:
        return self._logic.bits([block.gate]) if self._is_gated(block) else block.cone

    def _others(self) -> set[str]:
        """Return what is written by others than the part."""
        blocks = (block for block in self._logic.all_blocks if block not in self.blocks)
        return set[str]().union(*(block.targets for block in blocks))

    def stage(self, clocks: Mapping[str, int]) -> Stage:
        """Return the stage. `clocks` has the clock of each register."""
        logic = self._logic
        own = set[str]().union(*(block.targets for block in self.blocks))
        reach = 0
        for block in self.blocks:
            reach |= self._kinds.reach(self._cone(block))
        sources = set(logic.members(reach & ~self._kinds.rhythmic))
        others = self._others()
        kept = logic.flip_flops | logic.read_at_once
        rhythm = list(logic.members(reach & self._kinds.rhythmic))
        matters = own & kept.keys() if rhythm else own & sources & kept.keys()
        inputs: dict[int, list[Member]] = {}
        for path in sorted((sources | matters) & others):
            inputs.setdefault(clocks[path], []).append(logic.flip_flops[path])
        gates = {block.gate for block in self.blocks if self._is_gated(block)}
        return Stage(
            inputs=inputs,
            ports=tuple(sorted(sources & logic.inputs)),
            state=tuple(kept[path] for path in sorted(matters - others)),
            gates=tuple(logic.flip_flops[path] for path in sorted(gates)),
            rhythm=tuple(logic.flip_flops[path] for path in rhythm),
            writes=bool(own & logic.memories.keys()),
        )


def _clocked(module: Module, blocks: Sequence[Block], bits: dict[Block, int], high: int) -> str:
    """Return a module's text with clocks up to bit `high`."""
    text, end = "", 0
    for block in blocks:
        begin, until = block.place
        text += f"{module.text[end:begin]}edge clk[{bits.get(block, 0)}]"
        end = until
    return re.sub(r"(?m)^  (input|wire) clk;$", rf"  \1 [{high}:0] clk;", text + module.text[end:])


def _clocks(logic: Logic, bits: Mapping[Block, int]) -> dict[str, int]:
    """Return the clock of each register and memory; 0 if it has several."""
    clocks: dict[str, int] = {}
    for block in logic.all_blocks:
        bit = bits.get(block, 0)
        for target in block.targets:
            clocks[target] = bit if clocks.get(target, bit) == bit else 0
    return clocks
