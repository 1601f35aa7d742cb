# SPDX-License-Identifier: Apache-2.0
"""The page's requests: its files for who has the token, and a WebSocket that keeps to its rules."""

import json
import socket
import urllib.error
import urllib.request

import pytest
from tools.scope_bench.planted import PlantedRig
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from plexor.scope import app
from plexor.scope.hub import MOST_UNSEEN
from plexor.scope.messages import BURST, MOST_BYTES
from plexor.scope.serve import Door, PageServer, ServedAt

WAIT_S = 10.0


@pytest.fixture(scope="module")
def bench():
    return PlantedRig(channels=1, each_s=0.02)


@pytest.fixture(scope="module")
def served(bench, tmp_path_factory):
    found = PageServer(bench, Door(ServedAt(folder=tmp_path_factory.mktemp("kept"))))
    yield found
    found.close()


def fetched(address, **headers):
    """Return (status, headers, text) of a request."""
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


class Page:
    """A page: it says that it has seen each frame, as ours does."""

    def __init__(self, served, **options):
        address = served.address.replace("http", "ws") + "live"
        origin = options.pop("origin", served.address.rsplit("/", 2)[0])
        self._connection = connect(address, origin=origin, close_timeout=0.2, **options)

    def __enter__(self):
        self.socket = self._connection.__enter__()
        return self

    def __exit__(self, *error):
        self._connection.__exit__(*error)

    def say(self, what, **options):
        self.socket.send(json.dumps({"do": what, **options}))

    def until(self, kind, wanted=lambda found: True):
        """Return the next document of a kind that is as wanted."""
        while True:
            found = self.socket.recv(timeout=WAIT_S)
            if isinstance(found, bytes):
                number = int.from_bytes(found[8:12], "little")
                self.say("seen", frame=number)
                if kind == "frame":
                    return found
                continue
            document = json.loads(found)
            if document["kind"] == kind and wanted(document):
                return document


def test_the_page_and_all_that_it_names_are_there(served):
    status, headers, text = fetched(served.address)
    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["Referrer-Policy"] == "no-referrer"
    for name in (
        "live.js",
        "scope.css",
        "colours.css",
        "draw/draw.css",
        "draw/stack.js",
        "draw/scales.js",
    ):
        status, _, content = fetched(served.address + name)
        assert status == 200, name
        assert content
    assert 'src="live.js"' in text


@pytest.mark.parametrize(
    "path",
    ["nothing.js", "draw/nothing.js", "../serve.py", "draw/../../cli.py", "%2e%2e/serve.py",
     "__init__.py", "draw/page.py", "a/b/c.js"],
)  # fmt: skip
def test_no_other_file_is_served(served, path):
    assert fetched(served.address + path)[0] in (403, 404)


def test_without_the_token_there_is_nothing(served):
    root = served.address.rsplit("/", 2)[0]
    for path in ("/", "/wrong/", "/wrong/live.js", "/live"):
        status, _, text = fetched(root + path)
        assert (status, text.count("token")) == (403, 1)


@pytest.mark.parametrize("header", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
def test_a_request_by_another_name_or_origin_is_refused(served, header):
    assert fetched(served.address, **header)[0] == 403


@pytest.mark.parametrize("origin", ["http://evil.example", None])
def test_a_web_socket_of_another_page_is_refused(served, origin):
    with pytest.raises(InvalidStatus) as refused, Page(served, origin=origin):
        pass
    assert refused.value.response.status_code == 403


def test_a_web_socket_without_the_token_is_refused(served):
    root = served.address.rsplit("/", 2)[0]
    with pytest.raises(InvalidStatus):
        with connect(f"{root.replace('http', 'ws')}/wrong/live", origin=root):
            pass


def test_a_page_runs_watches_and_stops(served, bench):
    with Page(served) as page:
        assert page.until("hello")["layout"]["version"] == 1
        assert page.until("about")["device"] == "planted histograms"
        page.say("run", rate="20k", channels=["ch0"])
        page.until("state", lambda state: state["phase"] == "running")
        for _ in range(4):
            page.until("frame")
        page.say("stop")
        assert page.until("books", lambda books: books["state"] == "good")
    assert float(1 / bench.runs[-1].settings.strikes[0].period_s) == 20_000


def test_wrong_settings_are_a_notice_to_their_page(served):
    with Page(served) as page:
        page.say("run", rate="20 parsecs")
        assert "rate" in page.until("notice")["text"]
        page.say("run", rate="1k", burst="3")
        assert "spacing" in page.until("notice")["text"]


def test_only_the_page_that_steers_is_obeyed_and_another_can_take_over(served, bench):
    runs = len(bench.runs)
    with Page(served) as first, Page(served) as second:
        first.until("seats", lambda seats: seats["steers"] and seats["pages"] == 2)
        second.say("run", rate="20k", count="100")
        assert "take over" in second.until("notice")["text"]
        assert len(bench.runs) == runs
        second.say("steer")
        first.until("seats", lambda seats: not seats["steers"])
        second.say("run", rate="20k", count="100")
        first.until("books", lambda books: books["state"] == "good")
        assert len(bench.runs) == runs + 1


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b"\0\1", "binary; must be text"),
        (b"", "binary; must be text"),
        ("nonsense", "not JSON"),
        (json.dumps({"do": "日" * 60}, ensure_ascii=False), "do: '日"),
    ],
)
def test_a_message_that_breaks_the_rules_is_told_why(served, message, reason, capfd):
    with Page(served) as page:
        page.socket.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            page.until("nothing")
    assert closed.value.rcvd.code == app.WRONG
    assert closed.value.rcvd.reason.startswith(reason)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "path",
    [
        *(".", "..", "./", "../", "draw/.", "draw/..", "//", "%00.js", "%ff.js", "draw", "nope.js"),
        *("x" * 3000 + ".js", "../app.py", "%2e%2e/app.py", "draw/draw/draw.css", "__init__.py"),
    ],
)
def test_a_path_that_is_no_file_of_the_page_is_404(served, path, capfd):
    host, port = served.address.split("/")[2].split(":")
    token = served.address.split("/")[3]
    # A client of our own: others resolve dots before they ask.
    with socket.create_connection((host, int(port)), WAIT_S) as line:
        head = f"GET /{token}/{path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n"
        line.sendall(head.encode())
        answer = line.makefile("rb").read()
    assert answer.split(b" ", 2)[1] == b"404"
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("text", ["nonsense", '{"do": "shutdown"}', "x" * (MOST_BYTES + 1)])
def test_a_message_that_no_page_sends_ends_its_connection_alone(served, text):
    with Page(served) as other:
        with Page(served) as page:
            page.socket.send(text)
            with pytest.raises(ConnectionClosed):
                page.until("nothing")
        other.say("steer")
        other.until("seats", lambda seats: seats["steers"])


def flooded(page):
    """Send far too many messages, and wait for what comes of it."""
    for _ in range(5 * BURST):
        page.say("steer")
    page.until("nothing")


def test_a_flood_ends_its_connection_and_the_run_goes_on(served, bench):
    with Page(served) as page:
        page.say("run", rate="20k")
        page.until("frame")
        strikes = bench.runs[-1].strikes
        with Page(served) as flood, pytest.raises(ConnectionClosed, match="too many"):
            flooded(flood)
        while bench.runs[-1].strikes <= strikes:
            page.until("frame")
        page.say("steer")
        page.say("stop")
        page.until("books", lambda books: books["state"] == "good")


def test_a_page_that_sees_nothing_gets_two_frames_and_the_run_goes_on(served, bench):
    with Page(served) as page, Page(served) as slow:
        page.say("steer")
        page.say("run", rate="20k")
        for _ in range(8):
            page.until("frame")
        page.say("stop")
        page.until("books", lambda books: books["state"] == "good")
        frames = 0
        try:
            while True:
                frames += isinstance(slow.socket.recv(timeout=0.3), bytes)
        except TimeoutError:
            pass
        assert frames == MOST_UNSEEN


def test_only_so_many_pages_may_watch(served, monkeypatch):
    monkeypatch.setattr(app, "MOST_PAGES", 2)
    with Page(served) as first, Page(served) as second:
        first.until("hello")
        second.until("hello")
        with pytest.raises(InvalidStatus), Page(served):
            pass


@pytest.mark.parametrize("what", ["kept", "curves"])
def test_a_recorded_run_that_is_not_there_is_404_in_one_line(served, what):
    status, _, text = fetched(f"{served.address}{what}?run=nosuch")
    assert status == 404
    assert "nosuch" in text
    assert text.count("\n") == 1


def test_without_a_run_nothing_is_drawn(served):
    status, headers, text = fetched(f"{served.address}curves")
    assert (status, headers["Content-Type"], json.loads(text)) == (200, "application/json", [])


def test_a_page_can_ask_for_one_strike_alone(served, bench):
    with Page(served) as page:
        page.say("single", rate="20k", channels=["ch0"])
        state = page.until("state", lambda state: state["phase"] == "running")
        assert state["single"]
        page.until("books")
    assert bench.runs[-1].settings.strikes[0].count == 1
