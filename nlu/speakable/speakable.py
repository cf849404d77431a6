"""What people may say, for the recogniser: as much as is understood, as often as it is said."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

import assistant.english
import nlu.grammar
import nlu.speakable
import nlu.text
from assistant.core.speakable import ANYTHING, NO_NAMES, GivenNames, Speakable
from assistant.skill.home import Home
from assistant.skill.manifest import SkillManifest
from nlu.grammar.claim import Claim
from nlu.grammar.grammar import Grammar, compile_grammar
from nlu.speakable import usage
from nlu.speakable.composed import COMPOSED, ELLIPSES, FOLLOW_UPS
from nlu.speakable.free_text import HEARD_IN_SHORT, HEARD_OPEN
from nlu.speakable.sampling import Sampler
from nlu.speakable.spoken import spoken
from nlu.speakable.value_classes import ValueClasses

_MOST_DRAWN = 4_000
"""Sentences that are drawn at most of each claim."""
_OPEN_DRAWN = 400
"""Sentences that are drawn of each claim of short forms with anything in them."""
_SHORT_DRAWN = 80
"""Sentences that are drawn of each claim of short forms."""
_MOST_SHORT_WORDS = 6
"""Most words of a short form that is expected: longer ones are rare, and take the most memory."""


def key_of(
    manifests: Sequence[SkillManifest],
    home: Home,
    files: Iterable[Path],
    names: GivenNames = NO_NAMES,
) -> str:
    """A digest of all that `speakable` depends on; `files` hold further sentences.

    A file that cannot be read counts as empty: who reads its sentences tells why.
    """
    digest = hashlib.sha256(msgspec.msgpack.encode((manifests, home, dict(names))))
    for file in (*_code(), *files):
        digest.update(f"\n{file}\n".encode())
        with suppress(OSError):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _code() -> Iterator[Path]:
    """The code that decides which sentences are drawn, and how they are spoken."""
    for package in (nlu.grammar, nlu.speakable, nlu.text, assistant.english):
        yield from sorted(Path(str(package.__file__)).parent.rglob("*.py"))


def speakable(
    grammar: Grammar,
    home: Home,
    limit: int,
    seed: int,
    short: Sequence[Grammar] = (),
    names: GivenNames = NO_NAMES,
    share: float = 1.0,
) -> Speakable:
    """About `limit` sentences of the whole grammar that have a meaning in this home.

    The sentences of one intent share its weight, so that many templates make no intent likelier.
    With the vocabulary, which a skill alone does not have, what goes on from a sentence is among
    them: of 120 recorded orders of the coffee skill alone it would cost two. So are, apart, the
    forms of the grammars `short`. Those of a skill that has `names` are sentences with these. With
    a `share`, as many fewer of each are drawn, which takes as much less time.
    """
    claims = possible(grammar, home)
    whole = any(claim.block is not None for claim in claims)
    if whole:
        further = compile_grammar([FOLLOW_UPS, COMPOSED], home)
        claims += further.claims
        grammar = replace(grammar, lists={**further.lists, **grammar.lists})
    for further in short if names else ():
        claims += [claim for claim in further.claims if claim.skill in names]
        grammar = replace(grammar, lists={**further.lists, **grammar.lists})
    classes = ValueClasses()
    sampler = Sampler(grammar, claims, seed, classes, names, HEARD_OPEN)
    usual = _usual(claims, sampler.shares)
    limit = round(limit * share)
    sentences = sampler.draw_weighed(limit, usual, round(_MOST_DRAWN * share))
    forms: dict[str, float] = {}
    if whole:
        forms = _short_forms(short, home, classes, seed, round(_SHORT_DRAWN * share))
        usages = {claim.schema.intent: _usage(claim) for claim in claims}
        unit = limit / sum(usages.values())
        each = round(_OPEN_DRAWN * share)
        for sentence, often in _open_forms(short, classes, seed, usages, each):
            sentences[sentence] = sentences.get(sentence, 0.0) + unit * often
    return Speakable(sentences=sentences, classes=_spoken_classes(classes), short=forms)


def possible(grammar: Grammar, home: Home) -> list[Claim]:
    """The claims whose sentences have a meaning in this home."""
    return [claim for claim in grammar.claims if _is_possible(claim, home)]


def _is_possible(claim: Claim, home: Home) -> bool:
    """Whether a home may have what the vocabulary's sentences are about; a home of nothing may."""
    domain = claim.schema.fixed.get("domain")
    if claim.block is None or domain is None or not home.entities:
        return True
    return any(entity.domain == domain for entity in home.entities)


def _usual(claims: Sequence[Claim], shares: Sequence[float]) -> list[float]:
    """The share of each claim: its part of its intent's.

    An intent has its largest claim's share times the usage.
    """
    together: defaultdict[str, float] = defaultdict(float)
    usual: dict[str, float] = {}
    for claim, share in zip(claims, shares, strict=True):
        intent = claim.schema.intent
        together[intent] += share
        usual[intent] = max(usual.get(intent, 0.0), share * _usage(claim))
    return [
        share / together[claim.schema.intent] * usual[claim.schema.intent] if share else 0.0
        for claim, share in zip(claims, shares, strict=True)
    ]


def _usage(claim: Claim) -> float:
    return usage.of_intent(claim.schema.intent, claim.schema.traits.only_talk)


def _spoken_classes(classes: ValueClasses) -> Mapping[str, Mapping[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for word, values in classes.values().items():
        phrases = found.setdefault(word, {})
        for value in values:
            said = spoken(value)
            if said:
                phrases[said] = phrases.get(said, 0.0) + usage.of_value(value)
    return found


def _short_forms(
    grammars: Iterable[Grammar], home: Home, classes: ValueClasses, seed: int, each: int
) -> dict[str, float]:
    """Spoken short forms of `grammars`, and ellipses, with how often each is said."""
    found: defaultdict[str, float] = defaultdict(float)
    for grammar in (*grammars, compile_grammar([ELLIPSES], home)):
        sampler = Sampler(grammar, grammar.claims, seed, classes, free_text=HEARD_IN_SHORT)
        drawn = sampler.draw_each(each)
        for form, often in _weighed(grammar.claims, drawn, _is_short):
            found[form] += often
    return found


def _open_forms(
    grammars: Iterable[Grammar],
    classes: ValueClasses,
    seed: int,
    others: Container[str],
    each: int,
) -> Iterator[tuple[str, float]]:
    """Short forms with anything in them, which are as long as sentences: how often each is said.

    They are those of intents that are not among the `others`, which have sentences for it.
    """
    for grammar in grammars:
        claims = [claim for claim in grammar.claims if claim.schema.intent not in others]
        sampler = Sampler(grammar, claims, seed, classes, free_text=HEARD_OPEN)
        yield from _weighed(claims, sampler.draw_each(each), _is_open)


def _weighed(
    claims: Iterable[Claim], drawn: Iterable[Sequence[str]], wanted: Callable[[str], bool]
) -> Iterator[tuple[str, float]]:
    """The `wanted` ones of the forms that were `drawn` of each claim, and how often each is said.

    Those of one intent share its weight.
    """
    together: defaultdict[str, list[str]] = defaultdict(list)
    for claim, forms in zip(claims, drawn, strict=True):
        together[claim.schema.intent] += filter(wanted, forms)
    for intent, forms in together.items():
        for form in forms:
            yield form, usage.of_intent(intent, only_talk=False) / len(forms)


def _is_short(form: str) -> bool:
    return 0 < len(form.split()) <= _MOST_SHORT_WORDS


def _is_open(form: str) -> bool:
    return ANYTHING in form
