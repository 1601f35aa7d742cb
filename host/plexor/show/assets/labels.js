// SPDX-License-Identifier: Apache-2.0
/** The unit of an axis of times, and how many values fit beside it. */

import { grouped, significant, timeUnit } from "./format.js";

/** Return an axis' unit and its seconds, and how many values fit. */
export function timeText(axis, tickS) {
  const [scale, unit] = timeUnit(Math.max(Math.abs(axis.low), Math.abs(axis.high)) * tickS);
  return { scale, unit, most: Math.max(Math.round(Math.abs(axis.end - axis.start) / 66), 3) };
}

/** Return a tick's value as short as it can be. */
export function number(value) {
  if (Math.abs(value) < 1e-9) return "0";
  return Number.isInteger(value) && Math.abs(value) >= 1e4 ? grouped(value) : significant(value, 6);
}
