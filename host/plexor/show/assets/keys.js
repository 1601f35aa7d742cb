// SPDX-License-Identifier: Apache-2.0
/** The keyboard: one list of what keys do, which `?` shows. */

import { button, make } from "./dom.js";
import { pan, zoom } from "./pointer.js";

/** Return the keys of a stack: [key, what it does, action]. */
export function stackKeys(stack, view) {
  const middle = () => stack.axis.value((stack.axis.start + stack.axis.end) / 2);
  const at = () => (stack.pointer ? stack.axis.value(stack.pointer.x) : middle());
  const cursor = (name) => () => {
    const same = view.cursors[name] !== null && !stack.pointer;
    view.set({ cursors: { ...view.cursors, [name]: same ? null : at() } });
  };
  return [
    ["a", "cursor A to the pointer", cursor("a")],
    ["b", "cursor B to the pointer", cursor("b")],
    ["x", "take the cursors away", () => view.set({ cursors: { a: null, b: null } })],
    ["+", "zoom in", () => zoom(view, stack.axis, at(), 0.7)],
    ["-", "zoom out", () => zoom(view, stack.axis, at(), 1 / 0.7)],
    ["ArrowLeft", "earlier", () => pan(view, stack.axis, -0.1)],
    ["ArrowRight", "later", () => pan(view, stack.axis, 0.1)],
    ["0", "show everything", () => view.set({ domain: null })],
    ["l", "logarithmic axis of time, or linear", () => view.set({ log: !stack.axis.log })],
    ["1–8", "show or hide a channel", null],
  ];
}

/** Listen to keys that are not typed into a field. */
export function listen(keys, toggleChannel) {
  const actions = new Map(keys.map(([key, , action]) => [key, action]));
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest("input, select, textarea, dialog")) return;
    if (key === " " && target.closest("button, summary, a")) return;
    if (/^[1-8]$/.test(key)) toggleChannel(Number(key) - 1);
    else if (actions.get(key === "=" ? "+" : key)) actions.get(key === "=" ? "+" : key)();
    else return;
    event.preventDefault();
  });
}

/** Fill a dialog with the keys and what mouse and fingers do. */
export function fillHelp(dialog, keys, more) {
  const names = { ArrowLeft: "←", ArrowRight: "→", " ": "space" };
  const list = make("dl");
  for (const [key, meaning] of [...keys, ...more]) {
    const name = make("kbd", { textContent: names[key] ?? key });
    list.append(make("dt", {}, name), make("dd", { textContent: meaning }));
  }
  const head = make("h2", { textContent: "Keyboard and pointer" });
  dialog.replaceChildren(head, list, button("Close", "", () => dialog.close()));
}

export const POINTER = [
  ["wheel", "zoom at the pointer"],
  ["drag", "move the axis, or a cursor"],
  ["double click", "show everything"],
  ["two fingers", "zoom and move"],
];
