// SPDX-License-Identifier: Apache-2.0
/** Times, counts and shares as text: the same words as on the terminal. */

import { RAISED, RATES, TIMES } from "./scales.js";

/** Return a number with so many significant digits and no zeros behind them. */
export function significant(value, digits) {
  const text = value.toPrecision(digits);
  if (text.includes("e")) return String(Number(text));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Return [seconds in one unit, its name] that suits a time of this size. */
export function timeUnit(seconds) {
  const size = Math.abs(seconds);
  return TIMES.find(([scale]) => size >= scale * 0.9999) ?? TIMES.at(-1);
}

/** Return [hertz in one unit, its name] that suits a rate of this size. */
export function rateUnit(hertz) {
  return RATES.find(([least]) => Math.abs(hertz) >= least) ?? RATES.at(-1);
}

/** Return seconds as text with a unit from ns to s. */
export function formatSeconds(seconds, digits = 4) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds === 0) return "0 s";
  const size = Math.abs(seconds);
  const [scale, unit] = TIMES.find(([least]) => size >= least) ?? TIMES.at(-1);
  return `${significant(seconds / scale, digits)} ${unit}`;
}

/** Return hertz as text with a unit from Hz to MHz. */
export function formatRate(hertz) {
  if (!Number.isFinite(hertz)) return "–";
  const [scale, unit] = rateUnit(hertz);
  return `${significant(hertz / scale, 4)} ${unit}`;
}

/** Return a whole number with its thousands apart. */
export function grouped(value) {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Return a share from 0 to 1 as text that tells rare from never. */
export function formatShare(share) {
  if (!Number.isFinite(share)) return "–";
  if (share === 0 || share === 1) return `${share * 100} %`;
  const percent = share * 100;
  if (percent > 99) {
    const missing = Number((100 - percent).toPrecision(2));
    return `${(100 - missing).toFixed(13).replace(/\.?0+$/, "")} %`;
  }
  return percent < 1e-4 ? `${percent.toExponential(1)} %` : `${significant(percent, 3)} %`;
}

/** Return `10⁻³` for 0.001, and 1 and 10 as they are. */
export function powerOfTen(value) {
  const exponent = Math.round(Math.log10(value));
  if (exponent === 0 || exponent === 1) return String(value);
  const [minus, ...digits] = RAISED;
  const raised = [...String(Math.abs(exponent))].map((digit) => digits[digit]).join("");
  return `10${exponent < 0 ? minus : ""}${raised}`;
}
