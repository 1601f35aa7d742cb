# SPDX-License-Identifier: Apache-2.0
"""Makes cases, and takes each the whole way that a user's file goes.

A case is the mutated files of one folder of the corpus. It is loaded, analysed, judged and drawn as
the commands do it. Only a `PlexorError`, a `ManifestError` or a usage error may reject it, in one
line.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from plexor.base.errors import ExitCode, PlexorError
from plexor.base.jsonable import to_json
from plexor.cli import main
from plexor.cli.conclude import RunUse, conclude
from plexor.experiments.calibration.store import find as find_calibration
from plexor.experiments.step import RateStep
from plexor.experiments.store import FILE as STEPS_FILE
from plexor.experiments.store import read_steps
from plexor.experiments.sweep.model import Knee, SweepResult
from plexor.figures.judge.budget import Budget
from plexor.figures.judge.budget_file import load as load_budget
from plexor.files.store.run_folder import RUN_FILE, WIRE_FILE
from plexor.files.store.run_folder import load as load_run
from plexor.library.run import Run
from plexor.library.scans.sweep import Sweep
from plexor.model.results import RunResult
from plexor.show.sweep_page import sweep_page, sweep_svg
from plexor.show.terminal.calibration import calibration_text
from plexor.show.terminal.sweep import sweep_text
from plexor_sim.design.manifest import ManifestError
from plexor_sim.design.manifest import load as load_manifest
from plexor_sim.design.verilog import Ports, glue
from tools.fuzz import mutate

CORPUS = Path(__file__).resolve().parents[2] / "tests" / "fuzz" / "corpus"
_SEED = "seed"
"""Prefix of folders whose files are mutated. The others are cases that failed once."""

Files = dict[str, bytes]


class FaultError(Exception):
    """A command ended with an exit code that it must not have, or printed something unreadable."""


@dataclass(frozen=True)
class Kind:
    """A kind of case. `folder` of the corpus holds its seeds."""

    folder: str
    share: int
    """Number of such cases in a thousand."""
    mutated: Callable[[Random, Files], Files]
    go: Callable[[Path], bool]
    """Processes the files in a folder; returns whether they were accepted."""


def seeds(kind: str) -> list[Path]:
    """Return the folders of a kind whose files are mutated."""
    return sorted(each for each in kept(kind) if each.name.startswith(_SEED))


def kept(kind: str) -> list[Path]:
    """Return all folders of a kind in the corpus."""
    return sorted(each for each in (CORPUS / KINDS[kind].folder).iterdir() if each.is_dir())


def kind_in(folder: Path) -> str:
    """Return the kind of a corpus folder. The name of a failed case begins with its kind."""
    name = folder.name.partition("-")[0]
    return name if name in KINDS else folder.parent.name


@cache
def files_in(folder: Path) -> Files:
    """Return the files of a folder of the corpus."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def made(kind: str, number: int) -> Files:
    """Return a case's files. They depend on kind and number only."""
    random = Random(f"{kind}:{number}")
    return KINDS[kind].mutated(random, dict(files_in(random.choice(seeds(kind)))))


# How files are mutated.


def _one(name: str, how: Callable[[Random, bytes], bytes]) -> Callable[[Random, Files], Files]:
    def mutated(random: Random, files: Files) -> Files:
        return files | {name: how(random, files[name])}

    return mutated


def _run_mutated(random: Random, files: Files) -> Files:
    choice = random.randrange(10)
    if choice < 6:
        return files | {RUN_FILE: mutate.json_mutated(random, files[RUN_FILE])}
    name = random.choice([name for name in files if name != RUN_FILE])
    if choice == 6:
        return files | {name: mutate.flipped(random, files[name])}
    if choice == 7:
        other = random.choice(seeds("run"))
        return files | {name: files_in(other).get(name, b"")}
    return files | {name: _table_bytes(mutate.table_mutated(random, _columns(files[name])))}


def _session_mutated(random: Random, files: Files) -> Files:
    """Damage the archive, or a file in it."""
    (name,) = files
    if random.randrange(4) == 0:
        return {name: mutate.flipped(random, files[name])}
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(files[name])) as old, zipfile.ZipFile(sink, "w") as new:
        inside = {entry: old.read(entry) for entry in old.namelist()}
        chosen = random.choice([*inside])
        inside[chosen] = mutate.flipped(random, inside[chosen])
        for entry, data in inside.items():
            new.writestr(entry, data)
    return {name: sink.getvalue()}


def _columns(data: bytes) -> mutate.Columns:
    table = import_module("pyarrow.parquet").read_table(io.BytesIO(data), use_threads=False)
    return {name: table.column(name).to_pylist() for name in table.column_names}


def _table_bytes(columns: mutate.Columns) -> bytes:
    pa = import_module("pyarrow")
    arrays: dict[str, Any] = {}
    for name, values in columns.items():
        for kind in (pa.int64(), pa.uint64(), pa.float64(), pa.string()):
            try:
                wanted = [str(each) for each in values] if kind == pa.string() else values
                arrays[name] = pa.array(wanted, kind)
                break
            except (pa.ArrowException, OverflowError, UnicodeEncodeError):
                continue
    sink = io.BytesIO()
    least = min(map(len, arrays.values()), default=0)
    table = pa.table({name: array[:least] for name, array in arrays.items()})
    import_module("pyarrow.parquet").write_table(table, sink)
    return sink.getvalue()


# Where they go.

_WROTE = ("plexor: page ", "plexor: picture ")
"""First words of a command's output if it only says where its file is."""


@contextmanager
def _captured() -> Generator[tuple[io.StringIO, io.StringIO]]:
    """Capture output. Raises UnicodeEncodeError where a UTF-8 pipe would."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        yield out, err
    out.getvalue().encode()


def _plexor(*arguments: object) -> bool:
    """Run a command; return whether it accepted its files. Raises FaultError for misbehaviour."""
    words = [str(each) for each in arguments]
    with _captured() as (out, err):
        code = main(words)
    printed, said = out.getvalue(), err.getvalue()
    if code not in set(ExitCode):
        raise FaultError(f"plexor {' '.join(words)}: exit code {code}")
    refused = bool(code) and not printed and not said.startswith(_WROTE)
    if refused and (said.count("\n") != 1 or not said.startswith("plexor: ")):
        raise FaultError(f"plexor {' '.join(words)}: exit code {code}, and says {said!r}")
    if "--json" in words and not refused:
        json.loads(printed, parse_constant=_no_constant)
    return not refused


def _no_constant(name: str) -> None:
    raise FaultError(f"JSON has no {name}")


def _budget() -> Path:
    return CORPUS / "budget" / "seed-any" / "budget.toml"


def _one_of(folder: Path, path: Path, *others: tuple[object, ...]) -> bool:
    """Show a run in one way, chosen by the case's contents; judge it if possible."""
    budget = ("--budget", _budget())
    ways: list[tuple[object, ...]] = [
        ("show", path, *budget),
        ("show", path, "--json", *budget),
        ("show", path, "--json", "--base", "950ns", "--columns", "10m/s"),
        ("show", path, "--to", folder / "page.html", *budget),
        ("show", path, "--to", folder / "page.svg"),
        *others,
    ]
    return _plexor(*ways[_choice(folder, len(ways))])


def _choice(folder: Path, ways: int) -> int:
    return zlib.crc32(b"".join(path.read_bytes() for path in sorted(folder.iterdir()))) % ways


def _go_run(folder: Path) -> bool:
    return _one_of(
        folder, folder, ("compare", seeds("run")[0], folder), ("lab", "table", folder, "--json")
    )


def _go_recording(folder: Path) -> bool:
    return _one_of(folder, folder / WIRE_FILE)


def _go_capture(folder: Path) -> bool:
    (path,) = folder.iterdir()
    signals = ("--strike", "strike0", "--channel", "ISR=ISR:deadline=1us", "--early", "20ns")
    return _plexor("import", path, *signals, "--out", folder / "run")


def _go_scan(folder: Path, *others: tuple[object, ...]) -> bool:
    """Show a sweep, a phase scan or a burst scan in one way, as for runs."""
    ways: list[tuple[object, ...]] = [
        ("show", folder),
        ("show", folder, "--json"),
        ("show", folder, "--to", folder / "page.html"),
        ("show", folder, "--to", folder / "page.svg"),
        *others,
    ]
    return _plexor(*ways[_choice(folder, len(ways))])


def _go_sweep(folder: Path) -> bool:
    return _go_scan(
        folder,
        ("lab", "table", folder),
        ("lab", "table", folder, seeds("run")[0], "--json", "--jitter", "rms"),
        ("compare", seeds("sweep")[0], folder, "--json"),
    )


def _draw_sweep(result: SweepResult, folder: Path) -> None:
    """Draw an interrupted sweep in one of the ways of `plexor sweep`."""
    ways = (partial(sweep_text, width=100, colour=False), sweep_page, sweep_svg)
    ways[_choice(folder, len(ways))](result).encode()


def _go_steps(folder: Path) -> bool:
    whole = Sweep.load(seeds("sweep")[0]).result
    read = read_steps(folder / STEPS_FILE)
    steps = tuple(step for taken in read.steps.values() for step in taken)
    own = replace(whole, steps=steps, knees=_knees_of(whole, steps))
    if own.knees:
        _draw_sweep(own, folder)
    return not read.wrong


def _knees_of(whole: SweepResult, steps: tuple[RateStep, ...]) -> tuple[Knee, ...]:
    """Return the knees whose channels are in all steps that belong to them."""
    return tuple(
        knee
        for knee in whole.knees
        if all(
            knee.channel in {figures.name for figures in step.channels}
            for step in steps
            if step.load == knee.load and step.for_channel in ("", knee.channel)
        )
    )


@cache
def _seed_run(name: str) -> RunResult:
    return load_run(CORPUS / "run" / name)


def _concluded(result: RunResult, folder: Path, budget: Budget | None = None) -> None:
    choice = _choice(folder, 3)
    page = folder / "page.html" if choice == 2 else None
    with _captured():
        conclude(Run(result), RunUse(budget, choice == 1, page))


def _go_calibration(folder: Path) -> bool:
    result = _seed_run("seed-streamed")
    own = result.calibration
    assert own is not None
    found = find_calibration(own.serial, result.identity, folder / "calibration.json")
    assert found is not None
    calibration_text(found, width=100, colour=False).encode()
    json.dumps(to_json(found), allow_nan=False)
    _concluded(replace(result, calibration=found), folder)
    return True


def _go_budget(folder: Path) -> bool:
    budget = load_budget(str(folder / "budget.toml"))
    _concluded(_seed_run("seed-stopped"), folder, budget)
    return True


def _go_manifest(folder: Path) -> bool:
    manifest = load_manifest(folder / "irq.toml")
    found: Ports = dict.fromkeys(manifest.constants or {}, ("in", 1))
    glue(manifest, found, draws=True, timed=True).encode()
    for value in (manifest.options or {}).values():
        value.encode()
    return True


KINDS = {
    "frames": Kind("recording", 50, _one(WIRE_FILE, mutate.flipped), _go_recording),
    "recording": Kind("recording", 50, _one(WIRE_FILE, mutate.lying), _go_recording),
    "run": Kind("run", 110, _run_mutated, _go_run),
    "dump": Kind("dump", 20, _one("capture.vcd", mutate.flipped), _go_capture),
    "session": Kind("session", 20, _session_mutated, _go_capture),
    "sweep": Kind("sweep", 100, _one("sweep.json", mutate.json_mutated), _go_sweep),
    "phase": Kind("phase", 50, _one("phase.json", mutate.json_mutated), _go_scan),
    "burst": Kind("burst", 50, _one("burst.json", mutate.json_mutated), _go_scan),
    "steps": Kind("steps", 50, _one(STEPS_FILE, mutate.lines_mutated), _go_steps),
    "calibration": Kind(
        "calibration", 150, _one("calibration.json", mutate.json_mutated), _go_calibration
    ),
    "budget": Kind("budget", 200, _one("budget.toml", mutate.toml_mutated), _go_budget),
    "manifest": Kind("manifest", 150, _one("irq.toml", mutate.toml_mutated), _go_manifest),
}
_ORDER = tuple(name for name, kind in KINDS.items() for _ in range(kind.share))


def kind_of(number: int) -> str:
    """Return the kind of a case by its number. Kinds come evenly, in proportion to their share."""
    return _ORDER[number * 377 % len(_ORDER)]


def run(kind: str, files: Files, folder: Path) -> bool:
    """Write a case into an empty folder and process it; return whether it was accepted.

    Every exception is a failure, except a rejection in one line.
    """
    for name, data in files.items():
        (folder / name).write_bytes(data)
    try:
        return KINDS[kind].go(folder)
    except (PlexorError, ManifestError) as error:
        line = str(error)
        if len(line) > _LONGEST:
            raise FaultError(f"a line of {len(line)}: {line[:300]}") from error
        if _of_memory(error):
            raise FaultError(f"out of memory: {line[:300]}") from error
        return False


_LONGEST = 10_000


def _of_memory(error: BaseException | None) -> bool:
    """Return whether a rejection was caused by lack of memory."""
    while error is not None and not isinstance(error, MemoryError):
        error = error.__cause__
    return error is not None


def warm_up() -> None:
    """Do what cases do once, so that no case is charged for it."""
    pa = import_module("pyarrow")
    # Other memory pools, and threads with pools of their own, reserve much more than they use.
    pa.set_memory_pool(pa.system_memory_pool())
    pa.set_io_thread_count(1)
    pa.set_cpu_count(1)
    for folder in seeds("run"):
        load_run(folder)
        for name in sorted(set(files_in(folder)) - {RUN_FILE}):
            _table_bytes(_columns(files_in(folder)[name]))
