# SPDX-License-Identifier: Apache-2.0
"""`plexor archive serve`: it prints its address and ends, or says in one line what is wrong."""

import pytest

from plexor import cli
from plexor.scope import serve

from ..files.archive.planted import kept, planted
from .test_app import fetched


def test_it_prints_its_address_serves_and_ends(tmp_path, capsys, monkeypatch):
    kept(tmp_path / "nightly", planted(1000))
    pages = []

    def wait():
        address = capsys.readouterr().out.removeprefix("listening ").strip()
        pages.append(fetched(address))
        raise KeyboardInterrupt

    monkeypatch.setattr(serve, "_wait", wait)
    words = ["archive", "serve", "--archive", str(tmp_path / "nightly"), "--no-open"]
    assert cli.main(words) == 0
    ((status, _, text),) = pages
    assert status == 200
    assert "<h1>nightly<" in text


def test_a_folder_that_is_no_archive_is_told_before_anything_listens(capsys, monkeypatch):
    monkeypatch.setattr(serve, "_wait", pytest.fail)
    assert cli.main(["archive", "serve", "--archive", "gone", "--no-open"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "plexor: gone: holds no archive; plexor archive add makes one\n"
