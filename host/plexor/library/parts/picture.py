# SPDX-License-Identifier: Apache-2.0
"""Pictures with axes and a frame, as Plexor's own."""

from plexor.show.pictures.canvas import Canvas as Canvas
from plexor.show.pictures.canvas import Stroke as Stroke
from plexor.show.pictures.columns import count_axis as count_axis
from plexor.show.pictures.columns import draw_columns as draw_columns
from plexor.show.pictures.columns import samples_in_columns as samples_in_columns
from plexor.show.pictures.convert import converted as converted
from plexor.show.pictures.frame import LEFT as LEFT
from plexor.show.pictures.frame import RIGHT as RIGHT
from plexor.show.pictures.frame import TOP as TOP
from plexor.show.pictures.frame import WIDTH as WIDTH
from plexor.show.pictures.frame import Label as Label
from plexor.show.pictures.frame import alone as alone
from plexor.show.pictures.frame import framed as framed
from plexor.show.pictures.frame import legend as legend
from plexor.show.pictures.frame import panel as panel
from plexor.show.pictures.frame import spread as spread
from plexor.show.pictures.frame import x_axis as x_axis
from plexor.show.pictures.frame import y_line as y_line
from plexor.show.pictures.scale import Axis as Axis
from plexor.show.pictures.scale import power_of_ten as power_of_ten
from plexor.show.pictures.scale import time_unit as time_unit
