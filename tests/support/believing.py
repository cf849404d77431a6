"""Stand-ins of the models of understanding, which believe the same of every text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nlu.classifier.intent import Ranking
from nlu.classifier.tagger import Tagging
from nlu.fallback.guesser import Guesser
from nlu.fallback.slot_candidates import SlotFinder
from nlu.fallback.slot_patterns import slot_patterns
from nlu.grammar.templates import Templates
from tests.support.calibrations import INTENT, SLOTS


class Believes:
    """Keeps `IntentModel`: every text is as likely to be the same command."""

    calibration = INTENT

    def __init__(self, ranking: Ranking) -> None:
        self._ranking = ranking

    def rank(self, text: str) -> Ranking:
        return self._ranking


class Reads:
    """Keeps `Tagger`: the same stands in every text."""

    calibration = SLOTS

    def __init__(self, tagging: Tagging) -> None:
        self._tagging = tagging

    def tag(self, words: Sequence[str]) -> Tagging:
        return self._tagging


def guesses(templates: Templates, ranking: Ranking, tagging: Tagging) -> Guesser:
    intents: Any = Believes(ranking)
    tagger: Any = Reads(tagging)
    return Guesser(intents, tagger, SlotFinder(templates.lists), slot_patterns(templates.claims))
