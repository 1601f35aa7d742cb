// SPDX-License-Identifier: Apache-2.0
/** What the device did in the last run, by its codes: a timeline, and tables as text. */

import { make } from "./draw/dom.js";

export class Codes {
  constructor(section) {
    this.section = section;
    this.chosen = "timeline";
  }

  /** Show what came of a run; nothing for a device without codes. */
  take({ timeline, texts }) {
    this.section.hidden = !timeline;
    if (!timeline) return;
    const image = make("img", {
      alt: "Timeline of tasks and interrupts",
      src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(timeline)}`,
    });
    this.texts = texts;
    this.tabs = make("div", { className: "tools" });
    this.text = make("pre", { className: "scroll", tabIndex: 0 });
    for (const name of Object.keys(texts)) {
      const tab = make("button", { type: "button", textContent: name });
      tab.addEventListener("click", () => this.choose(name));
      this.tabs.append(tab);
    }
    const title = make("h2", { textContent: "What the device did" });
    this.section.replaceChildren(title, image, this.tabs, this.text);
    this.choose(this.chosen in texts ? this.chosen : Object.keys(texts)[0]);
  }

  choose(name) {
    this.chosen = name;
    this.text.textContent = this.texts[name];
    for (const tab of this.tabs.children) {
      tab.setAttribute("aria-pressed", tab.textContent === name);
    }
  }
}
