"""What two Harks say to each other when they are paired: events of Wyoming, of a type of their own.

A base begins, which has the satellite say its number, and comes again with what was typed: both
send a share and a certificate, the base proves that it knows the number, then the satellite does;
the base pins, tells so, and the satellite pins. Nothing of it needs to be secret.
"""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from msgspec import Meta
from wyoming.event import Event

from assistant.core.errors import RoomsError
from assistant.pairing.exchange import LONGEST_CERTIFICATE_BYTES
from assistant.rooms.wire import read_event, write_event

TYPE = "hark-pair"

Hexadecimal = Annotated[bytes, Meta(max_length=LONGEST_CERTIFICATE_BYTES)]
"""Bytes, which msgspec writes to JSON in base 64."""


class Begin(msgspec.Struct, frozen=True, tag="begin"):
    """The base would like to be paired."""

    version: int
    by_key: bool


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """The satellite says its number, or has a key."""


class Share(msgspec.Struct, frozen=True, tag="share"):
    """A side's part of the exchange."""

    by_key: bool
    share: Hexadecimal
    certificate: Hexadecimal


class Confirm(msgspec.Struct, frozen=True, tag="confirm"):
    """A side's proof that it knows the secret."""

    proof: Hexadecimal


class Done(msgspec.Struct, frozen=True, tag="done"):
    """A side has pinned the other's certificate."""


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """The satellite does not go on."""

    code: Annotated[str, Meta(max_length=40)]
    message: Annotated[str, Meta(max_length=200)]


Step = Begin | Ready | Share | Confirm | Done | Refused
_STEPS = msgspec.json.Decoder(Step)


def event_of(step: Step) -> Event:
    """The event that tells of a step."""
    return Event(TYPE, msgspec.to_builtins(step))


def step_of(event: Event) -> Step:
    """The step that an event tells of; raises `RoomsError` for what is none."""
    try:
        if event.type == TYPE:
            step: Step = _STEPS.decode(msgspec.json.encode(event.data))
            return step
    except msgspec.ValidationError:
        pass
    raise RoomsError("pairing.step", "the other side sends another thing than the next step")


async def send(step: Step, writer: asyncio.StreamWriter) -> None:
    """Send a step; raises `RoomsError`."""
    await write_event(event_of(step), writer)


async def next_step(reader: asyncio.StreamReader, within_s: float) -> Step:
    """The other side's next step; raises `RoomsError`, also where it hangs up."""
    event = await read_event(reader, within_s)
    if event is None:
        raise RoomsError("pairing.lost", "the other side hung up")
    return step_of(event)
