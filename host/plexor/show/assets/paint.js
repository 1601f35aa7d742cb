// SPDX-License-Identifier: Apache-2.0
/** A canvas of sharp pixels, and what all pictures on it have in common. */

import { number, timeText } from "./labels.js";
import { colours } from "./theme.js";

export const LEFT = 64;
export const RIGHT = 14;

/** Fit a canvas to its place; return its context in CSS pixels, or null if it has no place. */
export function fit(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  const ratio = globalThis.devicePixelRatio || 1;
  const across = Math.round(width * ratio);
  const down = Math.round(height * ratio);
  if (!across || !down) return null;
  if (canvas.width !== across) canvas.width = across;
  if (canvas.height !== down) canvas.height = down;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** Write text; `options` are size, colour, anchor (start, center, end) and bold. */
export function write(context, text, x, y, options = {}) {
  const { size = 11, colour = colours().ink, anchor = "start", bold = false } = options;
  context.font = `${bold ? "600 " : ""}${size}px ${colours().font}`;
  context.textAlign = anchor;
  context.textBaseline = "alphabetic";
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

/** Draw one straight line that fills whole pixels. */
export function rule(context, x, y, x2, y2, colour, options = {}) {
  const { width = 1, dash = [] } = options;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  const half = (width % 2) / 2;
  context.moveTo(x === x2 ? Math.round(x) + half : x, y === y2 ? Math.round(y) + half : y);
  context.lineTo(x === x2 ? Math.round(x) + half : x2, y === y2 ? Math.round(y) + half : y2);
  context.stroke();
  context.setLineDash([]);
}

/** Put the panel behind a picture, with the lines of the axis that all share. */
export function panel(context, box, axis, tickS) {
  const shown = colours();
  context.fillStyle = shown.panel;
  context.fillRect(box.x, box.y, box.w, box.h);
  for (const [x] of timeTicks(axis, tickS)) rule(context, x, box.y, x, box.y + box.h, shown.grid);
}

/** Write a picture's name and what its other axis means, at the left end above it. */
export function title(context, box, name, said = "") {
  const shown = colours();
  write(context, name, box.x, box.y - 5, { size: 11, bold: true });
  const width = context.measureText(name).width;
  if (said) write(context, said, box.x + width + 8, box.y - 5, { size: 11, colour: shown.muted });
}

/** Return [place, value in the axis' unit] of each round time on an axis in ticks. */
export function timeTicks(axis, tickS) {
  const { scale, most } = timeText(axis, tickS);
  const inUnits = tickS / scale;
  const shown = axis.scaled(inUnits);
  return shown.ticks(most).map((value) => [shown.at(value), value]);
}

/** Draw the values of the axis that all pictures share, below the last of them. */
export function timeAxis(context, box, axis, tickS) {
  const shown = colours();
  const { unit } = timeText(axis, tickS);
  for (const [x, value] of timeTicks(axis, tickS)) {
    rule(context, x, box.y, x, box.y + 4, shown.muted);
    write(context, number(value), x, box.y + 16, { colour: shown.muted, anchor: "center" });
  }
  const said = axis.log ? `${unit}, log` : unit;
  write(context, said, box.x - 8, box.y + 16, { colour: shown.muted, anchor: "end", bold: true });
}

/** Keep what is drawn inside a box. */
export function clipped(context, box, draw) {
  context.save();
  context.beginPath();
  context.rect(box.x, box.y, box.w, box.h);
  context.clip();
  draw();
  context.restore();
}
