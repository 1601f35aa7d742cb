# SPDX-License-Identifier: Apache-2.0
"""The gateware's hash, and memories without logic for collisions, as synthesis is told of them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import memory

import plexor_hdl
from plexor_hdl.build.emit import rtlil_for_synthesis

HDL = Path(plexor_hdl.__file__).parent


def hash_of(folder):
    """Return the hash of the gateware of a copy of the package in a folder."""
    code = (
        "from plexor.protocol.geometry import Geometry; from plexor_hdl.build import emit; "
        "print(emit.gateware_hash(Geometry()))"
    )
    path = os.pathsep.join([str(folder), *sys.path])
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)


def masks(attrs):
    """Return the collision mask of each read port of a memory with attributes."""
    m, address, word = Module(), Signal(2), Signal(5)
    m.submodules.words = words = memory.Memory(shape=5, depth=4, init=(), attrs=attrs)
    write, read = words.write_port(), words.read_port()
    m.d.comb += [write.addr.eq(address), read.addr.eq(address), word.eq(read.data)]
    m.d.comb += [write.en.eq(1), write.data.eq(~address)]
    text = rtlil_for_synthesis(m, "top", [address, word])
    return re.findall(r"COLLISION_X_MASK 1'(\d)", text)


@pytest.mark.parametrize(
    "attrs",
    [{}, {"ram_style": "block"}, {"ram_style": "block", "more": 2}],
    ids=["alone", "with_one", "with_two"],
)
def test_a_plain_memory_has_no_logic_for_collisions_whatever_its_other_attributes(attrs):
    assert masks({"no_rw_check": 1, **attrs}) == ["1"]


def test_a_memory_that_says_nothing_of_collisions_keeps_their_logic():
    assert masks({"ram_style": "block"}) == ["0"]


@pytest.mark.parametrize("file", ["instrument.py", "results/bins.py", "front/sampler.py"])
def test_a_change_in_any_room_gives_the_gateware_another_hash(file, tmp_path):
    shutil.copytree(HDL, tmp_path / "plexor_hdl", ignore=shutil.ignore_patterns("*.pyc"))
    before = hash_of(tmp_path)
    with (tmp_path / "plexor_hdl" / file).open("a") as source:
        source.write("PLANTED = 1\n")
    assert before != hash_of(tmp_path) != hash_of(HDL.parent)
    assert before == hash_of(HDL.parent)


def test_a_comment_gives_the_gateware_no_other_hash(tmp_path):
    shutil.copytree(HDL, tmp_path / "plexor_hdl", ignore=shutil.ignore_patterns("*.pyc"))
    with (tmp_path / "plexor_hdl" / "instrument.py").open("a") as source:
        source.write("# planted\n")
    assert hash_of(tmp_path) == hash_of(HDL.parent)
