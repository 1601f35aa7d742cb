# SPDX-License-Identifier: Apache-2.0
"""Signals inside a design as responses, without a change of the design.

A module of one input is bound to the top for each signal (IEEE Std 1800-2017, 23.11). Its input is
kept in the model, and changes as the signal does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from plexor_sim.packages import make_once, sha256

FILE = "plexor_probes.sv"
_PART = r"[A-Za-z_][\w$]*(?:\[\d+\])*"
_PATH = re.compile(rf"{_PART}(?:\.{_PART})*")
_NAME = re.compile(r"[A-Za-z_]\w*")
_MODULE = "plexor_probe_{}"


def check(probes: Mapping[str, str], faults: list[str]) -> None:
    """Append what is wrong with names or paths to `faults`."""
    for name, path in probes.items():
        if not _NAME.fullmatch(name):
            faults.append(f"probes.{name}: must be a name of letters, digits and underscores")
        if not _PATH.fullmatch(path):
            faults.append(f"probes.{name}: {path!r}; must be a path such as core.irq_ack[0]")


def probes_file(top: str, probes: Mapping[str, str], cache: Path) -> Path:
    """Return the Verilog with a line for each probe."""
    lines = [
        f"module {module}(input logic level /* verilator public_flat_rd */); endmodule "
        f"bind {top} {module} {module}(.level({path}));\n"
        for module, path in zip(_modules(probes), probes.values(), strict=True)
    ]
    text = "".join(lines)

    def fill(directory: Path) -> None:
        (directory / FILE).write_text(text)

    return make_once(cache / "probes" / sha256(text.encode())[:32], fill) / FILE


def is_class(root_header: str) -> bool:
    """Return whether the top of a design is a class of its own in Verilator's model.

    So it is if the design has signals marked as public. Otherwise all is in the model's root.
    """
    return re.search(r"\* plexor_top;", root_header) is not None


def member(probes: Mapping[str, str], name: str, top: str) -> str:
    """Return the C++ of a probe's level in the model `top`, whose design is at `top`."""
    module = dict(zip(probes, _modules(probes), strict=True))[name]
    return f"top.rootp->{top}{module}__DOT__level"


def missing(probes: Mapping[str, str], lines: Sequence[str]) -> list[str]:
    """Return what Verilator's errors say of probes whose signals there are not."""
    names = list(probes)
    numbers = [int(found[1]) for line in lines if (found := _ERROR.search(line))]
    return [
        f"probes.{names[number - 1]}: {probes[names[number - 1]]} is no signal of the design"
        for number in dict.fromkeys(numbers)
        if number <= len(names)
    ]


_ERROR = re.compile(rf"%Error[^ ]*: .*?{re.escape(FILE)}:(\d+):")


def _modules(probes: Mapping[str, str]) -> list[str]:
    return [_MODULE.format(number) for number in range(len(probes))]
