// SPDX-License-Identifier: Apache-2.0
/**
 * Histograms as cells: cell i holds `counts[i]` values from `low[i]` up to below `high[i]`, in
 * ticks. Cells are disjoint and rising; outside [from, to) all counts are 0. Values are taken as
 * spread evenly over their cell.
 */

export class Cells {
  constructor(low, high, counts) {
    Object.assign(this, { low, high, counts, from: 0, to: counts.length });
  }

  /** Return the number of values. */
  get total() {
    let sum = 0;
    for (let i = this.from; i < this.to; i++) sum += this.counts[i];
    return sum;
  }

  /** Return the cell that holds a value, or -1. */
  find(ticks) {
    let first = this.from;
    let last = this.to;
    while (first < last) {
      const middle = (first + last) >> 1;
      if (this.high[middle] <= ticks) first = middle + 1;
      else last = middle;
    }
    return first < this.to && this.low[first] <= ticks ? first : -1;
  }
}

/** Return cells as a document has them: where they begin, their widths if not all 1, counts. */
export function cellsOf([low, widths, counts]) {
  const high = low.map((ticks, i) => ticks + (widths.length ? widths[i] : 1));
  return new Cells(Float64Array.from(low), Float64Array.from(high), Float64Array.from(counts));
}

/** Return cells later by so many ticks. */
export function later(cells, ticks) {
  const shift = (at) => at + ticks;
  const found = new Cells(cells.low.map(shift), cells.high.map(shift), cells.counts);
  return Object.assign(found, { from: cells.from, to: cells.to });
}

/** Return how many values lie below each of `at`, which rises. */
export function below(cells, at, out = new Float64Array(at.length)) {
  const { low, high, counts, to } = cells;
  let sum = 0;
  let i = cells.from;
  for (let k = 0; k < at.length; k++) {
    const ticks = at[k];
    while (i < to && high[i] <= ticks) sum += counts[i++];
    out[k] = sum;
    if (i < to && low[i] < ticks) out[k] += (counts[i] * (ticks - low[i])) / (high[i] - low[i]);
  }
  return out;
}

/** Return how many values lie from one time up to another. */
export function between(cells, first, last) {
  const found = below(cells, [Math.min(first, last), Math.max(first, last)]);
  return found[1] - found[0];
}

/** Return the share of values of at least `ticks`. */
export function beyond(cells, ticks) {
  const total = cells.total;
  return total ? 1 - below(cells, [ticks])[0] / total : NaN;
}

/** Return [the last value of each cell, how many values are greater]. */
export function survival(cells) {
  const values = [];
  const left = [];
  let rest = cells.total;
  for (let i = cells.from; i < cells.to; i++) {
    if (!cells.counts[i]) continue;
    rest -= cells.counts[i];
    values.push(cells.high[i] - 1);
    left.push(rest);
  }
  return [values, left];
}

/**
 * Return the average of all traces as [times, levels]: it steps at the last tick of each cell, and
 * has a level from there on. What lies between is not known to be a slope.
 */
export function stairs(rise, fall, traces) {
  const steps = [];
  for (const [cells, sign] of [[rise, 1], [fall, -1]]) {
    if (!cells) continue;
    for (let i = cells.from; i < cells.to; i++) {
      if (cells.counts[i]) steps.push([cells.high[i] - 1, sign * cells.counts[i]]);
    }
  }
  steps.sort(([one], [other]) => one - other);
  const times = [];
  const levels = [];
  let sum = 0;
  for (const [time, change] of steps) {
    sum += change;
    if (times.at(-1) !== time) times.push(time);
    levels[times.length - 1] = Math.min(Math.max(sum / Math.max(traces, 1), 0), 1);
  }
  return [times, levels];
}

/**
 * Return what a digital channel shows in columns: `rises` and `falls`, and the share of traces that
 * are at the active level, `high`. `bounds` are the columns' bounds in ticks.
 */
export function persistence(rise, fall, traces, bounds) {
  const columns = bounds.length - 1;
  const up = below(rise, bounds);
  const down = fall ? below(fall, bounds) : new Float64Array(columns + 1);
  const rises = new Float64Array(columns);
  const falls = new Float64Array(columns);
  const high = new Float64Array(columns);
  for (let i = 0; i < columns; i++) {
    rises[i] = up[i + 1] - up[i];
    falls[i] = down[i + 1] - down[i];
    const level = (up[i] + up[i + 1] - down[i] - down[i + 1]) / (2 * Math.max(traces, 1));
    high[i] = Math.min(Math.max(level, 0), 1);
  }
  return { rises, falls, high };
}
