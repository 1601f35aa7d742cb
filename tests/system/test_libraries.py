# SPDX-License-Identifier: Apache-2.0
"""Libraries as devices under test: the same documents, and an end in one line."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from tools.twin.conform import Taken, differences, prepared, taken
from tools.twin.draw import Measurement

import plexor_sim
from plexor.model.settings import Channel, Settings, Stimulus
from plexor_sim.serve import GATEWARE, TWIN

EXAMPLES = Path(plexor_sim.__file__).parent / "examples"
HOSTILE = Path(__file__).parents[1] / "unit" / "sim" / "libraries" / "hostile.c"
US = Fraction(1, 1_000_000)
TWO_STRIKES = Settings(
    strikes=(
        Stimulus(output=0, period_s=7 * US, width_s=US, dither_s=US, seed=3, count=4000),
        Stimulus(output=1, period_s=11 * US, width_s=US, dither_s=US, seed=5, count=4000),
    ),
    channels=(Channel(0), Channel(1), Channel(2, reference="strike1")),
)
"""Two strikes that meet at any distance, so that some wait."""


def limited(count: int) -> Settings:
    """Return both strikes, so many of each."""
    strikes = tuple(replace(strike, count=count) for strike in TWO_STRIKES.strikes)
    return replace(TWO_STRIKES, strikes=strikes)


def run(dut: Path, settings: Settings = TWO_STRIKES, core: str = TWIN) -> Taken:
    measurement = Measurement("ulx3s-25f", str(dut), settings)
    return taken(measurement, prepared(measurement, core))


@pytest.mark.parametrize("load", [False, True])
def test_a_design_in_c_has_the_document_that_it_has_in_verilog(load: bool) -> None:
    settings = replace(TWO_STRIKES, load=load)
    in_c, in_verilog = run(EXAMPLES / "irq_c.toml", settings), run(EXAMPLES / "irq.toml", settings)
    assert differences(in_c, in_verilog) == []
    entry = in_c.document["channels"][0]
    assert entry["answered"] == 4000
    assert float(entry["latency"]["max_s"]) > 2 * float(entry["latency"]["min_s"])


def test_a_library_has_the_same_document_on_the_gateware() -> None:
    settings = limited(500)
    on_twin = run(EXAMPLES / "two.toml", settings)
    assert differences(on_twin, run(EXAMPLES / "two.toml", settings, GATEWARE)) == []
    assert on_twin.document["channels"][0]["answered"] > 100


@pytest.mark.parametrize("name", ["echo_cpp", "echo_rs", "echo_zig", "echo_py"])
def test_each_language_has_the_document_of_a_device_that_is_known(name: str) -> None:
    settings = replace(limited(300), channels=(Channel(0),))
    measurement = Measurement(
        "ulx3s-25f", "synthetic:latency=300ns,width=50ns,ch1.after=none", settings
    )
    expected = taken(measurement, prepared(measurement, TWIN))
    assert differences(run(EXAMPLES / f"{name}.toml", settings), expected) == []


def plexor(*words: str) -> list[str]:
    return [sys.executable, "-m", "plexor", *words]


STRIKES = ("--rate", "20k", "--count", "9")


def hostile(folder: Path, how: str) -> list[str]:
    """Return the command of a measurement of a library that does that wrong."""
    shutil.copy(HOSTILE, folder)
    (folder / "dut.toml").write_text(f'[[library]]\nfile = "hostile.c"\noptions = "how={how}"\n')
    return plexor("measure", "--dut", str(folder / "dut.toml"), "--channel", "ch0", *STRIKES)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("abort", r"has crashed in advance at \d+\.\d{6} us: it aborted"),
        (
            "promise",
            r"an edge of pin 0 at \d+ ps: quiet_until_ps has said that none comes before \d+ ps",
        ),
    ],
)
def test_what_a_library_does_wrong_is_the_last_line_of_a_measurement(
    how: str, told: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        hostile(tmp_path, how), capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 3
    assert re.search(rf"hostile\.c: {told}\n$", done.stderr)


def test_ctrl_c_ends_a_measurement_whose_device_does_not_return(tmp_path: Path) -> None:
    command = hostile(tmp_path, "loop")
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    session = process.pid
    end_s = time.monotonic() + 120
    while not any(_cpu_s(pid) > 1.0 for pid in _simulators(session)):
        assert time.monotonic() < end_s
        assert process.poll() is None
        time.sleep(0.1)
    # As a terminal does. The first one asks the run to stop, which this one cannot.
    for _ in range(2):
        os.killpg(session, signal.SIGINT)
        time.sleep(0.5)
    output, _ = process.communicate(timeout=30)
    assert output.splitlines()[-1] == "plexor: interrupted"
    while _simulators(session):
        assert time.monotonic() < end_s
        time.sleep(0.1)


def _simulators(session: int) -> list[int]:
    """Return the processes of the twin in a session."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            name, rest = (entry / "stat").read_text().rsplit(")", 1)
        except (OSError, ValueError):
            continue
        if "plexor-twin" in name and int(rest.split()[3]) == session and rest.split()[0] != "Z":
            found.append(int(entry.name))
    return found


def _cpu_s(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
