# SPDX-License-Identifier: Apache-2.0
"""Who may see the page: with the token, from the page itself, by a name that is served."""

import pytest

from plexor.scope import guard as guards
from plexor.scope.guard import Guard, hosts_of, new_token

HERE = "127.0.0.1:7550"
GUARD = Guard("right", hosts_of("127.0.0.1", 7550))


def refused(token="right", socket=True, **headers):
    return GUARD.refuses(token, headers, socket=socket)


def test_the_page_itself_is_let_in():
    for host in (HERE, "localhost:7550", "LOCALHOST:7550", "[::1]:7550"):
        assert refused(host=host, origin=f"http://{host.lower()}") is None
        assert refused(host=host, socket=False) is None


@pytest.mark.parametrize("token", ["", "wrong", "righ", "rightt", "ríght"])
def test_an_address_without_the_token_is_refused(token):
    assert "token" in refused(token, host=HERE, origin=f"http://{HERE}")


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:7550", "http://127.0.0.1:7551", "http://"],
)
def test_a_page_of_another_origin_is_refused(origin):
    for socket in (True, False):
        assert "page itself" in refused(host=HERE, origin=origin, socket=socket)


def test_a_web_socket_that_names_no_origin_is_refused():
    assert "page itself" in refused(host=HERE)


@pytest.mark.parametrize("host", ["evil.example:7550", "127.0.0.1", "127.0.0.1:80", ""])
def test_a_name_that_only_leads_here_is_refused(host):
    assert "another host" in refused(host=host, socket=False)


def test_an_encrypted_page_has_an_encrypted_origin():
    guard = Guard("right", hosts_of("lab.example", 443), secure=True)
    headers = {"host": "lab.example:443", "origin": "https://lab.example:443"}
    assert guard.refuses("right", headers, socket=True) is None
    headers["origin"] = "http://lab.example:443"
    assert guard.refuses("right", headers, socket=True) is not None


@pytest.mark.parametrize(("port", "secure", "scheme"), [(80, False, "http"), (443, True, "https")])
def test_a_default_port_may_be_left_out(port, secure, scheme):
    guard = Guard("right", hosts_of("127.0.0.1", port, secure=secure), secure)
    for host in ("127.0.0.1", "localhost", f"127.0.0.1:{port}"):
        headers = {"host": host, "origin": f"{scheme}://{host}"}
        assert guard.refuses("right", headers, socket=True) is None
    other = Guard("right", hosts_of("127.0.0.1", 523 - port, secure=secure), secure)
    assert "another host" in other.refuses("right", {"host": "127.0.0.1"}, socket=False)


@pytest.mark.parametrize("listened", ["0.0.0.0", "::"])
def test_a_machine_is_reached_by_its_own_names_and_addresses_and_no_others(listened, monkeypatch):
    monkeypatch.setattr(guards.network, "gethostname", lambda: "Lab7.example.org")
    monkeypatch.setattr(guards.network, "getfqdn", lambda: "lab7.example.org")
    guard = Guard("right", hosts_of(listened, 7550))

    def refusal(host, reached):
        headers = {"host": host, "origin": f"http://{host}"}
        return guard.refuses("right", headers, socket=True, reached=(reached, 7550))

    for name in ("lab7", "lab7.example.org", "LAB7.local", "localhost", "192.0.2.7"):
        assert refusal(f"{name}:7550", "192.0.2.7") is None
    assert refusal("192.0.2.7:7550", "::ffff:192.0.2.7") is None
    assert refusal("[fe80::7]:7550", "fe80::7%eth0") is None
    for name in ("evil.example:7550", "192.0.2.8:7550", "192.0.2.7:80", "192.0.2.7"):
        assert "another host" in refusal(name, "192.0.2.7")


def test_an_address_of_version_6_is_named_in_brackets():
    assert "[fe80::1]:80" in hosts_of("fe80::1", 80)


def test_tokens_are_long_and_never_the_same():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) >= 32
