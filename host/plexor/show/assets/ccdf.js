// SPDX-License-Identifier: Apache-2.0
/** The tail: the share of responses that came later than a time, on a logarithmic scale. */

import { Axis } from "./axis.js";
import { beyond, survival } from "./cells.js";
import { formatShare, powerOfTen } from "./format.js";
import { clipped, LEFT, rule, title, write } from "./paint.js";
import { colours } from "./theme.js";

/** Draw each channel's share beyond each time; a line ends at the latest response. */
export function drawCcdf(context, box, channels, view, others = []) {
  const shown = colours();
  const drawn = [...others, ...channels];
  const most = Math.max(2, ...drawn.map((channel) => channel.rise.total));
  const y = new Axis(10 ** Math.floor(Math.log10(0.7 / most)), 1, box.y + box.h, box.y, true);
  title(context, box, "tail", "share of responses later than a time, log");
  const powers = Math.round(-Math.log10(y.low));
  const each = Math.max(Math.ceil((16 * powers) / box.h), 1);
  for (let power = 0; power < powers; power++) {
    const at = y.at(10 ** -power);
    rule(context, box.x, at, box.x + box.w, at, shown.grid);
    if (power % each) continue;
    const style = { colour: shown.muted, anchor: "end" };
    write(context, powerOfTen(10 ** -power), LEFT - 8, at + (power ? 4 : 8), style);
  }
  clipped(context, box, () => {
    for (const channel of drawn) line(context, box, channel, y, view);
  });
}

function line(context, box, channel, y, view) {
  const [values, left] = survival(channel.rise);
  if (!values.length) return;
  const total = channel.rise.total;
  const bottom = box.y + box.h;
  context.strokeStyle = colours().channel[channel.number % 8];
  context.lineWidth = 1.6;
  context.setLineDash(channel.dash ?? []);
  context.beginPath();
  context.moveTo(box.x, y.at(1));
  let before = total;
  let reached = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const x = Math.min(view.axis.at(values[i] + 1), box.x + box.w + 2);
    if (x - reached >= 0.4 || !left[i]) {
      context.lineTo(x, y.at(before / total));
      context.lineTo(x, left[i] ? y.at(left[i] / total) : bottom);
      before = left[i];
      reached = x;
    }
    if (x > box.x + box.w) break;
  }
  context.stroke();
  context.setLineDash([]);
}

/** Return what lies beyond a time: one line a channel. */
export function ccdfTip(channels, ticks) {
  return channels.map((channel) => [channel, `${formatShare(beyond(channel.rise, ticks))} later`]);
}
