"""Notes: what the user wants remembered, in the user's own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from assistant.english.commands.list_words import key_words
from assistant.skill import (
    Confirm,
    Context,
    Dialog,
    ListItem,
    Reply,
    Request,
    Skill,
    Undo,
    count,
    prompt,
)
from skills.home.lists.meant import NOTES

Note = Annotated[str, prompt("What shall I note?")]
_FOR_ELSEWHERE = re.compile(r"\b(?:list|calendar|diary|agenda)$")
"""End of a text that writes something down in another place."""
_BARE = re.compile(r"(?:remember|note)\b(?! (?:that|down|to self|to myself)\b)")
"""Beginning of a text that may also be talk, or a command: "remember the milk"."""
_TOLD = re.compile(r"(?:remember|note) (?:i|we|he|she|they|it|there|my|our|his|her|their)\b")
_SHORTEST_TOLD = 5
"""Least words of such a text that tells something."""

skill = Skill("home")
skill.rule("note", "(note|note down|write down|jot down|remember|make a note of|keep in mind)")
skill.rule("noted", "(noted|noted down|wrote down|written down|jotted down|told you|asked you)")
skill.rule("read", "(read|read out|tell|show|give|list|what are|what is in)")


def _is_note(request: Request, context: Context) -> bool:
    """Whether a text is for the notes, and tells something where it does not say so."""
    text = request.text.casefold().rstrip(".!? ")
    told = _TOLD.match(text) is not None and len(text.split()) >= _SHORTEST_TOLD
    return (told or _BARE.match(text) is None) and _FOR_ELSEWHERE.search(text) is None


@skill.short(
    "KeepNote",
    "(note|note down|write down|jot down|put down) that {text:what}",
    "(remember|keep in mind|bear in mind|memorise|do not forget|make sure you remember) [for me]"
    " that {text:what}",
    "(take|make|write|add|create|leave|keep|save) [me] (a|another) [quick|little|mental|new] note"
    " [that|of|about|to|saying|for me|of the fact that] {text:what}",
    "(take|make|write|add|create|leave) [me] (a|another) [quick|little|new] note",
    "(note down|write down|jot down|make a note of) {text:what}",
    "[a|new] note (that|to self|to myself) [that|to] {text:what}",
    "[a] (new|quick|another) note [that] {text:what}",
    "(remember|note) {text:what}",
    holds=_is_note,
)
def keep_note(what: Note, context: Context) -> Reply:
    """Keep a note."""
    text = what.strip()
    undo = Undo("lists.remove", context.lists.add(NOTES, text).id)
    return Reply(f"I noted: {text}.", undo=undo, about=(undo.id,))


def _is_kept(request: Request, context: Context) -> bool:
    """Whether something is noted about the topic, where one is named."""
    slot = request.slot("topic")
    return slot is None or bool(_about(slot.raw, context))


@skill.short(
    "ReadNotes",
    "what (did|have) (i|we) (ask|asked|tell|told|want|wanted|get) you to <note>"
    " [about {text:topic}]",
    "what (did|have) (i|we) [just] (note|noted|note down|noted down|jot down|write down)"
    " [today|so far]",
    "<read> [me|us] [out|all] [of] (my|our|the) notes [back] [about {text:topic}]",
    "(what|which|how many) notes (do i have|have i got|are there|did i make|have i made)"
    " [about {text:topic}]",
    "[have i got|do i have|are there|do we have] any notes [about {text:topic}]",
    "my notes [please]",
    "[read|what is|what was|tell me|show me] [me] (my|the|that) [last|latest] note [again|please]",
    holds=_is_kept,
)
@skill.short(
    "ReadNotes",
    "what (did|have) (i|we) (say|said|note|noted|tell you|told you|write down) about {text:topic}",
    "(where|when|what time) (did|have) i (say|said|tell you|told you|note|noted|write down) [that]"
    " {text:topic} [is|are|was|were|is kept]",
    holds=_is_kept,
)
def read_notes(context: Context, topic: str = "") -> Reply:
    """Say what was noted, all of it or about something that notes tell of."""
    found = _about(topic, context)
    if found:
        about = tuple(note.id for note in found)
        return Reply(f"You noted: {context.say([note.text for note in found])}.", about=about)
    return Reply("You have no notes.")


@skill.short(
    "DeleteNotes",
    "(delete|remove|forget|scrap|clear|wipe|throw away) [all] [of] (my|our|the|that|this|every)"
    " (notes|note)",
    "(delete|remove|forget|scrap|clear) [all] (my|the|that) (note|notes) (about|on|that|with)"
    " {text:topic}",
    holds=_is_kept,
)
def delete_notes(context: Context, topic: str = "") -> Dialog:
    """Delete the notes about something, or all if the user is sure."""
    return (yield from _delete(_about(topic, context), context))


def _spoken_of(context: Context) -> list[ListItem]:
    """The notes that were told last."""
    return [note for note in context.lists.items(NOTES) if note.id in context.conversation.about]


@skill.short(
    "DeleteToldNotes",
    "(delete|remove|scrap|erase|bin) (it|that|this|that one|them|those)",
    holds=lambda request, context: bool(_spoken_of(context)),
)
def delete_told_notes(context: Context) -> Dialog:
    """Delete the notes that were told last, several if the user is sure."""
    return (yield from _delete(_spoken_of(context), context))


def _delete(found: Sequence[ListItem], context: Context) -> Dialog:
    if not found:
        return Reply("You have no notes.")
    if len(found) > 1 and not (yield Confirm(f"Shall I delete {count(len(found), 'note')}?")):
        return Reply("Okay, I left them as they are.")
    for note in found:
        context.lists.remove(note.id)
    undo = tuple(Undo("lists.add", NOTES, note.text) for note in found)
    said = f"your note: {found[0].text}" if len(found) == 1 else count(len(found), "note")
    return Reply(f"I deleted {said}.", undo=undo)


def _about(topic: str, context: Context) -> tuple[ListItem, ...]:
    """The notes that have all words of a topic in them; all notes for none."""
    wanted = key_words(topic)
    notes = context.lists.items(NOTES)
    return tuple(note for note in notes if wanted <= key_words(note.text))
