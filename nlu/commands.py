"""From a text to the commands in it: one sentence, or two and more joined by "and" or "then".

What is not obeyed: a wish turned round ("don't turn on the light") and one that is only told of
("she told me to turn off the oven"), even where free text would swallow the telling.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from assistant.core.messages import Command
from nlu.normalize import Canonical, cuts, wish
from nlu.templates import Match, Templates

_FREE_TEXT_CONFIDENCE = 0.9
_MOST_COMMANDS = 4
_LONGEST_JOINED = 60

_WITHHELD = re.compile(
    r"(?:(?:no|but|and|so|well) )*(?:do not|never|not|you should not|i do not want|if|unless)\b"
    r"|(?:(?:my|our) )?\w+ (?:just |already |never |also |has |have |had )*"
    r"(?:told|said|says|asked|asks|tells|wants|wanted|suggested|thought|thinks|heard)\b"
)


@dataclass(frozen=True)
class Understood:
    """The commands of a text; `exact` when none holds free text or lacks a required slot.

    `withheld` tells that the text turns a wish round, or only tells of one.
    """

    commands: tuple[Command, ...] = ()
    exact: bool = False
    withheld: bool = False


def understand(templates: Templates, said: Canonical, now: datetime) -> Understood:
    """Read the whole of a text as commands; none when one part of it is not understood."""
    best = _best(templates, said, now)
    if best is None or best[0].wildcard:
        joined = _joined(templates, said, now, _MOST_COMMANDS)
        if joined and (best is None or sum(m.wildcard for m, _ in joined) < best[0].wildcard):
            return _understood(joined)
    return _understood([best]) if best else Understood(withheld=_withheld(said))


def _understood(parts: list[tuple[Match, Command]]) -> Understood:
    exact = all(not (match.wildcard or match.missing) for match, _ in parts)
    return Understood(tuple(command for _, command in parts), exact)


def _best(templates: Templates, said: Canonical, now: datetime) -> tuple[Match, Command] | None:
    withheld = _withheld(said)
    for match in templates.match_canonical(said):
        if withheld and match.wildcard:
            continue
        slots = templates.slots(match, now)
        if slots is not None:
            confidence = _FREE_TEXT_CONFIDENCE if match.wildcard else 1.0
            return match, Command(intent=match.intent, slots=slots, confidence=confidence)
    return None


def _withheld(said: Canonical) -> bool:
    return _WITHHELD.match(wish(said).text) is not None


def _joined(
    templates: Templates, said: Canonical, now: datetime, most: int
) -> list[tuple[Match, Command]]:
    """The commands of a text of several; [] when it does not come apart into whole ones."""
    if most < 2 or len(said.tokens) > _LONGEST_JOINED:
        return []
    for end, start in cuts(said):
        head = _best(templates, said.part(0, end), now)
        if head is None or head[0].open_ended:  # free text would run on
            continue
        rest = said.part(start, len(said.tokens))
        tail = _best(templates, rest, now)
        tails = [tail] if tail else _joined(templates, rest, now, most - 1)
        if tails:
            return [head, *tails]
    return []
