// SPDX-License-Identifier: Apache-2.0
/**
 * The recorded runs: each opens beside the live one and takes notes; those that are ticked are
 * drawn over it, and compared.
 */

import { button, make } from "./draw/dom.js";
import { SAMPLES } from "./others.js";

const MOST_LETTERS = 200;

export class Kept {
  /**
   * `does` has what is done outside: `draw` runs over the live one, keep a `note` on a run, and say
   * that something was `refused`.
   */
  constructor(section, does) {
    Object.assign(this, { section, does, may: false, asked: 0, drawn: "" });
    this.session = make("input", {
      name: "session",
      placeholder: "session",
      maxLength: 40,
      title: "Keep runs in a folder of this name",
      ariaLabel: "Session: keep runs in a folder of this name",
    });
    this.list = make("ul");
    this.together = make("a", { target: "_blank", textContent: "Compare the ticked runs" });
    this.list.addEventListener("change", () => this.tick());
    const title = make("h2", { textContent: "Recorded runs" });
    this.hint = make("small", {
      textContent: `Ticked runs are drawn over the live one, up to ${SAMPLES.length} of them.`,
    });
    section.append(title, this.session, this.hint, this.list, this.together);
  }

  /** Take the runs with their notes, the newest first. */
  take({ runs }) {
    const ticked = new Set(this.ticked);
    this.list.replaceChildren(...runs.map((run) => this.line(run, ticked.has(run.name))));
    this.enable(this.may);
    this.tick();
  }

  line({ name, notes }, checked) {
    const box = make("input", { type: "checkbox", value: name, checked });
    box.setAttribute("aria-label", `Draw and compare ${name}`);
    const sample = make("b", { className: "sample" });
    const open = make("a", { href: address("kept", [name]), target: "_blank", textContent: name });
    const add = button("note", `Keep a note on ${name}`, () => this.ask(add, name));
    const said = notes.map((textContent) => make("q", { textContent }));
    return make("li", {}, box, sample, open, ...said, add);
  }

  /** Have a note typed in the place of its button. */
  ask(add, name) {
    const input = make("input", { maxLength: MOST_LETTERS, placeholder: "board was warm" });
    input.setAttribute("aria-label", `Note on ${name}`);
    add.replaceWith(input);
    input.focus();
    input.addEventListener("keydown", (event) => {
      const text = input.value.trim();
      if (event.key === "Enter" && text) this.does.note(name, text);
      if (["Enter", "Escape"].includes(event.key)) input.replaceWith(add);
    });
  }

  /** Let only the page that steers keep notes. */
  enable(may) {
    this.may = may;
    for (const each of this.list.querySelectorAll("button")) each.disabled = !may;
  }

  get ticked() {
    return [...this.list.querySelectorAll("input:checked")].map((box) => box.value);
  }

  tick() {
    const { ticked } = this;
    this.together.hidden = ticked.length < 2;
    this.together.href = address("kept", ticked);
    this.hint.hidden = !this.list.childElementCount;
    for (const line of this.list.children) {
      const place = ticked.indexOf(line.querySelector("input").value);
      line.querySelector(".sample").textContent = SAMPLES[place] ?? "";
    }
    const drawn = address("curves", ticked.slice(0, SAMPLES.length));
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.fetch(drawn, ticked.length > 0);
  }

  /** Have runs drawn over the live one; an answer to an earlier question is left. */
  async fetch(drawn, any) {
    const number = ++this.asked;
    const answer = any ? await fetch(drawn) : null;
    const found = answer === null ? [] : await (answer.ok ? answer.json() : answer.text());
    if (number !== this.asked) return;
    if (typeof found === "string") this.does.refused(found);
    else this.does.draw(found);
  }
}

function address(what, names) {
  return `${what}?${new URLSearchParams(names.map((name) => ["run", name]))}`;
}
