// SPDX-License-Identifier: Apache-2.0
/** Axes: where a value lies on a picture, and the round values worth a tick. */

import { LOG_STEPS, ROUND_STEPS } from "./scales.js";

export class Axis {
  /** Map [low, high] to [start, end], linearly or by logarithm. */
  constructor(low, high, start, end, log = false) {
    Object.assign(this, { low, high, start, end, log });
    this.span = log ? Math.log(high / low) : high - low;
  }

  /** Return the place of a value, which may lie off the axis. */
  at(value) {
    const from = this.log ? Math.log(Math.max(value, 1e-300) / this.low) : value - this.low;
    const part = from / this.span;
    return this.start + part * (this.end - this.start);
  }

  /** Return the place of a value, or the nearest end of the axis. */
  within(value) {
    const [first, last] = this.start < this.end ? [this.start, this.end] : [this.end, this.start];
    return Math.min(Math.max(this.at(value), first), last);
  }

  /** Return the value at a place. */
  value(place) {
    const part = (place - this.start) / (this.end - this.start);
    return this.log ? this.low * Math.exp(part * this.span) : this.low + part * this.span;
  }

  /** Return the same axis for values in another unit: `factor` of it are one of these. */
  scaled(factor) {
    return new Axis(this.low * factor, this.high * factor, this.start, this.end, this.log);
  }

  /** Return whether a value lies on the axis. */
  holds(value) {
    return value >= this.low && value <= this.high;
  }

  /** Return up to about `most` round values on the axis, rising. */
  ticks(most = 8) {
    if (!this.log || this.high / this.low < 8) return roundSteps(this.low, this.high, most);
    const first = Math.floor(Math.log10(this.low));
    const last = Math.ceil(Math.log10(this.high));
    let found = [];
    for (const digits of LOG_STEPS) {
      found = [];
      for (let power = first; power <= last; power++) {
        for (const digit of digits) {
          const value = digit * 10 ** power;
          if (this.holds(value)) found.push(value);
        }
      }
      if (found.length <= most + 1) return found;
    }
    const step = Math.ceil(found.length / most);
    return found.filter((_, place) => place % step === 0);
  }

  /** Return the values at the bounds of `columns` equal columns. */
  bounds(columns, out = new Float64Array(columns + 1)) {
    const step = (this.end - this.start) / columns;
    for (let i = 0; i <= columns; i++) out[i] = this.value(this.start + i * step);
    return out;
  }
}

function roundSteps(low, high, most) {
  const rough = (high - low) / Math.max(most, 1);
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const sizes = ROUND_STEPS.map((digit) => digit * power);
  const fits = sizes.findIndex((size) => size >= rough * 0.999);
  const found = multiples(sizes[fits], low, high);
  // One value alone does not say how wide the axis is.
  return found.length > 1 ? found : multiples(sizes[Math.max(fits - 1, 0)], low, high);
}

function multiples(step, low, high) {
  const found = [];
  const last = Math.floor(high / step + 1e-9);
  for (let n = Math.ceil(low / step - 1e-9); n <= last; n++) found.push(n * step);
  return found;
}

const SIZES = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** Return the least of these sizes times a power of ten that is enough. */
export function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value) + 1e-12);
  return SIZES.find((size) => size * power >= value * (1 - 1e-9)) * power;
}
