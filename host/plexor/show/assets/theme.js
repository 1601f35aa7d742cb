// SPDX-License-Identifier: Apache-2.0
/** Colours of the page for canvases, and the switch between dark and light. */

const NAMES = ["paper", "panel", "ink", "muted", "grid", "worst", "last", "good", "bad", "doubt"];
const STEPS = 128;
const watchers = new Set();
let known = null;

/** Return the colours in force: by name, `channel[n]`, and `ramp[n]`, STEPS shades up to it. */
export function colours() {
  known ??= read();
  return known;
}

/** Call back after each change of colours. */
export function onColours(callback) {
  watchers.add(callback);
}

/** Use dark, light or, for null, what the system prefers. */
export function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  try {
    if (theme) localStorage.setItem("plexor-theme", theme);
    else localStorage.removeItem("plexor-theme");
  } catch {
    // A page from a file may have no storage: the theme then lasts as long as the page.
  }
  changed();
}

/** Return whether the page is dark now. */
export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Take up the theme that was chosen last, and follow the system's. */
export function startTheme() {
  try {
    const kept = localStorage.getItem("plexor-theme");
    if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
  } catch {
    // As above.
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

function changed() {
  known = null;
  for (const callback of watchers) callback();
}

function read() {
  const style = getComputedStyle(document.documentElement);
  const found = { dark: isDark(), channel: [], ramp: [] };
  for (const name of NAMES) found[name] = style.getPropertyValue(`--${name}`).trim();
  found.font = style.getPropertyValue("--font").trim() || "sans-serif";
  for (let n = 0; n < 8; n++) found.channel.push(style.getPropertyValue(`--c${n}`).trim());
  const panel = rgb(found.panel);
  const peak = found.dark ? [255, 255, 255] : [0, 0, 0];
  found.ramp = found.channel.map((colour) => ramp(panel, rgb(colour), peak));
  found.strengths = found.channel.map(rgb);
  found.panelRgb = panel;
  return found;
}

/** Return opaque shades as 32-bit pixels: from the panel to a colour, and a little beyond it. */
function ramp(panel, colour, peak) {
  const found = new Uint32Array(STEPS);
  for (let step = 0; step < STEPS; step++) {
    const part = step / (STEPS - 1);
    const shade = Math.min(part / 0.8, 1);
    const glow = Math.max(part - 0.8, 0) * 1.4;
    found[step] = pixel(panel.map((from, i) => {
      const mixed = from + (colour[i] - from) * shade;
      return mixed + (peak[i] - mixed) * glow;
    }));
  }
  return found;
}

/** Return red, green and blue as one opaque pixel, little-endian. */
export function pixel([red, green, blue]) {
  const [r, g, b] = [red, green, blue].map(Math.round);
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** Return red, green and blue of `#rrggbb`. */
export function rgb(text) {
  const value = parseInt(text.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export const SHADES = STEPS;
