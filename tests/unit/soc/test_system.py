# SPDX-License-Identifier: Apache-2.0
"""LiteX' exported map: every register and memory of the contract, where the contract has it."""

import csv
import json

import pytest
from tools.litex_sim import write

from plexor.protocol.geometry import Feature, Geometry
from plexor.protocol.memory import Space, bin_bits
from plexor.protocol.registers import Access, registers

SMALL = Geometry(latency_mantissa_bits=4, interval_mantissa_bits=4, zoom_bits=6, upload_depth=64)
OWN = {"plexor_refused", "plexor_refusal", "plexor_refused_address"}
"""CSRs of the bridge, not of the contract."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return where the map of a simulated system is."""
    folder = tmp_path_factory.mktemp("map")
    write(SMALL, folder, "map")
    return folder


@pytest.fixture(scope="module")
def exported(folder):
    """Return csr.json."""
    return json.loads((folder / "csr.json").read_text())


def declared():
    """Return {name: (word address, words, access)} of the registers that the build has."""
    has = {
        "channel": range(SMALL.channels),
        "channel_status": range(SMALL.channels),
        "long_filter": range(SMALL.channels),
        "stimulus": range(SMALL.strikes),
        "source": SMALL.sources,
        "code": range(Feature.CODES in SMALL.features),
    }
    return {
        f"plexor_{block.name}{copy if block.count > 1 else ''}_{register.name}": (
            word,
            register.words,
            register.access,
        )
        for block, copy, register, word in registers()
        if copy in has.get(block.name, range(block.count))
    }


def test_every_register_of_the_contract_is_a_csr_and_no_other(exported):
    found = {name for name in exported["csr_registers"] if name.startswith("plexor_")}
    assert found - OWN == set(declared())
    assert len(found) > 400


def test_csrs_lie_where_the_contract_has_the_registers(exported):
    base = exported["memories"]["plexor"]["base"]
    for name, (word, words, access) in declared().items():
        csr = exported["csr_registers"][name]
        assert (name, csr["addr"], csr["size"]) == (name, base + 4 * word, words)
        assert csr["type"] == ("ro" if access is Access.READ else "rw"), name


def test_no_two_csrs_share_a_word(exported):
    taken = {}
    for name, csr in exported["csr_registers"].items():
        for word in range(csr["size"]):
            at = csr["addr"] + 4 * word
            assert at not in taken, f"{name} and {taken[at]}"
            taken[at] = name


def test_every_memory_of_the_build_is_a_region_of_its_size(exported):
    words = {
        Space.CLASSES: 4 * 8 * 2,
        Space.LATENCY_BINS: 8 << bin_bits(4),
        Space.LATENCY_ZOOM: 8 << 6,
        Space.LATENCY_STATISTICS: 8 * 20,
        Space.STEPS: 64 * 4 * 32,
    }
    window = exported["memories"]["plexor"]
    end = window["base"] + window["size"]
    two_banks = {Space.CLASSES, Space.LATENCY_STATISTICS}
    for space, size in words.items():
        for bank in range(1 + (space in two_banks)):
            region = exported["memories"][f"plexor_{space.name.lower()}{bank}"]
            assert region["size"] == 4 * size
            assert window["base"] < region["base"] <= end - region["size"]
    assert Feature.SNAPSHOT in SMALL.features
    for space in words.keys() - two_banks:
        assert f"plexor_{space.name.lower()}1" not in exported["memories"]


def test_the_csv_that_litex_clients_read_says_the_same(exported, folder):
    rows = csv.reader((folder / "csr.csv").read_text().splitlines())
    found = {row[1]: int(row[2], 16) for row in rows if row and row[0] == "csr_register"}
    assert found == {name: csr["addr"] for name, csr in exported["csr_registers"].items()}
