"""The sentences that the installed skills claim, and where they conflict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import msgspec
from hassil.expression import Alternative, Expression, Group, ListReference

from assistant.skill.manifest import SkillManifest
from nlu.grammar.block_binding import TAKEN
from nlu.grammar.claim import Claim
from nlu.grammar.match import Match
from nlu.grammar.templates import Templates
from nlu.speakable.source import SentenceSource

SAMPLES = 24
"""Most sentences that are drawn from each template."""
_TOLD = 5
"""Most sentences of an intent that are shown."""
_SEED = "check"

Progress = Callable[[int, int], None]


class Rank(Enum):
    """How another intent ranks for a sentence, compared with the one it was written for."""

    BETTER = "better"
    EQUAL = "equal"
    WORSE = "worse"


class Conflict(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence of one skill that also belongs to another, and which of the two gets it."""

    sentence: str
    template: str
    intent: str
    other_skill: str
    other_intent: str
    rank: Rank


class Unfilled(msgspec.Struct, frozen=True, kw_only=True):
    """A slot in the signature of an intent that none of the intent's sentences fills."""

    intent: str
    slot: str


class Unreachable(msgspec.Struct, frozen=True, kw_only=True):
    """A template none of whose sentences is understood as its intent.

    `instead` are the intents they are understood as; none where the template is about something
    that the home does not have.
    """

    intent: str
    template: str
    instead: tuple[str, ...]


class Confusion(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence that a head fitted without it takes for another intent.

    `other_intent` is "" where it is taken for background talk, `other_skill` where no skill serves
    the other intent. `belief` is from 0 to 1.
    """

    sentence: str
    intent: str
    other_skill: str
    other_intent: str
    belief: float


class SkillReport(msgspec.Struct, frozen=True, kw_only=True):
    """One skill: the sentences it claims, by intent, and what is wrong with them.

    Conflicts and unfilled slots are faults, the rest are warnings. `overrides` are sentences of
    Home Assistant's vocabulary that another skill carries out and that the skill's own take
    precedence over.
    """

    skill: str
    claims: dict[str, list[str]]
    conflicts: list[Conflict]
    unfilled: list[Unfilled]
    overrides: list[Conflict]
    unreachable: list[Unreachable]
    confused: list[Confusion] = []

    @property
    def faults(self) -> int:
        """The number of things that must be corrected."""
        return len(self.conflicts) + len(self.unfilled)

    @property
    def warnings(self) -> int:
        """The number of things worth checking."""
        return len(self.overrides) + len(self.unreachable) + len(self.confused)


@dataclass(frozen=True)
class Owned:
    """A sentence drawn from a skill's template."""

    skill: str
    intent: str
    template: str
    sentence: str
    precedence: tuple[int, int]


def check_skills(
    manifests: Sequence[SkillManifest],
    templates: Templates,
    progress: Progress = lambda done, total: None,
    *,
    concerning: str = "",
) -> list[SkillReport]:
    """Check the skills whose sentences, with those of the vocabulary, are `templates`.

    Of other skills than the one `concerning`, only sentences are checked that are also its own.
    """
    owners = owners_of(manifests)
    the_one = [manifest for manifest in manifests if manifest.name == concerning]
    own = Templates.compile(the_one, templates.home) if the_one else None
    reports = []
    for number, manifest in enumerate(manifests):
        shared = own if manifest not in the_one else None
        reports.append(_report(manifest, templates, owners, shared))
        progress(number + 1, len(manifests))
    return reports


def owners_of(manifests: Sequence[SkillManifest]) -> dict[str, str]:
    """For each intent the name of the skill that carries it out."""
    return {s.intent: m.name for m in manifests for s in (*m.intents, *m.served)}


def _report(
    manifest: SkillManifest,
    templates: Templates,
    owners: Mapping[str, str],
    shared: Templates | None,
) -> SkillReport:
    """What is found of a skill; with `shared`, of its sentences that these have too."""
    claims: dict[str, list[str]] = {}
    conflicts: dict[object, tuple[bool, Conflict]] = {}
    unreachable = []
    for claim, template, drawn in _drawn(manifest.name, templates):
        intent = claim.schema.intent
        claims.setdefault(intent, []).extend(drawn)
        winners: list[str] = []
        for sentence in drawn:
            if shared is not None and not shared.match(sentence):
                winners.append(intent)  # or a third skill's, which is not asked here
                continue
            matches = templates.match(sentence)
            winners += [match.intent for match in matches[:1]]
            own = Owned(manifest.name, intent, template, sentence, claim.precedence)
            for rival, conflict in _conflicts(own, matches, owners):
                conflicts.setdefault((template, conflict.other_intent, rival), (rival, conflict))
        if intent not in winners:
            instead = tuple(sorted(set(winners)))
            unreachable.append(Unreachable(intent=intent, template=template, instead=instead))
    return SkillReport(
        skill=manifest.name,
        claims={i: _plainest(sentences) for i, sentences in claims.items()},
        conflicts=[c for rival, c in conflicts.values() if rival],
        unfilled=list(_unfilled(manifest, templates.claims)),
        overrides=[c for rival, c in conflicts.values() if not rival],
        unreachable=unreachable,
    )


def _drawn(skill: str, templates: Templates) -> Iterator[tuple[Claim, str, list[str]]]:
    """Every template of the skill's own, with different sentences drawn from it."""
    for claim in templates.claims:
        if claim.skill != skill or claim.block is not None:
            continue
        for template, written in zip(claim.schema.sentences, claim.written, strict=True):
            source = SentenceSource(dict(templates.lists), (written,), f"{_SEED} {template}")
            sentences = [source.draw() for _ in range(SAMPLES)] if source.size else []
            yield claim, template, list(dict.fromkeys(filter(None, sentences)))


def _conflicts(
    own: Owned, matches: Sequence[Match], owners: Mapping[str, str]
) -> Iterator[tuple[bool, Conflict]]:
    """The intents of other skills that match a sentence, and whether each is a conflict.

    A match that takes more words as free text than the sentence's own rightly loses.
    """
    mine = next((m for m in matches if m.intent == own.intent), None)
    for match in matches:
        other = owners.get(match.intent, own.skill)
        if other == own.skill or (mine is not None and match.wildcard > mine.wildcard):
            continue
        rank = _rank(match, mine)
        conflict = Conflict(
            sentence=own.sentence,
            template=own.template,
            intent=own.intent,
            other_skill=other,
            other_intent=match.intent,
            rank=rank,
        )
        yield rank is not Rank.WORSE or match.precedence == own.precedence, conflict


def _rank(match: Match, mine: Match | None) -> Rank:
    """The rank of a match, apart from the order in which skills happen to be loaded."""
    if mine is None or (match.fit(), match.precedence) < (mine.fit(), mine.precedence):
        return Rank.BETTER
    same = (match.fit(), match.precedence) == (mine.fit(), mine.precedence)
    return Rank.EQUAL if same else Rank.WORSE


def _plainest(sentences: Sequence[str]) -> list[str]:
    return sorted(dict.fromkeys(sentences), key=lambda s: (len(s), s))[:_TOLD]


def _unfilled(manifest: SkillManifest, claims: Sequence[Claim]) -> Iterator[Unfilled]:
    """Slots of the skill's own intents that no sentence fills; other intents are not checked.

    What is only talked about is not checked either: its replies do not depend on what was named.
    """
    named: dict[tuple[str, str], None] = {}
    for schema in (s for s in manifest.intents if not s.traits.only_talk):
        named |= dict.fromkeys((schema.intent, slot.name) for slot in schema.slots)
    filled: set[tuple[str, str]] = set()
    for schema in manifest.short:
        texts = " ".join(schema.sentences)
        filled |= {(schema.intent, s.name) for s in schema.slots if f":{s.name}}}" in texts}
        filled |= {(schema.intent, s.name) for s in schema.slots if f"{{{s.name}}}" in texts}
    for claim in claims:
        names = {*claim.schema.fixed, claim.schema.area_slot}
        names.update(*(_slots(sentence.expression) for sentence in claim.bound))
        filled |= {(claim.schema.intent, name) for name in names}
    yield from (Unfilled(intent=i, slot=name) for i, name in named if (i, name) not in filled)


def _slots(expression: Expression) -> Iterator[str]:
    """The slots that an expression can fill in some way."""
    if isinstance(expression, ListReference):
        yield expression.slot_name.removesuffix(TAKEN)
    elif isinstance(expression, Alternative | Group):
        for item in expression.items:
            yield from _slots(item)
