"""Words and phrases that are no part of a command, or mean the same as others.

They are canonical words: a contraction is written out, and there is no "the"."""

from __future__ import annotations

from assistant.english.lists import phrase_list, word_list, word_set


def _table(*lines: str, value: str = "") -> dict[tuple[str, ...], str]:
    return {tuple(phrase.split()): value for line in lines for phrase in phrase_list(line)}


SYMBOLS = {"%": "percent", "°": "degrees", "&": "and"}

SYNONYMS = {
    ("all", "of"): "all",
    ("per", "cent"): "percent",
    ("o", "clock"): "o'clock",
    ("for", "a", "duration", "of"): "for",
    ("negative",): "minus",
    ("half", "it"): "halve it",
    ("nah",): "no",
    ("nope",): "no",
    ("an",): "a",
    ("for", "me", "for"): "for",
}

HESITATIONS = word_set(
    "um uh er erm em eh hmm mhm ah please kindly terribly awfully honestly basically kinda"
    " literally"
)

_OPENINGS = (
    _table("no, no wait, oh, actually, sorry, listen, excuse me, instead, just, but, so just"),
    _table("yes, yes please, yeah, yep, aye"),
    _table("go on then, oh go on then, all right then, fine, fine then, very well, very well then"),
    _table("oh my god, my god, god, jesus, jeez, shit, oh shit, damn, damn it, dammit, goddammit"),
    _table(
        "crap, oh crap, shoot, oh shoot, holy shit, bloody hell, my bad, oops, whoops, ha, haha"
    ),
    _table("ooh, man, oh man, dude, bro, yo, ugh, argh, blimey, crikey, gosh, wow, whoa, phew"),
    _table("goodness, goodness me, heavens, aiyo, aiyah, wah"),
    _table("hey, hi, hello, ok, alright, right, so, well, and, and then, then, also, now, just"),
    _table("could you, can you, would you, will you, you can, you could, could we, can we"),
    _table("could you just, can you just, would you be so kind as to, be so kind as to"),
    _table("would you be able to, are you able to, is it possible to, would it be possible to"),
    _table("i would like you to, i want you to, i need you to, i would love you to"),
    _table("i need to, i want to, i would like to, i have to, i really need to, i got to"),
    _table("i will need you to, you need to, i really need you to, i want you to just"),
    _table("i was wondering if you could, i wonder if you could, do you think you could"),
    _table("may i ask you to, could i ask you to, can i ask you to, i ask you to"),
    _table("would you like to, go ahead and, do me a favor and, do me a favour and, let us"),
    _table("would you mind, do you mind, how about, what about, fancy", value="gerund"),
    _table(
        "may i trouble you to, might i trouble you to, could i trouble you to, i wonder if",
        "might i trouble you for, may i trouble you for, could i trouble you for, may i have",
        "would it be rude to ask you to, may i ask you to, might i ask you to",
        "i must ask you to, would it be terribly rude to ask you to",
        "would it be too much to ask to, i beg you to, i would be grateful if you could",
        "i would be grateful if, i would appreciate it if",
        "i would be ever so grateful if you could, i would be ever so grateful if",
        "i would be much obliged if you could, i would be obliged if you could",
        "be so good as to, i would appreciate it if you could",
        "i would appreciate it if you would, pardon me, would you be so good as to",
        "would you be good enough to, would you be a dear and, would you be a love and",
        "be a dear and, be a love and, be an angel and, be a pal and, would you be an angel and",
        "would you do me a favor and, would you do me a favour and",
        "if it is not too much trouble, if it is not too much bother",
        "if it is not too much hassle, if you would not mind, if you do not mind",
        "if you would be so kind, if you could just, if you could, if you would, if you can",
        "if possible, when you have a second, when you can, when you have a moment",
        "when you have a minute, when you get a chance, when you are free, could i get you to",
        "can i get you to, could i have you, i could do with you to, do us a favour and",
        "any chance you could, is there any chance you could, any chance of",
        "is there a chance you could, let us see, so um, so like, you know, you know what",
        "i mean, i guess, i think, maybe, perhaps, i was thinking, i was thinking maybe",
        "sh, shh, shhh, ssh, shush",
        "i was wondering, ok so, right so, ok then, anyway, i say, right then, now then, look",
        "see, tell you what, by the way, good morning, good evening, good night, good afternoon",
        "my dear, dear, mate, buddy, darling, computer, could we, shall we, let us just",
        "we need to, we want to, we would like to, we should, you should, you might want to",
        "quick question, one more thing, another thing, before i forget, while i remember",
        "for god's sake",
    ),
)
_GRATEFUL = _table(
    *(
        f"i would be {how}{what} {tail}"
        for how in ("", "so ", "very ", "ever so ", "most ", "much ", "really ")
        for what in word_list("grateful obliged glad happy delighted thankful pleased")
        for tail in ("if you could", "if you would", "if you can", "if", "for", "to have")
    )
)
OPENINGS = {words: kind for table in (*_OPENINGS, _GRATEFUL) for words, kind in table.items()}

ENDINGS = frozenset(
    _table(
        "please, for me, thanks, thank you, thanks a lot, thank you very much, thank you so much"
    )
    | _table("if you can, if you could, if you would, if you will, if you do not mind, if possible")
    | _table("would you, will you, could you, can you, ok, many thanks, cheers")
    | _table("now, right now, right away, immediately, at once, starting now, ta, cheers")
    | _table("for night, and nothing else, nothing else, so, so then, lads")
    | _table("lah, leh, lor, hor, po, can or not, ok or not, even")
    | _table(
        "too, as well, also, instead, anyway, love, dear, darling, mate, buddy, honey, sweetheart"
    )
    | _table("this minute, this second, this instant, right this second, right this minute, quick")
    | _table(
        "if i may, if you please, if you like, if you wish, if you would not mind, there is a dear"
    )
    | _table("if it is no bother, if it is not too much trouble, if it is no trouble")
    | _table(
        "if it is not, if it is not already, if it is not yet, if they are not, if it still is",
        "if they are not already, if you have not already, if it still is not",
        "if you have a moment, when you have a second, when you get a chance, i mean, do you think",
    )
)

JOINTS = tuple(
    sorted(
        _table(
            "and, then, also, plus, but, and then, and also, and after that",
            "and while you are at it, after that, afterwards, while you are at it",
            "and can you also, as well as, oh and",
            "and as well, and last, and finally, finally, followed by, but also, and please",
        ),
        key=len,
        reverse=True,
    )
)

NEW_BREATH = word_set("but so just instead")
"""Words after which a negation or a report that came before no longer holds."""

EDITING = frozenset(
    _table(
        "no, no wait, wait, wait no, i mean, i meant, i meant to say, scratch that, strike that",
        "make that, or rather, rather, correction, hang on, hold on, oops, sorry, actually",
        "on second thought, on second thoughts, forget that, my mistake, my bad, not that",
        "let us make that, better make that, let us say, better make it, well actually",
        "i should say, i should have said, or actually, whoops, i am sorry, apologies",
        "let me think, let me see, that is wrong, that is not right, that is not it, wrong one",
        "what am i saying, hang on a second, wait a second, wait a minute, hmm, i am being silly",
    )
)
"""Phrases that people say between a mistake and its correction."""

EDITING_FILLERS = word_set("um uh er erm ah oh well no sorry wait just only")
LONGEST_EDITING = max(map(len, EDITING))

TAKING_BACK = word_set("scratch strike forget")
"""Words of editing terms that take back everything where nothing follows them."""

RETRACTIONS = frozenset(
    _table(
        "never mind, forget it, forget that, leave it, do not, do not bother, cancel that",
        "scratch that, leave it as it is, leave it alone, leave them, do not do that, skip it",
        "forget about it, never mind that, ignore that, do nothing, leave that, cancel it",
        "do not worry, do not worry about it, it is fine, it is ok, that is fine, stop",
        "leave it on, leave it off, leave them on, leave them off, leave it be, do not touch it",
    )
)
"""Corrections that take back everything."""

PAIRS = frozenset(
    phrase_list(
        "mac and cheese, fish and chips, salt and pepper, salt and vinegar, bread and butter, "
        "butter and jelly, half and half, gin and tonic, rum and coke, bubble and squeak, "
        "bangers and mash, cookies and cream, ham and cheese, cheese and onion, rice and peas, "
        "sweet and sour, sage and onion, lemon and ginger, leek and potato, steak and kidney, "
        "steak and ale, chicken and mushroom, rhubarb and custard, pick and mix, bits and bobs"
    )
)
"""Things with an "and" in their name."""

FOLLOWING = _table("and, also, what about, how about, same for, the same, now")
"""Beginnings of a text that continues the command before it."""

OPPOSITES = dict(
    pair
    for a, b in (("on", "off"), ("up", "down"), ("open", "close"), ("lock", "unlock"))
    for pair in ((a, b), (b, a))
)
"""Word → the one that says the opposite of a command."""

PRONOUNS = word_set("it them that those these its their")

ONES = word_set("ones one")

GOING_ON = (
    PRONOUNS
    | ONES
    | word_set("and also too well no not instead same again other another meant mean what how")
)
"""Words of which a text has one that surely goes on from what was said before."""

LONGEST = max(len(words) for words in (*OPENINGS, *ENDINGS, *SYNONYMS))

SUBJECTS = word_set(
    "light lights lamp lamps fan fans door doors lock locks blind blinds curtain curtains"
    " shutter shutters window windows garage socket plug heating heater thermostat temperature"
    " degrees brightness volume sound music song songs track album podcast playlist film movie"
    " tv telly speaker speakers timer timers alarm alarms list vacuum hoover mower"
)
"""Usual subjects of commands: talk that names none of these is seldom meant for an assistant."""
