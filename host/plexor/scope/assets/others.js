// SPDX-License-Identifier: Apache-2.0
/** Runs that are drawn over the one that is shown, each dashed in its own way. */

import { cellsOf } from "./draw/cells.js";

export const DASHES = [[7, 4], [2, 3], [9, 3, 2, 3]];
export const SAMPLES = ["– – –", "· · ·", "– · –"];
/** How each is dashed, as text beside its name. */

/** Return the channels of runs as the stack draws them, in ticks of the run that is shown. */
export function othersOf(runs, tickS) {
  return runs.slice(0, DASHES.length).flatMap(({ run, tick_fs, channels }, place) => {
    const factor = tick_fs / 1e15 / tickS;
    return channels.map((channel) => ({
      number: channel.number,
      name: `${run}: ${channel.name}`,
      traces: channel.traces,
      min: channel.min * factor,
      max: channel.max * factor,
      rise: scaled(cellsOf(channel.rise), factor),
      fall: channel.fall && scaled(cellsOf(channel.fall), factor),
      dash: DASHES[place],
    }));
  });
}

function scaled(cells, factor) {
  if (factor !== 1) {
    cells.low = cells.low.map((ticks) => ticks * factor);
    cells.high = cells.high.map((ticks) => ticks * factor);
  }
  return cells;
}
