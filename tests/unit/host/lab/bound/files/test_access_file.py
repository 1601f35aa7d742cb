# SPDX-License-Identifier: Apache-2.0
"""Traces of other simulators as CSV: the model is that of the log of a bus; wrong rows are told."""

import re
import subprocess
import sys
import textwrap

import pytest

from plexor.base.errors import UsageError
from plexor_lab.bound.files.access_file import access_calls
from plexor_lab.bound.files.bus_log import BURST, JUMP
from plexor_lab.bound.files.image import Image
from plexor_lab.bound.traced import trace_bus

from ..buses import (
    BSS,
    HEAP,
    LOWER,
    READ,
    RETIRED,
    SECTIONS,
    TEXT,
    WRITE,
    call,
    elf_bytes,
    ran,
    read,
    written,
    wrote,
)
from ..createthread import EXAMPLES

IMAGE = Image({name: (at, at + size - 1) for name, (at, size) in SECTIONS.items()}, {})
HEAD = "what,address,bytes,value\n"
NAMES = {READ: "read", WRITE: "write", RETIRED: "run"}
PAGE = EXAMPLES.parents[2] / "docs" / "do" / "bound.md"


def steps(n):
    """Return what a call does, with a burst in each step, and a part in which nothing may come."""
    records = ran(TEXT, TEXT + 4, TEXT + 12)
    for step in range(n):
        records += [*ran(TEXT + 32, TEXT + 36, masked=True), read(HEAP + 8 * step, flags=4)]
        records += [read(HEAP + 128, 2), read(HEAP + 130, 2, flags=1), wrote(BSS + 32, step)]
    return records


def rows_of(n, records):
    """Return a call as rows; its last is the store that lowers the pin."""
    rows = [f"call,,,{n},no"]
    for kind, address, data, size, flags in [*records, (WRITE, LOWER, 1, 4, 0)]:
        if kind in NAMES:
            masked = "yes" if flags & 4 else "no"
            rows.append(f"{NAMES[kind]},{address:#x},{size},{data},{masked}")
    return [*rows, "end,,,,"]


def test_a_trace_gives_the_model_of_the_log_of_the_same_calls(tmp_path):
    log = written(tmp_path, [record for n in (1, 3, 7) for record in call(n, steps(n))])
    trace = tmp_path / "trace.csv"
    rows = [row for n in (1, 3, 7) for row in rows_of(n, steps(n))]
    trace.write_text("\n".join(["what,address,bytes,value,masked", *rows]))
    found = trace_bus(trace, title="walk", elf=tmp_path / "bus.elf").document()
    assert found["sections"]
    assert found == trace_bus(log, title="walk").document()


def test_memory_above_2_gib_is_that_of_its_sections(tmp_path):
    # Spike's memory begins at 0x80000000.
    sections = {"text": (0x8000_0000, 0x100), "bss": (0x8000_2000, 0x100)}
    (tmp_path / "a.elf").write_bytes(elf_bytes(sections, {}))
    (tmp_path / "a.csv").write_text(
        f"{HEAD}call,,,\nrun,0x80000010,4,\nread,0x80002004,4,\nend,,,\n"
    )
    document = trace_bus(tmp_path / "a.csv", elf=tmp_path / "a.elf").document()
    counts = document["sections"][0]["counts"]
    assert {count["region"] for count in counts} == {"text", "bss32", "branch"}
    assert document["discarded"] == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1: no column 'what'; must have what, address, bytes, value; may have masked"),
        ("what,address\n", "1: no column 'bytes'; must have what, address, bytes, value"),
        (f"{HEAD}call,,\n", "2: 3 cells; must be 4, as in the header"),
        (f"{HEAD}call,,,\n\ncall,,,\n", "4: what: a call within a call"),
        (f"{HEAD}end,,,\n", "2: what: an end without a call"),
        (f"{HEAD}jump,1,4,\n", "2: what: 'jump'; must be call, run, read, write or end"),
        (f"{HEAD}read,x,4,\n", "2: address: 'x'; must be a whole number from 0 to 4294967295"),
        (f"{HEAD}read,0x100000000,4,\n", "2: address: '0x100000000'; must be"),
        (f"{HEAD}read,1,3,\n", "2: bytes: 3; must be 1, 2, 4 or 8"),
        (f"{HEAD}call,,,-1\n", "2: value: '-1'; must be a whole number"),
        (
            f"{HEAD.strip()},masked\nread,1,4,,maybe\n",
            "2: masked: 'maybe'; must be yes, no or empty",
        ),
        (f'{HEAD}"', "2: unexpected end of data; must be CSV"),
    ],
)
def test_a_wrong_row_is_told_with_its_line(tmp_path, text, said):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=rf"t\.csv:? ?{re.escape(said)}"):
        list(access_calls(path, IMAGE))


def test_a_burst_goes_on_behind_the_last_access_of_its_kind_in_its_section(tmp_path):
    path = tmp_path / "t.csv"
    rows = [
        (f"run,{TEXT},2,", JUMP),
        (f"read,{HEAP},4,", 0),
        # In between, another section is read.
        (f"read,{BSS},4,", 0),
        (f"read,{HEAP + 4},4,", BURST),
        (f"write,{HEAP + 8},4,7", 0),
        (f"read,{HEAP + 8},4,", 0),
        (f"run,{TEXT + 2},4,", BURST),
        (f"run,{TEXT + 2},4,", JUMP),
    ]
    path.write_text("\n".join([HEAD + "call,,,", *(row for row, _ in rows), "end,,,"]))
    (found,) = access_calls(path, IMAGE)
    assert found.records["flags"].tolist() == [flags for _, flags in rows]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, r"elf: is missing; .*t\.csv is of which firmware\?"),
        ({"elf": "x.elf", "pin": 1}, r"pin: 1; .*t\.csv has no pins"),
    ],
)
def test_a_trace_needs_its_firmware_and_has_no_pins(tmp_path, options, said):
    with pytest.raises(UsageError, match=said):
        trace_bus(tmp_path / "t.csv", **options)


def test_a_trace_that_is_cut_has_the_calls_that_are_whole(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"{HEAD}call,,,5\nread,1,4,\nend,,,\ncall,,,6\nread,1,4,\n")
    assert [(each.n, len(each.records)) for each in access_calls(path, IMAGE)] == [(5, 1)]


SPIKE = f"""core   0: 3 0x{TEXT:08x} (0x00000097) x1  0x{TEXT:08x}
core   0: 3 0x{TEXT + 4:08x} (0x010080e7) x1  0x{TEXT + 8:08x}
core   0: 3 0x{TEXT + 16:08x} (0x0042a303) x6  0x00000005 mem 0x{HEAP:08x}
core   0: 3 0x{TEXT + 20:08x} (0x8302) mem 0x{BSS:08x} 0x00000005
core   0: 3 0x{TEXT + 22:08x} (0x00629023) mem 0x{HEAP + 4:08x} 0x0005
core   0: 3 0x{TEXT + 26:08x} (0x00008067)
core   0: 3 0x{TEXT + 8:08x} (0x00000013)
"""
"""A call of a function at TEXT + 16, as Spike 1.1 prints it with --log-commits."""


def test_the_script_of_the_page_makes_rows_of_spikes_log(tmp_path):
    (block,) = re.findall(
        r"\n\n((?:    .*\n|\n)*    import re.*\n(?:    .*\n|\n)*)", PAGE.read_text()
    )
    script = textwrap.dedent(block)
    done = subprocess.run(
        [sys.executable, "-c", script, hex(TEXT + 16)],
        input=SPIKE,
        capture_output=True,
        text=True,
        check=True,
    )
    (tmp_path / "t.csv").write_text(done.stdout)
    (found,) = access_calls(tmp_path / "t.csv", IMAGE)
    fields = [(r["kind"], r["address"], r["bytes"]) for r in found.records]
    assert fields == [
        (RETIRED, TEXT + 16, 4),
        (READ, HEAP, 4),
        (RETIRED, TEXT + 20, 2),
        (WRITE, BSS, 4),
        (RETIRED, TEXT + 22, 4),
        (WRITE, HEAP + 4, 2),
        (RETIRED, TEXT + 26, 4),
    ]
