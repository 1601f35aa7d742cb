// SPDX-License-Identifier: Apache-2.0
/**
 * The persistence scope: all traces after the strike on top of each other.
 *
 * The rises and falls of a digital channel determine the picture: a column's edges are its counts,
 * and its levels the rises so far less the falls so far.
 */

import { persistence, stairs } from "./cells.js";
import { clipped, LEFT, panel, write } from "./paint.js";
import { colours, SHADES } from "./theme.js";

const LINE = 3;
const STRIKE_ROW = 20;
const UNKNOWN = 16;
/** Pixels of the level of a trace whose end is not known. */

/** Return the row of each channel in a box; its levels lie at `base` and `top`. */
export function rows(box, channels) {
  const height = (box.h - STRIKE_ROW) / Math.max(channels.length, 1);
  const swing = Math.max(Math.min(height * 0.62, 64), 8);
  return channels.map((channel, place) => {
    const base = box.y + STRIKE_ROW + height * place + (height + swing) / 2;
    return { channel, top: Math.round(base - swing), base: Math.round(base), height };
  });
}

/** Draw all channels; `view` has the axis in ticks, what to overlay, and the pixels kept for it. */
export function drawPersistence(context, box, channels, view) {
  const found = rows(box, channels);
  const above = found.length ? STRIKE_ROW + 1 : box.h;
  panel(context, { ...box, h: above }, view.axis, view.tickS);
  drawStrike(context, box, view);
  const columns = Math.max(Math.round(box.w * view.ratio), 1);
  view.axis.bounds(columns, bounds(view, columns));
  density(context, box, found, columns, view);
  clipped(context, box, () => {
    for (const row of found) overlays(context, row, box, view);
  });
}

/** Write the names of channels beside their rows. */
export function drawNames(context, box, channels, view) {
  write(context, "strike", LEFT - 8, box.y + STRIKE_ROW - 2, {
    colour: colours().muted,
    anchor: "end",
  });
  const names = channels.map(({ name }) => name);
  for (const row of rows(box, channels)) label(context, row, names, view);
}

function bounds(view, columns) {
  const { scratch } = view;
  if (scratch.bounds?.length !== columns + 1) scratch.bounds = new Float64Array(columns + 1);
  return scratch.bounds;
}

function drawStrike(context, box, view) {
  const shown = colours();
  const { axis, strikeTicks } = view;
  const [high, low] = [box.y + 5, box.y + STRIKE_ROW - 3];
  const from = axis.at(0);
  const to = strikeTicks ? axis.at(strikeTicks) : Infinity;
  clipped(context, box, () => {
    context.strokeStyle = shown.muted;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(box.x, axis.log ? high : low);
    if (!axis.log) {
      context.lineTo(from, low);
      context.lineTo(from, high);
    }
    if (to < box.x + box.w) {
      context.lineTo(to, high);
      context.lineTo(to, low);
      context.lineTo(box.x + box.w, low);
    } else context.lineTo(box.x + box.w, high);
    context.stroke();
  });
}

/** Draw levels and edges of all rows, pixel by pixel. */
function density(context, box, found, columns, view) {
  if (!found.length) return;
  const { ratio, scratch } = view;
  const top = Math.round((box.y + STRIKE_ROW) * ratio);
  const lines = Math.max(Math.round((box.y + box.h) * ratio) - top, 1);
  if (scratch.image?.width !== columns || scratch.image.height !== lines) {
    scratch.image = context.createImageData(columns, lines);
    scratch.pixels = new Uint32Array(scratch.image.data.buffer);
  }
  const { pixels } = scratch;
  pixels.fill(colours().ramp[0][0]);
  gridColumns(pixels, columns, lines, view);
  for (const row of found) paintRow(pixels, columns, top, row, view);
  context.putImageData(scratch.image, Math.round(box.x * ratio), top);
}

function gridColumns(pixels, columns, lines, view) {
  for (const x of view.gridPixels) {
    if (x < 0 || x >= columns) continue;
    for (let at = x; at < columns * lines; at += columns) pixels[at] = view.gridPixel;
  }
}

function paintRow(pixels, columns, top, row, view) {
  const { channel } = row;
  const from = channel.decayed ?? channel;
  if (!from.rise) return;
  const image = persistence(from.rise, from.fall, from.traces, view.scratch.bounds);
  row.image = image;
  const ramp = colours().ramp[channel.number % 8];
  const { ratio } = view;
  const high = Math.round(row.top * ratio) - top;
  const low = Math.round(row.base * ratio) - top;
  const thick = Math.max(Math.round(LINE * ratio), 2);
  const factor = from.factor ?? 1;
  const traces = from.traces * factor;
  let most = from.peak ?? 1;
  for (let i = 0; i < columns; i++) {
    most = Math.max(most, (image.rises[i] + image.falls[i]) * factor);
  }
  if (channel.decayed) channel.decayed.peak = most;
  const scale = 0.62 / Math.log1p(most);
  for (let i = 0; i < columns; i++) {
    const edges = (image.rises[i] + image.falls[i]) * factor;
    if (edges > 0.01) {
      const part = 0.16 + scale * Math.log1p(edges);
      const shade = ramp[Math.min(Math.round(part * SHADES), SHADES - 1)];
      for (let y = high; y < low; y++) pixels[y * columns + i] = shade;
    }
    level(pixels, columns, i, [high, thick], image.high[i], traces, ramp);
    level(pixels, columns, i, [low - thick + 1, thick], 1 - image.high[i], traces, ramp);
  }
}

/** Brighten one level of a column by its share of traces; the root lifts rare traces into sight. */
function level(pixels, columns, column, [y, thick], share, traces, ramp) {
  if (share * traces < 0.01) return;
  const part = 0.12 + 0.8 * Math.sqrt(share);
  const shade = ramp[Math.min(Math.ceil(part * (SHADES - 1)), SHADES - 1)];
  for (let line = y; line < y + thick; line++) pixels[line * columns + column] = shade;
}

function overlays(context, row, box, view) {
  const { channel } = row;
  const shown = colours();
  if (view.overlay.average && row.image) average(context, row, box, view.axis);
  for (const other of view.overlay.average ? view.others : []) {
    if (other.number !== channel.number) continue;
    average(context, { ...row, channel: other }, box, view.axis);
  }
  if (view.overlay.last) single(context, channel.last, row, view, shown.last, []);
  if (view.overlay.worst) single(context, channel.worst, row, view, shown.worst, [5, 3]);
}

/** Draw the average of all traces as the levels that it has. */
export function average(context, row, box, axis) {
  const { rise, fall, traces } = row.channel.decayed ?? row.channel;
  const { dash = [] } = row.channel;
  const [times, levels] = stairs(rise, fall, traces);
  const swing = row.base - row.top;
  context.strokeStyle = colours().ink;
  context.lineWidth = 1.25;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(box.x, row.base);
  let y = row.base;
  let reached = -Infinity;
  times.forEach((time, i) => {
    const x = Math.min(Math.max(axis.at(time), box.x - 1), box.x + box.w + 1);
    // Steps in the same quarter of a pixel are drawn as one.
    if (x - reached >= 0.25) {
      context.lineTo(x, y);
      reached = x;
    }
    y = row.base - levels[i] * swing;
    context.lineTo(reached, y);
  });
  context.lineTo(box.x + box.w, y);
  context.stroke();
  context.setLineDash([]);
}

/** Draw the pulse of one response: [rise, fall] in ticks; the fall may not be known. */
function single(context, trace, { top, base }, view, colour, dash) {
  if (!trace) return;
  const rise = view.axis.at(trace[0]);
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(rise, base);
  context.lineTo(rise, top);
  if (trace[1] === null) context.lineTo(rise + UNKNOWN, top);
  else {
    const fall = view.axis.at(trace[1]);
    context.lineTo(fall, top);
    context.lineTo(fall, base);
  }
  context.stroke();
  context.setLineDash([]);
}

function label(context, row, names, view) {
  const { channel } = row;
  const middle = (row.top + row.base) / 2;
  const colour = colours().channel[channel.number % 8];
  const second = row.height >= 34 && view.severalReferences ? channel.reference : "";
  write(context, cut(context, channel.name, names), LEFT - 8, middle + (second ? -1 : 4), {
    size: 12,
    colour,
    anchor: "end",
    bold: true,
  });
  const muted = { colour: colours().muted, anchor: "end" };
  if (second) write(context, second, LEFT - 8, middle + 12, muted);
}

/**
 * Return a name, cut in its middle to fit beside the picture. If others of `names` would then look
 * the same, it keeps the letters in which it differs from those, as in Plexor's files.
 */
export function cut(context, name, names) {
  context.font = `600 12px ${colours().font}`;
  const fits = (shown) => context.measureText(shown).width <= LEFT - 12;
  const shown = withoutMiddle(name, fits);
  const alike = names.filter((other) => other !== name && withoutMiddle(other, fits) === shown);
  return alike.length ? from(name, commonStart([name, ...alike]), fits) : shown;
}

function withoutMiddle(name, fits) {
  let shown = name;
  for (let most = name.length - 1; most > 1 && !fits(shown); most--) {
    shown = `${name.slice(0, most >> 1)}…${name.slice(name.length - (most - (most >> 1) - 1))}`;
  }
  return shown;
}

function commonStart([first, ...others]) {
  let start = 0;
  while (start < first.length && others.every((other) => other[start] === first[start])) start++;
  return start;
}

/** Return a name cut before `start`, with as many letters as fit before the cut. */
function from(name, start, fits) {
  const at = Math.min(start, name.length - 1);
  for (let head = at - 1; head >= 0; head--) {
    const shown = `${name.slice(0, head)}…${name.slice(at)}`;
    if (fits(shown)) return shown;
  }
  for (let most = name.length - at - 1; most > 0; most--) {
    const shown = `…${name.slice(at, at + most)}…`;
    if (fits(shown)) return shown;
  }
  return "…";
}
