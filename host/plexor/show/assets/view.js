// SPDX-License-Identifier: Apache-2.0
/** What is looked at: the times shown, the cursors, the channels; as a link can carry it. */

import { roundUp } from "./axis.js";

const LOG_FROM = 30;
/** Latencies that span more than this factor get a logarithmic axis by themselves. */

export class View {
  constructor() {
    Object.assign(this, {
      domain: null,
      log: null,
      hidden: new Set(),
      cursors: { a: null, b: null },
      overlay: { average: true, last: true, worst: true },
      decay: Infinity,
    });
    this.watchers = new Set();
  }

  /** Call back after each change. */
  onChange(callback) {
    this.watchers.add(callback);
  }

  /** Change properties, and tell. */
  set(properties) {
    Object.assign(this, properties);
    for (const callback of this.watchers) callback();
  }

  /** Return the channels that are shown. */
  shown(channels) {
    return channels.filter((channel) => !this.hidden.has(channel.number));
  }

  /** Show or hide a channel. */
  toggle(number) {
    if (!this.hidden.delete(number)) this.hidden.add(number);
    this.set({});
  }

  /** Return [low, high, log] of the axis in ticks, as chosen or as suits the channels. */
  range(channels) {
    const [low, high, spans] = extent(channels);
    const log = (this.log ?? spans) && (this.domain ? this.domain[0] > 0 : low > 0);
    if (this.domain) return [...this.domain, log];
    return log ? [low * 0.8, high * 1.25, true] : [...calm(low, high), false];
  }

  /** Return the view as the fragment of an address; times are in seconds. */
  fragment(tickS) {
    const parts = [];
    const text = (ticks) => Number((ticks * tickS).toPrecision(9)).toString();
    if (this.domain) parts.push(`t=${this.domain.map(text).join("_")}`);
    if (this.log !== null) parts.push(`log=${Number(this.log)}`);
    for (const name of ["a", "b"]) {
      if (this.cursors[name] !== null) parts.push(`${name}=${text(this.cursors[name])}`);
    }
    if (this.hidden.size) parts.push(`hide=${[...this.hidden].sort().join("_")}`);
    if (Number.isFinite(this.decay)) parts.push(`decay=${this.decay}`);
    const off = Object.keys(this.overlay).filter((name) => !this.overlay[name]);
    if (off.length) parts.push(`off=${off.join("_")}`);
    return parts.join("&");
  }

  /** Take up the view of a fragment; what it does not name, or names wrongly, stays as it is. */
  read(fragment, tickS) {
    const found = new URLSearchParams(fragment);
    const ticks = (text) => (text === null || text === "" ? NaN : Number(text) / tickS);
    const domain = (found.get("t") ?? "").split("_").map(ticks);
    if (domain.length === 2 && domain[0] < domain[1]) this.domain = domain;
    if (found.has("log")) this.log = found.get("log") === "1";
    for (const name of ["a", "b"]) {
      const at = ticks(found.get(name));
      if (Number.isFinite(at)) this.cursors[name] = at;
    }
    if (found.has("hide")) this.hidden = new Set(found.get("hide").split("_").map(Number));
    if (Number(found.get("decay")) > 0) this.decay = Number(found.get("decay"));
    for (const name of (found.get("off") ?? "").split("_")) {
      if (name in this.overlay) this.overlay[name] = false;
    }
    this.set({});
  }
}

/** Return the least and the greatest time worth showing, and whether they span decades. */
function extent(channels) {
  let [low, high] = [Infinity, -Infinity];
  for (const channel of channels) {
    if (!Number.isFinite(channel.max)) continue;
    low = Math.min(low, channel.min);
    const { fall } = channel;
    const latest = fall?.to > fall?.from ? fall.high[fall.to - 1] : channel.max;
    high = Math.max(high, channel.max, Math.min(latest, channel.max * 1.5));
  }
  if (high < low) return [0, 10_000, false];
  return [low, Math.max(high, low + 1), low > 0 && high > LOG_FROM * low];
}

/** Return a linear range with round ends, so that it seldom moves while values come. */
function calm(low, high) {
  const end = roundUp(high * 1.04);
  if (low < 0) return [-roundUp(-low * 1.04), end];
  return [low > 0.6 * high ? Math.max(2 * low - end, 0) : -0.025 * end, end];
}
