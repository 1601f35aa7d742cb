"""Results in ticks, as `Run.report`, `Sweep.result` and the like have them, and their figures."""

from plexor.analyse.analyse import ChannelFigures as ChannelFigures
from plexor.analyse.analyse import Report as Report
from plexor.analyse.jitter import variance_ticks2 as variance_ticks2
from plexor.model.code_array import CodeArray as CodeArray
from plexor.model.load import RAISED as RAISED
from plexor.model.load import named_load as named_load
from plexor.model.results import EventArray as EventArray
from plexor.model.results import RunResult as RunResult
from plexor.sweep.decide import Verdict as Verdict
from plexor.sweep.model import Bracket as Bracket
from plexor.sweep.model import Knee as Knee
from plexor.sweep.model import Step as Step
from plexor.sweep.model import SweepResult as SweepResult
