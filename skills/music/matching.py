"""Finds the music that is meant among the names that the player has."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from assistant.core.home.music import KINDS, Kind, Music
from assistant.english.numbers import read_number
from assistant.english.words import words

LIKE = 0.8
"""Least similarity of a name that may be meant in place of what was heard, from 0 to 1."""
MOST_OFFERED = 4
"""Most names of which the user is asked which is meant."""
CLASSES: dict[str, Kind] = {
    "album": "album",
    "record": "album",
    "playlist": "playlist",
    "artist": "artist",
    "band": "artist",
    "singer": "artist",
    "group": "artist",
    "song": "title",
    "track": "title",
    "tune": "title",
    "station": "station",
    "channel": "station",
}
"""Word for a kind of music → the kind."""

_ANYTHING = frozenset(("music", "something", "anything", "song", "songs", "a song", "tunes", "it"))
"""Words that name no music."""
_BEFORE = re.compile(r"^(?:some|any|a bit of|a little|me|us|my|our|a|an|more|another)\s+", re.I)
_FROM = re.compile(
    r"^(?:(?:the )?(?:music|songs?|tracks?|tunes?|something|anything|stuff|hits)) (?:by|from|of) ",
    re.I,
)
_KIND_FIRST = re.compile(rf"^(?:the )?({'|'.join(CLASSES)}) (?:(?:called|named|by) )?(?=\S)", re.I)
_KIND_LAST = re.compile(rf"(?<=\S) ({'|'.join(CLASSES)})$", re.I)
_FOR = re.compile(r"(?<=\S) (?:for (?:me|us|the kids|the children|everybody))$", re.I)
_MUSIC_LAST = re.compile(r"(?<=\S) (?:music|songs|tunes)$", re.I)


@dataclass(frozen=True)
class MusicMention:
    """What was said of the music: its name, perhaps its kind, perhaps whose it is."""

    name: str
    kind: Kind | None = None
    by: str = ""

    @property
    def anything(self) -> bool:
        """Whether nothing in particular was named."""
        return not self.name

    @property
    def described(self) -> str:
        """What was named, as the user is told that there is none of it."""
        by = f" by {self.by}" if self.by else ""
        if self.kind == "artist":
            return f"nothing by {self.name}"
        if self.kind in ("album", "playlist", "station"):
            return f"no {self.kind} called {self.name}{by}"
        return f"no {self.name}{by}"


def mentioned(said: str, media_class: str = "") -> MusicMention:
    """What the words of a slot say of the music: "the album kind of blue", "songs by queen"."""
    text = _plain(" ".join(said.split()))
    kind = CLASSES.get(media_class)
    if found := _FROM.match(text):
        kind, text = "artist", text[found.end() :]
    elif found := _KIND_FIRST.match(text):
        kind, text = CLASSES[found[1].casefold()], text[found.end() :]
    elif found := _KIND_LAST.search(text):
        kind, text = CLASSES[found[1].casefold()], text[: found.start()]
    if kind in (None, "title", "album"):
        text, _, by = text.partition(" by ")
    else:
        by = ""
    name = _plain(text)
    return MusicMention("" if name.casefold() in _ANYTHING else name, kind, by)


def matches(wanted: MusicMention, music: Iterable[Music]) -> tuple[Music, ...]:
    """The music that is surely meant: one, or several that are called alike; () for none.

    Of several kinds of the same name it is the first of `KINDS`.
    """
    there = [one for one in music if wanted.kind in (None, one.kind)]
    for fits in (_is_called, _holds):
        if fitting := [one for one in there if fits(one, wanted)]:
            first = min(KINDS.index(one.kind) for one in fitting)
            kind = [one for one in fitting if KINDS.index(one.kind) == first]
            return tuple(_of(one, wanted) for one in kind)
    return ()


def is_named(wanted: MusicMention, music: Iterable[Music]) -> bool:
    """Whether there is music of this very name."""
    there = (one for one in music if wanted.kind in (None, one.kind))
    return not wanted.anything and any(_is_called(one, wanted) for one in there)


def alike(wanted: MusicMention, music: Iterable[Music]) -> Music | None:
    """The music whose name is most like the one that was heard; None where none is near."""
    there = {_key(one.name): one for one in music if wanted.kind in (None, one.kind)}
    near = difflib.get_close_matches(_key(wanted.name), list(there), n=1, cutoff=LIKE)
    return _of(there[near[0]], wanted) if near else None


def named_in(text: str, music: Iterable[Music]) -> MusicMention:
    """The longest name of music that a text holds, where its words were only guessed at."""
    said = f" {_key(text)} "
    named = (one for one in music if one.kind != "title" and f" {_key(one.name)} " in said)
    longest = max(named, key=lambda one: len(_key(one.name)), default=None)
    return MusicMention("") if longest is None else MusicMention(longest.name, longest.kind)


def artist_of(wanted: MusicMention, music: Sequence[Music]) -> str | None:
    """The artist who is named after "by", as the library spells it; None where there is none."""
    artist = MusicMention(wanted.by, "artist")
    found = matches(artist, music) or tuple(filter(None, (alike(artist, music),)))
    return found[0].name if found else None


def _of(one: Music, wanted: MusicMention) -> Music:
    """The music with its artist, where one was named: whoever sings is in no genre's name."""
    return msgspec.structs.replace(one, by=wanted.by) if one.kind in ("album", "title") else one


def _is_called(one: Music, wanted: MusicMention) -> bool:
    return _key(one.name) == _key(wanted.name)


def _holds(one: Music, wanted: MusicMention) -> bool:
    named = set(_key(wanted.name).split())
    return bool(named) and named <= set(_key(one.name).split())


def _key(name: str) -> str:
    """A name as it is compared: "The Beatles" is "beatles", "Radio Four" has a 4."""
    found = _with_figures(words(name.replace("&", " and ").replace("'", "")))
    return " ".join(found[1:] if len(found) > 1 and found[0] in ("the", "a", "an") else found)


def _with_figures(said: list[str]) -> list[str]:
    """Words with numbers in figures, however they are written."""
    found, at = list[str](), 0
    while at < len(said):
        number, end = read_number(said, at) or (None, at + 1)
        found.append(said[at] if number is None else str(number))
        at = end
    return found


def _plain(text: str) -> str:
    """A name without the words around it; "the the" stays."""
    text = _FOR.sub("", text)
    while (found := _BEFORE.match(text)) and text[found.end() :].strip():
        text = text[found.end() :]
    return _MUSIC_LAST.sub("", text).strip()
