// SPDX-License-Identifier: Apache-2.0
//! A device in Rust: each rise of strike 0 is answered by a pulse of 50 ns, 300 ns later.

use std::collections::VecDeque;
use std::ffi::{c_char, c_void};

const VERSION: u32 = 1;
const DONE: i32 = 0;
const MORE: i32 = 1;
const DELAY_PS: i64 = 300_000;
const WIDTH_PS: i64 = 50_000;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Edge {
    time_ps: i64,
    pin: u8,
    level: u8,
}

/// `plexor_device` of plexor_device.h up to what this device has; what is left out is null.
#[repr(C)]
pub struct Calls {
    version: u32,
    bytes: u32,
    create: extern "C" fn(*const c_char, u32, *mut c_char, usize) -> *mut c_void,
    destroy: extern "C" fn(*mut c_void),
    input: extern "C" fn(*mut c_void, i64, u32, u32),
    advance: extern "C" fn(*mut c_void, i64, *mut Edge, *mut u32) -> i32,
    error: Option<extern "C" fn(*mut c_void) -> *const c_char>,
    quiet_until_ps: extern "C" fn(*mut c_void) -> i64,
}

struct Echo {
    strike: bool,
    edges: VecDeque<Edge>,
}

fn echo<'a>(device: *mut c_void) -> &'a mut Echo {
    unsafe { &mut *device.cast::<Echo>() }
}

extern "C" fn create(_: *const c_char, strikes: u32, _: *mut c_char, _: usize) -> *mut c_void {
    let echo = Echo { strike: strikes & 1 != 0, edges: VecDeque::new() };
    Box::into_raw(Box::new(echo)).cast()
}

extern "C" fn destroy(device: *mut c_void) {
    drop(unsafe { Box::from_raw(device.cast::<Echo>()) });
}

extern "C" fn input(device: *mut c_void, time_ps: i64, strikes: u32, _load: u32) {
    let echo = echo(device);
    let strike = strikes & 1 != 0;
    if strike && !echo.strike {
        let rise_ps = time_ps + DELAY_PS;
        echo.edges.push_back(Edge { time_ps: rise_ps, pin: 0, level: 1 });
        echo.edges.push_back(Edge { time_ps: rise_ps + WIDTH_PS, pin: 0, level: 0 });
    }
    echo.strike = strike;
}

extern "C" fn advance(device: *mut c_void, to_ps: i64, edges: *mut Edge, count: *mut u32) -> i32 {
    let waiting = &mut echo(device).edges;
    let room = unsafe { std::slice::from_raw_parts_mut(edges, *count as usize) };
    let mut used = 0;
    let mut result = DONE;
    while waiting.front().is_some_and(|edge| edge.time_ps < to_ps) {
        if used == room.len() {
            result = MORE;
            break;
        }
        room[used] = waiting.pop_front().unwrap();
        used += 1;
    }
    unsafe { *count = used as u32 };
    result
}

extern "C" fn quiet_until_ps(device: *mut c_void) -> i64 {
    echo(device).edges.front().map_or(i64::MAX, |edge| edge.time_ps)
}

static CALLS: Calls = Calls {
    version: VERSION,
    bytes: std::mem::size_of::<Calls>() as u32,
    create,
    destroy,
    input,
    advance,
    error: None,
    quiet_until_ps,
};

#[no_mangle]
pub extern "C" fn plexor_device_get(version: u32) -> *const Calls {
    if version == VERSION { &CALLS } else { std::ptr::null() }
}
