# SPDX-License-Identifier: Apache-2.0
"""A calibration for a terminal."""

from __future__ import annotations

from plexor.base.figure_words import source_text
from plexor.base.units import format_rate
from plexor.model.calibration import FS_PER_PS, Calibration, Instants, PadDelay, PinDelay
from plexor.show.table import NOTHING, Cell
from plexor.show.terminal.columns import LEAST_WIDTH, Paint, table, wrapped

_HERTZ = 10**15


def calibration_text(found: Calibration, *, width: int, colour: bool) -> str:
    """Return the bins of each channel and the pad delays as lines, each ended."""
    paint = Paint(colour)
    source = format_rate(_HERTZ / found.source_fs) if found.source_fs else "unknown"
    where = source_text(found.simulated, found.board)
    ideal_ps = found.tick_fs / FS_PER_PS / 12**0.5
    width = max(width, LEAST_WIDTH)
    title = f"Calibration of {found.serial}, gateware {found.gateware_hash:016x}"
    if found.build_id:
        title += f", build {found.build_id:016x}"
    taken = f"{where} · source {source} · an even bin has {ideal_ps:.0f} ps RMS"
    lines = [*wrapped(title, width, paint, "bold"), *wrapped(taken, width, paint, "muted"), ""]
    phases = len(found.channels[0].rise.late_ps)
    head = ["channel", "edges", *(f"bin {phase}" for phase in range(phases)), "widest", "RMS"]
    rows: list[list[Cell]] = [
        _row(f"ch{entry.number} {name}", way, found.tick_fs)
        for entry in found.channels
        for name, way in (("up", entry.rise), ("down", entry.fall))
    ]
    lines += table(head, rows, width, paint)
    said = "Widths of bins in ps. Below each is the standard error of where it ends."
    lines += [*wrapped(said, width, paint, ""), ""]
    if found.delays:
        head = ["pad delay", *(f"ch{entry.number}" for entry in found.channels)]
        rows = []
        for output in sorted({entry.output for entry in found.delays}):
            for way in ("rise", "fall"):
                cells = [_delay(found.delay(output, e.number), way) for e in found.channels]
                name = "up" if way == "rise" else "down"
                rows.append([(f"strike{output} {name}", ""), *cells])
        lines += table(head, rows, width, paint)
        said = (
            "Delay from a strike's tick to the mean sampling instant, looped back at its pad, in "
            "ps; ± is a bound. The channel's own pad is not in it."
        )
        lines += [*wrapped(said, width, paint, ""), ""]
        head = ["pins", *(f"ch{entry.number}" for entry in found.channels)]
        rows = []
        for output in sorted({entry.output for entry in found.delays}):
            for way, name in (("rise", "up"), ("fall", "down")):
                cells = [_pins(found, output, e.number, way) for e in found.channels]
                rows.append([(f"strike{output} {name}", ""), *cells])
        lines += table(head, rows, width, paint)
        said = (
            "The same over both pins, which is subtracted from latencies: * by a jumper, "
            "otherwise looped back, less the detour of the loop, of which "
            f"{_known(found)}."
        )
        lines += wrapped(said, width, paint, "")
    if found.scale is not None:
        scale = found.scale
        said = (
            f"By {scale.reference} the oscillator is {scale.fast_ppb / 1000:+.3f} ± "
            f"{scale.error_ppb / 1000:.3f} ppm fast ({scale.made})."
        )
        lines += ["", *wrapped(said, width, paint, "")]
    return paint.done(lines)


def _delay(entry: PadDelay | PinDelay | None, way: str) -> Cell:
    if entry is None:
        return NOTHING, ""
    return str(getattr(entry, f"{way}_ps")), f"± {getattr(entry, f'{way}_error_ps')}"


def _pins(found: Calibration, output: int, number: int, way: str) -> Cell:
    entry = found.pins(output, number)
    text, bound = _delay(entry, way)
    return (f"{text}*" if entry is not None and entry.made else text), bound


def _known(found: Calibration) -> str:
    """Return what is known of the loops' detours."""
    if found.detours:
        return "place and route gives the bounds"
    if found.simulated:
        return "a simulation has none, give or take that of a board"
    return "nothing is known of this board but what others have"


def _row(name: str, way: Instants, tick_fs: int) -> list[Cell]:
    widths = way.widths_ps(tick_fs)
    cells: list[Cell] = [(name, ""), (str(way.edges), "")]
    cells += [
        (f"{width:.0f}", f"± {error}") for width, error in zip(widths, way.error_ps, strict=True)
    ]
    return [*cells, (f"{max(widths):.0f}", ""), (f"{way.rms_ps(tick_fs):.0f}", "")]
