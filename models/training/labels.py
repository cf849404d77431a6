"""Maps the labels of the public sets and of our own sentences to those of the NER model.

A label that is not in its set's table is of no use to an assistant, and is "O" in training and in
evaluation: kinds of media, film, coffee, transport or order, services and apps, ratings' units,
settings of a player, the words for more and less, descriptions of weather, personal data, e-mail
addresses, time zones, kinds of joke, facilities, cuisines, places relative to here, and what a
question is about (a word to define, a topic of news).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from models.training.bio import OUTSIDE
from models.training.markup import Sentence, Span

LABELS = [
    "person",
    "place",
    "room",
    "device",
    "item",
    "title",
    "artist",
    "list",
    "date",
    "time",
    "duration",
    "number",
    "temperature",
    "percent",
    "colour",
    "currency",
    "text",
]

TAGS = [OUTSIDE, *(f"{prefix}-{label}" for label in LABELS for prefix in "BI")]
"""The tags of the model's outputs, in order."""

_TABLES = {
    "hwu64": """
        person      person relation
        place       place_name business_name business_type
        room        house_place
        device      device_type
        item        food_type ingredient drink_type
        title       song_name playlist_name podcast_name audiobook_name movie_name radio_name
                    music_album music_genre game_name
        artist      artist_name audiobook_author
        list        list_name
        date        date general_frequency
        time        time timeofday
        percent     change_amount
        colour      color_type
        currency    currency_name
        text        event_name alarm_type
    """,
    "snips": """
        person      party_size_description
        place       city state country geographic_poi poi location_name restaurant_name
                    restaurant_type object_location_type
        item        served_dish
        title       object_name entity_name movie_name track album playlist genre
        artist      artist
        date        timeRange year
        number      rating_value best_rating party_size_number
    """,
    "own": """
        person      person
        room        area floor
        device      name
        item        item
        title       search_query
        list        list
        duration    duration start
        temperature temperature
        percent     brightness percentage position volume_level volume_step
        colour      color
        text        message timer_name
    """,
}


MAPPING = {
    origin: {
        theirs: row.split()[0]
        for row in re.sub(r"\n {20}", " ", table).strip().splitlines()
        for theirs in row.split()[1:]
    }
    for origin, table in _TABLES.items()
}
"""Set → label of the set → our label."""

_CLOCK = re.compile(
    r"\b(?:[ap] ?m|o clock|o'clock|noon|midnight|now|hours?|minutes?|seconds?|morning|evening|night"
    r"|tonight|afternoon|breakfast|brunch|lunch|dinner|meal|supper)\b|\d:\d"
)
"""Words that make a `timeRange` a time; without them it is a date."""
_LENGTH = re.compile(
    r"(?!in |after |at |next |last |past )[a-z0-9 ]*\b(?:hours?|minutes?|seconds?)"
)
_PERCENT = re.compile(r"percent|per cent|%")
_UNIT = re.compile(
    r" ?(?:percent|per cent|%|degrees?(?: (?:celsius|fahrenheit|centigrade|[cf]\b))?)"
)
_FRACTION = re.compile(r"half|quarter|third|full|max|min")
_DIGITS_OR_WORD = re.compile(
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred"
    r"|a|and|point|minus|\d+| )+"
)


def mapped(sentence: Sentence) -> Sentence:
    """The sentence with our labels in place of its set's."""
    origin = sentence.origin if sentence.origin in MAPPING else "own"
    spans = tuple(_mapped(sentence, MAPPING[origin]))
    return Sentence(sentence.text, spans, sentence.intent, sentence.origin)


def _mapped(sentence: Sentence, table: dict[str, str]) -> Iterator[Span]:
    for span in sentence.spans:
        label = table.get(span.label)
        if label is not None:
            label, start, end = _refined(sentence.text, span, label)
            if label:
                yield Span(start, end, label)


def _refined(text: str, span: Span, label: str) -> tuple[str, int, int]:
    """Label, start and end of a span after a look at its words: "two hours" is a duration."""
    start, end = span.start, span.end
    words = text[start:end].lower()
    if span.label == "timeRange" and _CLOCK.search(words):
        label = "time"
    elif span.label == "time" and _LENGTH.fullmatch(words):
        label = "duration"
    elif label in ("percent", "temperature"):
        start += len(words) - len(re.sub(r"^(?:to|by) ", "", words))
        unit = _UNIT.match(text, end)
        end = unit.end() if unit else end
        words = text[start:end].lower()
        if label == "percent" and not (_PERCENT.search(words) or _FRACTION.search(words)):
            label = "number" if _DIGITS_OR_WORD.fullmatch(words) else ""
    return label, start, end
