# SPDX-License-Identifier: Apache-2.0
"""Wheels: what the host's has, and that the instrument's measures without a compiler."""

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from tools.wheels import PLATFORMS, host_wheel, simulated_wheel, to_toml


def test_tables_are_written_as_they_are_read():
    project = {
        "name": "x",
        "dependencies": ["a>=1; python_version < '3.13'"],
        "optional-dependencies": {"sim": ["b==2"], "none": []},
        "entry-points": {"plexor.commands": {"bench": "a:b"}, "pytest11": {"plexor": "c"}},
    }
    read = tomllib.loads(to_toml(project, ["one", "two"], "any"))
    assert read["project"] == project
    assert read["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["one", "two"]


def test_the_host_s_wheel_is_pure_and_has_the_host_alone(tmp_path):
    wheel = host_wheel(tmp_path)
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith("/METADATA"))
        head = Parser().parsestr(archive.read(metadata).decode())
    folders = {name.partition("/")[0] for name in names}
    assert {name for name in folders if not name.endswith("-info")} == {"plexor", "plexor_lab"}
    assert "plexor/firmware/plexor_trace.h" in names
    assert "plexor/constraints/icebreaker.toml" in names
    version = head["Version"]
    needs = head.get_all("Requires-Dist")
    assert f"plexor-sim=={version}; extra == 'sim'" in needs
    assert not any("amaranth" in need or "litex" in need for need in needs)


@pytest.mark.full
def test_a_wheel_measures_without_compiler_network_or_verilator(tmp_path):
    # It is found among the host's own packages, which are as the lock file has them.
    wheel = simulated_wheel(PLATFORMS["linux-x86_64"], tmp_path, (), print)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    prebuilt = tmp_path / "site" / "plexor_sim" / "prebuilt"
    for path in prebuilt.glob("twin-*"):
        path.chmod(0o755)
    empty = tmp_path / "bin"
    empty.mkdir()
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})\n"
        "for name in ('amaranth', 'verilator', 'ziglang', 'pythondata_cpu_vexriscv'):\n"
        "    sys.modules[name] = None\n"
        "import plexor_sim.serve as serve, pathlib\n"
        "from plexor_hdl.build import boards\n"
        "geometry = boards.simulated(boards.DEFAULT)\n"
        f"cache = pathlib.Path({str(tmp_path / 'cache')!r})\n"
        "ready = serve.prepare(sys.argv[1], geometry, cache, core='twin')\n"
        "import json; print(json.dumps([str(ready.executable), ready.options]))\n"
    )
    for dut in ("synthetic", "bare", "freertos:program=malloc"):
        done = subprocess.run(
            [sys.executable, "-c", program, dut],
            env={**os.environ, "PATH": str(empty)},
            capture_output=True,
            text=True,
            check=True,
        )
        executable, options = json.loads(done.stdout)
        assert Path(executable).parent == prebuilt
        if dut != "synthetic":
            assert Path(options.partition("=")[2].partition(",")[0]).is_file()
    assert not (tmp_path / "cache").exists()
