# SPDX-License-Identifier: Apache-2.0
"""`plexor lab trace-header`: both headers lie in the folder, be it new or not."""

from plexor import cli


def test_the_headers_are_written_into_a_new_folder_and_over_old_ones(tmp_path, capsys):
    folder = tmp_path / "firmware" / "include"
    assert cli.main(["lab", "trace-header", str(folder)]) == 0
    headers = ["plexor_freertos.h", "plexor_trace.h"]
    assert sorted(path.name for path in folder.iterdir()) == headers
    assert capsys.readouterr().err.splitlines() == [
        f"plexor: wrote {folder / name}" for name in reversed(headers)
    ]
    (folder / headers[0]).write_text("old")
    assert cli.main(["lab", "trace-header", str(folder)]) == 0
    assert "#define" in (folder / headers[0]).read_text()
