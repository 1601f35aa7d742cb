# SPDX-License-Identifier: Apache-2.0
"""The run of a suite: what it asks of the instrument, and of a simulated device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from plexor.errors import UsageError
from plexor.library.instrument import Instrument, Listeners
from plexor.library.keep import Tap
from plexor.library.parts.results import CodeClass, code_of, is_raised
from plexor.library.parts.run import Channel, Codes, Settings, Stimulus, Stop, sim_device
from plexor.library.pins import UNSTRUCK
from plexor.library.run import Run
from plexor.library.run_spec import codes_asked
from plexor.library.specs.texts import parse_code_port
from plexor.library.specs.values import Naming, plain
from plexor_lab.bench.suites import STATE_DONE

MOST_ITERATIONS = 10**6
USUAL_ITERATIONS = 100
USUAL_TIME_S = Fraction(10)
SUITE_KEY, ITERATIONS_KEY = "suite", "iterations"
"""Keys of a run that say what it was taken for."""
_FREERTOS = "freertos"
_STROBED = "ch7"
_PHASE_S, _WIDTH_S = Fraction(10, 10**6), Fraction(1, 10**6)


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchAsked:
    """What is asked of a suite's run. Raises UsageError for iterations out of range."""

    suite: str
    link: str = "sim:"
    dut: str | None = None
    """A simulated device; None: FreeRTOS with the suite's firmware."""
    iterations: int = USUAL_ITERATIONS
    """Samples of each test at least, 1 to MOST_ITERATIONS."""
    counts_itself: bool = False
    """Whether a simulated device's firmware also counts cycles itself."""
    code_port: Codes | None = None
    """How the device shows codes; None: as the simulated device does, or by change."""
    codes: Path | None = None
    """Names of codes: the firmware's ELF file, or a TOML file."""
    time_s: Fraction = USUAL_TIME_S
    """Time after which the run stops if the tests are not done."""
    load: str | None = None
    """Load by name (plexor.model.load); None: the load output stays low."""

    def __post_init__(self) -> None:
        if not 1 <= self.iterations <= MOST_ITERATIONS:
            raise UsageError(f"iterations: {self.iterations}; must be from 1 to {MOST_ITERATIONS}")


def device_of(asked: BenchAsked) -> str | None:
    """Return the simulated device with the suite's firmware; None for another link than `sim:`.

    What `freertos` has no option for is added: the suite as its program, its iterations, and codes
    with a strobe. Another device is left as it is.
    """
    if not asked.link.startswith("sim:") or sim_device(asked.link):
        return asked.dut
    kind, _, text = (asked.dut or _FREERTOS).partition(":")
    if kind != _FREERTOS:
        return asked.dut
    options = [item for item in text.split(",") if item]
    names = {item.partition("=")[0] for item in options}
    wanted = {
        "program": asked.suite,
        "iterations": str(asked.iterations),
        "codes": "strobed",
        **({"self": "1"} if asked.counts_itself else {}),
    }
    options += [f"{name}={value}" for name, value in wanted.items() if name not in names]
    return f"{kind}:{','.join(options)}"


def settings_of(asked: BenchAsked, dut: str | None, name: Naming = plain) -> Settings:
    """Return the settings of the run: one strike that begins the tests, and the end at their end.

    Raises UsageError for names of codes that cannot be read.
    """
    strobed = dut is not None and "codes=strobed" in dut
    port = asked.code_port or parse_code_port(_STROBED if strobed else "change")
    codes = codes_asked(None, port, asked.codes, name)
    return Settings(
        # The next strike would come behind the end: a single one would end the run itself.
        strikes=(Stimulus(period_s=2 * asked.time_s, phase_s=_PHASE_S, width_s=_WIDTH_S),),
        # Nothing answers the strike: the device says by codes what it does.
        channels=(Channel(0, "none", reference=UNSTRUCK),),
        time_s=asked.time_s,
        stop_code=code_of(CodeClass.SET, STATE_DONE, port.bits),
        codes=codes,
        load=is_raised(asked.load),
        load_name=asked.load or "",
    )


def taken(
    asked: BenchAsked,
    *,
    keys: Mapping[str, str] | None = None,
    tap: Tap | None = None,
    listeners: Listeners | None = None,
    stop: Stop | None = None,
    name: Naming = plain,
) -> Run:
    """Take the run of a suite, and return it. Its keys say the suite and the iterations.

    Raises UsageError for what the instrument cannot take.
    """
    dut = device_of(asked)
    settings = settings_of(asked, dut, name)
    described = {SUITE_KEY: asked.suite, ITERATIONS_KEY: str(asked.iterations), **(keys or {})}
    with Instrument(asked.link, dut=dut, tap=tap, load=asked.load) as instrument:
        checked = instrument.checked(settings)
        return instrument.run(settings=checked, listeners=listeners, stop=stop, device=described)
