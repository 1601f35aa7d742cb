# SPDX-License-Identifier: Apache-2.0
"""Results in ticks, as `Run.report`, `Sweep.result` and the like have them, and their figures."""

from plexor.experiments.step import RateStep as RateStep
from plexor.experiments.sweep.model import Bracket as Bracket
from plexor.experiments.sweep.model import Knee as Knee
from plexor.experiments.sweep.model import SweepResult as SweepResult
from plexor.figures.analyse.analyse import ChannelFigures as ChannelFigures
from plexor.figures.analyse.analyse import Report as Report
from plexor.figures.analyse.bounds import AT_LIMIT as AT_LIMIT
from plexor.figures.analyse.jitter import variance_ticks2 as variance_ticks2
from plexor.figures.analyse.pairing import AMBIGUOUS as AMBIGUOUS
from plexor.figures.analyse.percentiles import Distribution as Distribution
from plexor.figures.analyse.percentiles import least_count as least_count
from plexor.figures.analyse.unknown import NotKnown as NotKnown
from plexor.figures.codes.names import PARTS as PARTS
from plexor.figures.codes.names import code_phrase as code_phrase
from plexor.figures.codes.stream import PlainCode as PlainCode
from plexor.figures.codes.stream import plain_codes as plain_codes
from plexor.figures.codes.values import ValueParts as ValueParts
from plexor.figures.judge.change_bounds import Sums as Sums
from plexor.figures.judge.figured import Figure as Figure
from plexor.figures.judge.figured import Figured as Figured
from plexor.figures.judge.figured import share_of as share_of
from plexor.figures.judge.verdict import Number as Number
from plexor.figures.judge.verdict import Outcome as Outcome
from plexor.figures.judge.verdict import Verdict as Verdict
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
