"""The routines that are kept: their names, and what they do."""

from __future__ import annotations

import msgspec

from assistant.english.commands.verbs import third_person
from assistant.skill import Context, KeptCommand, Reply, Request, SkillError

MOST_ROUTINES = 100
MOST_COMMANDS = 20
LONGEST_NAME = 5
"""Most words of a name."""
_KEY = "routine "
_BEFORE = frozenset(("the", "my", "our", "a", "an"))
_KINDS = frozenset(("routine", "shortcut"))


class Routine(msgspec.Struct, frozen=True, kw_only=True):
    """Commands under a name."""

    name: str
    """As it was said."""
    commands: tuple[KeptCommand, ...]

    @property
    def title(self) -> str:
        """The name at the beginning of a sentence."""
        return f"{self.name[:1].upper()}{self.name[1:]}"

    def does(self, context: Context) -> str:
        """What it does, as a phrase that fits "it …"."""
        return context.say([third_person(command.title) for command in self.commands])


def own_name(said: str) -> str:
    """A routine's name as it was said, without the words around it."""
    words = said.strip(" .,!?").split()
    while words and words[0].casefold() in _BEFORE:
        words.pop(0)
    if words[1:] and words[-1].casefold() in _KINDS:
        words.pop()
    return " ".join(words)


def find(said: str, context: Context) -> Routine | None:
    """The routine that words name; None for none, and for one that is damaged."""
    try:
        found: Routine | None = context.storage.get(_key(said), Routine | None, None)
    except SkillError as error:
        context.log.error("a routine is damaged and is passed over: %s", error.message)
        return None
    return found


def every(context: Context) -> list[Routine]:
    """Every routine, in the order of the names."""
    keys = context.storage.keys(_KEY)
    found = (find(key.removeprefix(_KEY), context) for key in keys)
    return [routine for routine in found if routine is not None]


def names(context: Context) -> list[str]:
    """The name of every routine."""
    return [routine.name for routine in every(context)]


def keep(routine: Routine, context: Context) -> None:
    """Keep a routine in place of one of the same name."""
    context.storage.set(_key(routine.name), routine)


def drop(routine: Routine, context: Context) -> None:
    """Forget a routine."""
    context.storage.delete(_key(routine.name))


def is_meant(request: Request, context: Context) -> bool:
    """Whether a text names a routine: one that there is, or one that is so called."""
    slot = request.slot("name")
    if slot is None:
        return False
    if find(str(slot.value), context) is not None:
        return True
    text, name = request.text.casefold(), str(slot.value).casefold()
    called_so = any(f"{name} {kind}" in text for kind in _KINDS)
    return called_so and not text.startswith(name)


def unknown(name: str) -> Reply:
    """Say that there is no such routine."""
    return Reply(f"There is no routine called {own_name(name)}.", done=False)


def _key(said: str) -> str:
    return f"{_KEY}{own_name(said).casefold().replace('-', ' ')}"
