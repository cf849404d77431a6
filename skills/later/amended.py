"""A yes that adds when: "yes, but for ten minutes"."""

from __future__ import annotations

import re
from collections.abc import Callable

from assistant.core.messages import Slot, When
from assistant.english.replies import SPOKEN_YES
from assistant.skill.manifest import SlotSchema
from assistant.skill.reply import Cancelled
from assistant.skill.reply import Dialog as Call

_YES = "|".join(sorted(map(re.escape, (*SPOKEN_YES, "ok")), key=len, reverse=True))
_AMENDED = re.compile(
    rf"(?:{_YES})(?: please)?,?(?: but| and)?(?: only| just)?"
    r" (?P<said>(?P<link>for|in|at|until|till) (?P<time>.+))"
)
_LENGTHS = ("for", "in")


def amendment(text: str, resolve: Callable[[str, SlotSchema], Slot | None]) -> When | None:
    """When the one who agrees wants it; None for a text that does not agree, or adds no time."""
    found = _AMENDED.fullmatch(text.casefold())
    if found is None:
        return None
    kind = "duration" if found["link"] in _LENGTHS else "datetime"
    slot = resolve(found["time"], SlotSchema(name="answer", kind=kind))
    if slot is None:
        return None
    link = found["link"].replace("till", "until")
    return When(kind=link, said=found["said"], value=slot.value)  # type: ignore[arg-type]


def agreed(call: Call, question: str) -> Call:
    """Carry out a call; where it asks this question first, the answer is yes."""
    try:
        query = next(call)
        if query.text == question:
            query = call.send(True)
        while True:
            try:
                answer = yield query
            except Cancelled as cancelled:
                query = call.throw(cancelled)
            else:
                query = call.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
