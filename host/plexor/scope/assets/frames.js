// SPDX-License-Identifier: Apache-2.0
/** Binary snapshots of the server, read by the layout that it sends first. */

const READERS = {
  u2: (data, at) => data.getUint16(at, true),
  u4: (data, at) => data.getUint32(at, true),
  f8: (data, at) => data.getFloat64(at, true),
};

/** Return the fields of a record at a place of a message. */
function record(data, fields, place) {
  const found = {};
  for (const [name, [type, offset, count]] of Object.entries(fields)) {
    const read = READERS[type];
    if (count === 1) found[name] = read(data, place + offset);
    else found[name] = Array.from({ length: count }, (_, i) => read(data, place + offset + 8 * i));
  }
  return found;
}

/** Return a message as an object; throw an Error for one of another version. */
export function decode(buffer, layout) {
  const data = new DataView(buffer);
  const frame = record(data, layout.header, 0);
  if (frame.magic !== layout.magic || frame.version !== layout.version) {
    throw new Error("a frame of another version; load the page again");
  }
  frame.simulated = Boolean(frame.flags & layout.flags.simulated);
  frame.running = Boolean(frame.flags & layout.flags.running);
  frame.invalid = Boolean(frame.flags & layout.flags.invalid);
  const count = frame.channels;
  frame.channels = [];
  for (let i = 0; i < count; i++) {
    const channel = record(data, layout.channel, layout.header_bytes + i * layout.channel_bytes);
    const named = layout.classes.map((name, k) => [name, channel.classes[k]]);
    channel.classes = Object.fromEntries(named);
    for (const kind of ["rise", "fall"]) {
      const of = (field) => channel[`${kind}_${field}`];
      const counts = new Float64Array(buffer, of("at"), of("cells"));
      channel[kind] = { bits: of("mantissa_bits"), first: of("first"), counts };
    }
    frame.channels.push(channel);
  }
  return frame;
}
