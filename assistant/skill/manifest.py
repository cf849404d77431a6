"""What a skill claims to understand, as values that can be sent to another process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from assistant.core.messages import SlotValue
from assistant.skill.events import Subscription
from assistant.skill.home import Entity
from assistant.skill.settings import SettingSchema

Facts = tuple[tuple[str, tuple[str, ...]], ...]
"""Names of facts of a device, each with values: (("domain", ("light", "fan")),)."""


class SlotSchema(msgspec.Struct, frozen=True, kw_only=True):
    """One slot of an intent, named as in the skill's signature.

    `kind` is one of "text", "integer", "number", "boolean", "duration", "time", "date", "datetime",
    "period", "recurrence", "percentage", "temperature", "colour", "change",
    "choice" (one of `choices`), "area", "floor", "entity" (of `domains`, all when empty). A
    template's `{name}` stands for the words of this slot; `{list:name}` names another list for it.
    With `unambiguous`, equally likely other values are kept in `messages.Slot.others`; in the
    question which value was meant, `choices` are those values.
    A device fits when each fact in `requires` ("domain", or an attribute such as "device_class")
    has one of the values given there, and no fact has a value given in `excludes`.
    """

    name: str
    kind: str = "text"
    choices: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    requires: Facts = ()
    excludes: Facts = ()
    required: bool = True
    prompt: str = ""
    unambiguous: bool = False

    def fits(self, entity: Entity) -> bool:
        """Whether a device is one that this slot of kind "entity" may name."""
        return (
            (not self.domains or entity.domain in self.domains)
            and all(entity.fact(name) in wanted for name, wanted in self.requires)
            and not any(entity.fact(name) in barred for name, barred in self.excludes)
        )


class Traits(msgspec.Struct, frozen=True, kw_only=True):
    """Properties of an intent that matter when it is guessed, or referred back to.

    The defaults are those of an intent that acts.
    """

    asks: bool = False
    """It changes nothing, so it may also be guessed from a text that reports something, such as
    "did I lock the door"."""
    about: tuple[str, ...] = ()
    """Words, in the singular, for its usual subject: a guess need not use them."""
    thing: str = ""
    """The word that "it" and "them" stand for after it, where no slot names a device: "timer"."""
    needs_slot: bool = False
    """It means nothing without a slot, like "turn on"."""
    placed: bool = False
    """It may be about a room that is named in a story before it: "it's like an oven in the bedroom,
    get the fans going"."""
    of_all: bool = False
    """Without a name or a place it affects all devices of a kind: a guess must be surer."""
    only_one: bool = False
    """A home has at most one such device, which people do not name."""
    directions: tuple[str, ...] = ()
    """The directions it may go in, such as "on": a guess needs a word that says one of them."""
    takes: tuple[Literal["excluded", "when"], ...] = ()
    """What it obeys of that which a sentence may add: what is excepted, and when."""
    whole: bool = False
    """It is a whole text, and rarely the end of one: "the lamp, get rid of it"."""
    only_talk: bool = False
    """It is only replied to: its sentences are no hints for a user whose words were not understood,
    and no later text continues it."""
    only_now: bool = False
    """It makes no sense at a later time, so a time that is said with it is declined by name."""
    unmistakable: bool = False
    """Its sentences are said to an assistant alone, whatever their free text: "remind me to …", so
    that the models need not take the whole text for its intent."""
    by_name: bool = False
    """Its free text is what something is called, so that a command after an "and" is no part of it:
    "play jazz and turn on the lamp"."""
    names: str = ""
    """Its slot of free text that gives something a name, by which alone it is then called: the slot
    is told which commands its words are already."""
    commands: str = ""
    """Its slot of free text that is commands of their own: a sentence with it counts only where its
    words are that."""
    guarded: bool = False
    """It opens a way in, deletes or takes something back: no correction teaches other words for
    it."""


class IntentSchema(msgspec.Struct, frozen=True, kw_only=True):
    """One intent: its sentences in hassil's template language and its slots.

    `fixed` are slots that are set whenever one of `sentences` matches, such as domain = light.
    `area_slot` names the slot that the speaker's area fills where it is known and none was said.
    All schemas of one intent have the same `traits`.
    """

    intent: str
    sentences: tuple[str, ...]
    slots: tuple[SlotSchema, ...] = ()
    fixed: Mapping[str, SlotValue] = {}
    area_slot: str = ""
    description: str = ""
    traits: Traits = Traits()
    conditional: bool = False
    """Its sentences are short forms that mean it only while the skill says so."""


class SkillManifest(msgspec.Struct, frozen=True, kw_only=True):
    """One skill as other stages see it; `rules` are its own expansion rules.

    `served` are the intents that it carries out without a sentence of its own, `short` the short
    forms of its intents.
    """

    name: str
    api: int
    intents: tuple[IntentSchema, ...]
    served: tuple[IntentSchema, ...] = ()
    short: tuple[IntentSchema, ...] = ()
    rules: dict[str, str] = {}
    description: str = ""
    settings: tuple[SettingSchema, ...] = ()
    subscriptions: tuple[Subscription, ...] = ()
    """What its handlers wait for."""
    other_languages: tuple[str, ...] = ()
    """The further languages of which it holds sentences, which are not used."""

    @property
    def schemas(self) -> tuple[IntentSchema, ...]:
        """All that it carries out; one intent may have several."""
        return (*self.intents, *self.served, *self.short)
