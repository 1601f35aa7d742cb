# SPDX-License-Identifier: Apache-2.0
"""A file is read as it is, or unpacked if gzip packed it."""

import gzip

import pytest

from plexor.files.imports.unpacked import unpacked


@pytest.mark.parametrize("content", [b"", b"\x1f", b"\x1f\x8a plain", b"x" * 100_000])
def test_what_was_written_is_read_whether_it_is_packed_or_not(content, tmp_path):
    (tmp_path / "plain").write_bytes(content)
    (tmp_path / "packed").write_bytes(gzip.compress(content))
    for name in ("plain", "packed"):
        with unpacked(tmp_path / name) as file:
            assert file.read() == content


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError), unpacked(tmp_path / "none"):
        pass
