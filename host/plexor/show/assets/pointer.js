// SPDX-License-Identifier: Apache-2.0
/** Zoom, pan and cursors by mouse, finger and keyboard, over the axis that all pictures share. */

import { cursorAt } from "./cursors.js";

const WHEEL = 0.0015;
const LEAST_TICKS = 4;

/**
 * Let an element steer a view; `area()` returns its axis, or null. If `focused`, the wheel scrolls
 * the page until the element has the focus.
 */
export function steer(element, view, area, onPointer, focused) {
  const down = new Map();
  let drag = null;

  const place = (event) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  element.addEventListener("wheel", (event) => {
    const axis = area();
    if (!axis || event.ctrlKey || (focused && document.activeElement !== element)) return;
    event.preventDefault();
    const { x } = place(event);
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      pan(view, axis, (event.deltaX || event.deltaY) / (axis.end - axis.start));
    } else zoom(view, axis, axis.value(x), Math.exp(event.deltaY * WHEEL));
  }, { passive: false });

  element.addEventListener("pointerdown", (event) => {
    const axis = area();
    if (!axis || event.button) return;
    const { x } = place(event);
    down.set(event.pointerId, x);
    element.setPointerCapture(event.pointerId);
    const cursor = cursorAt(view, axis, x, event.pointerType === "touch" ? 18 : 6);
    drag = { cursor, axis, x, moved: false, pinch: spread(down) };
  });

  element.addEventListener("pointermove", (event) => {
    const at = place(event);
    const axis = area();
    onPointer(at);
    if (!axis) return;
    if (!drag || !down.has(event.pointerId)) {
      element.style.cursor = cursorAt(view, axis, at.x) ? "ew-resize" : "crosshair";
      return;
    }
    down.set(event.pointerId, at.x);
    drag.moved ||= Math.abs(at.x - drag.x) > 3;
    if (drag.pinch && down.size > 1) {
      const now = spread(down);
      zoom(view, drag.axis, drag.axis.value(now.middle), drag.pinch.width / Math.max(now.width, 8));
    } else if (drag.cursor) {
      view.set({ cursors: { ...view.cursors, [drag.cursor]: axis.value(clamp(at.x, axis)) } });
    } else if (drag.moved) {
      pan(view, drag.axis, (drag.x - at.x) / (drag.axis.end - drag.axis.start));
    }
  });

  const lift = (event) => {
    down.delete(event.pointerId);
    if (!down.size) drag = null;
  };
  element.addEventListener("pointerup", lift);
  element.addEventListener("pointercancel", lift);
  element.addEventListener("pointerleave", () => onPointer(null));
  element.addEventListener("dblclick", () => view.set({ domain: null }));
}

function clamp(x, axis) {
  return Math.min(Math.max(x, axis.start), axis.end);
}

function spread(down) {
  if (down.size < 2) return null;
  const [one, two] = [...down.values()];
  return { width: Math.max(Math.abs(one - two), 8), middle: (one + two) / 2 };
}

/** Zoom an axis by a factor about a time; below 1 is closer. */
export function zoom(view, axis, ticks, factor) {
  if (axis.log) {
    const [low, high] = [axis.low, axis.high].map((end) => ticks * (end / ticks) ** factor);
    view.set({ domain: [low, high] });
    return;
  }
  const low = ticks + (axis.low - ticks) * factor;
  const high = ticks + (axis.high - ticks) * factor;
  if (high - low >= LEAST_TICKS && high - low < 2 ** 32) view.set({ domain: [low, high] });
}

/** Move an axis by a part of its length. */
export function pan(view, axis, part) {
  if (axis.log) {
    const factor = Math.exp(part * axis.span);
    view.set({ domain: [axis.low * factor, axis.high * factor] });
  } else view.set({ domain: [axis.low + part * axis.span, axis.high + part * axis.span] });
}
