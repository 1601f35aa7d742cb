// SPDX-License-Identifier: Apache-2.0
/**
 * The waterfall: latency over the time of the run, a row of pixels for each slice of it.
 *
 * Rows come from the differences of snapshots. When the picture is full, each two rows become one,
 * so it always shows the whole run in a bounded memory.
 */

import { below, Cells } from "./cells.js";
import { make } from "./dom.js";
import { formatSeconds, grouped } from "./format.js";
import { number, timeText } from "./labels.js";
import { LEFT, rule, title, write } from "./paint.js";
import { colours, pixel } from "./theme.js";

export const MOST_ROWS = 256;

export class Waterfall {
  constructor() {
    this.clear();
  }

  /** Forget all rows. */
  clear() {
    this.rows = [];
    this.merged = 1;
    this.changed = 0;
  }

  /** Add a slice of time that ends at `end` seconds: for each channel's number its cells. */
  add(start, end, parts) {
    const last = this.rows.at(-1);
    if (last && last.of < this.merged) {
      last.end = end;
      last.of++;
      take(last, parts);
      this.changed = Math.min(this.changed, this.rows.length - 1);
      return;
    }
    if (this.rows.length >= MOST_ROWS) this.halve();
    this.rows.push({ start, end, of: 1, parts: new Map(parts) });
    this.changed = Math.min(this.changed, this.rows.length - 1);
  }

  halve() {
    const found = [];
    for (let i = 0; i < this.rows.length; i += 2) {
      const [one, two] = [this.rows[i], this.rows[i + 1]];
      if (two) {
        take(one, two.parts);
        one.end = two.end;
        one.of += two.of;
      }
      found.push(one);
    }
    this.rows = found;
    this.merged *= 2;
    this.changed = 0;
  }
}

function take(row, parts) {
  for (const [channel, cells] of parts) {
    row.parts.set(channel, joined(row.parts.get(channel), cells));
  }
}

/** Return the sum of two histograms with the same numbering, of which one may be missing. */
function joined(one, two) {
  if (!one || !one.total) return two;
  if (!two.total) return one;
  const from = Math.min(one.at, two.at);
  const to = Math.max(one.at + one.counts.length, two.at + two.counts.length);
  const counts = new Float32Array(to - from);
  for (const part of [one, two]) {
    for (let i = 0; i < part.counts.length; i++) counts[part.at - from + i] += part.counts[i];
  }
  return slice(one.edges, from, counts);
}

/** Return cells `from` on of a histogram whose cell i lies between edges i and i + 1. */
export function slice(edges, from, counts) {
  const to = from + counts.length;
  const cells = new Cells(edges.subarray(from, to), edges.subarray(from + 1, to + 1), counts);
  return Object.assign(cells, { at: from, edges });
}

/** Draw the rows, the newest at the bottom, in the hue of the channel with most responses. */
export function drawWaterfall(context, box, waterfall, channels, view) {
  title(context, box, "waterfall", "latency over the time of the run");
  const columns = Math.max(Math.round(box.w), 1);
  const kept = strip(waterfall, columns, view, channels);
  const { rows } = waterfall;
  if (!rows.length) return;
  paintRows(kept, waterfall, columns, channels, view);
  context.imageSmoothingEnabled = false;
  context.drawImage(kept.canvas, 0, 0, columns, rows.length, box.x, box.y, box.w, box.h);
  ends(context, box, waterfall);
}

/** Return the pixels of the rows as drawn before, or none of them if they are no longer right. */
function strip(waterfall, columns, view, channels) {
  const { axis } = view;
  const numbers = channels.map((channel) => channel.number);
  const key = [columns, axis.low, axis.high, axis.log, colours().panel, numbers].join();
  let kept = view.scratch.strip;
  if (!kept || kept.columns !== columns) {
    const canvas = make("canvas", { width: columns, height: MOST_ROWS });
    const context = canvas.getContext("2d");
    const image = context.createImageData(columns, 1);
    kept = { canvas, context, image, columns, pixels: new Uint32Array(image.data.buffer), key: "" };
    view.scratch.strip = kept;
  }
  if (kept.key !== key) {
    kept.key = key;
    waterfall.changed = 0;
    kept.bounds = axis.bounds(columns);
  }
  return kept;
}

function paintRows(kept, waterfall, columns, channels, view) {
  const { rows } = waterfall;
  for (let row = waterfall.changed; row < rows.length; row++) {
    paintRow(kept, rows[row], columns, channels);
    kept.context.putImageData(kept.image, 0, row);
  }
  waterfall.changed = Math.max(rows.length - 1, 0);
}

function paintRow(kept, row, columns, channels) {
  const shown = colours();
  const { pixels, bounds } = kept;
  const panel = shown.panelRgb;
  pixels.fill(pixel(panel));
  const strongest = new Float64Array(columns);
  for (const channel of channels) {
    const cells = row.parts.get(channel.number);
    if (!cells?.counts.length) continue;
    const found = below(within(cells, channel.rise), bounds);
    let most = 0;
    for (let i = 0; i < columns; i++) {
      found[i] = found[i + 1] - found[i];
      most = Math.max(most, found[i]);
    }
    const scale = 1 / Math.log1p(Math.max(most, 1));
    const colour = shown.strengths[channel.number % 8];
    for (let i = 0; i < columns; i++) {
      if (found[i] < 0.005 || found[i] <= strongest[i]) continue;
      strongest[i] = found[i];
      const part = Math.min(0.3 + 0.7 * Math.log1p(found[i]) * scale, 1);
      pixels[i] = pixel(panel.map((from, k) => from + (colour[k] - from) * part));
    }
  }
}

/** Return cells of a slice cut at the extremes of all responses, which are known to the tick. */
export function within(cells, rise) {
  if (rise.from >= rise.to) return cells;
  const [least, most] = [rise.low[rise.from], rise.high[rise.to - 1]];
  const cut = (ticks) => Math.min(Math.max(ticks, least), most);
  const found = new Cells(cells.low.map(cut), cells.high.map(cut), cells.counts);
  return Object.assign(found, { from: cells.from, to: cells.to });
}

/** Write when the first row begins and the last one ends. */
function ends(context, box, { rows }) {
  const shown = colours();
  const [start, end] = [rows[0].start, rows.at(-1).end];
  const { scale, unit } = timeText({ low: start, high: end, start: box.y, end: box.y + box.h }, 1);
  const text = (seconds) => number(Number((seconds / scale).toPrecision(3)));
  const style = { colour: shown.muted, anchor: "end" };
  write(context, text(start), LEFT - 8, box.y + 9, style);
  write(context, `${text(end)} ${unit}`, LEFT - 8, box.y + box.h, style);
  rule(context, box.x, box.y + box.h, box.x + box.w, box.y + box.h, shown.grid);
}

/** Return what lies at a time and a row: one line a channel. */
export function waterfallTip(waterfall, channels, ticks, part) {
  const { rows } = waterfall;
  const row = rows[Math.min(Math.floor(part * rows.length), rows.length - 1)];
  if (!row) return [];
  const lines = [];
  for (const channel of channels) {
    const cells = row.parts.get(channel.number);
    const cell = cells ? within(cells, channel.rise).find(ticks) : -1;
    if (cell >= 0 && cells.counts[cell]) lines.push([channel, grouped(cells.counts[cell])]);
  }
  const slot = `${formatSeconds(row.start)} to ${formatSeconds(row.end)} of the run`;
  return [[null, slot], ...(lines.length ? lines : [[null, "no response"]])];
}
