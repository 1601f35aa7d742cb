# SPDX-License-Identifier: Apache-2.0
"""What others wrote is shown on a terminal, and never obeyed by it."""

import io
import json
import os
import pty
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plexor.base.streams import guarded, printable, printable_line, screen
from plexor.files.store.run_folder import save

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b5m\x85\u202eabc\u2066\u2069\u061c\rX\x08\x7f\u2028"
OURS = re.compile(r"\x1b\[[0-9]+m")
# U+0000 to U+001F, U+007F to U+009F (ECMA-48); explicit marks of direction (Unicode UAX 9, 2).
CONTROL = {chr(n) for n in (*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F)}
CONTROL |= {chr(n) for n in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029)}


@pytest.mark.parametrize("character", sorted(CONTROL))
def test_a_control_character_is_printed_as_its_number(character):
    assert printable_line(f"a{character}b") == f"a\\u{ord(character):04x}b"
    if character not in "\n\t":
        assert printable(f"a{character}b") == f"a\\u{ord(character):04x}b"


def test_lines_tabs_and_letters_of_all_alphabets_stay():
    text = "25 µs\tθ ▁▂█ שלום مرحبا 日本\n"
    assert printable(text) == text


@given(st.text())
def test_a_document_means_the_same_when_it_is_printed(text):
    document = json.dumps({"a": text}, ensure_ascii=False)
    assert json.loads(printable(document)) == {"a": text}


def written(*texts, messages=False, encoding="utf-8"):
    """Return the bytes that a guarded stream passes on."""
    near, far = os.pipe()
    with os.fdopen(far, "w", encoding=encoding) as stream, os.fdopen(near, "rb") as read:
        found = guarded(stream, messages=messages)
        for text in texts:
            print(text, file=found, flush=True)
        print("\x1b[1mdrawn\x1b[0m", file=screen(found), flush=True)
        stream.close()
        del found
        return read.read()


def test_a_message_is_one_line_and_only_what_is_drawn_has_colours():
    said = written("plexor: a\nplexor: b\x1b[31m", messages=True)
    assert said == b"plexor: a\\u000aplexor: b\\u001b[31m\n\x1b[1mdrawn\x1b[0m\n"
    said = written("plexor: a\nb")
    assert said == b"plexor: a\nb\n\x1b[1mdrawn\x1b[0m\n"


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("utf-8", "25 µs ▁"), ("latin-1", "25 \xb5s \\u2581"), ("ascii", "25 \\xb5s \\u2581")],
)
def test_a_stream_of_any_encoding_takes_every_figure(encoding, shown):
    assert written("25 µs ▁", encoding=encoding).decode(encoding).startswith(shown)


@pytest.mark.parametrize(
    "command",
    [pytest.param(("show", "run", "--json"), marks=pytest.mark.full), ("show", "é")],
)
def test_figures_and_names_of_files_are_the_same_in_the_plainest_locale(hostile, command):
    """`LC_ALL=C` without Python's own remedy for it, and a locale of UTF-8."""
    (hostile.parent / "é").symlink_to(hostile)

    def said(**environment):
        done = subprocess.run(
            [sys.executable, "-m", "plexor", *command],
            cwd=hostile.parent,
            capture_output=True,
            check=False,
            env={**os.environ, **environment},
        )
        return done.returncode, done.stdout.decode("utf-8"), done.stderr

    plain = said(LC_ALL="C", PYTHONUTF8="0")
    assert plain == said(LC_ALL="C.UTF-8")
    assert plain[0] == 4
    assert plain[2] == b""
    assert "µs" in plain[1] or "--json" in command


def test_a_stream_that_is_no_file_stays_as_it_is():
    stream = io.StringIO()
    assert guarded(stream) is stream
    assert screen(stream) is stream


@pytest.fixture
def hostile(run_of, tmp_path):
    """Return the folder of a run whose texts are hostile."""
    run = run_of([[1000, 2000, 3000] * 300], names=[f"I{HOSTILE}"])
    run = replace(
        run,
        device={"dut": HOSTILE, "os": HOSTILE},
        started=HOSTILE,
        invalid_reasons=(HOSTILE,),
        omitted=(HOSTILE,),
    )
    return save(run, tmp_path / "run")


def on_a_terminal(*arguments):
    """Return what a command writes to a terminal, of both its streams."""
    near, far = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "plexor", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=far,
        stderr=far,
        env={**os.environ, "TERM": "xterm"},
    ):
        os.close(far)
        found = b""
        while True:
            try:
                data = os.read(near, 1 << 16)
            except OSError:
                break
            found += data
    os.close(near)
    return found.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    "how",
    [
        (),
        pytest.param(("--json",), marks=pytest.mark.full),
        ("--budget", "nowhere\x1b[31m\u202e.toml"),
    ],
)
def test_no_text_of_a_stored_run_commands_a_terminal(hostile, how):
    said = on_a_terminal("show", str(hostile), *how)
    assert "\\u001b" in said
    assert "\x1b[31mred" not in said
    rest = OURS.sub("", said).replace("\n", "").replace("\t", "")
    assert not CONTROL & set(rest)
    assert how or "\x1b[1m" in said


@pytest.mark.full
def test_figures_keep_their_colours_on_a_terminal(hostile):
    assert "\x1b[1m" in on_a_terminal("show", str(hostile))


def test_no_text_of_a_document_that_is_wrong_commands_a_terminal(hostile):
    path = hostile / "run.json"
    document = json.loads(path.read_text())
    document["channels"][0]["reference"] = "strike0\x1b]0;owned\x07\u202e"
    document[f"x{HOSTILE}"] = 1
    path.write_text(json.dumps(document))
    said = on_a_terminal("show", str(hostile))
    assert said.startswith("plexor: ")
    assert said.count("\n") == 1
    assert not CONTROL & set(said.rstrip("\n"))
