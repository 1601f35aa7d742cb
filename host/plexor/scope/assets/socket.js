// SPDX-License-Identifier: Apache-2.0
/** The connection to the server: it comes back by itself, and says which frames have come. */

const AGAIN_MS = 1000;
const REASONS = { 4403: "refused", 4429: "too many messages", 4400: "not understood" };

export class Socket {
  /** `on` has a function for each kind of document, `frame` for frames, and `lost` for the end. */
  constructor(on) {
    this.on = on;
    this.open();
  }

  open() {
    const address = new URL("live", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    this.socket = new WebSocket(address);
    this.socket.binaryType = "arraybuffer";
    this.socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") {
        const found = JSON.parse(data);
        this.on[found.kind.replace(/\d+$/, "")]?.(found);
      } else this.send("seen", { frame: this.on.frame(data) });
    });
    this.socket.addEventListener("close", ({ code, reason }) => {
      this.on.lost(reason || REASONS[code] || "the server has gone");
      if (!(code in REASONS)) setTimeout(() => this.open(), AGAIN_MS);
    });
  }

  /** Send a command. */
  send(what, options = {}) {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify({ do: what, ...options }));
  }
}
