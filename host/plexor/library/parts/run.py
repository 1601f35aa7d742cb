# SPDX-License-Identifier: Apache-2.0
"""Runs that a package takes itself: settings, the instrument's registers, lines, what it sends."""

from plexor.model.codes import Codes as Codes
from plexor.model.codes import Port as Port
from plexor.model.identity import Identity as Identity
from plexor.model.settings import Channel as Channel
from plexor.model.settings import RegisterWrite as RegisterWrite
from plexor.model.settings import Settings as Settings
from plexor.model.settings import Stimulus as Stimulus
from plexor.protocol.frames import DELIMITER as DELIMITER
from plexor.protocol.frames import SOURCE_LOAD as SOURCE_LOAD
from plexor.protocol.frames import SOURCE_STRIKE as SOURCE_STRIKE
from plexor.protocol.frames import cobs_decode as cobs_decode
from plexor.protocol.frames import cobs_encode as cobs_encode
from plexor.protocol.geometry import SCHEDULE_ENTRIES as SCHEDULE_ENTRIES
from plexor.protocol.geometry import Feature as Feature
from plexor.protocol.geometry import Geometry as Geometry
from plexor.protocol.registers import Action as Action
from plexor.protocol.registers import Stream as Stream
from plexor.protocol.registers import Trigger as Trigger
from plexor.protocol.registers import entry_word as entry_word
from plexor.run.session.follow import OnProgress as OnProgress
from plexor.run.session.run import LiveRun as LiveRun
from plexor.run.session.session import measure as measure
from plexor.run.session.session import versions as versions
from plexor.run.session.stop import Stop as Stop
from plexor.wire.decode.collect import Collector as Collector
from plexor.wire.device.device import Device as Device
from plexor.wire.device.features import refusal as refusal
from plexor.wire.device.features import timecode_is_switched as timecode_is_switched
from plexor.wire.link.base import Link as Link
from plexor.wire.link.open import open_device_line as open_device_line
from plexor.wire.link.open import sim_device as sim_device
from plexor.wire.link.tcp import TcpLink as TcpLink
