# SPDX-License-Identifier: Apache-2.0
"""A root folder like that of Linux, with boards plugged in."""

from __future__ import annotations

import os
from pathlib import Path

from plexor.wire.desk.doctor import Level, examine
from plexor.wire.link.boards import FT2232H


class Tree:
    """A root folder with USB devices, as sysfs, devtmpfs and udev show them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.count = 0
        self.write("sys/bus/usb/devices/usb1/idVendor", "1d6b\n")
        self.write("sys/bus/usb/devices/usb1/idProduct", "0002\n")
        self.write("sys/bus/usb/devices/usb1/busnum", "1\n")
        self.write("sys/bus/usb/devices/usb1/devnum", "1\n")
        self.forbidden: set[str] = set()
        self.programs = {"g++", "cargo", "openFPGALoader", "dfu-util"}

    def write(self, name: str, text: str = "") -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def plug(self, usb_id, product="", serial="", ttys=(), latency="1", cdc=False) -> None:
        """Plug a device in; `ttys` are (interface, name)."""
        self.count += 1
        device = f"sys/bus/usb/devices/1-{self.count}"
        for name, text in (
            ("idVendor", f"{usb_id[0]:04x}"),
            ("idProduct", f"{usb_id[1]:04x}"),
            ("busnum", "1"),
            ("devnum", str(self.count + 3)),
            *((("product", product),) if product else ()),
            *((("serial", serial),) if serial else ()),
        ):
            self.write(f"{device}/{name}", text + "\n")
        self.write(f"{device}:1.0/bInterfaceNumber", "00\n")
        for interface, tty in ttys:
            folder = f"{device}:1.{interface}/" + ("tty/" if cdc else "")
            self.write(f"{folder}{tty}/uevent")
            self.write(f"dev/{tty}")
            if not cdc:
                self.write(f"sys/bus/usb-serial/devices/{tty}/latency_timer", latency + "\n")
        self.write(f"dev/bus/usb/001/{self.count + 3:03}")

    def examine(self):
        """Return what the doctor says, as (level, text, command)."""

        def access(path: Path, mode: int) -> bool:
            assert mode == os.R_OK | os.W_OK
            assert path.is_relative_to(self.root)
            return f"/{path.relative_to(self.root)}" not in self.forbidden

        def which(program: str) -> str | None:
            return f"/usr/bin/{program}" if program in self.programs else None

        return examine(self.root, access, which)

    def wrong(self):
        return [entry for entry in self.examine() if entry.level == Level.MISSING]


ICEBREAKER = {
    "usb_id": FT2232H,
    "product": "iCEBreaker V1.1a",
    "serial": "ib57aa",
    "ttys": ((0, "ttyUSB0"), (1, "ttyUSB1")),
}
