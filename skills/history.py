"""What was said and done last, so that it can be repeated or taken back."""

from __future__ import annotations

from collections.abc import Callable

from assistant.core.errors import SkillError
from assistant.skill.context import HomeControl, ListStore, Timers
from assistant.skill.reply import Reply, Undo


class History:
    """The `Conversation` of the skills."""

    def __init__(
        self, abilities: tuple[str, ...], timers: Timers, home: HomeControl, lists: ListStore
    ) -> None:
        self._abilities = abilities
        self._last_reply = ""
        self._undo: tuple[Undo, ...] = ()
        self._operations: dict[str, Callable[[Undo], object]] = {
            "timers.cancel": lambda undo: timers.cancel(undo.id),
            "home.set": lambda undo: home.set_state(undo.id, str(undo.value)),
            "home.set_attribute": lambda undo: home.set_attribute(undo.id, undo.name, undo.value),
            "lists.remove": lambda undo: lists.remove(undo.id),
            "lists.set_done": lambda undo: lists.set_done(undo.id, bool(undo.value)),
            "lists.add": lambda undo: lists.add(undo.id, str(undo.value)),
        }

    @property
    def last_reply(self) -> str:
        """The words of the reply before this one, "" when there was none."""
        return self._last_reply

    @property
    def abilities(self) -> tuple[str, ...]:
        """What each skill can do, as a phrase that fits "I can …"."""
        return self._abilities

    def remember(self, reply: Reply, acted: bool) -> None:
        """Remember a reply that was given; if nothing was done, the last undo stays in place."""
        self._last_reply = reply.text
        if acted:
            self._undo = reply.undo if isinstance(reply.undo, tuple) else (reply.undo,)

    @property
    def undoing(self) -> tuple[Undo, ...]:
        """What `undo` would do now."""
        return self._undo

    def undo(self) -> bool:
        """Take the last action back; False when there is none that can be."""
        undo, self._undo = self._undo, ()
        for step in undo:
            if step.operation not in self._operations:
                known = ", ".join(self._operations)
                message = f'no capability can undo "{step.operation}"; there are {known}'
                raise SkillError("skill.undo", message)
            self._operations[step.operation](step)
        return bool(undo)
