// SPDX-License-Identifier: Apache-2.0
/** The table of figures, the light of the accounting, and how far the run is. */

import { make } from "./draw/dom.js";
import { formatRate, formatSeconds, grouped } from "./draw/format.js";

/**
 * Fill the table: a row for each channel. A head is [text, whether its cells have notes], a cell
 * [text, note, whether it alarms].
 */
export function fillTable(element, { heads, rows }) {
  if (!rows.length) {
    element.replaceChildren();
    return;
  }
  let table = element.querySelector("table");
  const same = table?.tBodies[0].rows.length === rows.length;
  if (!same || table.tHead.rows[0].cells.length !== heads.length) {
    table = build(heads, rows.length);
    element.replaceChildren(table);
  }
  rows.forEach((row, place) => {
    const cells = [...table.tBodies[0].rows[place].cells];
    set(cells.shift(), row.name).style.color = `var(--c${row.number % 8})`;
    row.cells.forEach(([text, note, alarms], column) => {
      set(cells.shift(), text).classList.toggle("alarm", alarms);
      if (heads[column + 1][1]) set(cells.shift(), note);
    });
  });
}

function build(heads, count) {
  const table = make("table");
  const head = table.createTHead().insertRow();
  for (const [textContent, noted] of heads) {
    head.append(make("th", { textContent, scope: "col", colSpan: noted ? 2 : 1 }));
  }
  const body = table.createTBody();
  for (let i = 0; i < count; i++) {
    const row = body.insertRow();
    heads.forEach(([, noted], column) => {
      row.insertCell().className = column ? "" : "name";
      if (noted) row.insertCell().className = "note";
    });
  }
  return table;
}

/** Change a cell's text only where it differs: most stay as they are. */
function set(cell, text) {
  if (cell.textContent !== text) cell.textContent = text;
  return cell;
}

/** Show the light: what is known of the books, during the run and after it. */
export function showLight(element, frame, books) {
  const [state, head, text] = light(frame, books);
  element.className = state;
  element.querySelector("b").textContent = head;
  element.querySelector("span").textContent = text;
}

const LIGHTS = {
  good: "Every event accounted for",
  bad: "Books do not balance: these figures prove nothing",
  doubt: "Events are missing",
};

/** Return the light's state, its head and its text. */
function light(frame, books) {
  if (books.state in LIGHTS) return [books.state, LIGHTS[books.state], books.text];
  if (!frame) return ["unknown", "No run yet", "set strikes and channels, then Run"];
  if (!frame.channels.every((channel) => channel.conserved)) {
    return ["bad", "Classes do not add up", "a strike or a response is in no class, or in two"];
  }
  const received = `received ${grouped(frame.received)}`;
  const gone = [
    [frame.dropped, "dropped on chip"],
    [frame.lost, "frames lost on the link"],
    [frame.faults, "damaged stretches"],
  ].filter(([count]) => count).map(([count, what]) => `${grouped(count)} ${what}`);
  if (gone.length) return ["doubt", LIGHTS.doubt, `${gone.join(", ")} so far; ${received}`];
  return ["sofar", "Nothing dropped or lost so far", `${received}; balance at the end`];
}

/** Show how far the run is. */
export function showNow(element, frame, state) {
  const entries = [["state", state.single && state.phase === "running" ? "single" : state.phase]];
  if (frame) {
    const of = frame.expected_strikes ? ` of ${grouped(frame.expected_strikes)}` : "";
    entries.push(["strikes", `${grouped(frame.strikes)}${of}`]);
    entries.push(["rate", frame.elapsed_s ? formatRate(frame.strikes / frame.elapsed_s) : "–"]);
    entries.push(["instrument's time", formatSeconds(frame.elapsed_s, 3)]);
    entries.push(["wall time", formatSeconds(frame.wall_s, 3)]);
    if (frame.elapsed_s && frame.wall_s > 1.05 * frame.elapsed_s && frame.simulated) {
      entries.push(["slower than real", `${Math.round(frame.wall_s / frame.elapsed_s)} ×`]);
    }
  }
  while (element.childElementCount > entries.length) element.lastElementChild.remove();
  entries.forEach(([name, text], place) => {
    let each = element.children[place];
    each ??= element.appendChild(make("div", {}, make("dt"), make("dd")));
    const [term, value] = each.children;
    if (term.textContent !== name) term.textContent = name;
    if (value.textContent !== text) value.textContent = text;
  });
}
