// SPDX-License-Identifier: Apache-2.0
/** What the stack draws, as frames and figures come: channels, waterfall, and traces that fade. */

import { cellsOf, later } from "./draw/cells.js";
import { slice, Waterfall } from "./draw/waterfall.js";
import { othersOf } from "./others.js";

const NOTHING = new Float64Array(0);
const LONGEST = 40;
/** Decay constants after which the weights of fading traces begin at 1 again. */

export class Feed {
  constructor() {
    this.edges = new Map();
    this.waterfall = new Waterfall();
    this.names = new Map();
    this.traces = { run: 0, of: {} };
    this.exact = { run: 0, cells: {} };
    this.recorded = [];
    this.others = [];
    this.nothing = "set strikes and channels, then Run (r)";
    this.reset();
    this.tickS = 1e-9;
    this.decay = Infinity;
  }

  /** Forget a run. */
  reset() {
    this.channels = [];
    this.frame = null;
    this.strikeTicks = null;
    this.waterfall.clear();
    this.origin = null;
  }

  /** Count times in another tick. */
  setTick(tickS) {
    if (tickS === this.tickS) return;
    this.tickS = tickS;
    this.others = othersOf(this.recorded, tickS);
  }

  /** Take recorded runs that are drawn over this one. */
  takeRecorded(runs) {
    this.recorded = runs;
    this.others = othersOf(runs, this.tickS);
  }

  /** Take the bounds of cells for so many mantissa bits. */
  takeEdges(bits, edges) {
    this.edges.set(bits, Float64Array.from(edges));
  }

  /** Take a frame at a time in seconds of the page's clock. */
  take(frame, now) {
    if (!this.frame || frame.run !== this.frame.run) this.reset();
    const before = new Map(this.channels.map((channel) => [channel.number, channel]));
    const last = this.frame;
    this.frame = frame;
    this.setTick(frame.tick_fs / 1e15);
    this.strikeTicks = Number.isFinite(frame.strike_ticks) ? frame.strike_ticks : null;
    this.channels = frame.channels.map((given) => this.channel(given, before.get(given.number)));
    const parts = this.channels.map((channel) => [channel.number, channel.fresh]);
    const since = last?.elapsed_s ?? 0;
    if (frame.elapsed_s > since) this.waterfall.add(since, frame.elapsed_s, parts);
    if (Number.isFinite(this.decay)) this.fade(now);
  }

  channel(given, before) {
    const told = this.names.get(given.number);
    const binned = bounded(this.cells(given.rise), given.min_ticks, given.max_ticks);
    const falls = () => bounded(this.cells(given.fall), given.fall_min_ticks, given.fall_max_ticks);
    const binnedFall = given.fall.bits ? falls() : null;
    const exact = this.exactOf(given.number);
    return {
      number: given.number,
      name: told?.name ?? `ch${given.number}`,
      reference: told?.reference ?? "",
      deadline: told?.deadline ?? null,
      classes: given.classes,
      conserved: Boolean(given.conserved),
      traces: Math.max(given.classes.strikes, binned.total),
      min: given.min_ticks,
      max: given.max_ticks,
      maxAt: given.max_at_ticks,
      binned,
      binnedFall,
      rise: exact.rise ?? binned,
      fall: exact.fall ?? fallOf(binned, binnedFall, given),
      fresh: fresh(binned, before?.binned),
      freshFall:
        binnedFall && Number.isFinite(this.decay) ? fresh(binnedFall, before?.binnedFall) : null,
      freshTraces: given.classes.strikes - (before?.classes.strikes ?? 0),
      last: before?.last ?? this.trace(given.number),
      worst: before?.max === given.max_ticks ? before.worst : alone(given.max_ticks),
      decayed: before?.decayed ?? null,
    };
  }

  /** Return the cells of a channel to the tick: at the end of a run of which every event came. */
  exactOf(number) {
    const own = this.exact.run === this.frame?.run && !this.frame.running;
    return (own && this.exact.cells[number]) || {};
  }

  /** Take exact cells; they may come before their run's last frame. */
  takeExact({ run, cells }) {
    const read = ([number, kinds]) => [
      number,
      Object.fromEntries(Object.entries(kinds).map(([kind, each]) => [kind, cellsOf(each)])),
    ];
    this.exact = { run, cells: Object.fromEntries(Object.entries(cells).map(read)) };
    for (const channel of this.channels) Object.assign(channel, this.exactOf(channel.number));
  }

  trace(number) {
    return (this.traces.run === this.frame?.run && this.traces.of[number]) || null;
  }

  cells({ bits, first, counts }) {
    const edges = this.edges.get(bits);
    return edges && counts.length ? slice(edges, first, counts) : slice(NOTHING, 0, NOTHING);
  }

  /** Add what is new to traces that fade, each by its age. */
  fade(now) {
    if (this.origin === null || (now - this.origin) / this.decay > LONGEST) this.rebase(now);
    const weight = Math.exp((now - this.origin) / this.decay);
    for (const channel of this.channels) {
      channel.decayed ??= { rise: null, fall: null, traces: 0, peak: 1 };
      add(channel.decayed, "rise", channel.fresh, weight);
      if (channel.freshFall) add(channel.decayed, "fall", channel.freshFall, weight);
      channel.decayed.traces += channel.freshTraces * weight;
    }
  }

  rebase(now) {
    const factor = this.origin === null ? 0 : Math.exp(-(now - this.origin) / this.decay);
    for (const { decayed } of this.channels) {
      if (!decayed) continue;
      for (const kind of ["rise", "fall"]) {
        const cells = decayed[kind];
        if (cells) cells.counts = cells.counts.map((count) => count * factor);
      }
      decayed.traces *= factor;
    }
    this.origin = now;
  }

  /** Let traces fade up to now. */
  age(now) {
    if (this.origin === null) return;
    const factor = Math.exp(-(now - this.origin) / this.decay);
    for (const { decayed } of this.channels) if (decayed) decayed.factor = factor;
  }

  /** Let traces fade with another constant; Infinity keeps all. */
  setDecay(seconds) {
    if (seconds === this.decay) return;
    this.decay = seconds;
    this.origin = null;
    for (const channel of this.channels) channel.decayed = null;
  }

  /** Take names, deadlines, and the last traces; they may come before their run's first frame. */
  takeFigures({ run, rows, traces }) {
    this.traces = { run, of: traces };
    for (const { number, name, reference, deadline } of rows) {
      this.names.set(number, { name, reference, deadline });
    }
    for (const channel of this.channels) {
      Object.assign(channel, this.names.get(channel.number) ?? {});
      channel.last = this.trace(channel.number);
    }
  }

  /** Take the traces of the latest responses from the events around them. */
  takeOutliers(outliers) {
    for (const channel of this.channels) {
      const { number, max } = channel;
      const found = outliers.find((each) => each.channel === number && each.ticks === max);
      const falls = ([source, polarity, ticks]) => {
        return source === `ch${number}` && !polarity && ticks > max;
      };
      const fall = found?.events.find(falls);
      if (fall) channel.worst = [max, fall[2]];
    }
  }
}

/** Narrow the first and the last cell of a histogram to its exact extremes; return it. */
function bounded(cells, least, most) {
  const last = cells.counts.length - 1;
  if (last < 0 || !Number.isFinite(least)) return cells;
  cells.low = cells.low.slice();
  cells.high = cells.high.slice();
  cells.low[0] = least;
  cells.high[last] = Math.max(most, least) + 1;
  return cells;
}

/**
 * Return the cells of falls: those of rises, later by the width, if widths differ by less than a
 * cell. Else a short pulse would begin anywhere in one cell and end anywhere in another.
 */
function fallOf(rise, fall, { width_min_ticks: least, width_max_ticks: most }) {
  if (!fall?.counts.length || !rise.counts.length) return fall;
  const widest = Math.max(...fall.high.map((high, i) => high - fall.low[i]));
  return most - least < widest ? later(rise, (least + most) / 2) : fall;
}

/** Return the trace of a response of which only the rise is known. */
function alone(ticks) {
  return Number.isFinite(ticks) ? [ticks, null] : null;
}

/** Return what a histogram has more than an earlier one of the same run. */
function fresh(now, before) {
  if (!before?.counts.length || before.edges !== now.edges) return now;
  const counts = Float32Array.from(now.counts);
  const shift = before.at - now.at;
  for (let i = 0; i < before.counts.length; i++) {
    const place = i + shift;
    if (place >= 0 && place < counts.length) counts[place] -= before.counts[i];
  }
  return slice(now.edges, now.at, counts);
}

function add(sums, kind, cells, weight) {
  if (!cells.counts.length) return;
  const old = sums[kind];
  const from = Math.min(old?.at ?? cells.at, cells.at);
  const to = Math.max(old ? old.at + old.counts.length : 0, cells.at + cells.counts.length);
  const counts = new Float64Array(to - from);
  if (old) counts.set(old.counts, old.at - from);
  const shift = cells.at - from;
  for (let i = 0; i < cells.counts.length; i++) counts[shift + i] += cells.counts[i] * weight;
  sums[kind] = slice(cells.edges, from, counts);
}
