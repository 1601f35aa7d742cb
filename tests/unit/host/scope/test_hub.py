# SPDX-License-Identifier: Apache-2.0
"""Pages that watch: the newest of everything, never a queue, and one that steers."""

import asyncio
import json

import pytest

from plexor.scope.hub import MOST_FRAMES_S, MOST_UNSEEN, Hub


class Wire:
    """A connection that may be held up."""

    def __init__(self):
        self.texts, self.frames = [], []
        self.open = asyncio.Event()
        self.open.set()

    async def send_text(self, data):
        await self.open.wait()
        self.texts.append(json.loads(data))

    async def send_bytes(self, data):
        await self.open.wait()
        self.frames.append(data)

    def of(self, kind):
        return [text for text in self.texts if text["kind"] == kind]


@pytest.fixture
def played():
    """Return a player of a scene with a hub, in an event loop of its own."""

    def play(scene):
        async def whole():
            hub = Hub()
            hub.attach(asyncio.get_running_loop())
            await asyncio.wait_for(scene(hub), 20)

        asyncio.run(whole())

    return play


async def settle():
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_new_page_is_told_everything_and_shown_the_last_frame(played):
    async def scene(hub):
        hub.show("about", {"device": "x"})
        hub.show("state", {"phase": "idle"})
        hub.show("state", {"phase": "running"})
        hub.frame(1, b"one")
        hub.frame(2, b"two")
        await settle()
        wire = Wire()
        sender = asyncio.create_task(hub.enter(wire).send())
        await settle()
        assert [text["phase"] for text in wire.of("state")] == ["running"]
        assert wire.of("about") == [{"kind": "about", "device": "x"}]
        assert wire.frames == [b"two"]
        sender.cancel()

    played(scene)


def test_a_page_that_has_not_seen_its_frames_gets_no_more_and_then_the_newest(played):
    async def scene(hub):
        wire = Wire()
        page = hub.enter(wire)
        sender = asyncio.create_task(page.send())
        for number in range(1, 40):
            hub.frame(number, b"%d" % number)
            await asyncio.sleep(0.02)
        assert len(wire.frames) == MOST_UNSEEN
        assert not page.seen(39)
        assert page.seen(1)
        await asyncio.sleep(2 / MOST_FRAMES_S)
        assert wire.frames[-1] == b"39"
        assert len(wire.frames) == MOST_UNSEEN + 1
        sender.cancel()

    played(scene)


def test_a_held_up_connection_keeps_one_document_of_each_kind(played):
    async def scene(hub):
        wire = Wire()
        sender = asyncio.create_task(hub.enter(wire).send())
        await settle()
        wire.open.clear()
        for number in range(500):
            hub.show("figures", {"number": number})
            await asyncio.sleep(0)
        wire.open.set()
        await settle()
        assert len(wire.of("figures")) <= 2
        assert wire.of("figures")[-1]["number"] == 499
        sender.cancel()

    played(scene)


def test_documents_come_in_the_order_of_their_last_change(played):
    async def scene(hub):
        wire = Wire()
        sender = asyncio.create_task(hub.enter(wire).send())
        await settle()
        wire.open.clear()
        for kind in ("first", "state", "figures", "state"):
            hub.show(kind, {})
            await asyncio.sleep(0)
        wire.open.set()
        await settle()
        assert [text["kind"] for text in wire.texts[-3:]] == ["first", "figures", "state"]
        sender.cancel()

    played(scene)


def test_frames_are_no_more_frequent_than_they_may(played):
    async def scene(hub):
        wire = Wire()
        page = hub.enter(wire)
        sender = asyncio.create_task(page.send())
        loop = asyncio.get_running_loop()
        began = loop.time()
        number = 0
        while loop.time() - began < 0.5:
            number += 1
            hub.frame(number, b"%d" % number)
            await asyncio.sleep(0.002)
            for frame in wire.frames:
                page.seen(int(frame))
        assert 2 <= len(wire.frames) <= 0.5 * MOST_FRAMES_S + 2
        sender.cancel()

    played(scene)


def test_the_first_page_steers_until_another_takes_over_or_it_leaves(played):
    async def scene(hub):
        first, second = hub.enter(Wire()), hub.enter(Wire())
        assert hub.steering == first.number
        hub.steer(second)
        assert hub.steering == second.number
        hub.leave(first)
        assert hub.steering == second.number
        hub.leave(second)
        assert hub.steering is None
        third = hub.enter(Wire())
        assert hub.steering == third.number

    played(scene)


def test_each_page_knows_whether_it_steers_and_how_many_watch(played):
    async def scene(hub):
        wires = [Wire(), Wire()]
        senders = [asyncio.create_task(hub.enter(wire).send()) for wire in wires]
        await settle()
        seats = [wire.of("seats")[-1] for wire in wires]
        assert [entry["steers"] for entry in seats] == [True, False]
        assert [entry["pages"] for entry in seats] == [2, 2]
        for sender in senders:
            sender.cancel()

    played(scene)


def test_a_notice_goes_to_one_page_alone(played):
    async def scene(hub):
        wires = [Wire(), Wire()]
        pages = [hub.enter(wire) for wire in wires]
        senders = [asyncio.create_task(page.send()) for page in pages]
        pages[1].notice("rate: wrong")
        await settle()
        assert [len(wire.of("notice")) for wire in wires] == [0, 1]
        for sender in senders:
            sender.cancel()

    played(scene)


def test_what_is_shown_before_the_server_runs_is_kept():
    hub = Hub()
    hub.show("about", {"device": "x"})

    async def scene():
        hub.attach(asyncio.get_running_loop())
        wire = Wire()
        sender = asyncio.create_task(hub.enter(wire).send())
        await settle()
        assert wire.of("about")
        sender.cancel()

    asyncio.run(scene())
