// SPDX-License-Identifier: Apache-2.0
/** The recorded runs: each opens beside the live one, and those that are ticked are compared. */

import { make } from "./draw/dom.js";

export class Kept {
  constructor(section) {
    this.section = section;
    this.session = make("input", {
      name: "session",
      placeholder: "session",
      maxLength: 40,
      title: "Keep runs in a folder of this name",
    });
    this.list = make("ul");
    this.together = make("a", { target: "_blank", textContent: "Compare the ticked runs" });
    this.list.addEventListener("change", () => this.tick());
    const title = make("h2", { textContent: "Recorded runs" });
    section.append(title, this.session, this.list, this.together);
  }

  /** Take the names of the runs, the newest first. */
  take({ names }) {
    const ticked = new Set(this.ticked);
    this.list.replaceChildren(...names.map((name) => {
      const checked = ticked.has(name);
      const box = make("input", { type: "checkbox", value: name, checked });
      box.setAttribute("aria-label", `Compare ${name}`);
      const open = make("a", { href: address([name]), target: "_blank", textContent: name });
      return make("li", {}, box, open);
    }));
    this.tick();
  }

  get ticked() {
    return [...this.list.querySelectorAll("input:checked")].map((box) => box.value);
  }

  tick() {
    this.together.hidden = this.ticked.length < 2;
    this.together.href = address(this.ticked);
  }
}

function address(names) {
  return `kept?${new URLSearchParams(names.map((name) => ["run", name]))}`;
}
