# SPDX-License-Identifier: Apache-2.0
"""The pages to look things up in say what the program takes and what it prints."""

import errno
import os
import re
from fractions import Fraction
from pathlib import Path

import click
import pytest
from tools.lookup import FOLDER, PAGES

from plexor import cli
from plexor.base.counts import plural
from plexor.base.errors import ExitCode
from plexor.figures.analyse.percentiles import least_count
from plexor.figures.judge.budget import COUNTS, TIMES
from plexor.model.results import RunResult
from plexor_sim.design import manifest
from plexor_sim.device_options import RISCV, SYNTHETIC, VERILOG

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
OF_THE_SYSTEM = (errno.ENOENT, errno.EACCES, errno.ECONNREFUSED)
"""What the operating system adds to a line."""


def page(name: str) -> str:
    return (DOCS / name).read_text()


def sources() -> str:
    """Return all text of the host and of the simulator; a text over several lines as one."""
    files = [*(ROOT / "host").rglob("*.py"), *(ROOT / "sim").rglob("*.py")]
    text = "\n".join(path.read_text() for path in files)
    return re.sub(r"""["']\s*\n\s*f?["']""", "", text).replace("{direction}put", "input")


@pytest.mark.parametrize("name", PAGES)
def test_what_is_generated_is_fresh(name):
    assert (FOLDER / name).read_text() == PAGES[name](), "run: make lookup"


def test_every_option_of_every_command_is_on_the_page():
    sections = re.split(r"^## plexor ", page("lookup/options.md"), flags=re.MULTILINE)[1:]
    by_name = {text.split("\n", 1)[0]: text for text in sections}
    named = dict(cli.every_command())
    assert set(by_name) == set(named)
    for name, command in named.items():
        for option in command.params:
            if isinstance(option, click.Option):
                assert f"`{option.opts[0]}" in by_name[name], (name, option.opts)


def test_every_option_of_a_device_is_on_the_page():
    text = page("lookup/devices.md")
    for option in (*SYNTHETIC, *RISCV, *VERILOG):
        assert f"{option.name}=" in text


def test_every_key_of_a_manifest_is_explained():
    text = page("lookup/manifest.md")
    for table, keys in manifest._KEYS.items():
        for key in keys:
            assert f"`{table}.{key}`".replace("`.", "`") in text, (table, key)
    for table in manifest._FREE:
        assert f"`[{table}]`" in text


def test_the_manifest_that_is_shown_is_taken(tmp_path):
    shown, of_core, several = re.findall(
        r"```toml\n(.*?)```", page("lookup/manifest.md"), re.DOTALL
    )
    (tmp_path / "rtl").mkdir()
    for name in ("irq.v", "rtl/a.sv", "all.f", "model.cpp", "firmware.hex"):
        (tmp_path / name).touch()
    (tmp_path / "device.toml").write_text(shown)
    found = manifest.load(tmp_path / "device.toml")
    assert (found.top, len(found.strikes), len(found.responses)) == ("irq", 2, 2)
    ports = shown[shown.index("[ports]") :].replace('"clk"', '"wclk"')
    begin = shown[: shown.index("[clock]")]
    (tmp_path / "several.toml").write_text(begin + several + ports)
    found = manifest.load(tmp_path / "several.toml")
    assert (len(found.clocks), len(found.resets)) == (2, 2)
    (tmp_path / "cores").mkdir()
    (tmp_path / "soc.core").write_text(
        "CAPI=2:\nname: ::soc:0\ntargets: {sim: {filesets: ['fast ? (rtl)']}}\nfilesets: {rtl: "
        "{files: [irq.v], file_type: verilogSource, depend: ['acme:debug:jtag']}}\n"
    )
    (tmp_path / "core.toml").write_text(
        of_core + ports.replace('"wclk"', '"clk"').replace('noise = "clk"', "")
    )
    found = manifest.load(tmp_path / "core.toml")
    assert [path.name for path in found.sources.verilog] == ["irq.v"]


def test_every_limit_of_a_budget_is_explained():
    text = page("lookup/budget.md")
    for figure in (*TIMES, *COUNTS):
        assert f"`{figure}`" in text


@pytest.mark.parametrize("name", ["do/ci-job.md", "understand/statistics.md"])
def test_the_samples_that_a_percentile_needs_are_those_of_the_law(name):
    for nines in (2, 3, 4):
        q = 1 - Fraction(1, 10**nines)
        assert f"{least_count(q):,}" in page(name)


def test_every_exit_code_is_explained():
    text = page("lookup/exit-codes.md")
    for code in ExitCode:
        assert f"| {int(code)} | " in text


def test_every_part_of_a_stored_run_is_explained():
    text = page("lookup/archive.md")
    for name in RunResult.__dataclass_fields__:
        assert f"`{name}`" in text, name


OPTIONS = {"low": "from", "high": "to"}
"""Options that the library calls otherwise than the command line."""


def test_the_lines_of_troubleshooting_are_those_of_the_program():
    said_by_library = re.sub(
        r"\{name\(['\"](\w+)['\"]\)\}",
        lambda found: f"--{OPTIONS.get(found[1], found[1].replace('_', '-'))}",
        sources(),
    )
    # Counts are in the plural: `{} strikes were`.
    said_by_library = re.sub(
        r"\{counted\([^{}]*, ['\"]([\w ]+)['\"]\)\}",
        lambda found: f"{{}} {plural(found[1])}",
        said_by_library,
    )
    said_by_library = re.sub(r"\{agreed\([^{}]*, '\w+', '(\w+)'\)\}", r"\1", said_by_library)
    named = said_by_library.replace("{forcing}", "--force").replace("{name} {out}", "--out {out}")
    said = named + "".join(os.strerror(number).lower() for number in OF_THE_SYSTEM)
    rows = re.findall(r"^\| `([^`]+)` \|", page("do/troubleshooting.md"), re.MULTILINE)
    assert len(rows) > 50
    for row in rows:
        for part in re.split("…|: ", row):
            assert part.strip(" ;:,.") in said, row
