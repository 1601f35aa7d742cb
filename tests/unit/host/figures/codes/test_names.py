# SPDX-License-Identifier: Apache-2.0
"""Names of codes, from ELF files that the test lays out by the standard."""

import struct

import pytest

from plexor.base.errors import UsageError
from plexor.figures.codes.names import Names, names_of
from plexor.model.codes import CodeName

TEXTS = b"1 3 idle\x006 0 the strike\x008 7 main.c:parse\x0010 2 warm\x00"


def elf(section: bytes = b".plexor.names", content: bytes = TEXTS, wide: bool = False) -> bytes:
    """An ELF file with a section of strings and one more (TIS ELF 1.2, figures 1-3 and 1-9)."""
    strings = b"\0.shstrtab\0" + section + b"\0"
    head = 64 if wide else 52
    offsets = head, head + len(strings)
    table = offsets[1] + len(content)
    if wide:
        header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 2, 243, 1, 0, 0, table,
                             0, 64, 0, 0, 64, 3, 1)  # fmt: skip
        row = "<IIQQQQIIQQ"
    else:
        header = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\x01\x01\x01", 2, 243, 1, 0, 0, table,
                             0, 52, 0, 0, 40, 3, 1)  # fmt: skip
        row = "<IIIIIIIIII"
    rows = struct.pack(row, *[0] * 10)
    rows += struct.pack(row, 1, 3, 0, 0, offsets[0], len(strings), 0, 0, 1, 0)
    rows += struct.pack(row, 11, 1, 0, 0, offsets[1], len(content), 0, 0, 1, 0)
    return header + strings + content + rows


def placed(table):
    """Return a 64-bit ELF file whose table of sections is said to be at a byte."""
    whole = elf(wide=True)
    return whole[:40] + struct.pack("<Q", table) + whole[48:]


@pytest.mark.parametrize("wide", [False, True])
def test_names_are_those_of_the_section(tmp_path, wide):
    path = tmp_path / "firmware.elf"
    path.write_bytes(elf(wide=wide))
    assert names_of(path) == (
        CodeName(1, 3, "idle"),
        CodeName(6, 0, "the strike"),
        CodeName(8, 7, "main.c:parse"),
        CodeName(10, 2, "warm"),
    )


def test_a_name_holds_for_all_classes_of_its_family():
    names = Names([CodeName(1, 3, "idle"), CodeName(7, 0, "strike"), CodeName(8, 7, "parse")])
    assert {names.name_of(code_class, 3) for code_class in (1, 2, 3, 4, 5)} == {"idle"}
    assert {names.name_of(code_class, 0) for code_class in (6, 7)} == {"strike"}
    assert {names.name_of(code_class, 7) for code_class in (8, 9)} == {"parse"}


def test_what_has_no_name_says_what_it_is():
    names = Names()
    said = [names.name_of(code_class, 4) for code_class in (1, 6, 9, 10, 12, 13)]
    assert said[:4] == ["task 4", "interrupt 4", "function 4", "state 4"]
    assert said[4:] == ["part 0x4 of a value", "class 13 id 4"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no ELF file"),
        (b"\x7fELF\x01\x01", "no ELF file"),
        (elf(b".other"), "has no section .plexor.names"),
        (elf(content=b"1 idle\0"), "'1 idle'; must be CLASS ID NAME"),
        (elf(content=b"1 3 \xff\0"), "byte 4 of its names is not UTF-8"),
        (elf()[:-30], r"its table of sections ends at byte 248 of 218; build it again"),
        (placed(1 << 63), r"its table of sections ends at byte 9223372036854776000 of 332; build"),
        (placed((1 << 64) - 1), "its table of sections ends at byte 18446744073709551"),
    ],
)
def test_a_file_without_names_is_refused_in_one_line(tmp_path, content, said):
    path = tmp_path / "firmware.elf"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=said) as refused:
        names_of(path)
    assert "\n" not in str(refused.value)


def test_a_device_without_an_elf_file_has_its_names_in_toml(tmp_path):
    path = tmp_path / "names.toml"
    path.write_text('[task]\n3 = "motor"\n[interrupt]\n0 = "irq"\n[function]\n1 = "pid.v:step"\n')
    assert names_of(path) == (
        CodeName(1, 3, "motor"),
        CodeName(6, 0, "irq"),
        CodeName(8, 1, "pid.v:step"),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tasks]\n3 = 'm'", "tasks: must be a table named task, interrupt, function, state"),
        ("task = 3", "task: must be a table"),
        ("[task]\nthree = 'm'", "task: three = 'm'; must be like"),
        ("[task]\n3 = 4", "task: 3 = 4; must be like"),
        ("[task", "names.toml: Expected"),
    ],
)
def test_a_toml_file_that_names_nothing_is_refused_in_one_line(tmp_path, text, said):
    path = tmp_path / "names.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=said):
        names_of(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot read"):
        names_of(tmp_path / "none.elf")


@pytest.mark.parametrize("text", ["1", "1 2", "x 2 idle", "1 y idle", "-1 2 idle", "1 2.0 idle"])
def test_a_name_in_a_file_has_a_class_an_id_and_a_text(tmp_path, text):
    path = tmp_path / "firmware.elf"
    path.write_bytes(elf(content=f"{text}\0".encode()))
    with pytest.raises(UsageError, match=f"'{text}'; must be CLASS ID NAME"):
        names_of(path)
    path.write_bytes(elf(content=b"1 2 idle task\0"))
    assert [tuple(name) for name in names_of(path)] == [(1, 2, "idle task")]
