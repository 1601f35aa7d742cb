# SPDX-License-Identifier: Apache-2.0
"""Plays strikes to public designs and compares each edge of their answers with another simulator's.

That is Icarus Verilog for Verilog, GHDL for VHDL, and Icarus behind slang for SystemVerilog.

    .venv/bin/python -m tools.strangers [NAME ...]

Prints a line for each design: the package that it comes from, the lines of its manifest, the CPU
seconds of its first build, strikes, edges compared, and whether all are equal. Exit codes: 0 all
are equal, 1 one is not, 2 there is no such design, 3 a package or a tool is missing.
"""

from __future__ import annotations

import json
import random
import resource
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from plexor_sim.build import BuildError
from plexor_sim.design.manifest import Manifest, ManifestError, load
from plexor_sim.design.player import Strikes, played, player
from plexor_sim.design.verilog import ports_of
from plexor_sim.devices import find_device, option_text
from plexor_sim.packages import PackageMissing, default_cache
from tools.strangers.bench import OracleError, settled
from tools.strangers.fetch import packages
from tools.strangers.ghdl import play_in_ghdl
from tools.strangers.icarus import play_in_icarus
from tools.strangers.slang import needs_slang

ROOT = Path(__file__).resolve().parents[2]
DESIGNS = Path(__file__).parent / "designs"
_WORK = ROOT / "build" / "strangers"
_STRIKES = 200
_GRID_PS = 500
_SPACING = (400, 3_000)
"""From one strike to the next, in grid steps: 0.2 to 1.5 us."""
_ROW = "{:<24} {:<26} {:>5} {:>7} {:>7} {:>7}  {}"


@dataclass(frozen=True)
class Compared:
    """What one design's comparison found."""

    name: str
    package: str
    lines: int
    cpu_s: float
    strikes: int
    edges: int
    oracle: str
    """What played the same strikes."""
    wrong: str
    """What is not equal; empty if all is."""

    @property
    def row(self) -> str:
        """The line of the table."""
        return _ROW.format(
            self.name,
            self.package,
            self.lines,
            f"{self.cpu_s:.1f}",
            self.strikes,
            self.edges,
            f"{self.oracle}: {self.wrong or 'equal'}",
        )


def main(names: Sequence[str]) -> int:
    """Compare the named designs, or all; return an exit code."""
    known = sorted(path.stem for path in DESIGNS.glob("*.toml"))
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"{', '.join(unknown)}: no such design; must be of {', '.join(known)}")
        return 2
    if shutil.which("iverilog") is None:
        print("iverilog: not on the path; on Debian: apt install iverilog")
        return 3
    print(_ROW.format("design", "package", "lines", "CPU s", "strikes", "edges", "oracle"))
    compared: list[Compared] = []
    for name in names or known:
        try:
            compared.append(compare(name, default_cache(), _WORK))
        except PackageMissing as error:
            print(f"error: {error}")
            return 3
        print(compared[-1].row, flush=True)
    equal = [one for one in compared if not one.wrong]
    print(
        f"{len(equal)} of {len(compared)} designs equal, {sum(one.edges for one in equal):,} edges"
    )
    return 0 if len(equal) == len(compared) else 1


def compare(name: str, cache: Path, work: Path) -> Compared:
    """Compare one design. Raises PackageMissing."""
    folder = work / name
    folder.mkdir(parents=True, exist_ok=True)
    for link, target in (("packages", packages(cache)), ("own", DESIGNS / "own")):
        (folder / link).unlink(missing_ok=True)
        (folder / link).symlink_to(target)
    path = folder / f"{name}.toml"
    shutil.copy(DESIGNS / path.name, path)
    text = path.read_text()
    lines = sum(bool(line.partition("#")[0].strip()) for line in text.splitlines())
    package, oracle, cpu_s, edges, wrong = "", "", 0.0, 0, ""
    try:
        manifest = load(path)
        package, oracle = _package(manifest, folder), oracle_of(manifest)
        cpu_s, edges = _compared(path, manifest, cache, folder)
    except (ManifestError, BuildError, OracleError, UnlikeError) as error:
        wrong = str(error).splitlines()[0]
    found = Compared(name, package, lines, cpu_s, _STRIKES, edges, oracle, wrong)
    (folder / "compared.json").write_text(json.dumps(asdict(found), indent=2))
    return found


class UnlikeError(Exception):
    """An edge that is not that of the other simulator."""


def _compared(path: Path, manifest: Manifest, cache: Path, folder: Path) -> tuple[float, int]:
    """Return the CPU seconds of the build, and how many edges are equal."""
    before = _children_s()
    device = find_device(str(path), cache)
    program = player(device, cache)
    spent_s = _children_s() - before
    kept = folder / "first_build_s.txt"
    # A later build takes what is in the cache.
    if not kept.is_file():
        kept.write_text(f"{spent_s}\n")
    strikes, end_ps = strikes_of(manifest)
    own = played(program, option_text(str(path), device, ""), strikes, end_ps)
    if own.code:
        raise UnlikeError(own.said.strip().splitlines()[-1])
    if manifest.sources.vhdl:
        expected = play_in_ghdl(path, ports_of(manifest, cache), strikes, end_ps, folder)
    else:
        expected = play_in_icarus(path, strikes, end_ps, folder)
    for ours, theirs in zip(settled(own.edges), expected, strict=False):
        if ours != theirs:
            raise UnlikeError(f"{ours} is {theirs} there (ps, response, level)")
    if len(settled(own.edges)) != len(expected):
        raise UnlikeError(f"{len(settled(own.edges))} edges are {len(expected)} there")
    still = {*range(len(manifest.responses))} - {channel for _, channel, _ in expected}
    if still:
        names = ", ".join(manifest.responses[number].text for number in sorted(still))
        raise UnlikeError(f"{names}: never moves, so that nothing is compared")
    return float(kept.read_text()), len(expected)


def oracle_of(manifest: Manifest) -> str:
    """Return what plays a design for comparison."""
    if manifest.sources.vhdl:
        return "GHDL"
    return "slang, Icarus" if needs_slang(manifest) else "Icarus"


def strikes_of(manifest: Manifest) -> tuple[Strikes, int]:
    """Return strikes on inputs at random, in any phase, and when to end."""
    drawn = random.Random(1)
    idle = sum(1 << manifest.strikes.index(pin) for pin in manifest.idle_high)
    now_ps, found = 0, [(-1, idle)]
    for _ in range(_STRIKES):
        now_ps += _GRID_PS * drawn.randrange(*_SPACING)
        width_ps = _GRID_PS * drawn.randrange(20, _SPACING[0])
        pin = drawn.randrange(len(manifest.strikes))
        found += [(now_ps, idle ^ 1 << pin), (now_ps + width_ps, idle)]
    return found, now_ps + _GRID_PS * _SPACING[1]


def _package(manifest: Manifest, folder: Path) -> str:
    """Return the folder of the package that a design is in."""
    paths = [path.relative_to(folder.resolve()) for path in manifest.sources.files]
    return next((path.parts[1] for path in paths if path.parts[0] == "packages"), "")


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
