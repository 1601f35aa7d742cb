# SPDX-License-Identifier: Apache-2.0
"""The picture of the live page in the documentation: it is drawn by the page as it is now."""

import shutil
import struct
import zlib

from tools.scope_picture import PICTURE, SCOPE, SHOW, digest, drawn_from, mark, sources


def test_the_picture_is_drawn_by_the_page_as_it_is():
    assert drawn_from(PICTURE) == digest(), "renew it: make scope-picture"


def test_what_draws_the_picture_is_found_by_what_the_page_imports():
    names = {path.relative_to(path.parents[2]).as_posix() for path in sources()}
    for name in ("scope/assets/panel.js", "show/assets/persistence.js", "show/assets/cells.js"):
        assert name in names
    # The pages of reports alone have these.
    assert not {SHOW / "report.js", SHOW / "still.js", SHOW / "page.css"} & sources()
    assert set(SCOPE.glob("*.js")) <= sources()


def test_a_mark_is_a_chunk_that_a_reader_of_pictures_may_skip(tmp_path):
    copy = tmp_path / "x.png"
    shutil.copy(PICTURE, copy)
    before = copy.read_bytes()
    mark(copy, "ab12")
    content = copy.read_bytes()
    assert drawn_from(copy) == "ab12"
    (size,) = struct.unpack_from(">I", content, 33)
    chunk = content[37 : 41 + size]
    assert chunk == b"tEXtdrawn-from\0ab12"
    assert struct.unpack_from(">I", content, 41 + size)[0] == zlib.crc32(chunk)
    assert content[:33] + content[45 + size :] == before
