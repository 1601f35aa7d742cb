# SPDX-License-Identifier: Apache-2.0
"""The server: where it listens, how it warns, and that it ends."""

import asyncio
import socket
import ssl
import subprocess
import threading
import urllib.error
import urllib.request

import pytest
from tools.scope_bench.planted import PlantedRig
from websockets.sync.client import connect

from plexor.base.errors import LinkError, UsageError
from plexor.scope import serve
from plexor.scope.serve import Door, PageServer, ServedAt


def test_it_listens_on_this_machine_alone_unless_told_otherwise(tmp_path):
    served = PageServer(PlantedRig(1), Door(ServedAt(folder=tmp_path)))
    assert served.address.startswith("http://127.0.0.1:")
    served.close()
    assert ServedAt().local
    assert ServedAt("localhost").local
    assert ServedAt("::1").local
    assert not ServedAt("0.0.0.0").local
    assert not ServedAt("lab.example").local


def test_each_server_has_a_token_of_its_own(tmp_path):
    tokens = set()
    for _ in range(2):
        served = PageServer(PlantedRig(1), Door(ServedAt(folder=tmp_path)))
        tokens.add(served.address.split("/")[3])
        served.close()
    assert len(tokens) == 2


def test_a_port_that_is_taken_and_an_address_that_is_not_ours_are_one_clear_line(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"cannot listen at 127.0.0.1 port {port}: "):
            PageServer(PlantedRig(1), Door(ServedAt(port=port, folder=tmp_path)))
    with pytest.raises(UsageError, match=r"cannot listen at 203\.0\.113\.1"):
        PageServer(PlantedRig(1), Door(ServedAt("203.0.113.1", folder=tmp_path)))


@pytest.fixture
def pair(tmp_path):
    """Return a certificate and its key."""
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key


def test_a_frame_does_not_wait_until_the_page_has_the_text_before_it(tmp_path):
    door = Door(ServedAt(folder=tmp_path))
    accepted: list[socket.socket] = []

    class Taken(asyncio.Protocol):
        def connection_made(self, transport):
            accepted.append(transport.get_extra_info("socket"))

    async def connect():
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Taken, sock=door.socket)
        _, writer = await asyncio.open_connection(*door.socket.getsockname())
        while not accepted:
            await asyncio.sleep(0)
        assert accepted[0].getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        writer.close()
        server.close()

    asyncio.run(connect())


def test_an_instrument_that_cannot_be_opened_leaves_nothing_listening(tmp_path):
    def dead(_):
        raise LinkError("tcp://x: gone")

    with pytest.raises(LinkError):
        serve.serve(dead, ServedAt(folder=tmp_path), print, show=False)


def test_with_a_certificate_the_connection_is_encrypted(tmp_path, pair):
    served = PageServer(
        PlantedRig(1), Door(ServedAt(certificate=pair[0], key=pair[1], folder=tmp_path))
    )
    assert served.address.startswith("https://")
    trusting = ssl.create_default_context(cafile=str(pair[0]))
    with urllib.request.urlopen(served.address, context=trusting, timeout=10) as answer:
        assert answer.status == 200
    served.close()


def test_handshakes_that_fail_and_visitors_that_leave_print_nothing(tmp_path, pair, capfd):
    served = PageServer(
        PlantedRig(1), Door(ServedAt(certificate=pair[0], key=pair[1], folder=tmp_path))
    )
    host, port = served.address.split("/")[2].split(":")
    with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
        urllib.request.urlopen(served.address, timeout=10)
    for words in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\0\x05hello", b""):
        with socket.create_connection((host, int(port)), 10) as line:
            line.sendall(words)
            if words:
                line.recv(100)
    served.close()
    assert capfd.readouterr().err == ""


def test_a_page_that_watches_at_the_end_makes_nothing_be_printed(tmp_path, capfd):
    served = PageServer(PlantedRig(1), Door(ServedAt(folder=tmp_path)))
    address = served.address.replace("http", "ws") + "live"
    with connect(address, origin=served.address.rsplit("/", 2)[0]) as page:
        page.recv(timeout=10)
        served.close()
    assert capfd.readouterr().err == ""


def test_a_fault_while_it_serves_is_one_line(tmp_path, capfd, caplog, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("plexor.scope.app.asset", broken)
    served = PageServer(PlantedRig(1), Door(ServedAt(folder=tmp_path)))
    with pytest.raises(urllib.error.HTTPError, match="500"):
        urllib.request.urlopen(served.address, timeout=10)
    served.close()
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("plexor: a fault of Plexor itself: ZeroDivisionError: planted; ")
    assert not caplog.records


def test_a_machine_serves_its_own_names_when_it_listens_everywhere(tmp_path):
    served = PageServer(PlantedRig(1), Door(ServedAt("0.0.0.0", folder=tmp_path)))
    port = served.address.split(":")[2].split("/")[0]
    for name, status in ((socket.gethostname(), b"200"), ("127.0.0.2", b"200"), ("evil", b"403")):
        to = "127.0.0.2" if name == "127.0.0.2" else "127.0.0.1"
        with socket.create_connection((to, int(port)), 10) as line:
            path = served.address.split(port)[1]
            line.sendall(f"GET {path} HTTP/1.0\r\nHost: {name}:{port}\r\n\r\n".encode())
            assert line.makefile("rb").read().split(b" ", 2)[1] == status
    served.close()


def test_a_certificate_without_its_key_is_one_clear_line(tmp_path, pair):
    for given in (ServedAt(certificate=pair[0]), ServedAt(key=pair[1])):
        with pytest.raises(UsageError, match="belong together"):
            Door(given)
    for certificate, key in ((pair[1], pair[1]), (tmp_path / "none", pair[1])):
        with pytest.raises(UsageError, match="not a certificate and its key"):
            PageServer(PlantedRig(1), Door(ServedAt(certificate=certificate, key=key)))


@pytest.mark.parametrize(("host", "warned"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_an_address_open_to_the_network_is_warned_of(tmp_path, monkeypatch, host, warned):
    said, opened = [], []

    def interrupted(event):
        raise KeyboardInterrupt

    monkeypatch.setattr(serve.webbrowser, "open", opened.append)
    monkeypatch.setattr(serve, "_wait", lambda: interrupted(None))
    where = ServedAt(host, folder=tmp_path)
    serve.serve(lambda door: PageServer(PlantedRig(1), door), where, said.append, show=True)
    assert said[0].startswith(f"listening http://{host}:")
    assert any("not encrypted" in line for line in said) == warned
    assert [said[0].removeprefix("listening ")] == opened
    assert threading.active_count() < 20


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
def test_the_address_for_other_machines_has_the_machines_name_where_it_listens_everywhere(
    tmp_path, monkeypatch, host
):
    monkeypatch.setattr("plexor.scope.serve.own_names", lambda: ("bench.lab", "bench"))
    door = Door(ServedAt(host, folder=tmp_path))
    port, token = door.socket.getsockname()[1], door.guard.token
    door.socket.close()
    assert door.address == f"http://{host}:{port}/{token}/"
    elsewhere = f"http://bench.lab:{port}/{token}/" if host == "0.0.0.0" else None
    assert door.elsewhere == elsewhere
