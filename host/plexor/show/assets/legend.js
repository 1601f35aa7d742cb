// SPDX-License-Identifier: Apache-2.0
/** The channels' names as switches: shown or hidden. */

import { button } from "./dom.js";

/** Keep an element's switches as the channels are. */
export function fillLegend(element, view, channels) {
  const names = channels.map(({ number, name }) => `${number}:${name}`).join();
  if (element.dataset.names !== names) {
    element.dataset.names = names;
    element.replaceChildren(...channels.map((channel) => entry(view, channel)));
  }
  for (const each of element.children) {
    each.setAttribute("aria-pressed", !view.hidden.has(Number(each.dataset.channel)));
  }
}

function entry(view, { number, name }) {
  const title = `Show or hide ${name} (${number + 1})`;
  const found = button(name, title, () => view.toggle(number));
  found.style.setProperty("--own", `var(--c${number % 8})`);
  found.dataset.channel = number;
  return found;
}
