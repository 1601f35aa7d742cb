# SPDX-License-Identifier: Apache-2.0
"""Sections and symbols of an ELF file are found; what is none is refused in one line."""

import pytest

from plexor.base.errors import UsageError
from plexor_lab.bound.files.image import read_image

from ..buses import SECTIONS, SYMBOLS, elf_bytes


def test_sections_with_memory_and_symbols_are_found(tmp_path):
    path = tmp_path / "f.elf"
    path.write_bytes(elf_bytes())
    image = read_image(path)
    assert image.sections == {name: (at, at + size - 1) for name, (at, size) in SECTIONS.items()}
    assert image.symbols == SYMBOLS


@pytest.mark.parametrize("data", [b"", b"\x7fELF\x02\x01" + bytes(60), b"text"])
def test_what_is_no_such_file_is_refused(tmp_path, data):
    path = tmp_path / "f.elf"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=r"f\.elf: no 32-bit little-endian ELF file"):
        read_image(path)


def test_a_damaged_file_is_refused_wherever_it_is_cut(tmp_path):
    whole = elf_bytes()
    path = tmp_path / "f.elf"
    for size in range(6, len(whole) - 1, 13):
        path.write_bytes(whole[:size])
        with pytest.raises(UsageError, match=r"f\.elf: damaged ELF file"):
            read_image(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"none\.elf: cannot read: No such file"):
        read_image(tmp_path / "none.elf")
