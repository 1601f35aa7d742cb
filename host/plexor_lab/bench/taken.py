# SPDX-License-Identifier: Apache-2.0
"""The run of a suite: what it asks of the instrument, and of a simulated device."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from plexor.library.instrument import Instrument, Listeners
from plexor.library.keep import Tap
from plexor.library.parts.results import CodeClass, code_of, is_raised
from plexor.library.parts.run import Channel, Settings, Stimulus, Stop, sim_device
from plexor.library.pins import UNSTRUCK
from plexor.library.run import Run
from plexor.library.run_spec import codes_asked
from plexor.library.specs.texts import parse_code_port
from plexor_lab.bench.spec import BenchSpec
from plexor_lab.bench.suites import STATE_DONE

SUITE_KEY, ITERATIONS_KEY = "suite", "iterations"
"""Keys of a run that say what it was taken for."""
_FREERTOS = "freertos"
_STROBED = "ch7"
_PHASE_S, _WIDTH_S = Fraction(10, 10**6), Fraction(1, 10**6)


def device_of(asked: BenchSpec) -> str | None:
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


def settings_of(asked: BenchSpec, dut: str | None) -> Settings:
    """Return the settings of the run: one strike that begins the tests, and the end at their end.

    Raises UsageError for names of codes that cannot be read.
    """
    strobed = dut is not None and "codes=strobed" in dut
    port = asked.code_port or parse_code_port(_STROBED if strobed else "change")
    codes = codes_asked(None, port, asked.codes, asked.naming)
    return Settings(
        # The next strike would come behind the end: a single one would end the run itself.
        strikes=(Stimulus(period_s=2 * asked.time, phase_s=_PHASE_S, width_s=_WIDTH_S),),
        # Nothing answers the strike: the device says by codes what it does.
        channels=(Channel(0, "none", reference=UNSTRUCK),),
        time_s=asked.time,
        stop_code=code_of(CodeClass.SET, STATE_DONE, port.bits),
        codes=codes,
        load=is_raised(asked.load),
        load_name=asked.load or "",
    )


def taken(
    asked: BenchSpec,
    *,
    keys: Mapping[str, str] | None = None,
    tap: Tap | None = None,
    listeners: Listeners | None = None,
    stop: Stop | None = None,
) -> Run:
    """Take the run of a suite, and return it. Its keys say the suite and the iterations.

    Raises UsageError for what the instrument cannot take.
    """
    dut = device_of(asked)
    settings = settings_of(asked, dut)
    described = {SUITE_KEY: asked.suite, ITERATIONS_KEY: str(asked.iterations), **(keys or {})}
    with Instrument(asked.link, dut=dut, tap=tap, load=asked.load) as instrument:
        checked = instrument.checked(settings)
        return instrument.run(settings=checked, listeners=listeners, stop=stop, device=described)
