# SPDX-License-Identifier: Apache-2.0
"""Commands about instruments, devices and this machine: `plexor board`, `plexor dut` and others."""

from __future__ import annotations

from pathlib import Path

import click

from plexor.base.errors import UsageError
from plexor.cli.helping import HelpedGroup
from plexor.cli.options import AsJson, HtmlShown, Key, parse_keys
from plexor.cli.parameters import given, option_name
from plexor.cli.specs import command, one_of
from plexor.library.specs.options import Target
from plexor.library.specs.spec import Spec, maybe, option
from plexor.library.specs.values import each, flag, path_of
from plexor.library.upkeep.specs import CalibrateSpec, FlashSpec, ProveSpec, SelfTestSpec


class Forgetting(Spec):
    """What is removed."""

    forget: bool = option(
        converter=flag,
        default=False,
        help="Remove the file that is kept for this board and build, and measure nothing.",
    )


@command(
    "plexor.cli.upkeep.calibrate:calibrate",
    one_of(Target, "link"),
    asked=CalibrateSpec,
    forgetting=Forgetting,
    shown=AsJson,
)
def calibrate(forgetting: Forgetting) -> None:
    """Measure where the bins of each channel end, and the delays from strikes to channels.

    Nothing needs to be connected. First an oscillator on the chip gives the edges, then each strike
    output is looped back. Loopback does not pass the channels' own pads; a jumper does. What
    jumpers and a reference gave before is kept with a new calibration. `plexor measure` applies
    what is kept for a board. That of a simulated instrument is applied only where --calibration
    names it.

    \b
      plexor board calibrate --link serial:/dev/ttyUSB1
      plexor board calibrate --link serial:/dev/ttyUSB1 --jumper strike0=ch0,strike0=ch1
      plexor board calibrate --link serial:/dev/ttyUSB1 --pps ch7
      plexor board calibrate --link serial:/dev/ttyUSB1 --forget
    """
    if forgetting.forget and (measuring := given((*CalibrateSpec.options(), "as_json"))):
        named = option_name(measuring[0])
        raise UsageError(f"--forget measures nothing; leave out {named}")


@command(
    "plexor.cli.upkeep.selftest:selftest",
    one_of(Target, "link"),
    asked=SelfTestSpec,
    shown=AsJson,
)
def selftest() -> None:
    """Test an instrument: link, registers, memories, every channel, phase and strike output.

    Nothing needs to be connected. A device that is connected sees strikes. With jumpers the pins
    are tested too. The exit code is 1 if a defect was found.
    """


class WiresInPlace(Spec):
    """Wires that are in place."""

    wired: bool = option(
        converter=flag,
        default=False,
        help="The wires of the steps in --only are in place: ask nothing. All need the same ones.",
    )


@command(
    "plexor.cli.upkeep.prove:prove",
    one_of(Target, "link"),
    asked=ProveSpec,
    wires=WiresInPlace,
    shown=HtmlShown,
)
def prove() -> None:
    """Prove an instrument: what holds, with which error, and what was not proven.

    Without a wire: selftest, bins (against the sheets), soak (the link under more than it carries).
    With a jumper from strike0 to ch0: jumper (the way through the pins, both edges). With a longer
    wire: wire. With wires of one length to all channels: tee (skew and RMS). With a jumper from
    each strike output to the channel of its number: strikes. With wires from the timecode to the
    code port: codes (each pin). With a reference: pps (the oscillator's rate). On a terminal each
    wiring is asked for; elsewhere those steps are left out, but for --wired. A simulated instrument
    has its wires at once.

    The document is sealed with its SHA-256, and later runs of the same board and build name it. The
    exit code is 1 if a step failed, 4 if nothing was proven.

    \b
      plexor board prove --link serial:/dev/ttyUSB1 --wire 1m --page proof.html
      plexor board prove --link serial:/dev/ttyUSB1 --only selftest --only bins
    """


class Drafted(Spec):
    """Where a manifest is written."""

    file: Path | None = option(
        converter=maybe(path_of),
        default=None,
        flag="--to",
        metavar="FILE.toml",
        help="Write the manifest to this file, which is a new one. Default: TOP.toml.",
    )
    target: str | None = option(
        converter=maybe(str),
        default=None,
        metavar="NAME",
        help="Of a core: its target. Default: default, or else sim, or else its only one.",
    )
    flags: tuple[str, ...] = option(
        converter=each(str, str),
        default=(),
        flag="--flag",
        metavar="NAME",
        many=True,
        help="Of a core: a flag that is set, or unset by a hyphen: --flag=-NAME.",
    )
    libraries: tuple[str, ...] = option(
        converter=each(str, str),
        default=(),
        flag="--library",
        metavar="FOLDER",
        many=True,
        help="Of a core: a folder with cores that it depends on, besides its own.",
    )
    without: tuple[str, ...] = option(
        converter=each(str, str),
        default=(),
        metavar="CORE",
        many=True,
        help="Of a core: one that it depends on and that is left out.",
    )
    variables: tuple[Key, ...] = option(
        converter=parse_keys,
        default=(),
        flag="--variable",
        metavar="NAME=TEXT",
        many=True,
        help="Of a list of files: the text or the path that a variable in it stands for.",
    )
    include: tuple[str, ...] = option(
        converter=each(str, str),
        default=(),
        flag="--include",
        metavar="FOLDER",
        many=True,
        help="A folder in which files of `include and modules are looked for.",
    )
    parameters: tuple[Key, ...] = option(
        converter=parse_keys,
        default=(),
        flag="--parameter",
        metavar="NAME=VALUE",
        many=True,
        help="A parameter or generic of the top, such as one without a default.",
    )
    vhdl_libraries: tuple[Key, ...] = option(
        converter=parse_keys,
        default=(),
        flag="--vhdl-library",
        metavar="NAME=FILE",
        many=True,
        help="Of VHDL: a library, and a file, a pattern or a list of files that are in it.",
    )


@click.group(cls=HelpedGroup, no_args_is_help=False)
def dut() -> None:
    """Make and check a manifest of your own design, with which it is a device under test."""


@command("plexor.cli.upkeep.devices:init", drafted=Drafted, shown=AsJson)
@click.argument("top", metavar="TOP")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def init() -> None:
    """Write a manifest of TOP, a module or entity in FILE..., with what its ports may be.

    FILEs are Verilog, SystemVerilog, VHDL, C and C++ (DPI), lists of files (.f), or a core of
    FuseSoC (.core); a pattern in quotes stands in the manifest as it is. Clock, reset, strikes and
    responses are guessed from names and widths: look at them before you measure.

    \b
      plexor dut init irq irq.v --to mine.toml
      plexor dut init irq 'ir*.v' --to other.toml
    """


@command("plexor.cli.upkeep.devices:check", shown=AsJson)
@click.argument("manifest", metavar="MANIFEST")
def check() -> None:
    """Look at the design of MANIFEST before it is measured.

    Strikes each input, and does so again from two other random initial states. One line each says
    whether all responses leave the reset at the same level, whether all inputs are driven, whether
    all responses move, and whether they do so at the same times. The exit code is 1 if one of them
    is not so.

    \b
      plexor dut check irq.toml
    """


dut.add_command(init)
dut.add_command(check)


@command("plexor.cli.upkeep.devices:devices", shown=AsJson)
@click.argument("name", required=False, metavar="[NAME]")
def devices() -> None:
    """List simulated devices, boards found by their USB ids, and other serial ports.

    With NAME, a simulated device or a manifest, explain its options: what follows the colon in
    `--dut NAME:OPTION=VALUE,OPTION=VALUE`.
    """


class UdevRules(Spec):
    """What of this machine is printed."""

    udev: bool = option(
        converter=flag, default=False, help="Print only the udev rules for all boards."
    )


@command(
    "plexor.cli.upkeep.doctor:doctor",
    one_of(
        Target,
        "link",
        default=None,
        shows_default=False,
        help="Walk it instead: its port, rate, identity, every value of a byte, the clock. That "
        "ends where the link fails, with what came in place of an answer.",
    ),
    rules=UdevRules,
    shown=AsJson,
)
def doctor(link: str | None, rules: UdevRules) -> None:
    """Find what keeps boards from working: permissions, drivers, rates, programs, silent links.

    Nothing is changed. Below each missing item is the command that fixes it. The exit code is 1 if
    something is missing.

    \b
      plexor board doctor --link serial:/dev/ttyUSB1
    """
    if rules.udev and link is not None:
        raise UsageError("--udev prints rules only; leave out --link")


@command("plexor.cli.upkeep.identify:identify", one_of(Target, "link"), shown=AsJson)
def identify() -> None:
    """Print the identity of the instrument at a link."""


@command("plexor.cli.upkeep.flash:flash", asked=FlashSpec, shown=AsJson)
@click.argument("board", required=False, metavar="BOARD")
def flash() -> None:
    """Write the bitstream of BOARD to it, ask it what it is now, and name its build.

    Nothing is written if another kind of board answers, or is plugged in by its USB name. The exit
    code is 3 if the board cannot be written, and if silence, another board or another build answers
    afterwards. Nothing is built: `make gateware` in a clone does that.

    \b
      plexor board flash icebreaker
      plexor board flash icebreaker --build counts --keep
      plexor board flash pico-ice --link serial:/dev/ttyUSB1
    """


@command("plexor.cli.upkeep.sim:serve")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[OPTIONS]")
def sim() -> None:
    """Serve a simulated instrument on a loopback port, for `--link tcp://`. See `--help`."""


# Its options are those of another program.
sim.context_settings = {
    "ignore_unknown_options": True,
    "allow_extra_args": True,
    "help_option_names": [],
}


@command("plexor.cli.upkeep.trace_header:trace_header", name="trace-header")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
def trace_header() -> None:
    """Write plexor_trace.h and plexor_freertos.h to DIR.

    Firmware that includes plexor_trace.h says on spare pins what it does, for `plexor explain`.
    plexor_freertos.h has the trace hooks of FreeRTOS.

    \b
      plexor lab trace-header firmware/include
    """


@command("plexor.cli.upkeep.examples:examples")
@click.argument(
    "folder", type=click.Path(path_type=Path), default="plexor-examples", metavar="[DIR]"
)
def examples() -> None:
    """Copy the examples to DIR, a new folder (plexor-examples).

    \b
      plexor examples
      plexor measure --dut plexor-examples/irq.toml --rate 20k --count 2k
    """
