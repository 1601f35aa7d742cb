# SPDX-License-Identifier: Apache-2.0
"""Every command that README, docs and `--help` show runs as it is written, on the files that ship.

What is shown together runs in one folder, in its order. What no computer has is put in its place:
a board's serial port is a pseudo-terminal with a simulated instrument behind it, its network
address that of a simulated LiteX system. Minutes of strikes become milliseconds on such a link,
for a simulated second takes half a minute. Names in capitals stand for what the reader has.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click
import pytest
from documented import ROOT, Shown, of_page, programs, shown
from litex_bench import remote_client, serving
from pseudo_terminal import on_a_terminal
from shelf import MADE, RUN, Shelf

import plexor_sim
from plexor.cli import every_command, main
from plexor.protocol.geometry import Geometry

EXAMPLES = Path(plexor_sim.__file__).parent / "examples"
BIN = Path(sys.executable).parent
SERIAL = "serial:/dev/ttyUSB1"
BOARD = "synthetic:latency=2us,width=300ns,ch2.tick=40us,ch2.width=5us"
"""The device that is wired to what is at SERIAL."""
CLOCK = "synthetic:latency=2us,width=300ns,ch7.tick=1s"
"""The same where a command asks for 1 PPS: it rests in between, or seconds would take minutes."""
JUMPERS = "jumper.0=0,jumper.1=0"
"""What is wired there instead, where a command names jumpers."""
NETWORK = re.compile(r"udp://[A-Z0-9.]+:7539")
SHORTER = {
    "--time 60s": "--time 60ms",
    "--period 50ms": "--period 2ms",
    "--to 1ms": "--to 20us",
    "--pps ch7": "--pps ch7 --pps-time 3s",
}
"""On a board: a simulated second takes half a minute."""
STANDS_FOR = {
    "measure --fallback": "measure --fallback --rate 20k --count 400",
    "board sim": "board sim --help",
    "plexor scope": "plexor scope --help",
    "plexor archive serve": "plexor archive serve --help",
    "measure … --json": "measure --dut irq.toml --rate 20k --count 400 --json",
    "measure … --calibration FILE": "measure --rate 20k --count 400 --calibration cal.json",
    "compare A B": "compare main branch",
    "measure --out": "measure --help",
    "sweep --out": "sweep --help",
    "devices NAME": "devices irq.toml",
    "DIR": "main",
    "RUN...": "main",
    "RUN": "main",
    "measure --live": "measure --live --rate 20k --count 400",
    "--device-serial 'serial:/dev/ttyUSB2?baud=9600'": "--mode normal --period 1ms --count 3",
    "> ~/.local/share/bash-completion/completions/plexor": "> plexor.bash",
    "> ~/.zfunc/_plexor": "> plexor.zsh",
    "> ~/.config/fish/completions/plexor.fish": "> plexor.fish",
}
"""What a page leaves to its reader."""
LONG = (
    "plexor sweep ",
    "plexor burst ",
    "plexor phase ",
    "plexor board calibrate ",
    "plexor board prove ",
    "plexor lab mixed ",
    "plexor compare main branch --fail-on 'p99",
    "plexor farm farm.toml",
    "--time 2s",
    "--dut ce30",
    "--dut coded.toml",
    "--dut freertos",
    "--page reflexes.html",
    "plexor lab table ",
    "plexor archive ",
    "plexor lab bench ",
    "plexor lab bound ",
    "plexor compare A B",
    "plexor board doctor --link",
    "plexor show DIR",
    "plexor show DIR",
    "plexor show ",
    "plexor import ",
    "plexor explain ",
    "plexor explain ",
    "plexor explain ",
    "--archive archive",
    "--rate 5k --count 400",
    "=ch1' --out first",
    "irq.toml:clock=20ns",
    "pip ",
    "pytest ",
    "udp://",
    "--against gateware",
)
"""A block with one of these is of `make test-full`: other tests run its command too, or it takes a
minute or more. In `make test` its commands are read, and not run."""
USERS = ("plexor ", "pip ", "pytest ")
"""Programs of a user, run in a user's folder. The others are the clone's own tools."""
GUARDING = ("make test", "make test-full", "make lint", "make lock", "make mutants", "make flash")
"""What runs these tests, or asks for a board or the newest packages: called, not run."""
FLASHES = "plexor board flash "
"""What writes to a board: its words are read, and it is not run."""
HOURS = (
    *("make gateware", "make gateware BOARD=NAME", "make gateware BOARD=ulx3s-25f"),
    "make gateware BOARD=icebreaker BUILD=counts",
    *("make gateware-report", "make soc-report", "make fmax", "make weights"),
    *("make soc BOARD=colorlight-i5 DEEP=1", "python -m tools.gateware.search", "make fuzz"),
    *("make afternoon STUDY=A", "make wheels"),
)
"""What builds gateware for minutes, or feeds files for an hour: called, not run.

tests/gateware builds, tests/fuzz feeds files, and test_afternoon.py redoes the studies.
"""
SERVES = ("run_bitstream", "litex_sim")
"""Programs that go on until they are ended, once they have said where they listen."""
TOOLS_AT_ONCE = ("make wiring", "python -m plexor.protocol.document")
"""Of the clone's own tools: the others build gateware, or measure for minutes."""
EXITS: dict[str, int] = {
    "plexor compare before after --fail-on 'p99>+5%'": 1,
    "plexor measure --dut irq.toml:clock=20ns --rate 20k --dither 1024ns --count 400 "
    "     --channel entry=ch0 --channel 'handled[0]=ch1' --budget budget.toml": 1,
    "plexor lab bound check --model createthread.toml --platform memory.toml --map map.toml --n 13 "
    "--measured 14137ns": 1,
}
"""Commands that do not end with 0, and rightly."""
DRAWN = {
    "first.svg": ROOT / "docs" / "learn" / "first-page.svg",
    "rounds.svg": ROOT / "docs" / "do" / "rounds.svg",
}
"""Pictures of pages, by the file that their commands write."""
FRAMES = re.compile(r"--frames (\S+)")
"""A report that a command writes is a part of what it prints."""
LEAST_SEEN = 60


NAMES = {f"plexor {name}" for name, _ in every_command()}


def _names_only(entry: Shown) -> bool:
    """Return whether a page only names a command, of a group too, and says no more of it."""
    name, *more = entry.commands
    return not more and (name in NAMES or len(name.split()) == 2)


def _is_users(entry: Shown) -> bool:
    return all(command.startswith(USERS) for command in entry.commands)


SHOWN = shown()
PROGRAMS = programs()
NAMED = sorted(
    {
        entry.commands[0]
        for entry in SHOWN
        if _names_only(entry) and entry.commands[0].startswith("plexor ")
    }
)
USERS_OWN = [entry for entry in SHOWN if not _names_only(entry) and _is_users(entry)]
FLASHING = [
    entry for entry in USERS_OWN if any(line.startswith(FLASHES) for line in entry.commands)
]
TYPED = [entry for entry in USERS_OWN if entry not in FLASHING]
TOOLS = sorted(
    {
        command
        for entry in SHOWN
        for command in entry.commands
        if not command.startswith(USERS) and "…" not in command
    }
)


def test_no_page_hides_its_commands():
    """What is looked at is what a reader sees: no block is lost to its form."""
    assert sum(len(entry.commands) for entry in SHOWN) >= LEAST_SEEN
    text = "a\n```sh\nplexor x \\\n  --y 1   # why\n```\n`plexor z --w` `plexor.z`\n"
    printed = "```text\nmax 1 ns\n```\n"
    assert list(of_page("p", f"{text}{printed}```sh\nplexor v\n```\n")) == [
        Shown("p:2", ("plexor x    --y 1",), ("max 1 ns\n",)),
        Shown("p:10", ("plexor v",)),
        Shown("p:6", ("plexor z --w",)),
    ]


def test_no_rule_is_of_a_command_that_is_gone():
    text = "\n".join(f"{command} " for entry in SHOWN for command in entry.commands)
    for rule in (*SHORTER, *STANDS_FOR, *LONG, *EXITS):
        assert rule in text, f"no command has {rule!r}"
    for name in MADE:
        word = re.compile(rf"(?<!\S){re.escape(name)}(?=/|\s|$)")
        assert any(map(word.search, (text, *STANDS_FOR.values()))), name


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    return Shelf(tmp_path_factory.getbasetemp(), EXAMPLES, typed)


@contextmanager
def instruments(text: str) -> Iterator[str]:
    """Yield commands whose board is a simulated one, behind the port or network they name."""
    with ExitStack() as stack:
        if SERIAL in text:
            wired = ["--front-end", JUMPERS] if "--jumper" in text else []
            dut = CLOCK if "--pps" in text else BOARD
            board = ["-m", "plexor_sim.serve", "--dut", dut, *wired]
            address = stack.enter_context(served(board))
            text = text.replace(SERIAL, f"serial:{stack.enter_context(on_a_terminal(address))}")
            for long, short in SHORTER.items():
                text = text.replace(long, short)
        if NETWORK.search(text):
            deep = ["--deep"] if "--mode deep" in text else []
            address = stack.enter_context(served(["-m", "tools.litex_sim", *deep]))
            text = NETWORK.sub(f"udp://127.0.0.1:{address[1]}", text)
        yield text


@contextmanager
def served(arguments: list[str]) -> Iterator[tuple[str, int]]:
    """Yield the address at which a program says that it listens."""
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("listening "):
                    host, _, port = line.strip().rpartition("/")[2].rpartition(":")
                    yield host, int(port)
                    return
            raise AssertionError(f"{shlex.join(arguments)}: does not listen")
        finally:
            process.terminate()


def fresh_clone(folder: Path) -> Path:
    """Make a folder a clone with a new environment; return where the environment's programs are."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    for name in filter(None, files.stdout.decode().split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    venv.create(folder / ".venv", with_pip=True)
    return folder / ".venv" / "bin"


def typed(command: str, folder: Path, expected: int = 0, programs_in: Path = BIN) -> str:
    """Type a command in a folder; return what it prints, or fail with what it says."""
    environment = {
        **os.environ,
        "PATH": f"{programs_in}:{os.environ['PATH']}",
        "XDG_DATA_HOME": str(folder / "data"),
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == expected, f"{command}: {done.returncode}\n{done.stderr}{done.stdout}"
    assert "Traceback" not in done.stderr
    return done.stdout


def filled(commands: str) -> str:
    """Return commands with what a page leaves to its reader."""
    for word, meant in STANDS_FOR.items():
        commands = re.sub(rf"{re.escape(word)}(?!\w)", lambda _, meant=meant: meant, commands)
    return commands


def _long(entry: Shown) -> bool:
    return any(word in f"{command} " for command in entry.commands for word in LONG)


@pytest.mark.timeout(14400)
@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, id=entry.place, marks=pytest.mark.full if _long(entry) else ())
        for entry in TYPED
    ],
)
def test_what_is_shown_runs(entry, shelf, tmp_path):
    for path in EXAMPLES.iterdir():
        shutil.copy(path, tmp_path)
    commands = filled("\n".join(entry.commands))
    makes_branch = "--out branch/" in commands
    for name in MADE:
        made_here = makes_branch or f"--out {name}" in commands or f"plexor {name} add" in commands
        if re.search(rf"\s{re.escape(name)}\b", commands) and not made_here:
            shelf.bring(name, tmp_path)
    programs_in = fresh_clone(tmp_path) if "pip install" in commands else BIN
    printed = ""
    with instruments(commands) as ready:
        for command, written in zip(ready.splitlines(), entry.commands, strict=True):
            if makes_branch and "compare main" in command:
                shutil.copytree(tmp_path / "branch", tmp_path / "main")
            printed += typed(command, tmp_path, EXITS.get(written, 0), programs_in)
    printed += "".join((tmp_path / name).read_text() for name in FRAMES.findall(commands))
    for part in entry.prints:
        assert part in printed, f"{entry.place}: prints otherwise:\n{printed}"
    for file, picture in DRAWN.items():
        if f"--page {file}" in commands:
            assert (tmp_path / file).read_text() == picture.read_text(), f"renew {picture}"


@pytest.mark.parametrize(
    "entry",
    [pytest.param(entry, id=entry.place) for entry in [*filter(_long, TYPED), *FLASHING]],
)
def test_what_is_shown_and_takes_long_or_a_board_has_the_options_that_there_are(
    entry, tmp_path, monkeypatch, capsys
):
    """The words are read as `plexor` reads them; no command is carried out."""
    monkeypatch.setattr(click.Command, "invoke", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    for path in EXAMPLES.iterdir():
        shutil.copy(path, tmp_path)
    for command in filled("\n".join(entry.commands)).splitlines():
        name, *words = shlex.split(command.partition(" >")[0])
        if name == "plexor":
            code, said = main(words), capsys.readouterr().err
            assert code == 0 or "does not exist" in said, f"{command}: {said}"


@pytest.mark.parametrize("name", NAMED)
def test_what_is_named_is_there(name, tmp_path):
    assert name.split()[1] in typed(f"{name} --help", tmp_path)


def _tool(command: str) -> object:
    short = command.startswith((*TOOLS_AT_ONCE, *GUARDING)) or command in HOURS
    return pytest.param(command, marks=() if short else pytest.mark.full)


@pytest.mark.timeout(14400)
@pytest.mark.parametrize("command", [_tool(command) for command in TOOLS])
def test_a_tool_runs(command):
    if command.startswith(GUARDING) or command in HOURS:
        makes = command.startswith("make ")
        shown = typed(f"make --dry-run {command[5:]}", ROOT) if makes else command
        called = re.findall(r"python3? -m (\S+)", shown)
        place = ROOT / called[-1].replace(".", "/")
        programs = place.with_suffix(".py"), place / "__main__.py"
        assert called[-1] == "pytest" or any(program.exists() for program in programs)
    elif any(word in command for word in SERVES):
        with served(shlex.split(command.partition("python ")[2])) as (host, port):
            link = f"udp://{host}:{port}" if "litex" in command else f"tcp://{host}:{port}"
            typed(f"plexor measure --link {link} --rate 20k --count 100 --calibration none", ROOT)
    else:
        typed(command, ROOT)


@pytest.mark.full
@pytest.mark.timeout(14400)
@pytest.mark.parametrize("place", PROGRAMS)
def test_a_program_that_is_shown_runs(place, tmp_path):
    if "RemoteClient" not in PROGRAMS[place]:
        (tmp_path / "shown.py").write_text(PROGRAMS[place])
        assert "simulated" in typed("python shown.py", tmp_path)
        return
    with serving("synthetic", Geometry()) as system, remote_client(system) as client:
        found: dict[str, object] = {}

        def opened(csr_csv: str) -> object:
            assert (system.folder / csr_csv).is_file()
            return client

        exec(PROGRAMS[place], {"RemoteClient": opened}, found)
        assert found["hash"]
        assert getattr(found["bins"], "size", 0) > 0


def test_the_budget_that_is_shown_is_kept(tmp_path):
    for path in EXAMPLES.iterdir():
        shutil.copy(path, tmp_path)
    (budget,) = re.findall(r"```toml\n(# budget.*?)```", (ROOT / "README.md").read_text(), re.S)
    (tmp_path / "budget.toml").write_text(budget)
    judged = typed(f"{RUN.replace('2k', '4k')} --budget budget.toml", tmp_path)
    assert '"outcome": "pass"' in judged
