# SPDX-License-Identifier: Apache-2.0
"""Commands about a single run that is taken: `plexor measure`, `plexor scope`."""

from __future__ import annotations

from plexor.base.errors import UsageError
from plexor.cli.measure.alone import alone
from plexor.cli.options import Acting, Budgeted, Keyed, Live, Shown
from plexor.cli.parameters import option_name
from plexor.cli.specs import command
from plexor.library.run_spec import RunSpec, settings_of
from plexor.library.specs.options import (
    CodeNames,
    Less,
    NewFolder,
    Source,
    Target,
    check_kept,
)
from plexor.library.specs.scope_spec import Runs, Serving
from plexor.library.specs.spec import Spec, option
from plexor.library.specs.values import flag


class Watched(Live, told={"live": "Histograms, persistence and figures of each channel."}):
    """What is shown of a run under way."""


class WithWire(Spec, topic="Results"):
    """What is kept beside a run."""

    wire: bool = option(
        converter=flag,
        default=False,
        help="Keep the raw bytes of the link too, in the folder of --out.",
    )


@command(
    "plexor.cli.measure.command:measure",
    source=Source,
    asked=RunSpec,
    less=Less,
    place=NewFolder,
    judged=Budgeted,
    described=Keyed,
    watched=Watched,
    acting=Acting,
    shown=Shown,
    wire=WithWire,
)
def measure(source: Source, asked: RunSpec, place: NewFolder, wire: WithWire) -> None:
    """Strike a device, time its responses and judge them.

    Times need a unit: 50us, 1.5ms, 2s. Rates and counts may have k, M or G. Where nothing says how
    often to strike or how long, it strikes a thousand times a second until Ctrl-C.

    \b
      plexor measure
      plexor measure --rate 20k --count 10k
      plexor measure --dut bare --rate 1k --time 2s --deadline 2us --json
      plexor measure --rate 5k --width 40us --count 10k --strike 1:start=strike0,phase=5us,width=1us
      plexor measure --link serial:/dev/ttyUSB1 --rate 5k --duty 20% --time 60s --out run1
    """
    if not alone(asked, source):
        settings_of(asked, option_name)
    if wire.wire and place.out is None:
        raise UsageError("--wire keeps the bytes in the folder of --out; give --out too")
    check_kept(place, option_name)


@command(
    "plexor.scope.command:scope",
    missing="the live page needs {}, which is not installed; in a clone: pip install '.[scope]'",
    target=Target,
    serving=Serving,
    runs=Runs,
    names=CodeNames,
)
def scope() -> None:
    """Show a live page: strike a device, and watch its reflexes.

    The address has a token, without which nobody sees the page. Ctrl-C ends it.

    \b
      plexor scope
      plexor scope --link serial:/dev/ttyUSB1 --out runs
    """
