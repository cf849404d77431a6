"""What is said of the news: a few headlines at a time, more of one, and where they are from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Annotated

import msgspec

from assistant.english.stems import short_stem
from assistant.english.words import words
from assistant.skill import Choose, Context, Dialog, Reply, Request, Skill, Traits, choices, count
from skills.news.sources import AT_A_TIME, Item, found_in, in_turn, named, names, the

NO_FEEDS = "I have no news. Name a feed in the settings."
HELP = (
    "You can say: what's the news, any news about the weather, more headlines, read me the second"
    " one, or what news sources do you have."
)
ABOUT = "news"
"""What the conversation is about after headlines were told."""
KEPT = "told"
"""Key of what was told in a room, which follows it."""
MOST_KEPT = 24
"""Most headlines that are kept for "more", which is less than a value may have."""
FRESH = timedelta(minutes=30)
"""Time in which "more" goes on from what was told."""
PLACES = ("first", "second", "third")
LAST = "last"
_OPEN = frozenset(("about", "at", "for", "in", "latest", "of", "on", "through", "to", "with"))
"""Words that end no topic, as in "a quick look at the headlines"."""
ASKS = Traits(asks=True, about=("news", "headline"))

Place = Annotated[str, choices(*PLACES, LAST)]

# All but `GetNews` are short forms, which are no examples for the models: several intents with
# the same words would share what the models believe of each text, and too little be left of it.
skill = Skill("news")
skill.rule(
    "give",
    "((tell|give|read|read out|play|show|get) [me|us|everybody|everyone]|(go|run) through"
    "|hit me with|start with)",
)
skill.rule(
    "hear",
    "(i want to|i would like to|can i|can we|let me|let us|shall we) (hear|have|get|listen to)",
)
skill.rule("kind", "(latest|local|world|morning|evening|main|top|today's)")
skill.rule("some", "(an update on|a summary of|a round up of|a little of|a bit of|some of|a quick)")
skill.rule("items", "(news|headlines|news headlines|news stories|top stories)")
skill.rule("now", "(today|tonight|this morning|now|right now|at the moment|so far|these days)")
skill.rule("more", "([read me|tell me|i want to know] more (about|on|of)|read [me] [out])")
skill.rule("have", "(do you have|have you got|do you know|are there|can you read|do you read)")
skill.rule(
    "any",
    "(any|is there [any]|are there [any]|has there been any|have there been any"
    "|have you [got] any|have you heard any|do you have any|do you know any)",
)
skill.rule("what", "(what is|what are|what is in|what is on|<give>|<hear>)")


class Told(msgspec.Struct, frozen=True):
    """The headlines that were told last in a room, when, and those that follow."""

    at: datetime
    items: tuple[Item, ...]
    left: tuple[Item, ...]


def _just_told(request: Request, context: Context) -> bool:
    return ABOUT in context.conversation.about and _told(context) is not None


def _was_news(request: Request, context: Context) -> bool:
    """Whether the last reply was news: a while after it, "next" may be the next song."""
    feeds = (f"{_capital(the(name))} says" for name in names(context))
    return _just_told(request, context) and context.conversation.last_reply.startswith(tuple(feeds))


def _is_feed(request: Request, context: Context) -> bool:
    said = request.slot("feed")
    return said is not None and named(str(said.value), context) is not None


@skill.intent(
    "GetNews",
    "<what> [<some>] [the] [<kind>] <items> [<now>|please]",
    "[the] [<kind>] <items> [please|<now>]",
    "(is there anything [new]|what is new|what has happened|what happened) (in|on) the news"
    " [<now>]",
    "(put|turn|switch) the news on",
    "(update me on|catch me up on|fill me in on|bring me up to date on) the [<kind>] <items>",
    "i missed the <items> [<now>]",
    "what <items> (is there|are there|do you have|have you got) [<now>]",
    "<any> [new|fresh] <items> [<now>]",
    "what (is happening|is going on|has happened|happened|goes on) in the world [<now>]",
    "(<give>|<hear>|<what>|<any>) [new] [the] [<kind>] <items> (about|on|of|regarding) {topic}",
    "what (does|do|will|did) the (<items>|papers) say about {topic}",
    "(did|does|do) the (<items>|papers) (say|mention|have) [anything] [about|on] {topic}",
    "what is in the news about {topic}",
    "(is there anything|anything) [new] (in the news|in the papers) about {topic}",
    "<what> the {topic} <items> [<now>]",
    "[<what>|<any>] [the] [<kind>] <items> from {feed}",
    traits=msgspec.structs.replace(ASKS, unmistakable=True),
)
@skill.intent("GetNews", "who (won|is winning) the election", fixed={"topic": "the election"})
@skill.intent("GetNews", "who (won|is winning) the vote", fixed={"topic": "the vote"})
@skill.short(
    "GetNews",
    "[<what>|<any>] [the] [<kind>] {feed} <items> [<now>]",
    "[<what>|<any>] [the] [<kind>] <items> (from|of|on) {feed} [<now>]",
    "[tell me] what (does {feed} say|is {feed} saying|{feed} says) [<now>]",
    "(what is|anything|is there anything) [new] (from|on|in|at) {feed} [<now>]",
    holds=_is_feed,
)
def get_news(context: Context, feed: str = "", topic: str = "") -> Reply:
    """Tell the first headlines: of a feed, about something, or all."""
    feeds = names(context)
    if not feeds:
        return Reply(NO_FEEDS, done=False)
    if feed and (known := named(feed, context)) is not None:
        feeds = [known]
    elif feed:  # "any news from Paris"
        topic = topic or feed
    topic = "" if _OPEN & set(topic.split()[-1:]) else topic
    found = found_in(feeds, context)
    items = [item for item in in_turn(found) if _is_about(item, topic)]
    lacking = [one.lacking for one in found if one.lacking]
    if items:
        return _tell(items, lacking, context)
    if topic:
        nothing = f"I have no news about {topic}."
    else:
        empty = [the(one.feed) for one in found if not one.lacking]
        has = "has" if len(empty) == 1 else "have"
        nothing = f"{_capital(context.say(empty))} {has} no news now." if empty else ""
    return Reply(" ".join(filter(None, (nothing, *lacking))), done=False)


@skill.short(
    "MoreNews",
    "(more|[the] next|further|other) (news|headlines|headline) [please]",
    "<give> [some|the] (more|next|other) (news|headlines|headline) [please]",
    "<give> (the rest|some more|more) of the <items> [please]",
    "(<any>|is there|are there) (more|other) (news|headlines)",
    "what else is (in|on) the news",
    "what else (is happening|is going on|happened) in the world",
    "(go on|continue|carry on|read on) with the (news|headlines)",
    traits=ASKS,
)
@skill.short(
    "MoreNews",
    "[and] (next|the next ones|next one|more|go on|keep going|continue|carry on) [please|then]",
    "(what else|anything else) [is there|is new|happened]",
    "<give> [some] more [of them] [please]",
    holds=_was_news,
)
def more_news(context: Context) -> Reply:
    """Tell the headlines after those that were told; without any, the first ones."""
    told = _told(context)
    if told is None:
        return get_news(context)
    if not told.left:
        return Reply("That was all the news.", about=(ABOUT,))
    return _tell(told.left, (), context)


@skill.short(
    "ReadHeadline",
    "<more> the {place} (headline|story|article|news story|news item)",
    "what is the {place} (headline|story|article|news story|news item) about",
    "<more> the (headline|article|news story|news item) (about|on) {topic}",
    traits=ASKS,
)
@skill.short(
    "ReadHeadline",
    "[<more>] the {place} one [please]",
    "(what is|what was) the {place} one about",
    "[<more>] the one (about|on|with) {topic} [please]",
    "<more> (that|it|this|this one|that one) [please]",
    "(tell me more|more details|details|what is (that|it|this) about) [please]",
    holds=_just_told,
)
def read_headline(context: Context, place: Place | None = None, topic: str = "") -> Dialog:
    """Tell more of a headline: one by its place or its subject, asking which where that is open."""
    told = _told(context)
    if told is None:
        return Reply("I told no headlines lately.", done=False)
    items = [item for item in told.items if _is_about(item, topic)]
    if not items:
        return Reply(f"I told no headline about {topic}.", done=False)
    if place is None and len(items) > 1:
        options = PLACES[: len(items)]
        place = yield Choose(f"Which one, the {', '.join(options[:-1])} or {options[-1]}?", options)
    at = -1 if place in (None, LAST) else PLACES.index(str(place))
    if at >= len(items):
        return Reply(f"I told {count(len(items), 'headline')}.", done=False)
    item = items[at]
    if not item.headline.text:
        said = f"{_capital(the(item.feed))} says no more of that than: {item.headline.sentence}"
        return Reply(said, about=(ABOUT,))
    return Reply(f"{_capital(the(item.feed))} says: {item.headline.text}", about=(ABOUT,))


@skill.short(
    "ListFeeds",
    "(what|which) ([news] feeds|news sources|sources of news) <have>",
    "(what|which) (papers|newspapers) (do you|can you) (read|have)",
    "where (do you get|have you got) (the|your) news [from]",
    "who do you get (the|your) news from",
    "(tell me|remind me) where you get (the|your) news from",
    "who (writes|makes|sends) (the|your) (news|headlines) [you read me]",
    "where (does|do) (the|your) (news|headlines) come from",
    "where is (the|your) news from",
    "(list|name|tell me) (the|your|my|all) ([news] feeds|news sources)",
    traits=ASKS,
)
def list_feeds(context: Context) -> Reply:
    """Tell where the news is from."""
    feeds = [the(feed) for feed in names(context)]
    if not feeds:
        return Reply(NO_FEEDS, done=False)
    return Reply(f"My news is from {context.say(feeds)}.")


@skill.short(
    "HelpNews",
    "what can (i|we) (say|do|ask|ask you) (about|with) the (news|headlines)",
    "how (do|can) (i|we) (get|hear|ask for|listen to) the (news|headlines)",
    "help [me|us] with the (news|headlines)",
    holds=lambda request, context: True,  # before "what can I say", which is said of everything
    traits=Traits(asks=True),
)
def help_me() -> Reply:
    """Tell what can be said about the news."""
    return Reply(HELP)


def _is_about(item: Item, topic: str) -> bool:
    """Whether each word of a topic is in a headline, or in what is told of it."""
    text = _stems(f"{item.headline.title} {item.headline.text}")
    return _stems(topic) <= text


def _stems(text: str) -> set[str]:
    return {short_stem(word) for word in words(text)} - {"the", "a", "an"}


def _tell(items: Sequence[Item], lacking: Iterable[str], context: Context) -> Reply:
    """Tell the first of some headlines, and keep the rest for "more"."""
    now, left = tuple(items[:AT_A_TIME]), tuple(items[AT_A_TIME:MOST_KEPT])
    context.storage.set(_key(context), Told(context.now, now, left))
    said = (
        f"{_capital(the(feed))} says: {' '.join(item.headline.sentence for item in of_feed)}"
        for feed, of_feed in groupby(now, key=lambda item: item.feed)
    )
    return Reply(" ".join((*said, *lacking)), about=(ABOUT,))


def _told(context: Context) -> Told | None:
    """What was told in this room, while that is not long ago."""
    told: Told | None = context.storage.get(_key(context), Told | None, None)
    return told if told is not None and context.now - told.at < FRESH else None


def _key(context: Context) -> str:
    return f"{KEPT} {context.area.id if context.area else ''}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
