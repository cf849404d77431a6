"""Begins the dialogs: of the commands that were understood, or of the question which was meant."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from assistant.core.layout import CLOCK_IS_RIGHT, MUTE
from assistant.core.messages import Command, Interpretation
from assistant.skill import Context, Reply, Request, opened_by
from assistant.skill.reply import Choose, Confirm
from assistant.skill.reply import Dialog as Call
from skills.declined import not_understood
from skills.devices.devices import Devices
from skills.dialog import Dialog, Resolve, request_of, surely
from skills.dialogs.handing import ONE_AT_A_TIME, Handing
from skills.history import History
from skills.later.amended import agreed, amendment
from skills.later.later import Later
from skills.picking import did_you_mean
from skills.registry import Registry

UNDO = "Undo"
"""The intent in whose name what was done last is taken back before it is put right."""


class Openings:
    """Makes the dialogs that carry out what was said; `muted` tells whether one has muted.

    With `handing`, commands to devices are not carried out, but kept in `handed`.
    """

    def __init__(
        self,
        registry: Registry,
        context: Context,
        history: History,
        later: Later,
        devices: Devices,
        resolve: Resolve,
        mute: Callable[[], None],
        clock_is_right: Callable[[], None],
        handing: Handing | None = None,
    ) -> None:
        self._registry, self._context, self._history = registry, context, history
        self._later, self._devices, self._resolve = later, devices, resolve
        self._mute, self._handing = mute, handing
        self.muted = False
        self.handed: tuple[Command, ...] = ()
        self._clock_is_right = clock_is_right

    def begin(self) -> None:
        """Forget what the dialogs before this turn have done."""
        self.muted, self.handed = False, ()

    def of(self, said: Interpretation, expires_at_s: float) -> Dialog:
        """The dialog of the commands of an interpretation."""
        commands = self._registry.without_talk(said.commands)
        requests = [request_of(said, command) for command in commands]
        calls = [self.carry_out(request) for request in requests]
        if said.missed:
            calls.append(not_understood(said.missed))
        guessed = len(commands) == 1 and self._guessed_question(commands[0])
        dialog = Dialog(calls, commands[0].intent, expires_at_s, text=said.text, guessed=guessed)
        dialog.requests = requests
        return dialog

    def of_choices(self, said: Interpretation, expires_at_s: float) -> Dialog:
        """The dialog that asks which of several meanings is right."""
        intents = {choice.sentence: choice.command.intent for choice in said.choices}
        dialog = Dialog((self._chosen(said),), None, expires_at_s, intents, said.text)
        dialog.requests = [surely(request_of(said, c.command), c.sentence) for c in said.choices]
        return dialog

    def amended(self, text: str, dialog: Dialog, expires_at_s: float) -> Dialog | None:
        """The command that was asked about, at the time that a yes adds; None for other answers."""
        if not isinstance(dialog.query, Confirm | Choose) or len(dialog.requests) != 1:
            return None
        if (when := amendment(text, self._resolve)) is None:
            return None
        request = dialog.requests[0]
        begin = request.when
        if begin is not None and begin.begins and when.lasts:
            when = msgspec.structs.replace(begin, lasting=when)
        request = msgspec.structs.replace(request, when=when)
        call = agreed(self.carry_out(request), dialog.query.text)
        return Dialog((call,), request.intent, expires_at_s, text=dialog.text)

    def carry_out(self, request: Request, there: Context | None = None) -> Call:
        """Carry out a request, in place of what was done last where it corrects that.

        It is meant as said `there`, by default in the room, whose rights count in any case. Who
        corrects what was not understood, or declined, does not mean what was done before it.
        """
        opened = opened_by(self._history.undoing, self._devices.entities)
        if request.instead and not (opened or self._history.failed):
            undone = yield from self._undone(request)
            if not undone.done:
                return undone
        return (yield from self._call(request, there))

    def begun(self, request: Request, there: Context | None = None) -> Call:
        """Carry out a request alone, or plan it, with no effect outside the database.

        What is planned is meant as said in the room: its rights are those of where it is meant.
        """
        if request.when is not None and self._registry.can_wait(request):
            return (yield from self._later.wished(request, self._context))
        return (yield from self._registry.call(request, there or self._context, self._context))

    def _undone(self, request: Request) -> Call:
        """Take back what was done last, if that is allowed; to devices only to those of a kind.

        "Aircon on and shut the curtains. Just the thick one" leaves the aircon on.
        """
        domains = {str(slot.value) for slot in request.slots if slot.name == "domain"}
        names = {str(slot.value).casefold() for slot in request.slots if slot.name == "name"}
        domains |= {e.domain for e in self._devices.entities if e.name.casefold() in names}

        def undo() -> Call:
            yield from ()
            self._history.undo(domains)
            return Reply("")

        undoing = msgspec.structs.replace(request, intent=UNDO)
        return (yield from self._registry.guard.request(undoing, "", self._context, undo))

    def _call(self, request: Request, there: Context | None = None) -> Call:
        if self._handing is not None and self._handing.takes(request.intent):
            return (yield from self._hand(request, self._handing, there))
        reply = yield from self.begun(request, there)
        if request.intent == MUTE and reply.done:
            self._mute()
            self.muted = True
        elif request.intent == CLOCK_IS_RIGHT:
            self._clock_is_right()
        return reply

    def _hand(self, request: Request, handing: Handing, there: Context | None) -> Call:
        """Keep a command to be handed over: one of each turn, as only the first is taken."""
        if self.handed:
            return Reply(ONE_AT_A_TIME, done=False)
        command, reply = yield from handing.of(request, self.begun(request, there))
        self.handed = (command,) if command is not None else ()
        return reply

    def _guessed_question(self, command: Command) -> bool:
        """Whether `command` only asks something, and what was said may have meant another thing."""
        return command.confidence < 1.0 and self._registry.asks(command.intent)

    def _chosen(self, said: Interpretation) -> Call:
        """Carry out the one of several meanings that the user chooses; it is no guess any more."""
        commands = {choice.sentence: choice.command for choice in said.choices}
        sentence = yield did_you_mean(tuple(commands))
        told = surely(request_of(said, commands[sentence]), sentence)
        return (yield from self._call(told))
