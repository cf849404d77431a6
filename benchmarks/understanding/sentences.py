"""The sentences that all contestants learn from, the same for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from models.training.examples import labelled
from nlu.build import FITTED_OF_EACH, FITTING_SEED
from nlu.classifier.examples import IntentLabel
from nlu.grammar.templates import Templates

_OF_EACH = 30


class Template(NamedTuple):
    """A sentence with `{slot}` in the place of each slot, and its meaning."""

    label: IntentLabel
    text: str


def sentences(templates: Templates) -> list[tuple[IntentLabel | None, str]]:
    """The sentences that the device's head is fitted to: the skills' own, and those that ship.

    None is the label of what no assistant should act on.
    """
    drawn = templates.labelled(FITTED_OF_EACH, FITTING_SEED)
    own = [(IntentLabel(one.intent, one.fixed), one.text) for one in drawn]
    return [*own, *labelled()]


def slot_templates(templates: Templates) -> Iterator[Template]:
    """Sentences drawn from all templates, in the form for a matcher of examples with slots."""
    found: dict[Template, None] = {}
    for one in templates.labelled(_OF_EACH, FITTING_SEED):
        text = one.text
        for span in reversed(one.spans):
            text = f"{text[: span.start]}{{{span.slot}}}{text[span.end :]}"
        found[Template(IntentLabel(one.intent, tuple(sorted(one.fixed))), text)] = None
    yield from found
