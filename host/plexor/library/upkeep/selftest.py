"""Self-tests: what is wrong with an instrument."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from plexor.device.device import Device
from plexor.errors import ExitCode, UsageError
from plexor.jsonable import to_json
from plexor.library.pins import Jumper, wires_of, wiring_of
from plexor.library.specs.values import Naming, Rate, hertz, plain, read
from plexor.selftest.model import Check, Finding, SelfTest
from plexor.selftest.run import Wanted, selftest

OnLine = Callable[[str], None]
"""Gets a line about each step."""


class SelfTested:
    """A self-test that has ended."""

    def __init__(self, result: SelfTest) -> None:
        self.result = result

    @property
    def passed(self) -> bool:
        """Whether no defect was found."""
        return self.result.passed

    @property
    def checks(self) -> tuple[Check, ...]:
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
        from plexor.render.terminal.selftest import selftest_text  # noqa: PLC0415

        return selftest_text(self.result, width=width, colour=colour)

    def document(self) -> dict[str, Any]:
        """Return it as the document that `plexor selftest --json` prints."""
        return {"passed": self.passed, **to_json(self.result)}


def selftested(
    device: Device,
    jumpers: str | Sequence[Jumper] = (),
    link_rate: Rate | None = None,
    on_line: OnLine | None = None,
    name: Naming = plain,
) -> SelfTested:
    """Test an instrument: link, registers, memories, every channel, phase and strike output.

    `jumpers` are wires from strikes' pins to channels' pins; they test the pins too. `link_rate` is
    the rate that the link must carry, in bytes per second. `name` gives an option's name for
    messages. Raises UsageError for a pin that the instrument does not have.
    """
    wires = wires_of(jumpers)
    rate = read({"link_rate": link_rate}, {"link_rate": hertz}).get("link_rate")
    wanted = Wanted(wiring_of(wires, name), rate)
    try:
        return SelfTested(selftest(device, wanted, on_line or (lambda line: None)))
    except ValueError as error:
        raise UsageError(f"{name('jumpers')}: {error}") from error
