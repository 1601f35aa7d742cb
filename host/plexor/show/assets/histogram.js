// SPDX-License-Identifier: Apache-2.0
/** The histogram of latencies: samples in each column, with logarithmic counts. */

import { Axis } from "./axis.js";
import { below } from "./cells.js";
import { formatSeconds, grouped, powerOfTen } from "./format.js";
import { clipped, LEFT, rule, title, write } from "./paint.js";
import { MAX_SEEN } from "./scales.js";
import { colours } from "./theme.js";

const COLUMN = 3;
const MOST_LABELS = 4;

/**
 * Draw all channels on top of each other, each with its latest response and its deadline. Those of
 * other runs are outlines.
 */
export function drawHistogram(context, box, channels, view, others = []) {
  const shown = colours();
  const columns = Math.max(Math.floor(box.w / COLUMN), 1);
  const bounds = view.axis.bounds(columns);
  const counted = [...others, ...channels].map((channel) => {
    const found = below(channel.rise, bounds);
    let most = 0;
    for (let i = 0; i < columns; i++) {
      found[i] = found[i + 1] - found[i];
      most = Math.max(most, found[i]);
    }
    return { channel, found, most };
  });
  const y = countAxis(box, counted);
  title(context, box, "histogram", "responses in each column, log");
  for (let power = 1; power <= y.high; power *= 10) {
    const at = y.at(power);
    rule(context, box.x, at, box.x + box.w, at, shown.grid);
    if (worthALabel(power, y)) {
      write(context, powerOfTen(power), LEFT - 8, at + 4, { colour: shown.muted, anchor: "end" });
    }
  }
  clipped(context, box, () => {
    for (const entry of counted) bars(context, box, entry, columns, y);
    marks(context, box, channels, view);
  });
}

function countAxis(box, counted) {
  const most = Math.max(10, ...counted.map((entry) => entry.most));
  return new Axis(0.6, 10 ** Math.ceil(Math.log10(most * 1.3)), box.y + box.h, box.y, true);
}

function worthALabel(power, y) {
  const room = Math.abs(y.start - y.end) / Math.max(Math.log10(y.high), 1);
  const each = Math.max(Math.ceil(16 / room), 1);
  return Math.round(Math.log10(power)) % each === 0;
}

function bars(context, box, { channel, found }, columns, y) {
  const bottom = box.y + box.h;
  const step = box.w / columns;
  context.beginPath();
  let open = false;
  for (let i = 0; i < columns; i++) {
    if (found[i] > 1e-3) {
      const at = y.within(Math.max(found[i], 0.75));
      if (!open) context.moveTo(box.x + i * step, bottom);
      context.lineTo(box.x + i * step, at);
      context.lineTo(box.x + (i + 1) * step, at);
      open = true;
    } else if (open) {
      context.lineTo(box.x + i * step, bottom);
      open = false;
    }
  }
  if (open) context.lineTo(box.x + box.w, bottom);
  context.fillStyle = own(channel);
  if (!channel.dash) {
    context.globalAlpha = 0.42;
    context.fill();
    context.globalAlpha = 1;
  }
  context.strokeStyle = context.fillStyle;
  context.lineWidth = channel.dash ? 1.4 : 1;
  context.setLineDash(channel.dash ?? []);
  context.stroke();
  context.setLineDash([]);
}

/** Mark each channel's latest response and its deadline. */
function marks(context, box, channels, view) {
  for (const channel of channels) {
    if (channel.deadline !== null) {
      const x = view.axis.at(channel.deadline);
      rule(context, x, box.y, x, box.y + box.h, colours().worst, { dash: [6, 3] });
    }
    if (!Number.isFinite(channel.max)) continue;
    const x = view.axis.at(channel.max + 0.5);
    rule(context, x, box.y, x, box.y + box.h, own(channel), { dash: [2, 3] });
  }
  if (channels.length <= MOST_LABELS) labels(context, box, channels, view);
}

/** Write the latest responses beside their marks, apart from each other. */
function labels(context, box, channels, view) {
  let reached = box.x + box.w;
  const walls = channels
    .filter((channel) => view.axis.holds(channel.max))
    .sort((one, two) => two.max - one.max);
  for (const channel of walls) {
    const text = `${MAX_SEEN} ${formatSeconds(channel.max * view.tickS)}`;
    context.font = `600 11px ${colours().font}`;
    const width = context.measureText(text).width;
    const x = Math.min(view.axis.at(channel.max) + 5, reached - width - 4);
    if (x < box.x) return;
    context.fillStyle = colours().panel;
    context.fillRect(x - 2, box.y + 2, width + 4, 13);
    write(context, text, x, box.y + 12, { colour: own(channel), bold: true });
    reached = x;
  }
}

function own(channel) {
  return colours().channel[channel.number % 8];
}

/** Return what lies at a time, [heading, a line for each channel that has something there]. */
export function histogramTip(channels, ticks, view) {
  const found = channels
    .map((channel) => [channel, channel.rise.find(ticks)])
    .filter(([channel, cell]) => cell >= 0 && channel.rise.counts[cell] > 0);
  const lines = found.map(([channel, cell]) => [channel, grouped(channel.rise.counts[cell])]);
  if (!lines.length) return [[null, "no response"]];
  const [{ rise }, cell] = found[0];
  if (rise.high[cell] - rise.low[cell] <= 1) return lines;
  const bounds = [rise.low[cell], rise.high[cell]].map((at) => formatSeconds(at * view.tickS, 5));
  return [[null, `bin of ${bounds.join(" to ")}`], ...lines];
}
