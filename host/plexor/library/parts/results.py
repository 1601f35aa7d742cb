# SPDX-License-Identifier: Apache-2.0
"""Results in ticks, as `Run.report`, `Sweep.result` and the like have them, and their figures."""

from plexor.analyse.analyse import ChannelFigures as ChannelFigures
from plexor.analyse.analyse import Report as Report
from plexor.analyse.bounds import AT_LIMIT as AT_LIMIT
from plexor.analyse.jitter import variance_ticks2 as variance_ticks2
from plexor.analyse.pairing import AMBIGUOUS as AMBIGUOUS
from plexor.analyse.percentiles import Distribution as Distribution
from plexor.analyse.percentiles import least_count as least_count
from plexor.analyse.unknown import NotKnown as NotKnown
from plexor.codes.names import code_phrase as code_phrase
from plexor.codes.stream import PlainCode as PlainCode
from plexor.codes.stream import plain_codes as plain_codes
from plexor.experiments.step import RateStep as RateStep
from plexor.judge.verdict import Number as Number
from plexor.judge.verdict import Outcome as Outcome
from plexor.judge.verdict import Verdict as Verdict
from plexor.model.code_array import CodeArray as CodeArray
from plexor.model.load import RAISED as RAISED
from plexor.model.load import is_raised as is_raised
from plexor.model.load import named_load as named_load
from plexor.model.results import EventArray as EventArray
from plexor.model.results import Kind as Kind
from plexor.model.results import RunResult as RunResult
from plexor.protocol.codes import CLASS_BITS as CLASS_BITS
from plexor.protocol.codes import CodeClass as CodeClass
from plexor.protocol.codes import code_of as code_of
from plexor.sweep.model import Bracket as Bracket
from plexor.sweep.model import Knee as Knee
from plexor.sweep.model import SweepResult as SweepResult
