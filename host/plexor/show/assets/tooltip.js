// SPDX-License-Identifier: Apache-2.0
/** One small box of text beside the pointer. */

import { make } from "./dom.js";

const AWAY = 14;
let box = null;

/** Show a heading and lines beside a place in an element; a line is [channel or null, text]. */
export function showTip(element, at, heading, lines) {
  box ??= make("div", { className: "tip", role: "status" });
  if (box.parentNode !== element) element.append(box);
  box.replaceChildren(make("b", { textContent: heading }), ...lines.map(lineOf));
  box.hidden = false;
  const { clientWidth, clientHeight } = element;
  const { offsetWidth, offsetHeight } = box;
  const fits = at.x + AWAY + offsetWidth < clientWidth;
  const left = fits ? at.x + AWAY : Math.max(at.x - AWAY - offsetWidth, 0);
  const lowest = Math.max(clientHeight - offsetHeight, 0);
  box.style.left = `${left}px`;
  box.style.top = `${Math.min(Math.max(at.y - offsetHeight / 2, 0), lowest)}px`;
}

/** Take the box away. */
export function hideTip() {
  if (box) box.hidden = true;
}

function lineOf([channel, text]) {
  if (!channel) return make("div", { textContent: text });
  const name = make("i", { textContent: channel.name });
  name.style.color = `var(--c${channel.number % 8})`;
  return make("div", {}, name, ` ${text}`);
}
