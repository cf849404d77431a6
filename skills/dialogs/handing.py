"""Commands to devices that Home Assistant is to carry out, which are handed to it as intents.

Each is tried here first without a trace, so that its questions, its rights and its PIN are those of
any other command.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from assistant.core.messages import Command, Slot
from assistant.skill import Dialog, Reply, Request
from assistant.skill.context import Answer
from assistant.skill.home import Home
from assistant.skill.manifest import SkillManifest
from assistant.skill.reply import Query
from skills.later.rehearsal import Rehearsal

DEVICES = "home"
"""The skill that commands devices."""
ITS_OWN = "Hass"
"""What the names of the intents begin with that Home Assistant carries out."""
ONE_AT_A_TIME = "Home Assistant takes one command at a time. Please say the rest again."
NOT_KNOWN = "Home Assistant has no command for that."
NOT_ADDED = "Home Assistant takes no exceptions, and nothing for later."
NOT_TOLD = "Home Assistant does not tell me how its devices are."
AS_ONE = "Home Assistant needs all of that in one sentence."
_MEANT_BY = frozenset(("name", "area"))
"""Slots of every intent that commands devices, of all those of the skill."""

Handed = tuple[Command | None, Reply]
"""The command to hand over, None for none, and what is said to it."""


class Handing:
    """Tries the commands to devices of a `home`; `manifests` are those of all skills.

    How devices are is known only where it is `linked` with Home Assistant, or with a broker.
    """

    def __init__(
        self, manifests: Iterable[SkillManifest], rehearsal: Rehearsal, home: Home, linked: bool
    ) -> None:
        self._rehearsal, self._home = rehearsal, home
        self._slot_of: dict[str, dict[str, str]] = {}
        """Intent → the question for a slot that was not said → the slot."""
        self._questions = set[str]()
        for schema in (one for m in manifests if m.name == DEVICES for one in m.schemas):
            if not {slot.name for slot in schema.slots} >= _MEANT_BY:
                continue
            if schema.traits.asks:
                self._questions |= set() if linked else {schema.intent}
            else:
                asked = {slot.prompt: slot.name for slot in schema.slots if slot.prompt}
                self._slot_of.setdefault(schema.intent, {}).update(asked)

    def takes(self, intent: str) -> bool:
        """Whether an intent commands devices, or asks of them what is not known here."""
        return intent in self._slot_of or intent in self._questions

    def of(self, request: Request, call: Dialog) -> Generator[Query, Any, Handed]:
        """Try a call, which asks what it asks, for the command that it comes to."""
        if request.intent in self._questions:
            return None, Reply(NOT_TOLD, done=False)
        if reason := _unfit(request):
            return None, Reply(reason, done=False)
        reply, answers = yield from self._rehearsal.of(call)
        slots = {slot.name: slot for slot in request.slots}
        for answer in answers:
            if isinstance(answer.value, bool):
                continue
            if (slot := self._told(request.intent, answer)) is None:
                return None, Reply(AS_ONE, done=False)
            slots[slot.name] = slot
        if not reply.done or any(answer.value is False for answer in answers):
            return None, reply
        return Command(intent=request.intent, slots=tuple(slots.values())), Reply(reply.text)

    def _told(self, intent: str, answer: Answer) -> Slot | None:
        """The slot that an answer gives; None for none."""
        value = str(answer.value)
        if name := self._slot_of[intent].get(answer.question):
            return Slot(name=name, value=answer.value, raw=value)
        meant = [e for e in self._home.entities if value.casefold() in (e.id, e.name.casefold())]
        if len(meant) == 1:
            return Slot(name="name", value=meant[0].id, raw=value)
        return None


def _unfit(request: Request) -> str:
    """Why a command cannot be handed over, whatever it does; "" where it can."""
    if not request.intent.startswith(ITS_OWN):
        return NOT_KNOWN
    if request.excluded or request.when is not None:
        return NOT_ADDED
    return AS_ONE if request.referring else ""
