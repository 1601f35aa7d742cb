// SPDX-License-Identifier: Apache-2.0
/** The stack: persistence, histogram, tail and waterfall over one axis of time. */

import { Axis } from "./axis.js";
import { ccdfTip, drawCcdf } from "./ccdf.js";
import { drawCursors, readOut } from "./cursors.js";
import { make } from "./dom.js";
import { drawHistogram, histogramTip } from "./histogram.js";
import { fit, LEFT, panel, RIGHT, timeAxis, timeTicks, write } from "./paint.js";
import { drawNames, drawPersistence } from "./persistence.js";
import { steer } from "./pointer.js";
import { colours, onColours, pixel, rgb } from "./theme.js";
import { hideTip, showTip } from "./tooltip.js";
import { drawWaterfall, waterfallTip } from "./waterfall.js";
import { formatSeconds, formatShare } from "./format.js";

const TITLE = 20;
const FOOT = 24;
const PARTS = { persistence: 0.5, histogram: 0.22, tail: 0.13, waterfall: 0.15 };
const LEAST = { persistence: 60, histogram: 84, tail: 56, waterfall: 60 };
const LEAST_ROW = 22;
const LABEL = "Traces after the strike, and histogram, tail and waterfall of latencies";

export class Stack {
  /**
   * Draw into an element; `source` has tickS, channels, waterfall, strikeTicks and `busy`, and may
   * have channels of other runs.
   */
  constructor(element, view, source, readout, options = {}) {
    Object.assign(this, { element, view, source, readout, scratch: {}, boxes: {}, axis: null });
    this.base = element.appendChild(make("canvas"));
    // Traces fade at every frame. A canvas of their own is a smaller one to paint.
    this.traces = element.appendChild(make("canvas"));
    this.over = element.appendChild(make("canvas"));
    this.base.setAttribute("role", "img");
    this.base.setAttribute("aria-label", LABEL);
    this.over.className = "over";
    this.pointer = null;
    this.waiting = false;
    this.painted = 0;
    new ResizeObserver(() => this.ask()).observe(element);
    view.onChange(() => this.ask());
    onColours(() => {
      this.scratch = {};
      this.ask();
    });
    this.over.tabIndex = 0;
    const onPointer = (at) => {
      this.pointer = at;
      this.askOver();
    };
    steer(this.over, view, () => this.axis, onPointer, options.wheel === "focused");
  }

  /** Draw at the next frame. */
  ask() {
    this.whole = true;
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  /** Draw the traces in this frame, where nothing else has changed. */
  fade() {
    // What waits is drawn in this frame too.
    if (!this.waiting) this.draw();
  }

  askOver() {
    if (this.waiting || this.waitingOver) return;
    this.waitingOver = true;
    requestAnimationFrame(() => {
      this.waitingOver = false;
      if (!this.waiting) this.drawOver();
    });
  }

  /** Return the channels that are shown. */
  get channels() {
    return this.view.shown(this.source.channels);
  }

  /** Return the channels of other runs that are shown. */
  get others() {
    return this.view.shown(this.source.others ?? []);
  }

  /** Draw what was asked for now. */
  draw() {
    if (this.whole || !this.axis) this.drawAll();
    else {
      const { channels } = this;
      this.drawTraces(channels, this.frame(channels));
    }
    this.whole = false;
    this.painted++;
  }

  drawAll() {
    const context = fit(this.base);
    if (!context) return;
    const { width, height } = this.base.getBoundingClientRect();
    const { channels } = this;
    this.layOut(width, height, channels.length);
    const drawn = [...channels, ...this.others];
    const [low, high, log] = this.view.range(drawn.length ? drawn : this.source.channels);
    this.axis = new Axis(low, high, LEFT, width - RIGHT, log);
    context.clearRect(0, 0, width, height);
    const frame = this.frame(channels);
    const { persistence, histogram, tail, waterfall } = this.boxes;
    for (const box of [histogram, tail, waterfall]) {
      panel(context, box, this.axis, this.source.tickS);
    }
    this.traces.style.height = `${persistence.h}px`;
    this.drawTraces(channels, frame);
    drawNames(context, persistence, channels, frame);
    if (!channels.length) {
      const style = { size: 13, colour: colours().muted, anchor: "center" };
      write(context, this.source.nothing ?? "", LEFT + persistence.w / 2, persistence.h / 2, style);
    }
    drawHistogram(context, histogram, channels, frame, frame.others);
    drawCcdf(context, tail, channels, frame, frame.others);
    drawWaterfall(context, waterfall, this.source.waterfall, channels, frame);
    timeAxis(context, { x: LEFT, y: height - FOOT }, this.axis, this.source.tickS);
    this.drawOver();
  }

  drawTraces(channels, frame) {
    drawPersistence(fit(this.traces), this.boxes.persistence, channels, frame);
  }

  /** Return what pictures need besides their channels. */
  frame(channels) {
    const { axis, source, view, scratch } = this;
    const ratio = globalThis.devicePixelRatio || 1;
    return {
      axis,
      ratio,
      scratch,
      tickS: source.tickS,
      strikeTicks: source.strikeTicks,
      overlay: view.overlay,
      others: this.others,
      severalReferences: new Set(channels.map((channel) => channel.reference)).size > 1,
      gridPixels: timeTicks(axis, source.tickS).map(([x]) => Math.floor((x - LEFT) * ratio)),
      gridPixel: pixel(rgb(colours().grid)),
    };
  }

  layOut(width, height, channels) {
    const traces = Math.max(LEAST.persistence, LEAST_ROW * (channels + 1));
    const least = { ...LEAST, persistence: traces };
    const needed = Object.values(least).reduce((sum, each) => sum + each, FOOT + 3 * TITLE);
    const spare = Math.max(height - needed, 0);
    let y = 0;
    for (const name of Object.keys(PARTS)) {
      const h = Math.round(least[name] + spare * PARTS[name]);
      this.boxes[name] = { x: LEFT, y, w: Math.round(width - LEFT - RIGHT), h };
      y += h + TITLE;
    }
    const last = this.boxes.waterfall;
    last.h = Math.max(height - FOOT - last.y, 20);
  }

  drawOver() {
    const context = fit(this.over);
    if (!context || !this.axis) return;
    const { width, height } = this.over.getBoundingClientRect();
    context.clearRect(0, 0, width, height);
    const inside = this.pointer && this.pointer.x >= LEFT && this.pointer.x <= width - RIGHT;
    const area = { axis: this.axis, tickS: this.source.tickS, top: 0, bottom: height - FOOT };
    drawCursors(context, area, this.view, inside ? this.pointer : null);
    if (this.readout) readOut(this.readout, this.view, this.channels, this.source.tickS);
    if (inside) this.tip();
    else hideTip();
  }

  tip() {
    const { x, y } = this.pointer;
    const found = Object.entries(this.boxes).find(([, box]) => y >= box.y && y <= box.y + box.h);
    if (!found) {
      hideTip();
      return;
    }
    const [name, box] = found;
    const ticks = this.axis.value(x);
    const lines = this.tipLines(name, box, ticks, y);
    showTip(this.element, this.pointer, formatSeconds(ticks * this.source.tickS, 5), lines);
  }

  tipLines(name, box, ticks, y) {
    const { channels, source } = this;
    const drawn = [...channels, ...this.others];
    if (name === "histogram") return histogramTip(drawn, ticks, source);
    if (name === "tail") return ccdfTip(drawn, ticks);
    if (name === "waterfall") {
      return waterfallTip(source.waterfall, channels, ticks, (y - box.y) / box.h);
    }
    return channels.map((channel) => [channel, `${formatShare(levelAt(channel, ticks))} active`]);
  }
}

function levelAt(channel, ticks) {
  const count = (cells) => {
    let sum = 0;
    for (let i = cells.from; i < cells.to && cells.low[i] <= ticks; i++) sum += cells.counts[i];
    return sum;
  };
  const active = count(channel.rise) - (channel.fall ? count(channel.fall) : 0);
  return channel.traces ? Math.min(Math.max(active / channel.traces, 0), 1) : NaN;
}
