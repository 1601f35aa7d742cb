# SPDX-License-Identifier: Apache-2.0
"""Captures as other programs write them, from edges that are written down."""

import zipfile
from itertools import pairwise

from plexor.files.imports.capture import ReadRules
from plexor.files.imports.open import open_capture

HEADER = """$date today $end
$version some analyser $end
$timescale {timescale} $end
$scope module top $end
{variables}$upscope $end
$enddefinitions $end
"""


def read(path, names, **rules):
    """Return a capture of some signals, and the whole name of each."""
    file = open_capture(path, ReadRules(**rules))
    chosen = {name: file.chosen(name) for name in names}
    capture = file.read(list(dict.fromkeys(chosen.values())))
    return capture, {name: signal.name for name, signal in chosen.items()}


def edges(path, names, **rules):
    """Return the edges of some signals as times and levels, by the names they are asked for by."""
    capture, whole = read(path, names, **rules)
    own = {name: capture.edges[whole[name]] for name in names}
    return {
        name: list(zip(found.times.tolist(), found.levels.tolist(), strict=True))
        for name, found in own.items()
    }


def vcd(path, changes, *, timescale="1 ns", variables=None, before="", end=None):
    """Write a dump of (time, name, value); `variables` are names with their codes."""
    names = dict.fromkeys(name for _, name, _ in changes)
    codes = variables or {name: chr(33 + number) for number, name in enumerate(names)}
    declared = "".join(f"$var wire 1 {code} {name} $end\n" for name, code in codes.items())
    text = HEADER.format(timescale=timescale, variables=declared) + before
    last = None
    for time, name, value in changes:
        text += f"#{time}\n" * (time != last) + f"{value}{codes[name]}\n"
        last = time
    path.write_text(text + (f"#{end}\n" if end is not None else ""))
    return path


def sr(
    path,
    pins,
    count,
    *,
    samplerate="1 GHz",
    unit=1,
    parts=(),
    version="2",
    entry="logic-1-{}",
    metadata=None,
    **more,
):
    """Write a session of `count` samples; `pins` are (bit, times of changes from 0) by name.

    `parts` are the samples at which another file begins.
    """
    data = bytearray(count * unit)
    for bit, times in pins.values():
        for first, after in list(pairwise([*times, count]))[::2]:
            for sample in range(first, after):
                data[sample * unit + bit // 8] |= 1 << bit % 8
    lines = ["[global]", "sigrok version=0.5.2", "", "[device 1]", "capturefile=logic-1"]
    lines += [f"total probes={len(pins)}", f"samplerate={samplerate}", "total analog=0"]
    lines += [f"probe{bit + 1}={name}" for name, (bit, _) in pins.items()]
    lines += [f"unitsize={unit}", ""]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("version", version)
        archive.writestr("metadata", "\n".join(lines) if metadata is None else metadata)
        for number, (first, after) in enumerate(pairwise([0, *parts, count]), 1):
            archive.writestr(entry.format(number), bytes(data[first * unit : after * unit]))
        for name, content in more.items():
            archive.writestr(name, content)
    return path
