"""A board is what its sheets and its build say: `make hardware LINK=…` runs these tests.

Each step of `plexor prove` is a test. Wires are asked for on the terminal; a step without its wires
is skipped, and so is everything without a link.
"""

import sys

import pytest

from plexor.library.upkeep.prove import proven
from plexor.prove.model import Outcome
from plexor.prove.run import STEPS

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
    if not link:
        pytest.skip("no board: make hardware LINK=serial:PORT")
    return proven(link, ask=ask, on_line=print).proof


@pytest.mark.parametrize("name", STEPS)
def test_the_step_holds(proof, name):
    (step,) = (entry for entry in proof.steps if entry.name == name)
    if step.outcome == Outcome.LEFT_OUT:
        pytest.skip(step.summary)
    assert step.findings == ()
