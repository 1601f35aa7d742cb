# SPDX-License-Identifier: Apache-2.0
"""Makes the files that cases mutate, with the simulated instrument, in the corpus."""

from __future__ import annotations

import shutil
import tempfile
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

from plexor.cli import main
from plexor.files.store.run_folder import WIRE_FILE, save
from plexor.model.settings import Channel, Settings, Stimulus, TableStep
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link

_US = Fraction(1, 10**6)
_DUT = (
    "synthetic:latency=uniform:900ns:1300ns,width=uniform:200ns:300ns,drop=0.05,"
    "duplicate=0.05,duplicate_delay=1700ns,load_width=250ns,seed=2"
)
_PINS = ("--channel", "ISR=ch0:deadline=1.2us", "--channel", "TASK=ch1:after=ch0.fall")
_STRIKES = ("--dut", _DUT, "--rate", "100k", "--dither", "512ns", *_PINS, "--label", "os=an <OS>")
_MASKED = (
    "synthetic:latency=900ns,service=3us,queue=2,width=200ns,ch0.mask=20us:4us:7us,"
    "ch1.after=none,ch2.tick=20us,ch2.width=300ns"
)
_BUDGET = """\
title = "all that a budget can say"

[all]
max = "5 us"
p50 = "2 us"
"p99.9" = "4 us"
mean = { goal = "1 us" }
missed = 3

[struck]
jitter128 = "1 us"
rms = "1 us"

[all.period]
peak_to_peak = "20 us"

[free]
min = "0"
"""
_NAMED = """
[channel.TASK]
max = "2 ms"
late = { goal = 0 }
"""


def make(corpus: Path) -> None:
    """Make every seed again. Raises RuntimeError if a command fails."""
    with tempfile.TemporaryDirectory() as name:
        _make(corpus, Path(name))


def _make(corpus: Path, scratch: Path) -> None:
    kept = _folder(corpus, "calibration", "seed") / "calibration.json"
    _plexor("board", "calibrate", "--edges", "1k", "--to", kept)
    calibrated = ("--calibration", kept, "--early", "50ns", "--load", "on")
    runs = {
        "seed-streamed": ("--count", "200", *calibrated),
        "seed-stopped": ("--count", "60", "--stop-on", "latency>1250ns", "--policy", "latest"),
        "seed-dumped": ("--count", "2k", "--mode", "dump"),
    }
    for run, options in runs.items():
        _plexor("measure", *_STRIKES, *options, "--out", scratch / run, "--wire")
    _table(scratch / "seed-table")
    for run in (*runs, "seed-table"):
        shutil.move(scratch / run / WIRE_FILE, _folder(corpus, "recording", run) / WIRE_FILE)
        shutil.copytree(scratch / run, _folder(corpus, "run", run), dirs_exist_ok=True)
    for kind, file in (("dump", "capture.vcd"), ("session", "capture.sr")):
        _plexor("show", scratch / "seed-stopped", "--to", _folder(corpus, kind, "seed") / file)
    swept = scratch / "swept"
    rates = ("--from", "50k", "--to", "2M", "--points", "3", "--resolution", "50%", "--both-ways")
    loads = "load_latency=3us,service=1500ns"
    dut = ("--dut", f"synthetic:{loads}", "--load", "none,load", *_PINS)
    _plexor("sweep", *dut, *rates, "--criterion", "missed<20%", "--out", swept)
    for kind, file in (("sweep", "sweep.json"), ("steps", "steps.jsonl")):
        shutil.copy(swept / file, _folder(corpus, kind, "seed"))
    scans = {
        "phase": ("--against", "ch2", "--points", "20", "--repeats", "4", "--rate", "20k"),
        "burst": ("--from", "2us", "--to", "8us", "--period", "100us", "--most", "6"),
    }
    for scan, options in scans.items():
        _plexor(scan, "--dut", _MASKED, "--channel", "ISR=ch0", *options, "--out", scratch / scan)
        shutil.copy(scratch / scan / f"{scan}.json", _folder(corpus, scan, "seed"))
    for name, text in (("seed-any", _BUDGET), ("seed-named", _BUDGET + _NAMED)):
        (_folder(corpus, "budget", name) / "budget.toml").write_text(text)
    example = files("plexor_sim") / "examples"
    for file in ("irq.toml", "irq.v"):
        text = (example / file).read_text()
        (_folder(corpus, "manifest", "seed") / file).write_text(text)


def _table(folder: Path) -> None:
    """Keep a run through the steps of a sweep table."""
    steps = tuple(TableStep(n * 5 * _US, 20, guard_s=8 * _US) for n in (2, 1, 3))
    settings = Settings(
        strikes=(Stimulus(0, 10 * _US, width_s=_US / 5),),
        channels=(Channel(0, "ISR"), Channel(1, "TASK", reference="ch0.fall")),
        table=steps,
    )
    wire = folder.with_suffix(".wire")
    with wire.open("wb") as tap, Device(open_link("sim:", _DUT), tap) as device:
        result = measure(device, settings)
    save(result, folder, wire)


def _folder(corpus: Path, kind: str, name: str) -> Path:
    folder = corpus / kind / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _plexor(*arguments: object) -> None:
    code = main([str(each) for each in arguments])
    if code:
        raise RuntimeError(f"plexor {' '.join(map(str, arguments))}: exit code {code}")
