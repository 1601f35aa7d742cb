# SPDX-License-Identifier: Apache-2.0
"""A recorded byte stream."""

import pytest

from plexor.base.errors import LinkError
from plexor.wire.link import LinkEndError, open_link
from plexor.wire.link.file import FileLink


def test_a_recording_is_read_to_its_end_and_takes_no_commands(tmp_path):
    path = tmp_path / "wire.bin"
    path.write_bytes(b"recorded")
    link = open_link(f"file:{path}")
    assert link.read(100, 1.0) == b"recorded"
    with pytest.raises(LinkEndError, match="has ended"):
        link.read(100, 1.0)
    with pytest.raises(LinkError, match="takes no commands"):
        link.write(b"x")
    link.close()


def test_a_recording_comes_in_pieces_as_great_as_asked_for(tmp_path):
    path = tmp_path / "wire.bin"
    path.write_bytes(b"recorded")
    link = FileLink(path)
    assert [link.read(3, 0.0) for _ in range(3)] == [b"rec", b"ord", b"ed"]
    link.close()
    link.close()
    with pytest.raises(LinkError, match=r"wire\.bin: "):
        link.read(3, 0.0)


def test_a_folder_is_no_recording(tmp_path):
    with pytest.raises(LinkError) as caught:
        FileLink(tmp_path)
    assert str(caught.value) == f"file:{tmp_path}: is a folder; name a file in it"
