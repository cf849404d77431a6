"""Words of questions about a home: states, what sensors notice, levels, and how a question begins.

They are canonical words: a contraction is written out, and there is no "the"."""

from __future__ import annotations

from assistant.english.lists import phrase_list, word_set


def _by_phrase(table: dict[str, str]) -> dict[tuple[str, ...], str]:
    rows = ((phrase, value) for value, phrases in table.items() for phrase in phrase_list(phrases))
    return {tuple(phrase.split()): value for phrase, value in rows}


STATES = _by_phrase(
    {
        "on": "on, turn on, turned on, switch on, switched on, put on, lit, burning, come on, "
        "came on, gone on, kicked in, fired up",
        "off": "off, turn off, turned off, switch off, switched off, put off, shut off, out, "
        "gone off, gone out, "
        "turned out, switched out, turn out",
        "open": "open, opened, ajar, wide open",
        "closed": "closed, close, shut, drawn, draw, pulled to, shut properly",
        "locked": "locked, lock, locked up, lock up, bolted, bolt, deadbolted",
        "unlocked": "unlocked, unlock, unbolted",
        "running": "running, going, run",
        "playing": "playing, play",
        "paused": "paused, on pause",
        "cleaning": "cleaning, hoovering, vacuuming",
        "mowing": "mowing",
        "docked": "docked, in dock, on dock, in its dock, on its dock, on charger, at base",
        "charging": "charging",
        "stuck": "stuck, jammed",
        "low": "low, flat, empty, nearly empty, almost empty, nearly flat, running low, dead",
        "home": "home, at home",
        "up": "up",
        "down": "down",
    }
)
"""What a device may be asked to be in → the state."""
OPPOSITES = ({"on", "off"}, {"open", "closed"}, {"locked", "unlocked"}, {"up", "down"})
"""States of which a question may offer both: "is it on or off"."""

SENSED = _by_phrase(
    {
        "motion": "motion, movement, moving, somebody, someone, anybody, anyone, somebody moving, "
        "someone moving, anybody moving, anyone moving",
        "moisture": "leak, leaks, leaked, leaking, a leak, water leak, water leaks, water, flood, "
        "flooded, flooding, wet, dripping",
        "smoke": "smoke, fire, a fire, smoking",
        "gas": "gas, gas leak, a gas leak, gas leaks",
        "carbon_monoxide": "carbon monoxide",
        "vibration": "vibration, vibrations, vibrating, shaking",
        "sound": "noise, noises, a noise, any sound",
    }
)
"""What a sensor may notice → its class."""

LEVELS = _by_phrase(
    {
        "brightness": "how bright, how dim, how dark, brightness, how light, bright, dim, "
        "how brightly",
        "volume": "how loud, how quiet, volume, loud, how loudly, noise level, quiet",
        "target": "set to, set at, set for, what temperature set to, target temperature, "
        "what temperature set at, temperature set to, temperature set at, meant to reach",
        "temperature": "how warm, how hot, how cold, how cool, how chilly, temperature, warm, "
        "cold, hot, what temperature, how many degrees, chilly, cool, freezing, how freezing, "
        "sitting at",
        "humidity": "how humid, how damp, humidity, humid, damp, how dry, how moist",
        "battery": "how much battery, how much charge, battery, battery level, charge, "
        "how much power left, how full is battery, battery life, batteries, battery status, "
        "how charged, how much juice, charged, fully charged, charged up, got any charge",
        "power": "how much power, how much electricity, power, power consumption, "
        "electricity consumption, how many watts, power usage, electricity usage, consumption",
        "energy": "how much energy, energy, energy consumption, energy usage",
        "position": "how open, how far open, how wide open, how far up, how far down, position, "
        "how far closed, how closed, how far shut",
        "speed": "how fast, speed, how high, what speed",
        "colour": "what colour, what color, colour, color, which colour, which color",
        "title": "what song, what track, which song, what film, what programme, what program, "
        "what show, which track",
        "source": "what source, source, input, what input, what channel, which channel, "
        "which input, what station, which station",
        "mode": "mode, what mode, which mode",
        "atmospheric_pressure": "air pressure, pressure, atmospheric pressure",
        "carbon_dioxide": "co2, carbon dioxide, co 2, how stuffy, air quality, co2 level, "
        "carbon dioxide level, co 2 level",
        "pm25": "pm25, fine dust, particulates, how dusty",
        "wind_speed": "how windy",
        "amount": "what percentage, how many percent, percentage, what level",
    }
)
"""What may be asked how much of → the level."""

PLACELESS_LEVELS = ("brightness", "temperature", "humidity", "carbon_dioxide", "pm25", "volume")
"""Levels that a room has, without a word for a device: "how warm is it"."""

OF_AIR = ("temperature", "humidity", "carbon_dioxide", "pm25", "atmospheric_pressure")
"""Levels of a room's air."""
OF_HOME = (
    "target",
    "power",
    "energy",
    "battery",
    "title",
    "mode",
    "atmospheric_pressure",
    "source",
)
"""Levels that may be asked for of the whole home."""

_SWITCHED = ("power", "energy", "battery")
LEVELS_OF_DOMAIN = {
    "light": ("brightness", "colour", *_SWITCHED),
    "media_player": ("volume", "title", "source", *_SWITCHED),
    "climate": ("target", "temperature", "humidity", "mode", *_SWITCHED),
    "water_heater": ("target", "temperature", "mode", *_SWITCHED),
    "humidifier": ("target", "humidity", "mode", *_SWITCHED),
    "cover": ("position", *_SWITCHED),
    "valve": ("position", *_SWITCHED),
    "fan": ("speed", "mode", *_SWITCHED),
    "switch": _SWITCHED,
    "lock": _SWITCHED,
    "vacuum": ("speed", *_SWITCHED),
    "lawn_mower": _SWITCHED,
    "weather": ("temperature", "humidity", "atmospheric_pressure", "wind_speed"),
}
"""Domain → the levels that its devices have."""

OF_STRANGERS = ("battery", "brightness", "volume", "target", "temperature", "speed")
"""Levels of what a home may lack; others are asked for of much that is no device."""
AMOUNT = "amount"
"""The level for which no word was said: the device tells which is meant."""
LEVEL_OF_DOMAIN = {
    **{"light": "brightness", "media_player": "volume", "climate": "target"},
    **{"cover": "position", "valve": "position", "fan": "speed"},
    **{"humidifier": "target", "water_heater": "target"},
}
"""Domain → the level that a bare number is about: "is the lamp at fifty percent"."""

OUTDOORS = word_set(
    "outside outdoors garden yard backyard balcony terrace patio porch deck greenhouse street"
)
"""Words for where no room is."""
APPLIANCES = word_set(
    "fridge refrigerator freezer oven stove boiler water tank pool spa tub aquarium kettle dryer"
    " washer dishwasher grill smoker flow outdoor outside"
)
"""Words in the names of thermometers that do not measure the air of their room."""
OUTDOOR_PHRASES = frozenset((("out", "there"), ("it", "out"), ("out", "of", "doors")))
"""Phrases for anywhere outside."""
ANY_OUTDOORS = ("outside", "outdoors")
"""Those that name no particular place."""

BEGINNINGS = word_set(
    "is are was were did does what which who how any anything anyone anybody somebody someone"
)
"""Words with which questions begin."""
OPEN = word_set("what which who whose how where when")
"""Words with which a question begins that a plain yes or no does not answer."""
LATE_BEGINNINGS = word_set("is are did what how")
"""Those with which a question begins after a statement: "it's late, is the garage shut"."""
_BEGINNING = (
    *BEGINNINGS,
    *phrase_list(
        "has it, has anyone, has anybody, has somebody, has someone, has he, has she, has anything,"
        " have i, have we, have you, have they, do i, do we, has there, had i"
    ),
    *("has", "whose", "if", "whether"),
)
BEGINNING = frozenset(tuple(phrase.split()) for phrase in _BEGINNING)
"""Canonical words with which a question begins."""

TELLING = tuple(
    tuple(phrase.split())
    for phrase in sorted(
        phrase_list(
            "tell me, let me know, check, check if, check whether, do you know, i wonder, i want "
            "to know, i need to know, have a look, see if, see whether, double check, just check, "
            "any idea, status of, state of, do you happen to know, just tell me, find out, "
            "are you sure, am i right that"
        ),
        key=len,
        reverse=True,
    )
)
"""What people say before a question, the longest first."""

DONE_TOO = tuple(
    tuple(phrase.split())
    for phrase in phrase_list("did you do, did you get, have you done, did you also do")
)
"""First words of a question whether what was just done was done to something else, too."""
SHOWING = word_set("at on showing reading saying")
"""Last words of a question for what a sensor shows: "what's the freezer at"."""
HOW_MUCH = (("how", "much"), ("how", "many"), ("how", "full"), ("how", "low"))
"""First words of a question for what a sensor measures, which its name tells."""

NEEDING = word_set("need should must take add use")
"""Words of a question for how much there is to be, not for how much there is."""

INDIRECT = word_set("where when why who which if whether")
"""Words of another question before one: "where on earth is she"."""
INVERTED = word_set("do have has had can could should must shall will would")
"""Words before a subject that belongs to the question: "how much do we need"."""
SPEAKERS = word_set("i we he she they it you nobody that this there who")
"""First words of the statements around a question."""

STOREY_WORDS = word_set("upstairs downstairs up down")
"""First words of a floor that follows a state without a preposition: "on upstairs"."""

EVERYTHING = word_set(
    "everything anything every all any both each everywhere anywhere house whole flat apartment "
    "place nothing something everyone everybody entire total altogether overall"
)
"""Words for all devices, or for any of them."""

LISTED = word_set("which devices appliances things turned switched")
"""Words of a question for a list of devices: "which devices are on"."""
PARTICIPLES = ("locked",)
"""Last words of a question without a verb, which no command has: "everything locked"."""
COMMANDING = word_set("have get leave set make put")
"""First words of a command that ends as such a question does."""
OF_DEVICES = ("on", "off", "locked", "unlocked", "running", "charging")
"""States that only devices have, so that a home that lacks the device can say so."""
NOTABLE = ("open", "unlocked", "running")
"""States that are asked about in the whole home where no device is named: "what is open"."""

LEFT = word_set("still left leave leaving else")
"""Words of a question that is about the whole home: what is on there may be forgotten."""

FILLERS = word_set(
    "is are was were am be been being did do done does has have had a an my our your his her their "
    "its to at in of on for with by from and or got get there it that this i we you he she they "
    "kids children anyone anybody who mum dad turn turned switch switched leave left put still now "
    "just "
    "right actually already again really yet though also too so then even else at moment currently "
    "device devices thing things appliance appliances stuff level levels reading percent degrees "
    "state status setting set use uses using used draw draws drawing consume consuming "
    "take taking left remaining show shows showing say says run set please ok me if whether about "
    "way properly by chance happen know today everyone ones forget forgot forgotten not no "
    "sensor sensors detector detectors detected detect detecting reporting report yes only oh hey "
    "well what which who how many much any some every each all both whole up down here nothing "
    "anything everything something leaving air "
)
"""Words that add nothing to the rest of a question."""

AROUND_ONE = word_set(
    "1 ones other others and what about how or also in of is are my our then so ok but a that"
)
"""Words around the name of one more of a kind: "and the one in the kitchen"."""

CONTINUING = AROUND_ONE | word_set(
    "on at the there too as well for by with from oh yes now still even every all both any whole "
    "house everything anything anywhere everywhere it this i we their his her your got"
)
"""Words of a text that goes on with a question, and names nothing but what else is asked about."""

ELSEWHERE = word_set(
    "traffic road roads train trains bus buses "
    "flight flights plane planes tube tram ferry match game film movie shop "
    "shops show news party meeting school concert football timer timers alarm alarms reminder "
    "reminders list lists calendar appointment today tomorrow tonight yesterday morning afternoon "
    "evening night week weekend month year later monday tuesday wednesday thursday friday saturday "
    "sunday lunch dinner breakfast day time"
)
"""What may be on, off or running and is no device of a home, and words for times."""

TAGS = tuple(
    tuple(phrase.split())
    for phrase in phrase_list(
        "is there, are there, is it, are they, is not it, are not they, did i, did we, have i, "
        "have we, is that right, am i right"
    )
)
"""Ends of a statement that make it a question: "no lights on, are there"."""
