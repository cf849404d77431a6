"""How what was said is read: as a short form, or as the answer to an open question."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from assistant.core.messages import Interpretation
from assistant.english.commands.digits import digits_of
from assistant.english.questions import asks
from assistant.english.replies import NO_MORE
from assistant.skill import Context, Reply
from skills.dialog import Dialog, cancels, request_of
from skills.registry import Registry
from skills.rights.pin import Pin, Tried
from skills.rights.pin_file import FEWEST

Move = Callable[[Dialog], Reply]
"""How a dialog goes on."""
_AFTER_PIN: Mapping[Tried, Move] = {
    Tried.RIGHT: lambda dialog: dialog.answer(True),
    Tried.WRONG: Dialog.refuse_pin,
    Tried.LOCKED: lambda dialog: dialog.answer(False),
}


def with_short_form(said: Interpretation, registry: Registry, context: Context) -> Interpretation:
    """The interpretation with the commands of the first short form that holds, if one does."""
    alone = all(command.confidence < 1 for command in said.commands)
    for commands in said.conditional:
        requests = (request_of(said, command, alone) for command in commands)
        if all(registry.holds(request, context) for request in requests):
            return msgspec.structs.replace(said, commands=commands, choices=())
    return said


def asks_else(said: Interpretation, dialog: Dialog, registry: Registry) -> bool:
    """Whether a text is surely no answer, although any words may be one.

    Small talk may be a name: "good night".
    """
    served = [c for c in said.commands if not registry.declines(c.intent)]
    if dialog.intent is not None and registry.names(dialog.intent):
        served = [c for c in served if not registry.is_talk(c.intent)]
    return any(command.confidence >= 1 for command in served) or asks(said.text)


def told_commands(said: Interpretation, registry: Registry) -> Move:
    """How a dialog goes on that has asked for commands."""
    if NO_MORE.fullmatch(said.text.casefold().strip(" .!")):
        return Dialog.name_no_more
    if cancels(said, None):
        return Dialog.cancel
    if said.missed or all(registry.is_talk(command.intent) for command in said.commands):
        return Dialog.ask_again
    commands = registry.without_talk(said.commands)
    requests = tuple(request_of(said, command) for command in commands)
    return lambda dialog: dialog.answer(requests)


def told_pin(said: Interpretation, pin: Pin) -> Move | None:
    """How a dialog goes on that has asked for the PIN; None where something else is wanted."""
    digits = digits_of(said.text)
    if digits is None and said.commands:
        return None
    whole = digits is not None and len(digits) >= FEWEST
    return _AFTER_PIN[pin.tried(digits or "")] if whole else Dialog.ask_again
