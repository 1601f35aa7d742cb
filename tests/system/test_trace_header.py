# SPDX-License-Identifier: Apache-2.0
"""`plexor lab trace-header` writes headers that firmware compiles with."""

import subprocess
import sys

from plexor import cli

PROGRAM = """
#include "plexor_trace.h"
PLEXOR_STATE_NAME(2, "armed");
void arm(void) { PLEXOR_SET(2); }
"""


def test_firmware_compiles_with_the_headers_that_are_written(tmp_path):
    folder = tmp_path / "include"
    assert cli.main(["lab", "trace-header", str(folder)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["plexor_freertos.h", "plexor_trace.h"]
    (tmp_path / "arm.c").write_text(PROGRAM)
    port = ("-DPLEXOR_PORT=PLEXOR_PORT_GPIO", "-DPLEXOR_ADDRESS=0x40000000")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "thumb-freestanding-eabi", "-c",
               f"-I{folder}", *port, "arm.c", "-o", "arm.o"]  # fmt: skip
    subprocess.run(command, cwd=tmp_path, check=True)
    assert b"10 2 armed\0" in (tmp_path / "arm.o").read_bytes()


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert cli.main(["lab", "trace-header", str(tmp_path / "file")]) != 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "cannot write" in line
