// SPDX-License-Identifier: Apache-2.0
//! A device in Zig: each rise of strike 0 is answered by a pulse of 50 ns, 300 ns later.

const std = @import("std");

const version = 1;
const done = 0;
const more = 1;
const delay_ps = 300_000;
const width_ps = 50_000;
const most = 64;

const Edge = extern struct { time_ps: i64, pin: u8, level: u8 };

/// `plexor_device` of plexor_device.h up to what this device has; what is left out is null.
const Calls = extern struct {
    version: u32,
    bytes: u32,
    create: *const fn ([*:0]const u8, u32, [*]u8, usize) callconv(.c) ?*anyopaque,
    destroy: *const fn (*anyopaque) callconv(.c) void,
    input: *const fn (*anyopaque, i64, u32, u32) callconv(.c) void,
    advance: *const fn (*anyopaque, i64, [*]Edge, *u32) callconv(.c) i32,
    failure: ?*const fn (*anyopaque) callconv(.c) [*:0]const u8 = null,
    quiet_until_ps: *const fn (*anyopaque) callconv(.c) i64,
};

/// Its edges wait in a ring.
const Echo = struct {
    strike: bool,
    edges: [most]Edge = undefined,
    first: usize = 0,
    count: usize = 0,

    fn add(self: *Echo, time_ps: i64, level: u8) void {
        self.edges[(self.first + self.count) % most] = .{ .time_ps = time_ps, .pin = 0, .level = level };
        self.count += 1;
    }
};

fn of(device: *anyopaque) *Echo {
    return @ptrCast(@alignCast(device));
}

fn create(_: [*:0]const u8, strikes: u32, _: [*]u8, _: usize) callconv(.c) ?*anyopaque {
    const echo = std.heap.c_allocator.create(Echo) catch return null;
    echo.* = .{ .strike = strikes & 1 != 0 };
    return echo;
}

fn destroy(device: *anyopaque) callconv(.c) void {
    std.heap.c_allocator.destroy(of(device));
}

fn input(device: *anyopaque, time_ps: i64, strikes: u32, _: u32) callconv(.c) void {
    const echo = of(device);
    const strike = strikes & 1 != 0;
    if (strike and !echo.strike and echo.count + 2 <= most) {
        echo.add(time_ps + delay_ps, 1);
        echo.add(time_ps + delay_ps + width_ps, 0);
    }
    echo.strike = strike;
}

fn advance(device: *anyopaque, to_ps: i64, edges: [*]Edge, count: *u32) callconv(.c) i32 {
    const echo = of(device);
    const room = count.*;
    count.* = 0;
    while (echo.count > 0 and echo.edges[echo.first].time_ps < to_ps) {
        if (count.* == room) return more;
        edges[count.*] = echo.edges[echo.first];
        count.* += 1;
        echo.first = (echo.first + 1) % most;
        echo.count -= 1;
    }
    return done;
}

fn quiet_until_ps(device: *anyopaque) callconv(.c) i64 {
    const echo = of(device);
    return if (echo.count == 0) std.math.maxInt(i64) else echo.edges[echo.first].time_ps;
}

const calls = Calls{
    .version = version,
    .bytes = @sizeOf(Calls),
    .create = create,
    .destroy = destroy,
    .input = input,
    .advance = advance,
    .quiet_until_ps = quiet_until_ps,
};

export fn plexor_device_get(asked: u32) ?*const Calls {
    return if (asked == version) &calls else null;
}
