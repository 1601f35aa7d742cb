// SPDX-License-Identifier: Apache-2.0
/** A report: the pictures of a finished run, with cursors, in the place of still ones. */

import { cellsOf } from "./cells.js";
import { button, make } from "./dom.js";
import { fillHelp, listen, POINTER, stackKeys } from "./keys.js";
import { fillLegend } from "./legend.js";
import { offerImages } from "./save.js";
import { Stack } from "./stack.js";
import { measureStill } from "./still.js";
import { isDark, setTheme, startTheme } from "./theme.js";
import { fillTools } from "./tools.js";
import { View } from "./view.js";
import { slice, Waterfall } from "./waterfall.js";

/** Return the run that a report holds, as the stack draws it. */
export function runOf(data) {
  const waterfall = new Waterfall();
  const edges = Float64Array.from(data.edges);
  const part = ([number, first, counts]) => [
    number,
    slice(edges, first, Float32Array.from(counts)),
  ];
  for (const { start, end, parts } of data.rows) waterfall.add(start, end, parts.map(part));
  const channels = data.channels.map((channel) => ({
    ...channel,
    rise: cellsOf(channel.rise),
    fall: channel.fall && cellsOf(channel.fall),
    decayed: null,
  }));
  return { tickS: data.tick_fs / 1e15, strikeTicks: data.strike_ticks, channels, waterfall };
}

/** Draw the run of a report. */
export function show() {
  const data = document.getElementById("plexor-run");
  const figure = document.getElementById("plexor-figure");
  if (!data || !figure) return;
  startTheme();
  const run = runOf(JSON.parse(data.textContent));
  const view = new View();
  figure.hidden = false;
  document.documentElement.classList.add("drawn");
  const [, box, readout, tools, dialog] = figure.children;
  const stack = new Stack(box, view, run, readout, { wheel: "focused" });
  fillTools(tools, stack, view, false);
  const legend = tools.appendChild(make("span", { className: "legend" }));
  const swap = () => setTheme(isDark() ? "light" : "dark");
  const help = () => dialog.showModal();
  tools.append(button("◐", "Dark or light (d)", swap), button("?", "Keyboard (?)", help));
  const keys = [
    ...stackKeys(stack, view),
    ["d", "dark or light", swap],
    ["?", "this list", help],
  ];
  fillHelp(dialog, keys, [["click", "then the wheel zooms"], ...POINTER]);
  listen(keys, (number) => view.toggle(number));
  view.read(location.hash.slice(1), run.tickS);
  view.onChange(() => {
    fillLegend(legend, view, run.channels);
    history.replaceState(null, "", `#${view.fragment(run.tickS)}`);
  });
  fillLegend(legend, view, run.channels);
  globalThis.plexor = { run, view, stack };
}

show();
offerImages();
measureStill();
