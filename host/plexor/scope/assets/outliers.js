// SPDX-License-Identifier: Apache-2.0
/** Outliers: a list of the latest responses, and the pins around the one that is chosen. */

import { Axis } from "./draw/axis.js";
import { button, make } from "./draw/dom.js";
import { fit, LEFT, panel, RIGHT, rule, timeAxis, write } from "./draw/paint.js";
import { cut } from "./draw/persistence.js";
import { colours, onColours } from "./draw/theme.js";

const SAID = "each response that was later than all before it, and the pins around it";
const FOOT = 26;
const TOP = 16;

export class Outliers {
  /** Show a list in an element, and the events around one of its entries. */
  constructor(element) {
    this.element = element;
    this.all = [];
    this.chosen = null;
    const said = make("small", { textContent: SAID });
    this.list = make("ol");
    this.canvas = make("canvas", { className: "around" });
    element.append(make("h2", {}, "Outliers ", said), this.list, this.canvas);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    onColours(() => this.draw());
  }

  /** Take the outliers of a run, the newest first; times are in ticks of so many seconds. */
  take(all, names, tickS) {
    Object.assign(this, { all, names, tickS });
    this.element.hidden = !all.length;
    if (!all.length) this.chosen = null;
    this.list.replaceChildren(...all.map((each) => this.entry(each)));
    this.draw();
  }

  /** Return the one whose events are shown: the chosen one, or the newest. */
  get selected() {
    return this.all.find((each) => each.index === this.chosen) ?? this.all[0];
  }

  entry(each) {
    const name = make("b", { textContent: each.name });
    name.style.color = `var(--c${each.channel % 8})`;
    const found = button("", "Show the events around it", () => {
      this.chosen = each.index;
      this.take(this.all, this.names, this.tickS);
    });
    found.append(name, ` ${each.latency} `, make("small", { textContent: `at ${each.at}` }));
    found.setAttribute("aria-pressed", this.selected === each);
    return make("li", {}, found);
  }

  draw() {
    const one = this.selected;
    const context = one && fit(this.canvas);
    if (!context) return;
    const { width, height } = this.canvas.getBoundingClientRect();
    const shown = colours();
    context.clearRect(0, 0, width, height);
    if (!one.events.length) {
      const style = { colour: shown.muted, anchor: "center" };
      write(context, "its events did not come over the link", width / 2, height / 2, style);
      return;
    }
    const times = one.events.map(([, , ticks]) => ticks);
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const margin = Math.max((last - first) * 0.03, 1);
    const axis = new Axis(first - margin, last + margin, LEFT, width - RIGHT);
    const box = { x: LEFT, y: TOP, w: width - LEFT - RIGHT, h: height - TOP - FOOT };
    panel(context, box, axis, this.tickS);
    const sources = [...new Set(one.events.map(([source]) => source))].sort(strikesFirst);
    const names = sources.map((source) => this.names[source] ?? source);
    const each = box.h / sources.length;
    sources.forEach((source, place) => {
      const events = one.events.filter(([name]) => name === source);
      const own = { ...box, y: box.y + place * each, h: each };
      wave(context, source, cut(context, names[place], names), events, axis, own);
    });
    const x = axis.at(one.ticks);
    rule(context, x, box.y, x, box.y + box.h, shown.worst, { dash: [5, 3] });
    const middle = Math.min(Math.max(x, LEFT + 60), width - 70);
    const style = { colour: shown.worst, anchor: "center", bold: true };
    write(context, `${one.name} ${one.latency}`, middle, 11, style);
    timeAxis(context, { x: LEFT, y: box.y + box.h }, axis, this.tickS);
  }
}

function strikesFirst(one, other) {
  const order = other.startsWith("strike") - one.startsWith("strike");
  return order || (one < other ? -1 : 1);
}

/** Draw one pin: its level before an edge is the other one. */
function wave(context, source, name, events, axis, box) {
  const number = Number(source.replace(/\D/g, ""));
  const shown = colours();
  const colour = source.startsWith("ch") ? shown.channel[number % 8] : shown.muted;
  const swing = Math.min(box.h * 0.6, 26);
  const base = box.y + (box.h + swing) / 2;
  const y = (level) => base - level * swing;
  context.strokeStyle = colour;
  context.lineWidth = 1.6;
  context.beginPath();
  context.moveTo(box.x, y(1 - events[0][1]));
  for (const [, polarity, ticks] of events) {
    context.lineTo(axis.at(ticks), y(1 - polarity));
    context.lineTo(axis.at(ticks), y(polarity));
  }
  context.lineTo(box.x + box.w, y(events.at(-1)[1]));
  context.stroke();
  const style = { size: 12, colour, anchor: "end", bold: true };
  write(context, name, LEFT - 8, base - swing / 2 + 4, style);
}
