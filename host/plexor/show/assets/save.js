// SPDX-License-Identifier: Apache-2.0
/** A button beside each still picture that saves it as an SVG file, in the colours that it has. */

import { button } from "./dom.js";

const STYLES = ["fill", "stroke", "font-family"];

/** Put a button into the heading of each figure that has a still picture. */
export function offerImages() {
  for (const figure of document.querySelectorAll("figure")) {
    const caption = figure.querySelector("figcaption");
    if (!caption || !figure.querySelector("svg")) continue;
    const found = button("Save image", "Save this picture as an SVG file", () => save(figure));
    found.className = "save";
    caption.insertBefore(found, caption.querySelector("p"));
  }
}

function save(figure) {
  const shown = [...figure.querySelectorAll("svg")].find((svg) => svg.getClientRects().length);
  if (!shown) return;
  const title = figure.querySelector("figcaption b").textContent.trim();
  const name = title.replace(/[^\p{L}\d]+/gu, "-");
  const link = document.createElement("a");
  link.download = `${name.toLowerCase()}.svg`;
  link.href = URL.createObjectURL(new Blob([alone(shown)], { type: "image/svg+xml" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Return a picture as a file of its own: what its page's style gives it is written into it. */
export function alone(svg) {
  const copy = svg.cloneNode(true);
  const [own, theirs] = [svg, copy].map((each) => [...each.querySelectorAll("*")]);
  own.forEach((each, place) => {
    const style = getComputedStyle(each);
    for (const name of STYLES) theirs[place].style.setProperty(name, style.getPropertyValue(name));
  });
  copy.style.background = getComputedStyle(document.body).backgroundColor;
  return new XMLSerializer().serializeToString(copy);
}
