// SPDX-License-Identifier: Apache-2.0
/** Two cursors through all pictures, what lies between them, and the line below the pointer. */

import { between } from "./cells.js";
import { make } from "./dom.js";
import { formatRate, formatSeconds, formatShare } from "./format.js";
import { rule, write } from "./paint.js";
import { colours } from "./theme.js";

const NEAR = 110;

/** Draw the cursors and, at `pointer`, a hair line, over pictures from `top` to `bottom`. */
export function drawCursors(context, area, view, pointer) {
  const shown = colours();
  const { axis, tickS } = area;
  if (pointer) {
    const { x } = pointer;
    rule(context, x, area.top, x, area.bottom, shown.muted, { dash: [1, 3] });
  }
  const { a, b } = view.cursors;
  if (a !== null && b !== null) {
    const [x, x2] = [axis.within(Math.min(a, b)), axis.within(Math.max(a, b))];
    context.globalAlpha = 0.07;
    context.fillStyle = shown.ink;
    context.fillRect(x, area.top, x2 - x, area.bottom - area.top);
    context.globalAlpha = 1;
  }
  for (const [name, ticks] of [["A", a], ["B", b]]) {
    if (ticks === null || !axis.holds(ticks)) continue;
    const x = axis.at(ticks);
    rule(context, x, area.top, x, area.bottom, shown.ink, { dash: name === "A" ? [] : [6, 3] });
    const other = name === "A" ? b : a;
    const near = other !== null && Math.abs(axis.at(other) - x) < NEAR;
    const side = near ? Math.sign(ticks - other) || 1 : 0;
    flag(context, `${name} ${formatSeconds(ticks * tickS, 5)}`, x, side, area);
  }
}

/** Write a cursor's name and time on its line, or at a side of it: -1 is the left. */
function flag(context, text, x, side, area) {
  const shown = colours();
  context.font = `600 11px ${shown.font}`;
  const width = context.measureText(text).width + 10;
  const wanted = x - (width * (1 - side)) / 2;
  const left = Math.min(Math.max(wanted, area.axis.start), area.axis.end - width);
  context.fillStyle = shown.ink;
  context.fillRect(left, area.top - 1, width, 16);
  write(context, text, left + 5, area.top + 11, { colour: shown.paper, bold: true });
}

/** Return the name of the cursor within reach of a place, or null. */
export function cursorAt(view, axis, x, reach = 6) {
  const near = ["a", "b"]
    .filter((name) => view.cursors[name] !== null)
    .map((name) => [Math.abs(axis.at(view.cursors[name]) - x), name])
    .sort((one, two) => one[0] - two[0])[0];
  return near && near[0] <= reach ? near[1] : null;
}

/** Return the difference of the cursors in seconds, as text parts; empty without both. */
export function difference(view, tickS) {
  const { a, b } = view.cursors;
  if (a === null || b === null) return [];
  const seconds = (b - a) * tickS;
  const rate = seconds ? formatRate(1 / Math.abs(seconds)) : "–";
  return [["Δ", formatSeconds(seconds, 5)], ["1/Δ", rate]];
}

/** Write cursors, their difference, and each channel's share between them into an element. */
export function readOut(element, view, channels, tickS) {
  const parts = [["A", view.cursors.a], ["B", view.cursors.b]]
    .filter(([, ticks]) => ticks !== null)
    .map(([name, ticks]) => [name, formatSeconds(ticks * tickS, 6)]);
  parts.push(...difference(view, tickS));
  const nodes = parts.map(([name, text]) => part(name, text));
  if (view.cursors.a !== null && view.cursors.b !== null) {
    for (const channel of channels) {
      const total = channel.rise.total;
      if (!total) continue;
      const share = between(channel.rise, view.cursors.a, view.cursors.b) / total;
      nodes.push(part(channel.name, formatShare(share), `var(--c${channel.number % 8})`));
    }
  }
  element.replaceChildren(...nodes);
}

function part(name, text, colour = "") {
  const head = make("b", { textContent: name });
  head.style.color = colour;
  return make("span", {}, head, ` ${text}`);
}
