"""The feeds of the home: those that the settings name, and those that Home Assistant follows."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from assistant.english.words import words
from assistant.skill import Context, Entity, SkillError, UnreachableError
from assistant.skill.home import FEED
from skills.news.feeds import FeedError, Headline, headline, read_feed

MOST_FEEDS = 8
"""Most feeds of the settings that are asked."""
WAIT_S = 2.0
"""Most seconds in which all of them are asked, one after the other."""
AT_A_TIME = 3
"""Headlines of a feed before it is the turn of the next one."""


class NewsSettings(msgspec.Struct, frozen=True):
    """The settings of the skill."""

    feeds: dict[str, str] = msgspec.field(default_factory=dict)
    """Name of a feed, as it is said → its address, of RSS or Atom."""


class Item(msgspec.Struct, frozen=True):
    """A headline, and the name of the feed that it is from."""

    feed: str
    headline: Headline


@dataclass(frozen=True)
class Found:
    """What a feed has; where it has nothing, `lacking` is the sentence that says why."""

    feed: str
    headlines: tuple[Headline, ...] = ()
    lacking: str = ""


def names(context: Context) -> list[str]:
    """The names of all feeds, each once."""
    return list(dict.fromkeys((*_addresses(context), *_followed(context))))


def named(said: str, context: Context) -> str | None:
    """The feed that is called so; None for none."""
    wanted = _key(said)
    return next((name for name in names(context) if _key(name) == wanted), None)


def the(feed: str) -> str:
    """A feed with its article."""
    return feed if feed.casefold().startswith("the ") else f"the {feed}"


def found_in(feeds: Iterable[str], context: Context) -> list[Found]:
    """What each feed has now."""
    wanted, ends_s = list(feeds), time.monotonic() + WAIT_S
    addresses, followed = _addresses(context), _followed(context)
    asked = [name for name in wanted if name in addresses]
    found = {name: _followed_by(followed[name]) for name in wanted if name not in addresses}
    for place, name in enumerate(asked):
        # What one feed leaves of its share goes to those after it.
        within_s = max(0.0, ends_s - time.monotonic()) / (len(asked) - place)
        found[name] = _fetched(name, addresses[name], within_s, context)
    return [found[name] for name in wanted]


def in_turn(found: Iterable[Found]) -> list[Item]:
    """The headlines of feeds, a few of each at a time."""
    placed = [
        (place // AT_A_TIME, Item(one.feed, headline))
        for one in found
        for place, headline in enumerate(one.headlines)
    ]
    return [item for _, item in sorted(placed, key=lambda one: one[0])]


def _fetched(name: str, address: str, within_s: float, context: Context) -> Found:
    try:
        answer = context.network.get(address, within_s=within_s)
        if answer.status != 200:
            raise UnreachableError(f"status {answer.status}")
        return Found(name, read_feed(answer.body))
    except UnreachableError as error:
        lacking, why = _unreached(name), error.message
    except SkillError as error:
        lacking, why = f"I may not ask {the(name)}. Grant me its server.", error.message
        if error.code != "skill.permission":
            lacking = f"The address of {the(name)} in the settings is wrong."
    except FeedError as error:
        lacking, why = f"I can't read what {the(name)} sends.", str(error)
    context.log.warning("a feed is not read: %s", why)
    return Found(name, lacking=lacking)


def _followed_by(entity: Entity) -> Found:
    """What Home Assistant tells of a feed: its latest headline."""
    if entity.state == "unavailable":
        return Found(entity.name, lacking=_unreached(entity.name))
    told = headline(entity.fact("title"), entity.fact("description"))
    return Found(entity.name, (told,) if told.title else ())


def _unreached(name: str) -> str:
    news = "" if _key(name).endswith("news") else " news"
    return f"I can't reach {the(name)}{news} now."


def _addresses(context: Context) -> dict[str, str]:
    """Name → address of the feeds that are asked."""
    settings: NewsSettings = context.settings or NewsSettings()
    return dict(list(settings.feeds.items())[:MOST_FEEDS])


def _followed(context: Context) -> dict[str, Entity]:
    """Name → the feed, of those that Home Assistant follows."""
    return {one.name: one for one in context.home.entities if one.domain == FEED}


def _key(name: str) -> str:
    """A name as it is compared: "The BBC News" is "bbc news"."""
    said = words(name)
    return " ".join(said[1:] if len(said) > 1 and said[0] == "the" else said)
