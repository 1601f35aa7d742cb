# SPDX-License-Identifier: Apache-2.0
"""Self-tests: what is wrong with an instrument."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from plexor.base.errors import ExitCode, UsageError
from plexor.base.jsonable import to_json
from plexor.experiments.selftest.against import compared
from plexor.experiments.selftest.model import Finding, SelfTest, SelftestPart
from plexor.experiments.selftest.run import SelftestGoal, selftest
from plexor.library.pins import wiring_of
from plexor.library.specs.spec import takes
from plexor.library.upkeep.specs import SelfTestSpec
from plexor.show.terminal.selftest import selftest_text
from plexor.wire.device.device import Device


class SelfTested:
    """A self-test that has ended."""

    def __init__(self, result: SelfTest) -> None:
        self.result = result

    @property
    def passed(self) -> bool:
        """Whether no defect was found."""
        return self.result.passed

    @property
    def checks(self) -> tuple[SelftestPart, ...]:
        """All parts, in the order in which they were done."""
        return self.result.checks

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All defects."""
        return self.result.findings

    def exit_code(self) -> ExitCode:
        """Return the exit code: BUDGET if a defect was found."""
        return ExitCode.PASS if self.passed else ExitCode.BUDGET

    def text(self, *, width: int = 100, colour: bool = False) -> str:
        """Return it as text for a terminal of `width` columns."""
        return selftest_text(self.result, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor board selftest --json` prints."""
        return {"passed": self.passed, **to_json(self.result)}


@takes(SelfTestSpec)
def selftested(device: Device, options: SelfTestSpec) -> SelfTested:
    """Test an instrument: link, registers, memories, every channel, phase and strike output.

    The options are those of SelfTestSpec: `jumpers="strike0=ch2"`, which tests pins too, and
    `link_rate="300k"`. Raises UsageError for a pin that the instrument does not have, and for
    `against` at a link that is not simulated.
    """
    if options.against is not None and not device.name.startswith("sim:"):
        named = options.naming("against")
        raise UsageError(f"{named}: is for sim: links; {device.name} is not one")
    goal = SelftestGoal(wiring_of(options.jumpers), options.link_rate)
    try:
        found = selftest(device, goal, options.on_line or (lambda line: None))
    except ValueError as error:
        raise UsageError(f"{options.naming('jumpers')}: {error}") from error
    if options.against is not None:
        found = replace(found, checks=(*found.checks, compared(device.name, options.against)))
    return SelfTested(found)
