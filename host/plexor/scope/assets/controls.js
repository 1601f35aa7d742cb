// SPDX-License-Identifier: Apache-2.0
/** The settings of a run as a form; its texts are those of the command line. */

import { button, make } from "./draw/dom.js";

const STRIKES = [
  ["rate", "rate", "20k", "Strikes or bursts a second: 20k, 1.5M, 300"],
  ["width", "width", "auto", "How long a strike lasts: 2us"],
  ["dither", "dither", "0", "Range of a random deviation of the period: 1024ns"],
  ["burst", "burst", "1", "Strikes in a burst"],
  ["spacing", "spacing", "–", "Time between the strikes of a burst: 5us"],
  ["count", "count", "endless", "Strikes after which the run ends: 10k"],
  ["time", "time", "endless", "Time after which the run ends: 2s"],
  ["warmup", "warm-up", "none", "Strikes before the run, in none of its figures: 500, 50ms"],
  ["load", "load", "none", "Load to put on, by name: cpu, critical; or on, for the load output"],
];
/** What is offered beside a field; other texts may be typed too. */
const OFFERED = { load: ["none", "on"], code_port: ["change"], width: ["2us"], dither: ["1024ns"] };
const LIMITS = [
  ["deadline", "deadline", "none", "Latency above which a response is late: 50us"],
  ["stop_latency", "stop on latency >", "none", "Stop at the first latency above this: 80us"],
];
const CODES = [
  ["code_port", "port", "none", "How the device shows codes: change, or the strobe's channel"],
  ["code_wires", "wires", "none", "Channels that carry codes, clock and data: ch2:ch3"],
];
const SWEEP = [
  ["low", "from", "", "Lowest rate: 1k"],
  ["high", "to", "", "Highest rate: 200k"],
  ["criteria", "keep", "", "Limit that a rate must keep: missed<1%, latency<50us:1%"],
  ["points", "first rates", "", "Number of rates in the first scan"],
];
/** The field that an error is about, where its first word is not the field's name. */
const ABOUT = {
  channel: "channels", loads: "load", period: "rate", stop_on: "stop_latency", give: "code_port",
};
const EDGE = "Edge that it answers: strike0, ch0.fall; then options: ,deadline=50us,invert";

export class Controls {
  /**
   * Build the form; settings entered with Return run, and its button sweeps. While an error is
   * shown, each change is checked.
   */
  constructor(form, onSubmit, onSweep, onCheck) {
    this.form = form;
    this.failed = "";
    this.fields = new Map();
    const strikes = group("Strikes", STRIKES.map((entry) => this.field(...entry)));
    const limits = group("Limits", LIMITS.map((entry) => this.field(...entry)));
    const missed = make("input", { type: "checkbox", name: "stop_missed" });
    this.fields.set("stop_missed", missed);
    limits.append(make("label", { className: "check" }, missed, " stop on a missed strike"));
    this.channels = group("Channels", []);
    const codes = group("Codes", CODES.map((entry) => this.field(...entry)));
    this.sweeps = group("Sweep", SWEEP.map((entry) => this.field(...entry)));
    this.sweeps.append(button("Sweep", "Find the highest rate that is sustained (w)", onSweep));
    this.sweeps.lastElementChild.id = "go";
    const hidden = make("button", { hidden: true });
    form.replaceChildren(hidden, strikes, this.channels, limits, codes, this.sweeps);
    this.fields.get("rate").value = "20k";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      // Keys steer the page again, as they do after a click on Run.
      document.activeElement?.blur();
      onSubmit();
    });
    form.addEventListener("input", ({ target }) => {
      if (target.getAttribute("aria-invalid")) this.mended();
    });
    form.addEventListener("change", () => {
      if (this.failed === "run") onCheck();
      else this.mended();
    });
  }

  /** Show an error beside the field that it is about; return whether there is one. */
  tell(text, what) {
    this.mended();
    const [, word] = /^(?:strike\d+\.)?([a-z_]+\d?)/.exec(text) ?? [];
    const name = ABOUT[word] ?? word;
    const field = this.fields.get(name) ?? this.pinOf(word);
    if (!field && name !== "channels") return false;
    this.failed = what;
    const said = make("p", { id: "wrong", className: "wrong", role: "alert", textContent: text });
    if (field) {
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-describedby", said.id);
      field.closest("label, .pin").after(said);
    } else this.channels.append(said);
    said.scrollIntoView({ block: "nearest" });
    return true;
  }

  /** Take the error away. */
  mended() {
    this.failed = "";
    this.form.querySelector(".wrong")?.remove();
    for (const field of this.form.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
    }
  }

  pinOf(word) {
    return this.channels.querySelector(`[name=edge${/^ch(\d)$/.exec(word)?.[1] ?? "-"}]`);
  }

  field(name, label, placeholder, title) {
    const input = text({ name, placeholder, title, maxLength: 40 });
    this.fields.set(name, input);
    const line = make("label", { title }, make("span", { textContent: label }), input);
    if (name in OFFERED) {
      const offered = OFFERED[name].map((value) => make("option", { value }));
      line.append(make("datalist", { id: `offered-${name}` }, ...offered));
      input.setAttribute("list", `offered-${name}`);
    }
    return line;
  }

  /** Begin a sweep's fields with defaults, where nothing has been typed. */
  begin(defaults) {
    for (const [name, text] of Object.entries(defaults)) this.fields.get(name).value ||= text;
  }

  /** Offer the pins of the instrument: of each its number, its name, and whether it is measured. */
  offer(pins) {
    const lines = pins.map(({ number, name, measured }) => {
      const title = `Measure ch${number}`;
      const line = make(
        "div",
        { className: "pin" },
        said({ type: "checkbox", checked: measured, name: `on${number}`, title }),
        said({ name: `name${number}`, value: name, maxLength: 24, title: `Name of ch${number}` }),
        said({ name: `edge${number}`, placeholder: "strike0", maxLength: 80, title: EDGE }),
      );
      line.style.setProperty("--own", `var(--c${number % 8})`);
      return line;
    });
    this.channels.replaceChildren(this.channels.querySelector("legend"), ...lines);
  }

  /** Return the settings as texts, by the names of the library. */
  values() {
    const found = { stop_on: [] };
    for (const [name, input] of this.fields) {
      if (!name.startsWith("stop_") && !isOfSweep(name)) found[name] = input.value.trim();
    }
    const over = this.fields.get("stop_latency").value.trim();
    if (over) found.stop_on.push(`latency>${over}`);
    if (this.fields.get("stop_missed").checked) found.stop_on.push("missed");
    found.channels = [...this.channels.querySelectorAll(".pin")].flatMap(channelText);
    return found;
  }

  /** Return the options of a sweep as texts, by the names of the library. */
  sweepValues() {
    const { width, dither, deadline, load: loads, channels } = this.values();
    const text = (name) => this.fields.get(name).value.trim();
    const criteria = text("criteria").split(/[ ;]+/).filter(Boolean);
    const [low, high, points] = ["low", "high", "points"].map(text);
    return { low, high, points, criteria, width, dither, deadline, loads, channels };
  }

  /** Let only the page that steers change settings. */
  enable(may) {
    for (const each of this.form.querySelectorAll("fieldset")) each.disabled = !may;
  }

  /** Show the settings of a run that another page began. */
  show(options) {
    for (const [name, input] of this.fields) {
      if (!name.startsWith("stop_") && !isOfSweep(name)) input.value = options[name] ?? "";
    }
    const stops = options.stop_on ?? [];
    const over = stops.find((each) => each.startsWith("latency>"));
    this.fields.get("stop_missed").checked = stops.includes("missed");
    this.fields.get("stop_latency").value = over ? over.slice("latency>".length) : "";
    for (const line of this.channels.querySelectorAll(".pin")) this.showChannel(line, options);
  }

  showChannel(line, { channels = [] }) {
    const [box, name, edge] = line.querySelectorAll("input");
    const own = new RegExp(`^(?:([^=]+)=)?ch${box.name.slice(2)}(?::after=(.*))?$`);
    const found = channels.map((each) => own.exec(each)).find(Boolean);
    box.checked = Boolean(found);
    if (!found) return;
    name.value = found[1] ?? `ch${box.name.slice(2)}`;
    edge.value = found[2] ?? "";
  }
}

function isOfSweep(name) {
  return SWEEP.some(([own]) => own === name);
}

/** Return a channel as the command line has it; nothing for one that is not measured. */
function channelText(line) {
  const [box, name, edge] = [...line.querySelectorAll("input")];
  if (!box.checked) return [];
  const number = box.name.slice(2);
  const label = name.value.trim();
  const named = label && label !== `ch${number}` ? `${label}=` : "";
  const after = edge.value.trim() ? `:after=${edge.value.trim()}` : "";
  return [`${named}ch${number}${after}`];
}

function group(name, children) {
  return make("fieldset", {}, make("legend", { textContent: name }), ...children);
}

/** Return a field without a label beside it: its title says what it is. */
function said(properties) {
  return text({ ...properties, ariaLabel: properties.title });
}

function text(properties) {
  const found = make("input", { spellcheck: false, ...properties });
  found.setAttribute("autocapitalize", "off");
  return found;
}
