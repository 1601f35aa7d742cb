// SPDX-License-Identifier: Apache-2.0
/** The live page: what comes from the server, drawn; what is asked for, sent. */

import { make } from "./draw/dom.js";
import { fillHelp, listen, POINTER, stackKeys } from "./draw/keys.js";
import { fillLegend } from "./draw/legend.js";
import { Stack } from "./draw/stack.js";
import { isDark, setTheme, startTheme } from "./draw/theme.js";
import { fillTools } from "./draw/tools.js";
import { View } from "./draw/view.js";
import { Codes } from "./codes.js";
import { Controls } from "./controls.js";
import { Feed } from "./feed.js";
import { Kept } from "./kept.js";
import { decode } from "./frames.js";
import { Outliers } from "./outliers.js";
import { fillTable, showLight, showNow } from "./panel.js";
import { Probe } from "./probe.js";
import { Socket } from "./socket.js";
import { Sweep } from "./sweep.js";

const STEERING = ["run", "stop", "single", "clear", "keep"];
const SET = ["run", "single", "check"];
const byId = (id) => document.getElementById(id);
const seconds = () => performance.now() / 1000;

startTheme();
const feed = new Feed();
const view = new View();
const stack = new Stack(byId("stack"), view, feed, byId("readout"));
const probe = new Probe(stack);
const outliers = new Outliers(byId("outliers"));
const sweep = new Sweep(byId("sweep"));
const codes = new Codes(byId("codes"));
const kept = new Kept(byId("kept"), {
  draw: (runs) => {
    feed.takeRecorded(runs);
    stack.ask();
  },
  note: (run, note) => socket.send("note", { run, note }),
  refused: (text) => notice(text),
});
const asks = (what) => () => ask(what);
const controls = new Controls(byId("settings"), asks("run"), asks("sweep"), asks("check"));
fillTools(byId("tools"), stack, view, true);
const legend = byId("tools").appendChild(make("span", { className: "legend" }));
const now = {
  layout: null,
  state: { phase: "idle", options: {}, kept: [] },
  books: { state: "unknown", text: "" },
  seats: { steers: false, pages: 0 },
  asked: "",
};
globalThis.plexor = { feed, view, stack, probe, controls, kept, now };

function ask(what) {
  if (what !== "check") now.asked = what;
  if (what === "sweep") {
    sweep.follow();
    socket.send(what, controls.sweepValues());
  } else if (what === "keep") socket.send(what, { session: kept.session.value });
  else socket.send(what, SET.includes(what) ? controls.values() : {});
}

function takeAbout({ device, source, simulated, tick_fs, pins, notes, sweep: defaults }) {
  Object.assign(byId("device"), { textContent: device, title: device });
  byId("source").textContent = source;
  byId("source").className = `badge ${simulated ? "bad" : "good"}`;
  byId("source").hidden = false;
  document.title = `${device} · ${source} · Plexor scope`;
  feed.setTick(tick_fs / 1e15);
  controls.offer(pins);
  controls.begin(defaults);
  if (now.state.run) controls.show(now.state.options);
  if (notes.length) notice(notes.join("; "), "doubt");
  view.read(location.hash.slice(1), feed.tickS);
}

function takeState(state) {
  const before = now.state;
  now.state = state;
  if (state.run && state.run !== before.run && !now.seats.steers) controls.show(state.options);
  if (feed.frame && state.run !== feed.frame.run) feed.reset();
  if (state.error && state.error !== before.error) refused(state.error);
  else if (state.doubt && state.doubt !== before.doubt) notice(state.doubt, "doubt");
  else if (["starting", "sweeping"].includes(state.phase) && state.phase !== before.phase) {
    controls.mended();
    notice("");
  }
  const last = state.kept.at(-1);
  if (last && before.kind && last !== before.kept.at(-1)) notice(`kept in ${last}`, "good");
  refresh();
  stack.ask();
}

function takeFrame(data) {
  const frame = decode(data, now.layout);
  feed.take(frame, seconds());
  feed.takeOutliers(outliers.all);
  probe.take(frame);
  fillLegend(legend, view, feed.channels);
  refresh();
  stack.ask();
  return frame.frame;
}

function takeFigures(figures) {
  feed.takeFigures(figures);
  feed.takeOutliers(outliers.all);
  fillTable(byId("table"), figures);
  fillLegend(legend, view, feed.channels);
  stack.ask();
}

const socket = new Socket({
  hello: ({ layout }) => {
    now.layout = layout;
    notice("");
  },
  about: takeAbout,
  edges: ({ bits, edges }) => feed.takeEdges(bits, edges),
  state: takeState,
  seats: (seats) => {
    now.seats = seats;
    refresh();
  },
  books: (books) => {
    now.books = books;
    refresh();
  },
  figures: takeFigures,
  exact: (found) => {
    feed.takeExact(found);
    stack.ask();
  },
  outliers: (found) => {
    outliers.take(found.outliers, found.names, feed.tickS);
    feed.takeOutliers(outliers.all);
  },
  sweep: (found) => sweep.take(found),
  codes: (found) => codes.take(found),
  runs: (found) => kept.take(found),
  notice: ({ text }) => refused(text),
  frame: takeFrame,
  lost: (reason) => {
    notice(`no connection: ${reason}`);
    now.seats = { steers: false, pages: 0 };
    refresh();
  },
});

function notice(text, kind = "bad") {
  Object.assign(byId("notice"), { hidden: !text, textContent: text, className: kind });
}

/** Say what was refused: beside the field that it is about, or above all; nothing: all is well. */
function refused(text) {
  const beside = text && controls.tell(text, now.asked === "sweep" ? "sweep" : "run");
  if (!text) controls.mended();
  notice(beside ? "" : text);
}

function refresh() {
  const { state, seats, books } = now;
  const busy = state.phase !== "idle";
  for (const what of STEERING) byId(what).disabled = !seats.steers;
  byId("stop").disabled ||= !busy;
  byId("run").textContent = busy ? "Run again" : "Run";
  byId("run").classList.toggle("on", state.phase === "running");
  byId("keep").textContent = state.keeping ? "Kept at the end" : "Keep";
  byId("steer").hidden = Boolean(seats.steers) || !seats.pages;
  const others = seats.steers ? `${seats.pages - 1} watching` : "you are watching";
  byId("seats").textContent = seats.pages > 1 || !seats.steers ? others : "";
  controls.enable(seats.steers);
  kept.enable(seats.steers);
  showLight(byId("light"), feed.frame, books);
  showNow(byId("now"), feed.frame, state);
}

for (const what of [...STEERING, "steer"]) byId(what).addEventListener("click", () => ask(what));
byId("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
byId("help").addEventListener("click", () => byId("keys").showModal());
const press = (id) => () => byId(id).click();
const keys = [
  ["r", "run with these settings", press("run")],
  ["s", "stop", press("stop")],
  [" ", "single: one strike, or one burst", press("single")],
  ["c", "clear: begin again from nothing", press("clear")],
  ["k", "keep the run in a folder", press("keep")],
  ["w", "sweep", press("go")],
  ...stackKeys(stack, view),
  ["d", "dark or light", press("theme")],
  ["?", "this list", press("help")],
];
fillHelp(byId("keys"), keys, POINTER);
listen(keys, (number) => view.toggle(number));

view.onChange(() => {
  feed.setDecay(view.decay);
  fillLegend(legend, view, feed.channels);
  history.replaceState(null, "", `#${view.fragment(feed.tickS)}`);
});

/** Draw while traces fade. */
function animate() {
  requestAnimationFrame(animate);
  probe.frame();
  if (Number.isFinite(view.decay) && now.state.phase === "running") {
    feed.age(seconds());
    stack.fade();
  }
}
requestAnimationFrame(animate);
