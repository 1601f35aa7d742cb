# SPDX-License-Identifier: Apache-2.0
"""A simulated instrument that is started for its link: heard, named in errors, ended with it."""

import os
import signal
import textwrap
import threading

import pytest

from plexor.base.errors import LinkError, UsageError
from plexor.wire.link import LinkEndError
from plexor.wire.link.sim import SimLink, files_of_design, sim_command

from ...fake_device import wait_until
from .served import SERVE, all_gone, read_some, script


def test_a_simulated_instrument_serves_and_ends_with_its_link(tmp_path):
    link = SimLink(script(tmp_path, SERVE))
    assert link.device == "synthetic"
    link.write(b"hello")
    assert read_some(link, 5) == b"hello"
    link.close()
    assert all_gone(tmp_path)
    link.close()


def test_a_simulated_instrument_says_why_it_has_another_device(tmp_path):
    lines = "fallback no cargo; using bare\\nfallback no core; using synthetic"
    said = f"print('{lines}', flush=True)\n"
    link = SimLink(script(tmp_path, said + textwrap.dedent(SERVE)))
    assert link.fallback == "no cargo; using bare; no core; using synthetic"
    link.close()


@pytest.mark.parametrize("load", ["none", "cpu", "critical always"])
def test_a_simulated_instrument_says_the_load_of_its_device(tmp_path, load):
    said = f"print('load {load}', flush=True)\n"
    link = SimLink(script(tmp_path, said + textwrap.dedent(SERVE)))
    assert link.load == load
    link.close()


def test_a_simulated_instrument_that_crashes_says_its_last_line(tmp_path):
    link = SimLink(script(tmp_path, SERVE))
    link.write(b"crash")
    assert read_some(link, 5) == b"crash"
    with pytest.raises(LinkEndError, match=r"exit code 1.*core dumped"):
        read_some(link)
    link.close()
    assert all_gone(tmp_path)


@pytest.mark.parametrize(("code", "error"), [(2, UsageError), (1, LinkError), (0, LinkError)])
def test_a_simulated_instrument_that_does_not_start_says_why(tmp_path, code, error):
    text = f"""
        import sys
        print("building", file=sys.stderr)
        print("error: no such device: toaster", file=sys.stderr)
        sys.exit({code})
    """
    with pytest.raises(error, match="no such device: toaster") as caught:
        SimLink(script(tmp_path, text))
    assert type(caught.value) is error
    # What is refused did start, and said why: that is all a reader needs.
    assert ("did not start" in str(caught.value)) == (code != 2)
    assert ": error: " not in str(caught.value)


@pytest.mark.parametrize(
    "line", ["listening nowhere", "listening tcp://127.0.0.1:0", "listening tcp://a:99999"]
)
def test_a_simulated_instrument_that_listens_nowhere_is_a_link_error(tmp_path, line):
    with pytest.raises(LinkError, match=f"the simulated instrument said '{line}'"):
        SimLink(script(tmp_path, f"import time; print({line!r}, flush=True); time.sleep(60)"))


def test_an_interrupt_while_it_starts_ends_a_simulated_instrument(tmp_path):
    text = """
        import os, sys, time
        open(sys.argv[0] + ".pids", "w").write(str(os.getpid()))
        time.sleep(600)
    """
    command = script(tmp_path, text)

    def interrupt():
        wait_until((tmp_path / "serve.py.pids").exists)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        SimLink(command)
    assert all_gone(tmp_path)


def test_the_command_of_a_simulated_instrument_names_the_device():
    assert sim_command("bare", ("--samples", "8"))[1:] == [
        "-m",
        "plexor_sim.serve",
        "--dut",
        "bare",
        "--samples",
        "8",
    ]


def test_whether_a_device_draws_at_random_is_said_before_it_listens(tmp_path):
    for said, draws in (("draws", True), ("other", False)):
        link = SimLink(script(tmp_path, f"print('{said}', flush=True)\n" + textwrap.dedent(SERVE)))
        assert link.draws == draws
        link.close()


def test_where_the_devices_serial_line_is_is_said_before_it_listens(tmp_path):
    uri = "tcp://127.0.0.1:4711"
    for said, found in ((f"serial {uri}", uri), ("other", "")):
        link = SimLink(script(tmp_path, f"print('{said}', flush=True)\n" + textwrap.dedent(SERVE)))
        assert link.device_line == found
        link.close()


def test_a_link_that_was_closed_says_so_and_not_that_the_instrument_ended(tmp_path):
    link = SimLink(script(tmp_path, SERVE), "sim:mine")
    link.close()
    for access in (lambda: link.read(10, 0.01), lambda: link.write(b"x")):
        with pytest.raises(LinkEndError, match=r"^sim:mine: closed$"):
            access()


@pytest.mark.parametrize(
    ("name", "said", "told"),
    [
        ("sim:irq.toml?board=x", "irq.toml: top: missing", "irq.toml: top: missing"),
        ("sim:irq.toml:clock=9ns", "irq.toml: top: missing", "irq.toml: top: missing"),
        ("sim:irq.toml:a=1", "'a': not an option", "sim:irq.toml:a=1: 'a': not an option"),
    ],
)
def test_what_is_refused_names_the_design_once(tmp_path, name, said, told):
    refuses = f"import sys; print({said!r}, file=sys.stderr); sys.exit(2)"
    with pytest.raises(UsageError) as refused:
        SimLink(script(tmp_path, refuses), name)
    assert str(refused.value) == told


@pytest.mark.parametrize("text", [None, "no = manifest"])
def test_a_design_that_cannot_be_simulated_has_no_files(tmp_path, text):
    path = tmp_path / "manifest.toml"
    if text is not None:
        path.write_text(text)
    assert files_of_design(str(path)) == ()
