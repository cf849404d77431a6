"""Words of commands: what to do, to all or to what was spoken of, and words that add nothing."""

from __future__ import annotations

import re

from assistant.english.lists import phrase_list, word_set
from assistant.english.negation import NEGATIONS


def _keys(phrases: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for phrase in phrase_list(phrases))


_ACTIONS = {
    "on": "on, back on, turn on, switch on, put on, activate, enable, light up, power up",
    "off": "off, back off, turn off, switch off, put off, shut off, turn of, switch of, "
    "deactivate, disable, kill, out, power down",
    "open": "open, open up, unshut",
    "close": "close, shut, closed, drawn, draw",
    "lock": "lock, lock up, bolt",
    "unlock": "unlock, unbolt",
    "start": "start, run, begin, launch, send out, get going, set off, going",
    "stop": "stop, halt, cease, freeze, stop there, stop moving",
    "dock": "send home, go home, dock, back to base, return to base, home, back to dock, go back, "
    "send back, return, away, out of way, out of road, out from under feet, "
    "out from under my feet, out from under our feet",
    "round": "round, around, once round, go round, all round, on rounds, for a run, for a spin, "
    "loose",
    "pause": "pause, hold",
    "resume": "resume, unpause, continue, carry on, go on, play, keep going",
    "next": "next, skip, next 1, skip this",
    "previous": "previous, go back 1, previous 1",
    "mute": "mute, silence",
    "unmute": "unmute",
}

ACTIONS: dict[tuple[str, ...], str] = {
    key: action for action, phrases in _ACTIONS.items() for key in _keys(phrases)
}
"""Canonical words → what they ask to be done."""

SENDING = word_set("set send")
"""Verbs by which a robot that goes "off" begins: "set the mower off"."""

DOING = _keys("do, have, let us do, let us have, time for, it is time for")
"""Words before a scene or a script that is wanted: "let's have film night"."""
REQUESTING = word_set("please")
"""Words by which a name alone is a request."""

CUES = _keys(
    "when i say, whenever i say, if i say, every time i say, each time i say, as soon as i say"
)
"""Words before a name that is to stand for the commands behind it."""

QUANTIFIERS = _keys(
    "everywhere, in house, in whole house, in flat, at home, all, every, everything, both, "
    "each, all of, whole, every single, each of, whatever is on, whatever is still on, "
    "anything that is on, anything that is still on, anything still on, everything that is on, "
    "everything that is still on, everything still on, whatever is left on, anything left on, "
    "everything else"
)
PRONOUNS = _keys(
    "it, them, that, this, those, these, that 1, this 1, those 1, same 1, other 1, other, "
    "others, other ones, both of them, all of them, that thing, this thing, him, her, "
    "that 1 there, 1 that is not, ones that are not, 1 that is, ones that are"
)
THEM = word_set("them those these both")
"""Words for several things that were spoken of before."""
HERE = _keys("here, in here, this room, in this room, right here, over here")
THERE = _keys("in there, over there")
"""Words for the place that was spoken of before."""
OWN_ROOM = _keys("my room, our room, my bedroom, our bedroom")
"""Words for the room of whoever speaks: where it is not told, it is a bedroom."""
PRIVATE = re.compile(r"\b(bedroom|nursery)\b|\w('s|s')(?!\w)")
"""What the names of rooms have that belong to some of the household, in lower case."""
SHARED = re.compile(
    r"\b(kitchen|hall|hallway|passage|landing|stairs|staircase|porch|bathroom|toilet|shower room"
    r"|wet room|living room|lounge|sitting room|front room|parlour|dining room|playroom"
    r"|conservatory|garage|garden|yard|shed|barn|utility|boot room|laundry|pantry|larder|cellar"
    r"|basement|attic|loft|hayloft|study|office|library|gym|workshop|terrace|balcony|outside)\b"
)
"""What the names of rooms have that belong to nobody alone, in lower case."""
THEIRS = word_set("his her their")
"""Words before a device of somebody whose room was spoken of before: "and close his blind"."""
STOREYS = {
    words: ((f"{way}stairs",), way)
    for way in ("up", "down")
    for words in ((f"{way}stairs",), (way, "there"), (way, "here"))
}
"""Words for a floor, whatever it is called → the word that may name it, and up or down."""
INSTEAD_OF = _keys("instead of, rather than, in place of")
"""Words before what is to be the other way round: "the lamp on instead of the spots"."""
JOINTS = _keys("and, then, and then, also, plus, and also, but")
FILLERS = _keys(
    "turn, switch, put, pop, stick, whack, bung, set, make, bring, get, change, adjust, take, "
    "have, give, move, pull, roll, send, flip, leave, keep, a, an, some, my, our, your, to, at, "
    "by, in, of, for, with, into, from, is, be, are, "
    "please, just, now, then, go, let, us, me, i, want, would, like, need, could, can, you, will, "
    "so, ok, okay, right, well, oh, hey, thanks, too, though, again, only, actually, maybe, as, "
    "well, instead, still, about, than, way, not, quite, enough, there, on, level, "
    "brightness, setting, colour, color, tone, tint, volume, temperature, position, speed, degree, "
    "degrees, "
    "that is, it is, this is, i want, i would like, could do with, can we have, let us have, we, "
    "going, do, does, over, light level, back to, same"
) - _keys("not")
"""Words that say nothing by themselves beside the other parts of a command."""

COLOURED = word_set("colour color white whites tone tint")
"""Words by which "cooler" is of a light, and not of a room."""
COMPARING = "than"
"""The word before what a change is compared with: "dimmer than the other"."""

STATES = _keys("it is, its, i am, we are, she is, he is, they are")
"""First words of a statement of what is, after which a command may follow without a pause."""
BEFORE_VERBS = word_set("to and or not you going gonna please should could can will")
"""Words before a verb that asks for nothing itself: "it's time to turn the light off"."""
STATEMENTS = _keys(
    "it is, i am, i can not, i can, that is, we are, there is, there are, she is, he is, they are, "
    "i do, i will, we have, i have, nobody is, everyone is, he has, she has, it was, i was, "
    "my eyes, we can, we can not, you are, he will, she will, they will, its"
)
"""First words of a statement, which says why something is wanted."""
SINGULAR = word_set("it he she")
"""Subjects whose verb ends with "s": "it stinks"."""
OURS = word_set("my our your his her their a an")
"""Words before one of the household: "for my gran"."""
SPEAKING = word_set("i we he she they")
"""Words for who does something."""
WHILE = word_set("while whilst")
"""Words before a statement of what goes on meanwhile: "while we're out"."""
BEGINNINGS = word_set(
    "turn switch put set make change adjust open close shut lock unlock start stop dim brighten"
    " play pause raise lower run send call remind tell bring activate mute skip"
)
"""First words of most commands."""
RELATING = NEGATIONS | word_set(
    "if when whenever once unless while whilst until till after before at by around past about as"
    " for from because since so or but except bar minus than rather instead only just leave keep"
    " stay stays wait hang hold sorry actually mean meant said again still already"
    " it them that those these this one 1 ones 1s other others both all every everything rest same"
    " each any which who what where how i he she they we you nobody everyone somebody"
)
"""Words by which a clause may say when, why, of what or in place of what another one holds."""
RELAYING = word_set(
    "tell say ask shout call message text write note jot remember remind read repeat spell"
    " translate list add announce broadcast sing play search find look imagine think"
)
"""Verbs whose text may run on over the next clause: "tell her hens out, lamp off"."""
EVERYTHING = word_set("all everything")
"""First words of a command that names what it is for before what to do."""
SUBJECTS = word_set("i he she they we nobody everyone somebody someone")
"""First words of a statement, where no word of wishing follows."""
BEING = word_set("asleep awake home away ill sick poorly out back here late tired cold hot ready")
"""How somebody is: "Ida's asleep"."""
CONDITIONS = _keys("after, before, once, when, whenever, until, till, if, unless")
"""Words before a clause that tells when something is to be done, and not why."""
KEEPING = word_set("keep leave")
"""First words of what is to stay as it is: "the ceiling off and keep the lamp"."""
BE = word_set("is are was were")
SUBJECTS_OF_BE = word_set("it that this they those these he she there")
"""Words that follow a form of "be" in a question: "is that on"."""
WISHING = word_set("want would need mean meant said like could can will 'd")
AUXILIARIES = word_set("is are am was were has have had will does do did can could")
"""Verbs by which a clause with a subject is a statement: "nobody is watching"."""
SAME = "same"
"""The word for what was done last: "make the kitchen the same"."""
VERBS = word_set("turn switch put set make change adjust flip")
"""Verbs that say nothing without a particle or an amount."""
GENERIC = word_set("thing thingy one 1 device machine unit stuff gadget")
"""Words for a device of any kind."""
SIDES = word_set("back front side rear")
"""Words for a door by its place: "the back"."""
CONTENTLESS = word_set(
    "walking whatever whoever thing things something what's who's where's that's it's yes no love"
    " bit little light lights red read"
)
"""Words that name nothing by themselves."""
QUESTIONS = word_set(
    "is are was were am does do did has have had will would what which who whose whom where when"
    " why how any anything anyone should shall may might isn't aren't"
)
"""First words of a question."""
GREETINGS = _keys("morning, afternoon, evening")
"""Short greetings, which say no time where they stand alone."""
ASKING = (
    BEGINNINGS
    | QUESTIONS
    | word_set("not no never yes wait sorry actually except but and only just everything all")
    | word_set("tomorrow today tonight later soon morning afternoon evening night noon midnight")
)
"""Words that a call, which asks for nothing, has not: "good girl", "hens in"."""
NORMS = word_set("should must ought")
"""Words of a question for how something is to be, not for how it is."""
CORRECTIONS = _keys(
    "no, no no, not that, i meant, i mean, sorry, actually, wait, no wait, oops, i said, "
    "sorry i meant, no i meant, not that 1, instead, rather"
)
"""Words with which people correct what was just done."""
EXPLAINING = (("i", "mean"), ("i", "meant"))
"""Words behind what explains the words before it: "turn the light down, the desk one I mean"."""
HARDLY_CORRECTING = ("actually",)
"""How a text begins that may correct the last command, or bring up something else."""
ONLY = word_set("only just")
"""Words by which a name stands in place of all that was named before: "only the bedroom"."""
AT_ONCE = _keys(
    "do it now, just do it, do it, now, right now, do it anyway, do it at once, do it right away, "
    "do it straight away, now then, do that now, then do it now, do it right now, just do it now, "
    "then now, at once, do it now then, straight away, immediately"
)
"""Requests to do at once what was to be done later."""
REDOING = _keys(
    "do it again, do that again, do this again, do same again, do same thing again, same again, "
    "do it all again, do it once more, do that once more, do it 1 more time, do that 1 more time"
)
"""Requests to do once more what was done last."""
