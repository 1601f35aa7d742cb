# SPDX-License-Identifier: Apache-2.0
"""Errors of files have the path, and the exit code that their reason deserves."""

import errno
import os
from pathlib import Path

import pytest

from plexor.base.disk.errors import writing
from plexor.base.errors import ExitCode, StoreError

CODES = {
    errno.ENOSPC: ExitCode.UNWRITTEN,
    errno.EDQUOT: ExitCode.UNWRITTEN,
    errno.EIO: ExitCode.UNWRITTEN,
    errno.EFBIG: ExitCode.UNWRITTEN,
    errno.EACCES: ExitCode.USAGE,
    errno.ENOENT: ExitCode.USAGE,
    errno.EISDIR: ExitCode.USAGE,
}


FOLDER = "is a folder; name a file in it"


@pytest.mark.parametrize("number", CODES)
def test_a_disk_that_is_full_or_broken_is_no_wrong_use(number):
    with pytest.raises(StoreError) as caught, writing(Path("a/b")):
        raise OSError(number, os.strerror(number))
    reason = FOLDER if number == errno.EISDIR else os.strerror(number)
    assert str(caught.value) == f"a/b: cannot write: {reason}"
    assert caught.value.exit_code == CODES[number]


def test_text_that_cannot_be_written_is_said_with_the_path():
    with pytest.raises(StoreError, match=r"^x: cannot write: nothing"), writing(Path("x")):
        raise ValueError("nothing")
