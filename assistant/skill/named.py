"""What the user has named in vain, for the next command: a time, and a thing to do or to buy.

"Remind me in half an hour to water the plants" is declined, and the reply is about half an hour and
about watering the plants, so that "just a timer then" and "put it on the to-do list" mean these.
"""

from __future__ import annotations

from datetime import timedelta

from assistant.skill.context import Context, Request

_LENGTH, _THING = "length:", "thing:"


def naming(request: Request, thing: str = "", length: timedelta | None = None) -> tuple[str, ...]:
    """What a reply to `request` is about: how long it is until then, and the thing in it."""
    when = request.when
    later = when.value if when is not None and when.kind in ("in", "for") else None
    length_s = length.total_seconds() if length is not None else later
    lengths = (f"{_LENGTH}{length_s}",) if isinstance(length_s, int | float) else ()
    return (*lengths, *((f"{_THING}{thing}",) if thing else ()))


def named_length(context: Context) -> timedelta | None:
    """The time that was named last; None for none."""
    length = _named(context, _LENGTH)
    return timedelta(seconds=float(length)) if length else None


def named_thing(context: Context) -> str:
    """The thing that was named last; "" for none."""
    return _named(context, _THING)


def _named(context: Context, kind: str) -> str:
    about = (one for one in context.conversation.about if one.startswith(kind))
    return next((one.removeprefix(kind) for one in about), "")
