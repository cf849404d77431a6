"""The answer to a text that a peer said, as Wyoming's events."""

from __future__ import annotations

from collections.abc import AsyncIterator

from wyoming.asr import Transcript as Transcribed
from wyoming.event import Event
from wyoming.handle import Handled, HandledChunk, HandledStart, HandledStop, NotHandled
from wyoming.intent import Entity, Intent, NotRecognized

from assistant.core.messages import SpokenReply
from assistant.rooms.asking import Peer, replies_to, require_short
from assistant.rooms.daemon import Daemon

NOTHING = "I heard nothing."


async def answered(daemon: Daemon, said: Transcribed, peer: Peer) -> AsyncIterator[Event]:
    """What a text is answered with, each sentence as soon as it is there, and then the whole.

    Of these a peer takes the one or the other: it cannot ask for either. What cannot be done comes
    as a whole alone. Raises `RoomsError` where no answer comes in time.
    """
    if not said.text.strip():  # the daemon has no reply to it
        yield NotRecognized(NOTHING, said.context).event()
        return
    replies: list[SpokenReply] = []
    streamed = False
    async for reply in replies_to(daemon, require_short(said.text), peer):
        if reply.handed:
            yield _intent(reply, said)
            return
        if not replies and (streamed := reply.more or reply.done):
            yield HandledStart(said.context).event()
        if streamed:
            yield HandledChunk(f" {reply.text}" if replies else reply.text).event()
        replies.append(reply)
    text = " ".join(reply.text for reply in replies)
    told: Handled | NotHandled | NotRecognized = Handled(text, said.context)
    if not replies[-1].done:
        known = replies[-1].intent is not None
        told = (NotHandled if known else NotRecognized)(text, said.context)
    yield told.event()
    if streamed:
        yield HandledStop().event()


def _intent(reply: SpokenReply, said: Transcribed) -> Event:
    """What the peer is to do, and to say then."""
    (command,) = reply.handed
    entities = [Entity(slot.name, slot.value) for slot in command.slots]
    return Intent(command.intent, entities, reply.text, said.context).event()
