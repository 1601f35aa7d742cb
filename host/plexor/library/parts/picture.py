# SPDX-License-Identifier: Apache-2.0
"""Pictures with axes and a frame, as Plexor's own."""

from plexor.render.pictures.canvas import Canvas as Canvas
from plexor.render.pictures.canvas import Stroke as Stroke
from plexor.render.pictures.columns import count_axis as count_axis
from plexor.render.pictures.columns import draw_columns as draw_columns
from plexor.render.pictures.columns import samples_in_columns as samples_in_columns
from plexor.render.pictures.convert import converted as converted
from plexor.render.pictures.frame import LEFT as LEFT
from plexor.render.pictures.frame import RIGHT as RIGHT
from plexor.render.pictures.frame import TOP as TOP
from plexor.render.pictures.frame import WIDTH as WIDTH
from plexor.render.pictures.frame import Label as Label
from plexor.render.pictures.frame import alone as alone
from plexor.render.pictures.frame import framed as framed
from plexor.render.pictures.frame import legend as legend
from plexor.render.pictures.frame import panel as panel
from plexor.render.pictures.frame import spread as spread
from plexor.render.pictures.frame import x_axis as x_axis
from plexor.render.pictures.frame import y_line as y_line
from plexor.render.pictures.scale import Axis as Axis
from plexor.render.pictures.scale import power_of_ten as power_of_ten
from plexor.render.pictures.scale import time_unit as time_unit
