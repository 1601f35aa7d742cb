# SPDX-License-Identifier: Apache-2.0
"""The instrument in a LiteX system: LiteX' own client reads it, plexor measures with it.

The system is LiteX' Verilog with LiteEth, simulated; frames and Etherbone go over its Ethernet.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from bench import PORTLESS, TRUTH, Outcome, assert_equals_truth, run
from litex_bench import read_memory, remote_client, serving
from network import Datagrams, Unkind, measured_over

from plexor.model.results import RunResult
from plexor.model.settings import Channel, Settings, Stimulus
from plexor.protocol.frames import CRC_BYTES, HEADER, MAX_WORDS, SOURCE_LOAD
from plexor.protocol.geometry import MAGIC, Feature, Geometry
from plexor.protocol.memory import Space, banks, entries
from plexor.protocol.registers import InputSelect, RunState
from plexor.run.session.session import measure
from plexor.wire.device.device import Device
from plexor.wire.link import open_link
from plexor_hdl.build.emit import gateware_hash

pytestmark = [pytest.mark.full, pytest.mark.timeout(1200)]
"""A first test builds the simulator; short forms are in test_network.py and tests/unit."""
NS = Fraction(1, 1_000_000_000)
DEVICE = "synthetic:seed=4,latency=uniform:10ns:100ns,width=uniform:15ns:30ns,ch1.latency=70ns"
ROOMY = replace(PORTLESS, upload_depth=1024)
"""Small memories, and a FIFO for what comes while a command is answered, at the wire's rate."""
ONE_BANK = Geometry(
    latency_mantissa_bits=4,
    zoom_bits=6,
    word_fifo_depth=16,
    upload_depth=64,
    queue_depth=16,
    features=Feature.SIMULATED | Feature.MATCH,
)
"""A build of a device with little room, whose counts are in one memory."""


def settings(strikes: int, dither_s: Fraction = 128 * NS) -> Settings:
    return Settings(
        strikes=(Stimulus(period_s=800 * NS, width_s=100 * NS, dither_s=dither_s, seed=3),),
        channels=(Channel(0), Channel(1)),
        timeout_s=5000 * NS,
        count=strikes,
    )


def measured(system, wanted: Settings, log, port: int | None = None) -> Outcome:
    with Device(open_link(f"udp://127.0.0.1:{port or system.frames_port}")) as device:
        result = measure(device, wanted)
    system.server.close()
    return Outcome(result, np.fromfile(log, TRUTH))


def shown(result: RunResult) -> list:
    """Return what a run found, but for where in time it lay."""
    return [
        (
            channel.classes,
            [
                (
                    entry.statistics.count,
                    entry.statistics.sum_ticks,
                    entry.statistics.sum_sq_ticks2,
                    entry.bins.counts.tolist(),
                )
                for entry in channel.measurements
            ],
        )
        for channel in result.channels
    ]


@pytest.mark.parametrize(
    "geometry",
    [ROOMY, ONE_BANK],
    ids=["two banks", "one bank"],
)
def test_litex_client_reads_identity_and_histograms_of_a_run(geometry, tmp_path):
    log = tmp_path / "truth.bin"
    with serving(DEVICE, geometry, ("--truth", str(log))) as system:
        with Device(open_link(f"udp://127.0.0.1:{system.frames_port}")) as device:
            dither_s = 128 * NS if Feature.DITHER in geometry.features else Fraction(0)
            result = measure(device, settings(400, dither_s))
            with remote_client(system) as client:
                regs = client.regs
                identity = {
                    name.removeprefix("plexor_identity_"): register.read()
                    for name, register in regs.d.items()
                    if name.startswith("plexor_identity_")
                }
                assert identity["magic"] == MAGIC
                assert identity["gateware_hash"] == gateware_hash(geometry)
                assert identity["board"] == int.from_bytes(b"sim", "little")
                assert identity["channels"] == geometry.channels
                assert identity["tick_fs"] == geometry.tick_fs
                assert identity["phases"] == geometry.phases
                assert identity["features"] == geometry.features
                assert regs.plexor_status_state.read() == RunState.DONE
                assert regs.plexor_status_start_ticks.read() == result.start_ticks
                assert regs.plexor_status_end_ticks.read() == result.end_ticks
                assert regs.plexor_control_run_time_ticks.read() == 0
                # Beside the frames, which go on: the host reads its own registers meanwhile.
                assert device.read("status", "end_ticks") == result.end_ticks
                found = {
                    space: sum(
                        np.array(read_memory(client, f"plexor_{space.name.lower()}{bank}"))
                        for bank in range(banks(geometry, space))
                    )
                    for space in (Space.LATENCY_BINS, Space.LATENCY_ZOOM, Space.CLASSES)
                }
                assert regs.plexor_refused.read() == 0
        system.server.close()
    truth = assert_equals_truth(Outcome(result, np.fromfile(log, TRUTH)))
    for space in (Space.LATENCY_BINS, Space.LATENCY_ZOOM):
        assert found[space].tolist() == np.concatenate(truth.bins[space]).tolist()
        assert found[space].sum() > 0
    classes = found[Space.CLASSES].reshape(-1, 2)
    assert not classes[:, 1].any()
    assert classes[:, 0].tolist() == truth.classes.ravel().tolist()
    assert len(found[Space.LATENCY_BINS]) == entries(geometry, Space.LATENCY_BINS)


def test_what_the_instrument_refuses_on_the_bus_is_counted(tmp_path):
    with serving("synthetic", ROOMY) as system, remote_client(system) as client:
        regs = client.regs
        window = client.mems.plexor.base
        for place in (regs.plexor_identity_magic.addr, client.mems.plexor_latency_bins0.base):
            client.write(place, 1)
            assert regs.plexor_refused_address.read() == (place - window) // 4
        assert regs.plexor_refused.read() == 2
        assert client.read(window + 4 * 0x7FF) == 0
        assert regs.plexor_refused.read() == 3


# Of 16 bins an octave: 50 ticks are in that of 32 to 63, whose bins are 2 ticks wide; 150 to the
# edge back in that of 128 to 255, 8 wide, four keys of 512 bins on.
AT_50, AT_150, BACK = 2 * 16 + (50 - 32) // 2, 4 * 16 + (150 - 128) // 8, 4 * 512


@pytest.mark.parametrize(
    ("select", "bins"),
    [
        (InputSelect.PINS, {AT_50: 100, BACK + AT_150: 100}),
        (InputSelect.LOOPBACK, {0: 100, BACK + AT_50: 100}),
        (InputSelect.LOW, {}),
    ],
    ids=["pins", "loopback", "low"],
)
def test_a_run_started_over_the_bus_counts_without_any_host_on_the_link(select, bins, tmp_path):
    log = tmp_path / "truth.bin"
    dut = "synthetic:latency=50ns,width=100ns"
    with serving(dut, ROOMY, ("--truth", str(log))) as system:
        with remote_client(system) as client:
            regs = client.regs
            for name, value in {
                "control_input_select": select,
                "control_load": 1,
                "channel0_enable": 1,
                "channel0_reference_source": 8,
                "stimulus0_enable": 1,
                "stimulus0_interval_ticks": 2000,
                "stimulus0_width_ticks": 50,
                "stimulus0_strike_count": 100,
                "control_stop_on": 1,
                "control_settle_ticks": 1000,
                "control_stream": 1,
                "control_action": 1,
            }.items():
                getattr(regs, f"plexor_{name}").write(value)
            while regs.plexor_status_state.read() != RunState.DONE:
                pass
            assert regs.plexor_source8_generated.read() == 200
            counts = read_memory(client, "plexor_latency_bins0")
            assert {place: count for place, count in enumerate(counts) if count} == bins
            # The stream has gone nowhere, and held nothing up.
            assert regs.plexor_status_upload_dropped.read() == 0
            assert regs.frames_unsent.read() > 0
        system.server.close()
    truth = np.fromfile(log, TRUTH)
    assert truth["level"][truth["source"] == SOURCE_LOAD].tolist() == [1]


def test_a_run_is_the_same_as_on_the_simulated_instrument(tmp_path):
    (tmp_path / "plain").mkdir()
    plain = run(DEVICE, settings(400), tmp_path / "plain", geometry=PORTLESS)
    log = tmp_path / "truth.bin"
    with serving(DEVICE, ROOMY, ("--truth", str(log))) as system:
        outcome = measured(system, settings(400), log)
    assert_equals_truth(outcome)
    assert shown(outcome.result) == shown(plain.result)
    books = outcome.result.accounting
    assert books.lost_on_link == 0
    assert not books.disorder


GIGABIT_OVERHEAD_BYTES = 8 + 14 + 20 + 8 + 4 + 12
"""Around a datagram: preamble, Ethernet, IPv4, UDP, check sequence, gap (IEEE 802.3, RFC 791)."""
FRAME_BYTES = HEADER.size_bytes + 4 * MAX_WORDS + CRC_BYTES


def through(unkind: Unkind, wanted: Settings, log) -> Outcome:
    """Measure over Ethernet and an unkind network, as network.py says."""
    with serving(DEVICE, ROOMY, ("--truth", str(log))) as system:
        return measured_over(Datagrams(system.frames_port), unkind, wanted, system.server, log)


def test_datagrams_lost_and_out_of_order_are_accounted_for_exactly(tmp_path):
    unkind = Unkind(lose=0.1, repeat=0.1, delay=0.2, overtakers=30, seed=2)
    outcome = through(unkind, settings(2500), tmp_path / "truth.bin")
    assert outcome.result.accounting.dropped_on_chip == 0


def test_frames_fill_three_quarters_of_gigabit_ethernet_and_loss_and_disorder_are_exact(tmp_path):
    wanted = Settings(
        strikes=(Stimulus(period_s=90 * NS, width_s=30 * NS),),
        count=30_000,
    )
    unkind = Unkind(lose=0.03, repeat=0.02, delay=0.1, seed=5)
    outcome = through(unkind, wanted, tmp_path / "truth.bin")
    books, result = outcome.result.accounting, outcome.result
    # A byte of the wire takes a clock of 8 ns, of 8 ticks.
    clocks = (result.end_ticks - result.start_ticks) / 8
    wire = MAX_WORDS * clocks / (FRAME_BYTES + GIGABIT_OVERHEAD_BYTES)
    print(f"{books.generated} events: {books.generated / wire:.3f} of what the wire carries")
    assert books.generated > 3 / 4 * wire
    assert books.dropped_on_chip == 0


BONE_CLOCKS = 125
"""Of the core in a bit of UARTBone: 1 MBd of 125 MHz."""


def test_a_uart_serves_frames_or_by_a_switch_the_bus():
    with serving(DEVICE, ROOMY, uart=True) as system:
        link = open_link(f"tcp://127.0.0.1:{system.frames_port}")
        with Device(link, timeouts_s=(30.0,)) as device:
            assert device.identity.geometry == ROOMY
            assert device.identity.gateware_hash == gateware_hash(ROOMY)
            device.write("control", "run_time_ticks", 0x0123456789ABCDEF)
            assert device.read("control", "run_time_ticks") == 0x0123456789ABCDEF
            assert device.read("status", "command_errors") == 0
            assert not device.decoder.fault_counts
    arguments = ("--gate", "1", "--uart-divisor", str(BONE_CLOCKS), "--no-preamble")
    with serving(DEVICE, ROOMY, arguments, uart=True) as system:
        with remote_client(system, "uart") as client:
            assert client.regs.plexor_identity_magic.read() == MAGIC
            assert client.regs.plexor_identity_gateware_hash.read() == gateware_hash(ROOMY)
            client.regs.plexor_control_run_time_ticks.write(0x0123456789ABCDEF)
            assert client.regs.plexor_control_run_time_ticks.read() == 0x0123456789ABCDEF
            assert client.regs.plexor_status_command_errors.read() == 0
