// SPDX-License-Identifier: Apache-2.0
/** Elements of the page. */

/** Return a new element with properties and children. */
export function make(tag, properties = {}, ...children) {
  const found = Object.assign(document.createElement(tag), properties);
  found.append(...children);
  return found;
}

/** Return a button that does something. */
export function button(textContent, title, action) {
  const found = make("button", { type: "button", textContent, title });
  found.addEventListener("click", action);
  return found;
}
