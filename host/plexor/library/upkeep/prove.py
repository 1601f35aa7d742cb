# SPDX-License-Identifier: Apache-2.0
"""Proofs: the acceptance of an instrument, with who puts the wires."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from plexor.base.errors import ExitCode, StoreError, UsageError
from plexor.experiments.calibration.reference import Reference
from plexor.experiments.prove import store
from plexor.experiments.prove.model import Proof, StepOutcome
from plexor.experiments.prove.run import STEPS, STRIKE, ProofGoal, StepWires, prove
from plexor.library.files import unsaved
from plexor.library.instrument import Instrument
from plexor.library.open import open_any
from plexor.library.specs.spec import takes
from plexor.library.upkeep.calibrate import reference_of
from plexor.library.upkeep.specs import Ask, OnLine, ProveSpec
from plexor.protocol.geometry import Geometry
from plexor.show.proof_page import proof_page
from plexor.show.terminal.proof import proof_text
from plexor.wire.device.device import Device
from plexor.wire.link.open import sim_device

PS = 10**12
JUMPER_PS, LONGER_PS = 300, 5000
"""Delays of a simulated instrument's jumper, and of what its longer wire is longer."""
SIMULATED_REFERENCE_S = Fraction(1, 200)
SIMULATED_SOAK_S, SOAK_S = Fraction(1, 50), Fraction(10)
"""How long a link is loaded: a simulated second takes half an hour."""
_FRONT_END = "front-end="


class Proven:
    """A proof that was taken now."""

    def __init__(self, proof: Proof, path: Path | None = None) -> None:
        self.proof = proof
        self.path = path
        """Where it is kept; None if it is not."""
        self.unsaved: StoreError | None = None
        """Why it was not kept; None if it was, or was not to be."""

    @property
    def seal(self) -> str:
        """The SHA-256 of its document."""
        return store.document(self.proof)[store.SEAL]

    def exit_code(self) -> ExitCode:
        """Return the exit code: BUDGET if a step failed, INVALID if nothing was proven."""
        if self.proof.failed:
            return ExitCode.BUDGET
        proven = any(step.outcome == StepOutcome.PROVEN for step in self.proof.steps)
        return ExitCode.PASS if proven else ExitCode.INVALID

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return proof_text(self.proof, self.seal, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor board prove --json` prints, sealed."""
        return store.document(self.proof)

    def page(self) -> str:
        """Return it as a page."""
        return proof_page(self.proof, self.seal, self.document())


def steps_of(only: Sequence[str], skip: Sequence[str]) -> tuple[str, ...]:
    """Return the steps to do. Raises UsageError if none is left."""
    steps = tuple(name for name in STEPS if name in (only or STEPS) and name not in skip)
    if not steps:
        raise UsageError("no step is left; skip fewer of them")
    return steps


def check_wired(only: Sequence[str]) -> None:
    """Raise UsageError unless the steps need the same wires, which can be in place."""
    needed = {STEPS[name][0] for name in only if name in STEPS} - {StepWires.NONE}
    if len(needed) != 1:
        wires = "; ".join(sorted(needed)) or "none of them needs any"
        raise UsageError(f"--wired: name steps that need the same wires with --only; {wires}")


class SimulatedFixture:
    """A simulated instrument, opened anew with each wiring at its pins.

    Its jumper takes JUMPER_PS, its longer wire LONGER_PS more. Both are added to the front-end that
    its link plants.
    """

    def __init__(self, link: str, reference: Reference | None = None) -> None:
        self._link = link
        self._reference = reference
        self._geometry = Geometry()
        self._stack = ExitStack()

    def wired(self, wires: StepWires) -> Device:
        """Return the instrument with these wires."""
        self.close()
        link = self._link
        if wires == StepWires.REFERENCE and self._reference is not None and not sim_device(link):
            link = link.replace("sim:", f"sim:{_clock(self._reference)}", 1)
        opened = open_any(_planted(link, self._wires(wires)))
        device = self._stack.enter_context(opened).device
        self._geometry = device.identity.geometry
        return device

    def close(self) -> None:
        """Close the link."""
        self._stack.close()

    def _wires(self, wires: StepWires) -> list[str]:
        geometry = self._geometry
        if wires == StepWires.RIBBON:
            return [f"ribbon={':'.join(map(str, range(geometry.code_bits)))}"]
        outputs = {
            StepWires.JUMPER: [STRIKE],
            StepWires.LONG: [STRIKE],
            StepWires.TEE: [STRIKE] * geometry.channels,
            StepWires.STRIKES: range(geometry.strikes),
        }.get(wires, ())
        wire_ps = JUMPER_PS + (LONGER_PS if wires == StepWires.LONG else 0)
        return [
            option
            for channel, output in enumerate(outputs)
            for option in (f"jumper.{channel}={output}", f"wire_ps.{channel}={wire_ps}")
        ]


def _clock(reference: Reference) -> str:
    """Return the simulated device that is a true clock on the channel of a reference."""
    pin, period_ps = f"ch{reference.channel}", round(PS / reference.hertz)
    return f"synthetic:{pin}.tick={period_ps}ps,{pin}.width={period_ps // 2}ps"


def _planted(link: str, options: Sequence[str]) -> str:
    """Return a simulated instrument's link with more options of its front-end."""
    if not options:
        return link
    device, _, query = link.partition("?")
    items = [item for item in query.split("&") if item]
    own = [item.removeprefix(_FRONT_END) for item in items if item.startswith(_FRONT_END)]
    others = [item for item in items if not item.startswith(_FRONT_END)]
    return f"{device}?{'&'.join([*others, _FRONT_END + ','.join([*own, *options])])}"


class OwnFixture:
    """An instrument at whose pins somebody puts the wires; without an answer they are not there."""

    def __init__(self, instrument: Instrument, ask: Ask) -> None:
        self._instrument = instrument
        self._ask = ask

    def wired(self, wires: StepWires) -> Device | None:
        """Return the instrument once the wires are there; None if they will not be."""
        in_place = wires == StepWires.NONE or self._ask(f"put {wires}")
        return self._instrument.device if in_place else None


@takes(ProveSpec)
def proven(link: str, options: ProveSpec) -> Proven:
    """Prove the instrument at a link step by step, and keep the proof.

    The options are those of ProveSpec: `only` and `skip` choose among
    `plexor.experiments.prove.run.STEPS`, `wire="1m"` is how much longer the longer wire is
    than the jumper. `ask` has somebody put wires; a simulated instrument has them at once. Without
    a `path` there is a document for each board and build in the user's data folder, and none for a
    simulated instrument.

    Raises UsageError for options that cannot be, LinkError if the link breaks or stays silent.
    """
    steps = steps_of(options.only, options.skip)
    reference = reference_of(options.pps, options.pps_time, options.naming)
    say: OnLine = options.on_line or (lambda line: None)
    with ExitStack() as stack:
        if link.startswith("sim:"):
            if reference is not None and options.pps_time is None:
                reference = replace(reference, time_s=SIMULATED_REFERENCE_S)
            fixture = SimulatedFixture(link, reference)
            stack.callback(fixture.close)
            default_s = SIMULATED_SOAK_S
        else:
            instrument = stack.enter_context(open_any(link))
            for note in instrument.notes:
                say(note)
            fixture = OwnFixture(instrument, options.ask or (lambda text: False))
            default_s = SIMULATED_SOAK_S if instrument.simulated else SOAK_S
        goal = ProofGoal(steps, options.edges, options.wire, options.soak or default_s, reference)
        proof = prove(fixture, goal, say)
    target = options.path
    if target is None and not proof.simulated:
        target = store.default_path(proof.serial, proof.placement)
    proof_result = Proven(proof, target)
    if target is not None:
        proof_result.unsaved = unsaved(lambda: store.save(proof, target))
    return proof_result
