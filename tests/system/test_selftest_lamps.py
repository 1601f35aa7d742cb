"""The lamps of a simulated board: tried at power-up, and faulty ones named by the self-test."""

import json
import subprocess
import sys

import pytest

LINK = "sim:?board=ulx3s-25f"


def lamps_of(link: str) -> tuple[int, dict]:
    """Return the exit code of a self-test and its part about lamps."""
    command = [sys.executable, "-m", "plexor", "selftest", "--link", link, "--json"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=500)
    (found,) = [c for c in json.loads(done.stdout)["checks"] if c["name"] == "lamps"]
    return done.returncode, found


def test_sound_lamps_pass():
    code, found = lamps_of(LINK)
    assert (code, found["findings"]) == (0, [])
    assert found["summary"].startswith("8 lamps")


@pytest.mark.parametrize(("options", "faulty"), [("lamp.3=0", [3]), ("lamp.0=1,lamp.7=0", [0, 7])])
def test_a_lamp_whose_pad_is_stuck_fails_by_name(options, faulty):
    code, found = lamps_of(f"{LINK}&front-end={options}")
    assert code == 1
    assert [finding["subject"] for finding in found["findings"]] == [f"lamp{n}" for n in faulty]
