"""Fits the intent head to what the user has put right, as long as nothing else is understood worse.

A correction counts as `WEIGHT` sentences. Whether it does harm is seen on heads that are fitted
without a tenth of the shipped examples: no count of `Tally` may fall below the lesser of two such
fits without the corrections by more than one in `LOST_BY_CHANCE`, for another fit alone moves a
count by one or two. Where one falls with all corrections together, they are tried one by one. At
worst that takes about as many steps as the first fit of the head.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlu.classifier.calibration import IntentCalibration
from nlu.classifier.encoder import Embeddings
from nlu.classifier.examples import Examples
from nlu.classifier.head import SHARE, Head, is_held_out

WEIGHT = 4
"""Sentences that a correction counts as. With one, "my ears hurt" for "quieter" is in scope with
0.42 in place of 0.21; with four, 0.64; with ten, 0.83, and other sentences are lost sooner."""

LOST_BY_CHANCE = 1000
"""One sentence in so many may be lost by chance, where the two fits happen to agree."""


class Tally(NamedTuple):
    """How many sentences of each kind are taken as they should be."""

    commands: int
    """Shipped commands, which no head here was fitted to, and sentences of the installed skills
    that may be guessed rightly."""
    talk: int
    """Shipped texts for no assistant, which no head here was fitted to, and the skills' sentences
    for what is only talked about that cause no act."""

    def falls_below(self, before: Tally) -> bool:
        """Whether any count is less than `before` by more than chance moves it."""
        counts = zip(self, before, strict=True)
        return any(now < then - then // LOST_BY_CHANCE for now, then in counts)

    def least(self, other: Tally) -> Tally:
        """The lesser of each two counts."""
        return Tally(*map(min, self, other))


def taught(head: Head, examples: Examples, corrections: Examples) -> Head:
    """The head that was fitted to `examples`, fitted to corrections as well."""
    return refitted(head, examples + _weighed(corrections))


class Trial:
    """Tries what corrections do to heads for `own` commands and `shipped` examples.

    `head` is fitted to both, and `talk` is never fitted to.
    """

    def __init__(
        self,
        head: Head,
        own: Examples,
        shipped: Examples,
        talk: Examples,
        known: IntentCalibration,
    ) -> None:
        self._own, self._talk, self._known = own, talk, known
        held = is_held_out(shipped.embeddings, 0, SHARE)
        self._judges, self._rest = shipped.where(held), own + shipped.where(~held)
        self._start = refitted(head, self._rest)

    def harmless(self, corrections: Examples) -> NDArray[np.bool_]:
        """Which corrections do no harm together, bool[corrections]; earlier ones go first."""
        kept = np.zeros(len(corrections.labels), bool)
        again = self._tally(taught(self._start, self._rest, corrections.where(kept)))
        before = self._tally(self._start).least(again)
        if not self._with(corrections).falls_below(before):
            return ~kept
        for at in range(len(kept)):
            kept[at] = True
            kept[at] = not self._with(corrections.where(kept)).falls_below(before)
        return kept

    def _with(self, corrections: Examples) -> Tally:
        """The counts with a head that is fitted to corrections, too."""
        return self._tally(taught(self._start, self._rest, corrections))

    def _tally(self, head: Head) -> Tally:
        return Tally(
            commands=self._right(head, self._judges) + self._right(head, self._own),
            talk=sum(self._left_alone(head, one) for one in (self._judges.negatives, self._talk)),
        )

    def _right(self, head: Head, examples: Examples) -> int:
        inside, names = _commands(examples)
        if not names:
            return 0
        probabilities, in_scope = head.score_all(inside)
        best = (head.labels[at] for at in probabilities.argmax(axis=1))
        taken = zip(best, names, in_scope >= self._known.in_scope, strict=True)
        return sum(label == name and bool(meant) for label, name, meant in taken)

    def _left_alone(self, head: Head, examples: Examples) -> int:
        if not examples.labels:
            return 0
        return int((head.score_all(examples.embeddings)[1] < self._known.in_scope_to_act).sum())


def _weighed(corrections: Examples) -> Examples:
    embeddings = np.repeat(corrections.embeddings, WEIGHT, axis=0)
    return Examples([label for label in corrections.labels for _ in range(WEIGHT)], embeddings)


def refitted(head: Head, examples: Examples) -> Head:
    """A head for `examples` that is fitted from another, with its calibration."""
    inside, names = _commands(examples)
    return head.refit(inside, names, examples.negatives.embeddings)


def _commands(examples: Examples) -> tuple[Embeddings, list[str]]:
    """The embeddings of those that have a label, and their labels as text."""
    inside = np.array([label is not None for label in examples.labels], bool)
    return examples.embeddings[inside], [label.text for label in examples.labels if label]
