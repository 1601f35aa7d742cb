# SPDX-License-Identifier: Apache-2.0
"""Reads captures of others as Plexor does, and compares each edge with other readers'.

The captures come in packages of PyPI, Rust and Debian, or are made here by simulators, by
GTKWave's tools and by sigrok-cli. A VCD is compared with pyvcd, vcdvcd and pywellen, an FST with
GTKWave's fst2vcd, a GHW with GHDL's ghwdump, a sigrok session with a zip's samples and sigrok-cli,
and what one simulation wrote in several formats with its VCD. All signals of one bit are compared,
and of vectors of at most 64 bits each bit, up to 25,000 of them in a file.

    .venv/bin/python -m tools.captures [--json] [TEXT ...]

Prints a line for each capture whose line has one of the texts: package, format, signals, bits and
edges compared, other readers, and whether all is equal; or why it is refused, which must name a way
on. Exit codes: 0 all is well, 1 an edge is not equal or a refusal names no way, 2 there is no such
capture, 3 a package or a tool is missing, or a tool fails or takes too long.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from subprocess import CalledProcessError, TimeoutExpired

from plexor_sim.packages import PackageMissing, default_cache
from tools.captures.checked import Checked, Reader, checked
from tools.captures.fetch import captures_in, unpacked_packages
from tools.captures.made import made_captures
from tools.captures.readers import (
    by_first,
    by_fst2vcd,
    by_ghwdump,
    by_pyvcd,
    by_pywellen,
    by_sigrok_cli,
    by_vcdvcd,
    by_zip,
)
from tools.captures.reading import OtherReading
from tools.captures.tools import Tools, package_of

_WORK = Path(__file__).resolve().parents[2] / "build" / "captures"
_ROW = "{:<32} {:<30} {:<15} {:>7} {:>6} {:>9}  {}"


def main(arguments: Sequence[str]) -> int:
    """Check all captures, or some; return an exit code."""
    parser = argparse.ArgumentParser(prog="tools.captures", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    parser.add_argument("texts", nargs="*", help="parts of names of files or packages")
    options = parser.parse_args(arguments)
    found: list[Checked] = []
    if not options.json:
        print(_ROW.format("file", "from", "format", "signals", "bits", "edges", "other readers"))
    try:
        for one in check_all(default_cache(), _WORK, options.texts):
            found.append(one)
            if not options.json:
                print(row(one), flush=True)
    except TimeoutExpired as error:
        name = Path(error.cmd[0]).name
        print(f"error: {name} took more than {error.timeout:g} s; try again", file=sys.stderr)
        return 3
    except (PackageMissing, CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    if not found:
        print(f"{', '.join(options.texts)}: no such capture", file=sys.stderr)
        return 2
    print(json.dumps([asdict(one) for one in found], indent=2) if options.json else total(found))
    return 1 if any(one.wrong for one in found) else 0


def check_all(cache: Path, work: Path, texts: Sequence[str] = ()) -> Iterator[Checked]:
    """Check the captures of all packages, then those made here. Raises PackageMissing."""
    packages = unpacked_packages(cache)
    tools = Tools(packages)
    readers = readers_of(tools, work)
    for path, source, same in _captures(packages, work, tools):
        if not texts or any(text in f"{path.name} {source}" for text in texts):
            suffix = path.suffixes[-2] if path.suffix == ".gz" else path.suffix
            own = list(readers.get(suffix.lower(), ()))
            if same not in (None, path) and own:
                own.append(partial(_same_run, tools, same))
            yield checked(path, source, own)


def _captures(packages: Path, work: Path, tools: Tools) -> Iterator[tuple[Path, str, Path | None]]:
    """Yield each capture with where it is from, and the VCD of the same run if there is one."""
    for path in captures_in(packages):
        yield path, package_of(path, packages).text, None
    for maker, paths in made_captures(work / "made", tools):
        first = paths[0] if paths[0].suffix == ".vcd" else None
        yield from ((path, f"{maker}, here", first) for path in paths)


def _same_run(tools: Tools, path: Path, _: Path) -> OtherReading:
    return replace(by_first(tools.vcdvcd)(path), reader=path.name, tells_start=False)


def readers_of(tools: Tools, work: Path) -> dict[str, list[Reader]]:
    """Return other readers by the suffix of a capture. Raises PackageMissing."""
    return {
        ".vcd": [by_pyvcd, by_vcdvcd(tools.vcdvcd), by_pywellen],
        ".fst": [by_fst2vcd(tools.gtkwave("fst2vcd"), tools.environment, tools.vcdvcd)],
        ".ghw": [by_ghwdump(tools.ghwdump(work))],
        ".sr": [by_zip, by_sigrok_cli],
        ".csv": [by_sigrok_cli],
    }


def row(one: Checked) -> str:
    """Return the line of the table."""
    if one.refusal:
        end = f"refused: {one.refusal}"
    else:
        end = f"{', '.join(one.readers) or 'none'}: {'unequal' if one.wrong else 'equal'}"
    end += f"; {one.left_out} bits only here" if one.left_out else ""
    end += f"; WRONG: {one.wrong}" if one.wrong else ""
    return _ROW.format(one.file, one.source, one.format, one.signals, one.bits, one.edges, end)


def total(found: Sequence[Checked]) -> str:
    """Return the last line."""
    refused = [one for one in found if one.refusal]
    edges = sum(one.edges for one in found)
    wrong = sum(bool(one.wrong) for one in found)
    return (
        f"{len(found)} files: {len(found) - len(refused)} read, {len(refused)} refused with a way "
        f"on, {edges:,} edges equal to other readers', {wrong} wrong"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
