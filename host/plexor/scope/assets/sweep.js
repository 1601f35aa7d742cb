// SPDX-License-Identifier: Apache-2.0
/** A sweep that draws itself: latency and missed strikes against the rate, step by step. */

import { Axis } from "./draw/axis.js";
import { make } from "./draw/dom.js";
import { formatRate, formatSeconds, formatShare, powerOfTen, rateUnit } from "./draw/format.js";
import { number } from "./draw/labels.js";
import { fit, LEFT, RIGHT, rule, title, write } from "./draw/paint.js";
import { MAX_SEEN } from "./draw/scales.js";
import { colours, onColours } from "./draw/theme.js";

const TOP = 18;
const BETWEEN = 22;
const FOOT = 26;
const LEAST_SHARE = 1e-4;
const REACH = 14;
const APART = 3;

export class Sweep {
  /** Draw the sweep of a document into an element. */
  constructor(element) {
    this.element = element;
    this.found = { steps: [], expected: 0, knees: [] };
    this.said = make("small");
    this.list = make("p", { className: "knees" });
    this.canvas = make("canvas", { className: "around" });
    element.append(make("h2", {}, "Sweep ", this.said), this.list, this.canvas);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    new ResizeObserver(() => this.stay()).observe(document.body);
    for (const kind of ["wheel", "pointerdown", "keydown"]) {
      addEventListener(kind, () => (this.stays = false), { capture: true, passive: true });
    }
    onColours(() => this.draw());
    this.canvas.addEventListener("pointermove", (event) => this.tell(event));
    this.canvas.addEventListener("pointerleave", () => this.say());
  }

  /** Bring the sweep that this page begins into view: once it is there, and at its end. */
  follow() {
    this.follows = true;
  }

  /** Stay in view where what is above grows, until somebody scrolls, clicks or types. */
  stay() {
    if (this.stays) this.element.scrollIntoView({ block: "nearest" });
  }

  /** Take the steps so far. */
  take(found) {
    this.found = found;
    const came = this.element.hidden && found.steps.length;
    this.element.hidden = !found.steps.length;
    this.say();
    this.list.replaceChildren(...found.knees.map(({ name, number: own, text }) => {
      const head = make("b", { textContent: name });
      head.style.color = `var(--c${own % 8})`;
      return make("span", {}, head, `: ${text}`);
    }));
    this.draw();
    if (this.follows && (came || found.knees.length)) {
      this.stays = true;
      this.stay();
      this.follows = !found.knees.length;
    }
  }

  say(text) {
    const { steps, expected } = this.found;
    const far = steps.length < expected ? ` of about ${expected}` : "";
    this.said.textContent = text ?? `${steps.length}${far} steps`;
  }

  /** Say what the step nearest to the pointer found. */
  tell(event) {
    if (!this.rates) return;
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    const away = (step) => Math.abs(this.rates.at(step.rate) - x);
    const near = [...this.found.steps].sort((one, other) => away(one) - away(other))[0];
    if (!near || away(near) > REACH) {
      this.say();
      return;
    }
    const parts = near.channels.map((entry) => {
      const times = entry.p50 === null ? "" : `, p50 ${formatSeconds(entry.p50)}`;
      const late = entry.max === null ? "" : `, ${MAX_SEEN} ${formatSeconds(entry.max)}`;
      return `${entry.name}: ${entry.verdict}, ${formatShare(entry.missed)} missed${times}${late}`;
    });
    this.say(`${formatRate(near.rate)}: ${parts.join("; ")}`);
  }

  draw() {
    const { steps, knees } = this.found;
    const context = steps.length ? fit(this.canvas) : null;
    if (!context) return;
    const { width, height } = this.canvas.getBoundingClientRect();
    context.clearRect(0, 0, width, height);
    const all = steps.map((step) => step.rate);
    const [low, high] = [Math.min(...all) * 0.93, Math.max(...all) * 1.07];
    this.rates = new Axis(low, high, LEFT, width - RIGHT, true);
    const room = height - TOP - BETWEEN - FOOT;
    const above = { x: LEFT, y: TOP, w: width - LEFT - RIGHT, h: room * 0.6 };
    const below = { ...above, y: TOP + above.h + BETWEEN, h: room * 0.4 };
    for (const box of [above, below]) this.panel(context, box, knees);
    this.latencies(context, above);
    this.shares(context, below);
    this.axis(context, below);
  }

  panel(context, box, knees) {
    const shown = colours();
    context.fillStyle = shown.panel;
    context.fillRect(box.x, box.y, box.w, box.h);
    for (const rate of this.rates.ticks(8)) {
      const x = this.rates.at(rate);
      rule(context, x, box.y, x, box.y + box.h, shown.grid);
    }
    for (const knee of knees) {
      const colour = shown.channel[knee.number % 8];
      for (const [rate, dash] of [[knee.passing, []], [knee.failing, [4, 3]]]) {
        if (rate === null) continue;
        const x = this.rates.at(rate);
        rule(context, x, box.y, x, box.y + box.h, colour, { dash });
      }
    }
  }

  /** Draw the latencies of each step: a line from least to greatest, and its p50 and p99. */
  latencies(context, box) {
    const shown = colours();
    const every = this.found.steps.flatMap((step) => step.channels);
    const times = every.flatMap(({ min, max }) => [min, max]).filter((time) => time > 0);
    title(context, box, "latency", "least, p50, p99 and greatest at each rate");
    if (!times.length) return;
    const [least, most] = [Math.min(...times) * 0.8, Math.max(...times) * 1.25];
    const y = new Axis(least, most, box.y + box.h, box.y, true);
    for (const time of y.ticks(5)) {
      const at = y.at(time);
      rule(context, box.x, at, box.x + box.w, at, shown.grid);
      const style = { colour: shown.muted, anchor: "end" };
      write(context, formatSeconds(time, 3), LEFT - 8, at + 4, style);
    }
    this.each((entry, x) => {
      if (entry.min === null || entry.max === null) return;
      context.strokeStyle = shown.channel[entry.number % 8];
      context.fillStyle = context.strokeStyle;
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(x, y.within(Math.max(entry.min, y.low)));
      context.lineTo(x, y.within(entry.max));
      context.stroke();
      for (const [time, size] of [[entry.p50, 2.6], [entry.p99, 1.8]]) {
        if (time === null) continue;
        context.beginPath();
        context.arc(x, y.within(Math.max(time, y.low)), size, 0, 7);
        context.fill();
      }
    });
  }

  /** Draw the share of missed strikes of each step, by its verdict. */
  shares(context, box) {
    const shown = colours();
    const y = new Axis(LEAST_SHARE, 1.4, box.y + box.h - 8, box.y + 4, true);
    title(context, box, "missed", "filled: passes; cross: fails; ring: undecided");
    for (let power = -3; power <= 0; power++) {
      const at = y.at(10 ** power);
      rule(context, box.x, at, box.x + box.w, at, shown.grid);
      const style = { colour: shown.muted, anchor: "end" };
      if (power % 2) write(context, powerOfTen(10 ** power), LEFT - 8, at + 4, style);
    }
    write(context, "0", LEFT - 8, box.y + box.h - 4, { colour: shown.muted, anchor: "end" });
    this.each((entry, x) => {
      const at = y.at(Math.max(entry.missed, LEAST_SHARE));
      mark(context, x, at, entry.verdict, shown.channel[entry.number % 8]);
    });
  }

  /** Call back with each channel's figures at its rate, channels a little apart. */
  each(draw) {
    for (const step of this.found.steps) {
      const middle = (step.channels.length - 1) / 2;
      step.channels.forEach((entry, place) => {
        draw(entry, this.rates.at(step.rate) + (place - middle) * APART);
      });
    }
  }

  axis(context, box) {
    const shown = colours();
    const [scale, unit] = rateUnit(this.rates.high);
    for (const rate of this.rates.ticks(8)) {
      const style = { colour: shown.muted, anchor: "center" };
      write(context, number(rate / scale), this.rates.at(rate), box.y + box.h + 16, style);
    }
    const style = { colour: shown.muted, anchor: "end", bold: true };
    write(context, unit, box.x - 8, box.y + box.h + 16, style);
  }
}

function mark(context, x, y, verdict, colour) {
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = 1.8;
  context.beginPath();
  if (verdict === "fail") {
    for (const [dx, dy] of [[-4, -4], [4, -4]]) {
      context.moveTo(x + dx, y + dy);
      context.lineTo(x - dx, y - dy);
    }
    context.stroke();
    return;
  }
  context.arc(x, y, 3.6, 0, 7);
  if (verdict === "pass") context.fill();
  else context.stroke();
}
