// SPDX-License-Identifier: Apache-2.0
/** Buttons below the stack: what a phone has no keys for. */

import { button, make } from "./dom.js";
import { pan, zoom } from "./pointer.js";

const DECAYS = [["∞", Infinity], ["10 s", 10], ["2 s", 2], ["0.5 s", 0.5]];

/** Fill an element with the buttons of a stack; `live` also has a decay of the traces. */
export function fillTools(element, stack, view, live) {
  const part = (share) => {
    const { axis } = stack;
    return axis.value(axis.start + share * (axis.end - axis.start));
  };
  const cursor = (name, share) => {
    const big = name.toUpperCase();
    return button(big, `Cursor ${big} (${name})`, () => {
      const at = view.cursors[name] === null ? part(share) : null;
      view.set({ cursors: { ...view.cursors, [name]: at } });
    });
  };
  const overlays = Object.keys(view.overlay).map((name) => {
    const found = button(name, `Show or hide the ${name} trace`, () => {
      view.set({ overlay: { ...view.overlay, [name]: !view.overlay[name] } });
    });
    found.dataset.overlay = name;
    return found;
  });
  const [a, b] = [cursor("a", 1 / 3), cursor("b", 2 / 3)];
  const log = button("log", "Logarithmic axis of time (l)", () => {
    view.set({ log: !stack.axis.log });
  });
  const decay = live ? decayChoice(view) : null;
  element.replaceChildren(
    a,
    b,
    button("−", "Zoom out (-)", () => zoom(view, stack.axis, part(0.5), 1 / 0.7)),
    button("+", "Zoom in (+)", () => zoom(view, stack.axis, part(0.5), 0.7)),
    button("◂", "Earlier (←)", () => pan(view, stack.axis, -0.2)),
    button("▸", "Later (→)", () => pan(view, stack.axis, 0.2)),
    button("fit", "Show everything (0)", () => view.set({ domain: null })),
    log,
    ...overlays,
    ...(decay ? [decay] : []),
  );
  const mark = () => {
    a.setAttribute("aria-pressed", view.cursors.a !== null);
    b.setAttribute("aria-pressed", view.cursors.b !== null);
    log.setAttribute("aria-pressed", Boolean(stack.axis?.log));
    for (const each of overlays) {
      each.setAttribute("aria-pressed", view.overlay[each.dataset.overlay]);
    }
    if (decay) decay.querySelector("select").value = String(view.decay);
  };
  view.onChange(mark);
  mark();
}

function decayChoice(view) {
  const choice = make("select", { id: "decay", title: "How long a trace stays" });
  for (const [text, seconds] of DECAYS) choice.append(new Option(text, String(seconds)));
  choice.addEventListener("change", () => view.set({ decay: Number(choice.value) }));
  return make("label", {}, "persistence ", choice);
}
