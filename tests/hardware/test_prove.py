# SPDX-License-Identifier: Apache-2.0
"""A board is what its sheets and its build say: `make hardware LINK=…` runs these tests.

Each step of `plexor board prove` that needs no reference is a test. Wires are asked for on the
terminal. A step that was not wired is not proven, so its test fails; `ARGS="-k selftest"` chooses.
"""

import sys

import pytest

from plexor.experiments.prove.model import StepOutcome
from plexor.experiments.prove.run import STEPS
from plexor.library.upkeep.prove import proven

pytestmark = [pytest.mark.hardware, pytest.mark.timeout(3600)]


def ask(text):
    """Ask for wires on the terminal; without one nobody can put them."""
    if not sys.stdin.isatty():
        return False
    print(f"\n{text}, then press Enter; s and Enter leaves the step out: ", end="", flush=True)
    return sys.stdin.readline().strip().lower() != "s"


@pytest.fixture(scope="module")
def proof(request):
    """Return the proof of the instrument that --plexor-link names."""
    link = request.config.getoption("--plexor-link")
    assert link, "no board is named: make hardware LINK=serial:PORT"
    own = (item for item in request.session.items if "proof" in item.fixturenames)
    names = [item.callspec.params["name"] for item in own]
    return proven(link, only=names, ask=ask, on_line=print).proof


@pytest.mark.parametrize("name", [name for name in STEPS if name != "pps"])
def test_the_step_holds(proof, name):
    (step,) = (entry for entry in proof.steps if entry.name == name)
    assert step.findings == ()
    # A board may have no pins for it.
    proven = step.outcome == StepOutcome.PROVEN or step.summary.startswith("the board has ")
    assert proven, step.summary
