// SPDX-License-Identifier: Apache-2.0
/** Still pictures with a hair line, and two cursors with their difference, on each axis. */

import { Axis } from "./axis.js";
import { make } from "./dom.js";
import { formatRate, formatSeconds } from "./format.js";
import { hideTip, showTip } from "./tooltip.js";

/** Let all pictures of a page that say where their axes are be measured. */
export function measureStill() {
  for (const svg of document.querySelectorAll("svg[data-axes]")) new Still(svg);
}

function axisOf([low, high, start, end, log, top, bottom, unit]) {
  const isTime = !unit.endsWith("Hz");
  const format = isTime ? (value) => formatSeconds(value, 5) : formatRate;
  return { axis: new Axis(low, high, start, end, Boolean(log)), top, bottom, format, isTime };
}

class Still {
  constructor(svg) {
    this.svg = svg;
    this.box = svg.parentNode;
    this.box.classList.add("measured");
    this.view = svg.viewBox.baseVal;
    this.axes = JSON.parse(svg.dataset.axes).map(axisOf);
    this.hair = this.box.appendChild(make("div", { className: "hair" }));
    this.cursors = [];
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerleave", () => this.leave());
    svg.addEventListener("click", (event) => this.click(event));
  }

  /** Return the axis below an event, the value there, and the place in pixels; or null. */
  place(event) {
    const box = this.svg.getBoundingClientRect();
    const scale = box.width / this.view.width;
    const x = (event.clientX - box.left) / scale + this.view.x;
    const y = (event.clientY - box.top) / scale + this.view.y;
    const found = this.axes.find(({ axis, top, bottom }) => {
      return y >= top && y <= bottom && x >= axis.start && x <= axis.end;
    });
    if (!found) return null;
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    return { ...found, scale, at, value: found.axis.value(x) };
  }

  move(event) {
    const found = this.place(event);
    if (!found) {
      this.leave();
      return;
    }
    this.put(this.hair, found, found.value);
    showTip(this.box, found.at, found.format(found.value), this.lines(found));
  }

  leave() {
    this.hair.hidden = true;
    hideTip();
  }

  /** Set the first cursor, then the second; then take both away. */
  click(event) {
    const found = this.place(event);
    if (!found) return;
    if (this.cursors.length === 2 || (this.cursors[0] && this.cursors[0].axis !== found.axis)) {
      for (const { line } of this.cursors) line.remove();
      this.cursors = [];
    } else {
      const line = this.box.appendChild(make("div", { className: "hair cursor" }));
      this.put(line, found, found.value);
      this.cursors.push({ ...found, line });
    }
    this.move(event);
  }

  lines({ axis, format, isTime }) {
    const own = this.cursors.filter((cursor) => cursor.axis === axis);
    const lines = own.map(({ value }, place) => [null, `${"AB"[place]} ${format(value)}`]);
    if (own.length === 2) {
      const difference = own[1].value - own[0].value;
      lines.push([null, `Δ ${format(difference)}`]);
      if (isTime && difference) lines.push([null, `1/Δ ${formatRate(1 / Math.abs(difference))}`]);
    }
    return lines;
  }

  /** Lay a line over the picture, by parts of it, so that it keeps its place on any screen. */
  put(line, { axis, top, bottom }, value) {
    const { x, y, width, height } = this.view;
    line.hidden = false;
    line.style.left = `${(100 * (axis.at(value) - x)) / width}%`;
    line.style.top = `${(100 * (top - y)) / height}%`;
    line.style.height = `${(100 * (bottom - top)) / height}%`;
  }
}
