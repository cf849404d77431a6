"""Words of a question that name what it is about, apart from those that only ask."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.english.dates import MONTHS, WEEKDAYS
from assistant.english.lists import word_list, word_set
from assistant.english.negation import NEGATIONS
from assistant.english.stems import singular
from assistant.english.stop_words import SEARCH_STOP_WORDS
from assistant.english.words import words

ASKING = word_set(
    """
        time times day days date dates year month week hour hours minute minutes name names number
        numbers amount size colour color kind sort type way thing things place reason part
        address phone telephone mobile cell email mail code pin password price cost costs fee
        length width height weight temperature degrees long much many often soon far big old wide
        high deep hot tall next last first second new other else left right full whole exactly
        man woman guy bloke lady again usually normally currently yesterday today tonight tomorrow
        now anybody anyone
        someone somebody people person anything something everything document documents note notes
        letter page manual list say
        says said write written wrote call called mean means meaning happen happens wrong problem
    """
)
"""Words that ask for a kind of answer, and stand in questions of any subject."""

VERBS = word_set(
    """
        add allow apply arrive ask bake be become begin belong bleed book break bring build buy
        carry change charge check choose clean close come connect contact contain cook cool cover
        cut deal decide descale do drain drink drive dry eat empty end enter expire fasten feed
        feel fill find finish fit fix fly follow forget freeze get give go grow hang happen have
        head hear heat help hide hire hold install join keep kill know land last learn leave lend
        let lie lift live load lock look lose make meet melt mend mind miss mix move need offer
        open order oil own pack paint park pay phone pick plan plant play practise practice press
        prune push put reach read recommend release remember remove renew rent repair replace
        report reset return ring rise run sell send serve service set settle sew shop show shut
        sign simmer sit sleep smell sow speak spend stand start stay steep stir stop store store
        suit switch take talk teach tell test throw tidy tie touch train travel treat try turn
        use visit wait walk want wash watch water wear win wipe wish work
        am are is was were been being did does done goes went gone got made paid bought brought
        put sold told taken took taught held found left lost kept met began begun chose chosen
        came cut fed flown flew fell gave given grew grown hung heard knew known lent let lain
        ran rung rang sat saw seen sent shut slept sold spent spoke stood stuck swam wore
        worn won written drove driven ate eaten broke broken forgot forgotten hid hidden
        allowed supposed able open shut closed due available
    """
)
"""Verbs that stand in questions about a household, in the forms that end like nothing else."""

ABOUT_EVENTS = ASKING | word_set(
    """
        start starts begin begins end ends finish finishes happen happening place held one ones
        take takes go going get when where what which s there again anyway exactly
    """
)
"""Words of a question about an event that do not name it."""

PLAIN_VERBS = word_set(
    """
        able allowed am are ask be been being call called contact did do does find ring found get go
        goes going got had has have held
        hold is keep kept left lie look put reach read sit stand stay store was were went
    """
)
"""Verbs of a question for a place or a person that need not be said with it."""
PURPOSE = re.compile(r"\bfor (?:a |an |the |my |our |his |her |their )?(?P<what>\w+)")
"""What something is for: "the excess for theft" is not the excess for damage."""

SAID_ABOUT = re.compile(
    r"\bwhat (?:did|does|do|has|have) .*\b(?:say|said|write|written|tell (?:me|us)) (?:about|on) "
    r"(?P<topic>.+)",
    re.IGNORECASE,
)
"""A question for what somebody or something says: "what did the school say about the costume"."""

_ROOMS = word_set(
    "kitchen bathroom bedroom lounge study office hall hallway landing attic loft cellar basement "
    "garage shed nursery dining living utility toilet conservatory pantry porch greenhouse"
)
_FAMILY = word_set(
    "mum mom mother dad father gran grandma granny grandmother grandpa grandad grandfather nan "
    "aunt auntie uncle brother sister son daughter cousin wife husband nephew niece"
)
_COLOURS = word_set("red blue green yellow white black brown grey gray pink purple orange")
_SEASONS = word_set("christmas easter halloween summer winter autumn")
EXACT = _ROOMS | _FAMILY | _COLOURS | _SEASONS | (frozenset((*MONTHS, *WEEKDAYS)) - {"may"})
"""Words of closed sets: a text that holds another one of the set is about something else."""

_ALIKE = (
    "mum mom mother mummy",
    "dad father daddy",
    "gran grandma granny grandmother nan nana",
    "grandpa grandad grandfather",
    "gray grey",
    "hall hallway",
    "attic loft",
    "cellar basement",
    "lounge living",
    "bin bins dustbin",
    "rubbish refuse trash garbage waste",
    "doctor gp surgery dr physician",
    "wifi wi fi wlan internet network",
    "tv telly television",
    "guarantee warranty guaranteed",
    "fridge refrigerator",
    "car vehicle",
    "sofa couch settee",
    "child children kid kids",
    "holiday vacation",
    "film movie",
    "tap faucet",
    "starter forward",
    "autumn fall",
    "shop store",
    "cash money",
    "chemist pharmacy",
    "power electricity electric",
    "flat apartment",
    "lorry truck",
    "exam test",
    "pcs pieces",
    "medicine medicines medication tablet tablets pill pills",
)
_KINDS_OF_THINGS = {
    "bin bins dustbin": "rubbish refuse trash garbage waste recycling compost",
    "rubbish refuse trash garbage waste": "bin bins dustbin",
    "pet pets": "dog dogs cat cats hamster rabbit rabbits guineapig parrot budgie tortoise",
    "meal meals": "breakfast lunch dinner supper tea",
}
"""Words for a kind of things → words for those of the kind, by which it may be meant."""
_DAYS = tuple(
    f"{name} {name}s {name[:3]}" + (" weekend weekends" if name.startswith("s") else "")
    for name in WEEKDAYS
)
DAY_NAMES = frozenset(form for group in _DAYS for form in word_list(group))
"""Names of days, which say when and not about what."""
_GROUPS = (*_ALIKE, *_DAYS, *(f"{name} {name[:3]}" for name in MONTHS))
SYNONYMS = {
    word: frozenset(group) for group in map(word_list, _GROUPS) for word in group if word != "may"
} | {word: frozenset((word,)) for word in ("weekend", "weekends")}
"""Word of a household → all words that are used for the same."""
PARTICULARS = {
    word: word_set(particular)
    for kind, particular in _KINDS_OF_THINGS.items()
    for word in kind.split()
}
"""Word for a kind of things → words for those of the kind, of which each is meant alone."""

OPENINGS = word_set(
    "a an the my our your his her their its this that these those which what whose many much "
    "of for in on at from with to about by into than per under over without some any no s "
    "during since until between and or is are was were"
)
"""Words after which what a question is about may be named."""
DO_SUPPORT = word_set("do does did can could may might must should shall will would don doesn didn")
"""Auxiliaries before a subject with its verb behind it."""
PRONOUNS = word_set("i we you he she it they one")

WHETHER = re.compile(
    r"(?:(?:hey|hi|so|and|but|well|oh|ok|okay|please|sorry|then|um|uh|tell me|do you know|if),? )*"
    r"(?:is|are|am|was|were|has|have|had|do|does|did|can|could|may|will|would|should|must)(?:n['’]?t)?"
    r" (?!.*\b(?:what|when|where|who|whom|whose|why|how|which)\b)"
)
"""The beginning of a question for yes or no."""
NOT_TELLING = (
    SEARCH_STOP_WORDS
    | ASKING
    | PLAIN_VERBS
    | NEGATIONS
    | word_set(
        """
            allowed able supposed need needs needed have has get gets take takes must may might
            should shall use used using come comes make makes give gives given there too still
            also already really any possible ok okay safe right open shut closed due
        """
    )
)
"""Words of a question for yes or no that ask nothing particular."""

_NEVER_NAMING = SEARCH_STOP_WORDS | ASKING | NEGATIONS | word_set("down away back")
NOT_NAMING = _NEVER_NAMING | VERBS
"""Words that name nothing, whatever they stand beside."""
_NOUNS_IN_ED = word_set("bed seed shed weed feed breed bread speed red sled")


def naming(word: str) -> bool:
    """Whether `word`, where a noun may stand, names something."""
    if word in NOT_NAMING or word.removesuffix("s") in VERBS or word.removesuffix("es") in VERBS:
        return False
    return not word.endswith("ed") or singular(word) in _NOUNS_IN_ED


_COUNTED = re.compile(r"\b(how (?:many|much)) [^\W\d_]+(?= of\b)", re.IGNORECASE)
"""The unit in which something is asked for: "how many grams of sugar"."""


def named(question: str) -> tuple[str, ...]:
    """The words by which `question` names what it is about, each once."""
    tokens = words(_COUNTED.sub(r"\1", question))
    numbered = (token for token in tokens if any(map(str.isdigit, token)))
    return tuple(dict.fromkeys((*_named(tokens), *numbered)))


def predicate(question: str) -> tuple[str, ...]:
    """What a question for yes or no asks of what it names: "working" in "is Ann working"."""
    if not WHETHER.match(question.casefold()):
        return ()
    told = (word for word in words(question) if word not in NOT_TELLING)
    known = named(question)
    return tuple(dict.fromkeys(word for word in told if word not in known))


def _named(tokens: list[str]) -> Iterator[str]:
    for run, supported, noun in _runs(tokens):
        # "Where do the swifts nest": the verb ends what stands behind its auxiliary.
        subject = run[:-1] if supported and len(run) > 1 else run
        for word in subject:
            if naming(word) or (noun and word in VERBS and word not in _NEVER_NAMING):
                yield word


def _runs(tokens: list[str]) -> Iterator[tuple[list[str], bool, bool]]:
    """Words in a row behind an opening; whether the last of them is perhaps a verb.

    And whether they are one word alone behind an article or what counts it, which is a noun: "the
    cook at camp", "how much rent".
    """
    run: list[str] = []
    opened = supported = article = False
    for token in [*tokens, ""]:
        if token and token not in OPENINGS and token not in PRONOUNS and token not in DO_SUPPORT:
            if opened:
                run.append(token)
            continue
        if run:
            yield run, supported, article and len(run) == 1
            run, supported = [], False
        if token in DO_SUPPORT:
            supported = opened = True
        elif token in PRONOUNS:
            supported = opened = False
        else:
            opened = token in OPENINGS
        article = token in ("the", "a", "an", "much", "many", "which")
