// SPDX-License-Identifier: Apache-2.0
/** How quick the page is: when a snapshot that was taken at a time was on the screen. */

const MOST = 4096;

export class Probe {
  /** Watch a stack. `painted` has [taken, painted] in seconds since 1970, `draws` milliseconds. */
  constructor(stack) {
    Object.assign(this, { taken: 0, painted: [], draws: [], watches: false });
    this.waiting = this.drawn = null;
    const draw = stack.draw.bind(stack);
    stack.draw = () => {
      const began = performance.now();
      draw();
      if (!this.watches) return;
      if (this.draws.length < MOST) this.draws.push(performance.now() - began);
      this.drawn = this.waiting;
      this.waiting = null;
    };
  }

  /** Begin to watch. */
  start() {
    Object.assign(this, { painted: [], draws: [], watches: true });
  }

  /** Take that a frame has come. */
  take(frame) {
    this.taken++;
    this.waiting = frame.taken_unix_s;
  }

  /** Take that the browser begins a frame: what was drawn in the one before is on the screen. */
  frame() {
    if (this.drawn === null) return;
    const now = (performance.timeOrigin + performance.now()) / 1000;
    if (this.painted.length < MOST) this.painted.push([this.drawn, now]);
    this.drawn = null;
  }
}
