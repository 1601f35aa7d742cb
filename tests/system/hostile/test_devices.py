# SPDX-License-Identifier: Apache-2.0
"""Manifests, devices and sources that cannot be taken, through a simulator of one's own."""

from __future__ import annotations

import json

import pytest

from plexor import cli

from .test_arguments import table

MEASURE = ["measure", "--rate", "100k", "--count", "20"]
GOOD = "module dut (input a, output b); assign b = a; endmodule\n"
PORTS = "sources = ['dut.v']\ntop = 'dut'\n[ports]\nstrikes = ['a']\nresponses = ['b']\n"

# Sources, more of the manifest, and what is said: exit code 3 where the sources do not build, 2
# where the manifest names what they do not have.
BROKEN = {
    "no Verilog": ("rm -rf /", "", "syntax error"),
    "not closed": ("module dut (input a, output b);", "", "syntax error"),
    "empty": ("", "", "dut"),
    "binary": ("\x7fELF\x00\x01\x02", "", ""),
    "another top": ("module other (input a, output b); endmodule", "", "dut"),
    "no such port": ("module dut (input a); endmodule", "", "b"),
    "no such instance": ("module dut (input a, output b); nosuch n (a); endmodule", "", "nosuch"),
    "no such include": ('`include "nosuch.vh"\n' + GOOD, "", "nosuch.vh"),
    "no such parameter": (GOOD, "[parameters]\nDEPTH = 3\n", "DEPTH"),
    "no such clock": (GOOD, "[clock]\nport = 'clk'\nperiod_ps = 1000\n", "clk"),
    "no such constant": (GOOD, "[constants]\nenable = 1\n", "enable"),
}


@pytest.fixture
def manifest(tmp_path):
    """Return a function that writes a manifest and its source, and returns its path."""

    def write(text: str, source: str = GOOD) -> str:
        (tmp_path / "dut.v").write_text(source, encoding="latin-1")
        (tmp_path / "dut.toml").write_text(text, encoding="utf-8")
        return str(tmp_path / "dut.toml")

    return write


@pytest.mark.usefixtures("within")
@pytest.mark.parametrize(("text", "says"), table("manifests"))
def test_a_wrong_manifest_is_one_line(refused, manifest, text, says):
    path = manifest(text)
    assert path in refused([*MEASURE, "--dut", path], 2, says)


@pytest.mark.usefixtures("within")
@pytest.mark.parametrize(("device", "says"), table("devices"))
def test_a_wrong_device_is_one_line(refused, device, says):
    refused([*MEASURE, "--dut", device], 2, says)


def test_what_is_said_of_it_comes_from_a_process_of_its_own(refused, manifest):
    text, says = table("manifests")[0]
    refused([*MEASURE, "--dut", manifest(text)], 2, says)
    device, says = table("devices")[0]
    refused([*MEASURE, "--dut", device], 2, says)


@pytest.mark.parametrize("name", BROKEN)
def test_sources_that_do_not_compile_are_one_line(refused, manifest, name):
    source, more, says = BROKEN[name]
    missing = ("port", "clock", "constant", "instance", "include")
    code = 2 if name.removeprefix("no such ") in missing else 3
    refused([*MEASURE, "--dut", manifest(PORTS + more, source)], code, says)


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("text", "code", "missed"),
    [("", 0, 20), ("[all]\nmissed = 0", 1, 20), ("[all]\nmax = '1 us'", 4, 20)],
)
def test_a_device_that_never_answers_is_measured(manifest, tmp_path, capsys, text, code, missed):
    path = manifest(PORTS, "module dut (input a, output b); assign b = a & ~a; endmodule")
    budget = tmp_path / "budget.toml"
    budget.write_text(text)
    judged = ["--budget", str(budget)] if text else []
    assert cli.main([*MEASURE, "--dut", path, "--json", *judged]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    channel = json.loads(out)["channels"][0]
    assert (channel["missed"], channel["answered"]) == (missed, 0)
